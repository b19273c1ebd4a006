"""What a person says about a file of scores: its columns, and what each judge and metric is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Line:
    """What one row is about: a judge or metric, a criterion if it has several, and what was seen."""

    whole: Seen
    criterion: str
    part: Seen
    #: Only the first row of a judge or metric says what it is.
    is_first: bool
    #: The check wants its range to be confirmed.
    doubted: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.whole.name, self.criterion

    @property
    def label(self) -> str:
        return ", ".join(filter(None, self.key))


class MachineRow(forms.Form):
    """What a judge or a metric is on a criterion; an empty end of its range is open."""

    name = NameField(widget=forms.HiddenInput, max_length=200)
    criterion = NameField(widget=forms.HiddenInput, max_length=200, required=False)
    kind = forms.ChoiceField(
        label=_("What it is"), choices=((METRIC, _("metric")), (JUDGE, _("judge")))
    )
    minimum = forms.CharField(label=_("Lowest score"), required=False, max_length=20)
    maximum = forms.CharField(label=_("Highest score"), required=False, max_length=20)
    direction = forms.ChoiceField(
        label=_("Better is"), choices=((HIGHER, _("higher")), (LOWER, _("lower")))
    )
    family = NameField(label=_("Family of its model"), required=False, max_length=80)
    sure = forms.BooleanField(label=_("This range is right"), required=False)

    def __init__(self, line: Line, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.line = line
        for name in ("minimum", "maximum"):
            self.fields[name].widget.attrs |= {"inputmode": "decimal", "placeholder": _("open")}
        if not line.is_first:
            for name in ("kind", "family"):
                self.fields[name].required = False
                self.fields[name].widget = forms.HiddenInput()
        if not line.doubted:
            self.fields["sure"].widget = forms.HiddenInput()

    def shown(self) -> list[forms.BoundField | None]:
        """Return a field for each cell of the row; none where the first row says it for all."""
        names = ["kind", "minimum", "maximum", "direction", "family"]
        names += ["sure"] if self.line.doubted else []
        once = () if self.line.is_first else ("kind", "family")
        return [None if name in once else self[name] for name in names]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        try:
            self.machine().ends()
        except ValueError as problem:
            self.add_error("minimum", str(problem))
        return said

    def machine(self, first: "MachineRow | None" = None) -> Machine:
        """Return what is said; what it is, as the first row of the same judge or metric says."""
        said, of = self.cleaned_data, (first or self).cleaned_data
        return Machine(
            self.line.whole.name,
            of.get("kind") or METRIC,
            said.get("minimum", ""),
            said.get("maximum", ""),
            said.get("direction") != LOWER,
            of.get("family", ""),
            self.line.criterion,
            guessed=not said.get("sure"),
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
        first = {row.line.whole.name: row for row in reversed(self.machines)}
        return ScoreMapping(
            places,
            tuple(row.machine(first[row.line.whole.name]) for row in self.machines),
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
    mapping = ScoreMapping(places, (), said["release"], said["rater"], words)
    seen = surveys.machines(upload, mapping)
    if data is None:
        found = machines.suggest_words(word for one in seen for word in one.words)
        options.initial = {**said, "words": imports.lines_of(found | words)}
    sent = _sent(data)
    lines = list(_lines(seen, (upload.report or {}).get("doubts", ())))
    old = tuple(Machine(**one) for one in stored.get("machines", ()))
    standing = surveys.standing(upload.project, mapping)
    guesses = {
        (one.name, one.criterion): one for of in seen for one in machines.suggest(of, standing)
    }
    options.machines = [
        MachineRow(one, data, prefix=sent[one.key])
        if one.key in sent
        else MachineRow(
            one,
            initial=_initial(
                machines.declared_for(old, *one.key) or guesses[one.key], criterion=one.criterion
            ),
            prefix=f"m{len(sent) + place}",
        )
        for place, one in enumerate(lines)
    ]
    options.fresh = [one.label for one in lines if data is not None and one.key not in sent]
    return options


def _lines(seen: Iterable[Seen], doubts: Iterable[Sequence[str]]) -> Iterator[Line]:
    doubted = {tuple(pair) for pair in doubts}
    for whole in seen:
        for place, (criterion, part) in enumerate(whole.parts()):
            doubt = (whole.name, part.name) in doubted
            yield Line(whole, criterion, part, is_first=place == 0, doubted=doubt)


def _initial(declared: Machine, *, criterion: str) -> dict[str, Any]:
    return {
        "name": declared.name,
        "criterion": criterion,
        "kind": declared.kind,
        "minimum": declared.minimum,
        "maximum": declared.maximum,
        "direction": HIGHER if declared.higher_is_better else LOWER,
        "family": declared.family,
        "sure": not declared.guessed,
    }


def _sent(data: Any) -> dict[tuple[str, str], str]:
    """Return the prefixes of the rows that were sent, by what they are about."""
    prefixes = [
        key.removesuffix("-name")
        for key in data or ()
        if key.startswith("m") and key.endswith("-name")
    ]
    return {(data[f"{one}-name"], data.get(f"{one}-criterion", "")): one for one in prefixes}
