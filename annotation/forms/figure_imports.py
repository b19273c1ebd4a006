"""What a person says about a file of figures of other benchmarks."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms import imports
from annotation.forms.names import NameField
from annotation.models import ImportKind, Upload
from annotation.rules.tabular import targets
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.figures import MOST_NAME
from annotation.rules.tabular.layouts import Column
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.targets import Guess, Target

LABELS = imports.LABELS | {
    Target.DATASET: _("Data set"),
    Target.FIGURE: _("Figure (what was measured)"),
    Target.VALUE: _("Value"),
}


class FigureColumn(forms.Form):
    target = forms.ChoiceField(label=_("Goes to"))
    kind = ImportKind.FIGURES

    def __init__(self, column: Column, guess: Guess, data: Any = None, prefix: str = "") -> None:
        super().__init__(data, initial={"target": guess.target}, prefix=prefix)
        self.column, self.guess = column, guess
        imports.offer(self, targets.FIGURES, LABELS)

    def place(self) -> Place:
        return Place(self.column.name, self.cleaned_data["target"])


class FigureOptions(forms.Form):
    """What holds for the whole file."""

    figure = forms.CharField(
        label=_("Figure, where no column names one"),
        required=False,
        max_length=MOST_NAME,
        help_text=_(
            "Such as a benchmark’s name; train loss and test loss are set off against each other."
        ),
    )
    release = NameField(
        label=_("Release that was measured"),
        required=False,
        max_length=120,
        help_text=_("Needed where a system has several and no column says which."),
    )

    def mapping(self, places: tuple[Place, ...]) -> FigureMapping:
        said = self.cleaned_data
        return FigureMapping(places, said["figure"], said["release"])


def columns_of(
    upload: Upload, guesses: Iterable[tuple[Column, Guess]], data: Any = None
) -> list[FigureColumn]:
    """Return a small form for each column, filled with what was chosen before or is suggested."""
    return [
        FigureColumn(column, guess, data, prefix=f"c{place}")
        for place, (column, guess) in enumerate(imports.chosen_of(upload, guesses))
    ]


def options_of(upload: Upload, data: Any = None) -> FigureOptions:
    stored = upload.mapping or {}
    initial = {name: stored.get(name, "") for name in ("figure", "release")}
    return FigureOptions(data, initial=initial)
