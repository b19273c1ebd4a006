"""What a person says about a file of scores: its columns, and what each judge and metric is."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms import imports
from annotation.forms.names import NameField
from annotation.models import ImportKind, Upload
from annotation.queries.imports import surveys
from annotation.rules.tabular import machines, targets
from annotation.rules.tabular.layouts import Column
from annotation.rules.tabular.machines import JUDGE, METRIC, Machine, Seen
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.score_mappings import ScoreMapping
from annotation.rules.tabular.targets import Guess, Target

HIGHER, LOWER = "higher", "lower"

LABELS = imports.LABELS | {
    Target.RATER: _("Judge or metric"),
    Target.VALUE: _("Score"),
    Target.OUTCOME: _("Outcome (scored, refused, error, skipped)"),
    Target.REASON: _("Reason of a failure"),
    Target.TEXT: _("Explanation"),
    Target.SCORE: _("Scores of one judge or metric"),
}


class ScoreColumn(forms.Form):
    target = forms.ChoiceField(label=_("Goes to"))
    rater = NameField(label=_("Judge or metric"), required=False, max_length=200)
    criterion = NameField(label=_("Criterion"), required=False, max_length=200)
    kind = ImportKind.SCORES

    def __init__(self, column: Column, guess: Guess, data: Any = None, prefix: str = "") -> None:
        initial = {"target": guess.target, "rater": guess.rater, "criterion": guess.criterion}
        super().__init__(data, initial=initial, prefix=prefix)
        self.column, self.guess = column, guess
        self.fields["rater"].widget.attrs["placeholder"] = column.name
        imports.offer(self, targets.SCORES, LABELS)

    def place(self) -> Place:
        """Return where the column goes; before anything is sent, where it probably belongs."""
        said = self.cleaned_data if self.is_bound and self.is_valid() else self.initial
        if said["target"] != Target.SCORE:
            return Place(self.column.name, said["target"])
        rater = said["rater"] or self.column.name
        return Place(self.column.name, said["target"], rater=rater, criterion=said["criterion"])


class MachineRow(forms.Form):
    """What a judge or a metric is; an empty end of its range is open."""

    name = NameField(widget=forms.HiddenInput, max_length=200)
    kind = forms.ChoiceField(
        label=_("What it is"), choices=((METRIC, _("metric")), (JUDGE, _("judge")))
    )
    minimum = forms.CharField(label=_("Lowest score"), required=False, max_length=20)
    maximum = forms.CharField(label=_("Highest score"), required=False, max_length=20)
    direction = forms.ChoiceField(
        label=_("Better is"), choices=((HIGHER, _("higher")), (LOWER, _("lower")))
    )
    family = NameField(label=_("Family of its model"), required=False, max_length=80)

    def __init__(self, seen: Seen, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen = seen
        for name in ("minimum", "maximum"):
            self.fields[name].widget.attrs |= {"inputmode": "decimal", "placeholder": _("open")}

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        try:
            self.machine().ends()
        except ValueError as problem:
            self.add_error("minimum", str(problem))
        return said

    def machine(self) -> Machine:
        said = self.cleaned_data
        return Machine(
            self.seen.name,
            said.get("kind") or METRIC,
            said.get("minimum", ""),
            said.get("maximum", ""),
            said.get("direction") != LOWER,
            said.get("family", ""),
        )


class ScoreOptions(forms.Form):
    release = NameField(
        label=_("Release that was scored"),
        required=False,
        max_length=120,
        help_text=_("Needed where a system has several and no column says which."),
    )
    rater = NameField(
        label=_("Judge or metric, where no column says so"), required=False, max_length=200
    )
    words = imports.words_field()

    machines: Sequence[MachineRow] = ()
    #: Judges and metrics of which nothing was said yet when the form was sent.
    fresh: Sequence[str] = ()

    def clean_words(self) -> dict[str, str]:
        return imports.pairs_of(self.cleaned_data["words"])

    def is_valid(self) -> bool:
        return all([super().is_valid(), not self.fresh, *(row.is_valid() for row in self.machines)])

    def mapping(self, places: tuple[Place, ...]) -> ScoreMapping:
        said = self.cleaned_data
        return ScoreMapping(
            places,
            tuple(row.machine() for row in self.machines),
            said["release"],
            said["rater"],
            said["words"],
        )


def columns_of(
    upload: Upload, guesses: Iterable[tuple[Column, Guess]], data: Any = None
) -> list[ScoreColumn]:
    """Return a small form for each column, filled with what was chosen before or is suggested."""
    return [
        ScoreColumn(column, guess, data, prefix=f"c{place}")
        for place, (column, guess) in enumerate(imports.chosen_of(upload, guesses))
    ]


def options_of(upload: Upload, columns: Sequence[ScoreColumn], data: Any = None) -> ScoreOptions:
    """Return the form for the whole file, with a row for each judge and metric in it."""
    stored = dict(upload.mapping or {})
    places = tuple(one.place() for one in columns)
    options = ScoreOptions(data)
    if data is not None:
        forms.Form.is_valid(options)
        said = {name: options.cleaned_data.get(name) or "" for name in ("release", "rater")}
        words = options.cleaned_data.get("words") or {}
    else:
        said = {name: stored.get(name, "") for name in ("release", "rater")}
        words = stored.get("words") or {}
    seen = surveys.machines(upload, ScoreMapping(places, (), said["release"], said["rater"], words))
    if data is None:
        found = machines.suggest_words(word for one in seen for word in one.words)
        options.initial = {**said, "words": imports.lines_of(found | words)}
    known = {one["name"]: Machine(**one) for one in stored.get("machines", ())}
    sent = _sent(data)
    options.machines = [_row(one, place, known, sent, data) for place, one in enumerate(seen)]
    options.fresh = [one.name for one in seen if data is not None and one.name not in sent]
    return options


def _row(
    seen: Seen, place: int, known: dict[str, Machine], sent: dict[str, str], data: Any
) -> MachineRow:
    if seen.name in sent:
        return MachineRow(seen, data, prefix=sent[seen.name])
    declared = known.get(seen.name) or machines.suggest(seen)
    initial = {
        "name": seen.name,
        "kind": declared.kind,
        "minimum": declared.minimum,
        "maximum": declared.maximum,
        "direction": HIGHER if declared.higher_is_better else LOWER,
        "family": declared.family,
    }
    return MachineRow(seen, initial=initial, prefix=f"m{len(sent) + place}")


def _sent(data: Any) -> dict[str, str]:
    """Return the prefixes of the rows that were sent, by the names they are about."""
    names = [key for key in data or () if key.startswith("m") and key.endswith("-name")]
    return {data[key]: key.removesuffix("-name") for key in names}
