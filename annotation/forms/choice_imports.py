"""What a person says about a file of questions of multiple choice: its set, and columns without a name."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms import imports
from annotation.forms.names import NameField
from annotation.models import ImportKind, Upload
from annotation.queries.imports import files
from annotation.rules.tabular import choice_mappings, targets
from annotation.rules.tabular.choice_mappings import KNOWN_NAMES, MOST_DATASET, ChoiceMapping
from annotation.rules.tabular.choice_sets import Kind
from annotation.rules.tabular.layouts import Column
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.targets import Guess

LABELS = imports.LABELS
#: What people call the published layouts.
LAYOUTS = {
    Kind.ARC: "ARC",
    Kind.HELLASWAG: "HellaSwag",
    Kind.MMLU_TABLE: _("MMLU, a table without headings"),
    Kind.MMLU_OBJECTS: _("MMLU, as objects"),
}


class ChoiceColumn(forms.Form):
    target = forms.ChoiceField(label=_("Goes to"))
    kind = ImportKind.CHOICES

    def __init__(self, column: Column, guess: Guess, data: Any = None, prefix: str = "") -> None:
        super().__init__(data, initial={"target": guess.target}, prefix=prefix)
        self.column, self.guess = column, guess
        imports.offer(self, targets.CHOICES, LABELS)

    def place(self) -> Place:
        return Place(self.column.name, self.cleaned_data["target"])


class ChoiceOptions(forms.Form):
    """What holds for the whole file."""

    dataset = NameField(
        label=_("Data set"),
        max_length=MOST_DATASET,
        help_text=_("Scores and accuracies are shown for each data set, and over all of them."),
    )
    subject = forms.CharField(
        label=_("Subject, where no row names one"),
        required=False,
        max_length=200,
        help_text=_("Left empty, the name of the file stands for it."),
    )

    def __init__(self, layout: Kind | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.layout = layout

    @property
    def layout_name(self) -> Any:
        return LAYOUTS.get(self.layout) if self.layout else ""

    def mapping(self, places: tuple[Place, ...]) -> ChoiceMapping:
        said = self.cleaned_data
        return ChoiceMapping(places, str(self.layout or ""), said["dataset"], said["subject"])


def columns_of(
    upload: Upload, guesses: Iterable[tuple[Column, Guess]], data: Any = None
) -> list[ChoiceColumn]:
    """Return a small form for each column; none where the layout is a published one."""
    if choice_mappings.published(files.layout_of(upload)):
        return []
    return [
        ChoiceColumn(column, guess, data, prefix=f"c{place}")
        for place, (column, guess) in enumerate(imports.chosen_of(upload, guesses))
    ]


def options_of(upload: Upload, data: Any = None) -> ChoiceOptions:
    layout = choice_mappings.published(files.layout_of(upload))
    stored = upload.mapping or {}
    known = KNOWN_NAMES.get(layout, "") if layout else ""
    initial = {
        "dataset": stored.get("dataset", known),
        "subject": stored.get("subject", ""),
    }
    return ChoiceOptions(layout, data, initial=initial)
