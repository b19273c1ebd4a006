"""What a person says about a file of questions of multiple choice: its set, and columns without a name.

* What a person says about a file of figures of other benchmarks.
* What a person says about a file of questions for the bank: its columns, and what holds for all rows.
* What a person says about a file of scores: its columns, and what each judge and metric is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import NameInput, RecordForm, one_of
from annotation.domains import queries as taxonomy
from annotation.domains.models import Difficulty
from annotation.domains.queries import capability_options, domain_options
from annotation.files import choices as choice_mappings
from annotation.files import columns as targets
from annotation.files import scores as machines
from annotation.files import stored as files
from annotation.files.choices import KNOWN_NAMES, ChoiceKind, ChoiceMapping
from annotation.files.columns import Guess, Target
from annotation.files.look.layouts import FileColumn
from annotation.files.mappings import MAX_NAME, ColumnTarget, QuestionMapping
from annotation.files.models import ImportKind, Upload
from annotation.files.pairs import DEFAULT, PairMapping
from annotation.files.scores import (
    METRIC,
    FigureMapping,
    Machine,
    ScoreMapping,
    Seen,
)
from annotation.imports import forms as imports
from annotation.imports import places as surveys
from annotation.imports import recognising
from annotation.people.models import Project, User
from annotation.rubrics.models import Criterion, RubricVersion

LABELS = imports.LABELS
#: What people call the published layouts.
LAYOUTS = {
    ChoiceKind.ARC: "ARC",
    ChoiceKind.HELLASWAG: "HellaSwag",
    ChoiceKind.MMLU_TABLE: _("MMLU, a table without headings"),
    ChoiceKind.MMLU_OBJECTS: _("MMLU, as objects"),
}

FIGURE_LABELS = imports.LABELS | {
    Target.DATASET: _("Data set"),
    Target.FIGURE: _("Figure (what was measured)"),
    Target.VALUE: _("Value"),
}
QUESTION_LABELS = imports.LABELS | {
    Target.AS_OF: _("As of"),
    Target.VALID_UNTIL: _("Valid until (date)"),
    Target.TAGS: _("Tags"),
    Target.SOURCES: _("Sources"),
    Target.SOURCE_TITLE: _("Title of the source"),
    Target.SOURCE_ADDRESS: _("Address of the source"),
    Target.SOURCE_PLACE: _("Place in the source"),
    Target.PRINCIPLE: _("Principle of this question"),
    Target.NOTE: _("Note (becomes a comment)"),
}
SCORE_LABELS = imports.LABELS | {
    Target.RATER: _("Judge or metric"),
    Target.VALUE: _("Score"),
    Target.OUTCOME: _("Outcome (scored, refused, error, skipped)"),
    Target.REASON: _("Reason of a failure"),
    Target.TEXT: _("Explanation"),
    Target.SCORE: _("Scores of one judge or metric"),
}
PAIR_LABELS = imports.LABELS | {
    Target.SYSTEM_A: _("System A"),
    Target.SYSTEM_B: _("System B"),
    Target.RELEASE_A: _("Release of A"),
    Target.RELEASE_B: _("Release of B"),
    Target.SAMPLE_A: _("Number of A’s sample"),
    Target.SAMPLE_B: _("Number of B’s sample"),
    Target.ANSWER_A: _("Answer A"),
    Target.ANSWER_B: _("Answer B"),
    Target.CHOICE: _("Which is better"),
}


@dataclass(frozen=True)
class ColumnOffer:
    """Where the columns of a kind of file may go, in words.

    A column of the target `wide` holds the marks or answers of what `named` says, each by its label; the
    first of them is called as the column is, where `by_column`.
    """

    targets: Sequence[Target]
    labels: Mapping[Target, Any] = field(default_factory=lambda: LABELS)
    wide: str = ""
    named: Mapping[str, Any] = field(default_factory=dict)
    by_column: bool = False


_RATED: Any = {"rater": _("Rater"), "criterion": _("Criterion"), "system": _("System")}
_SCORED: Any = {"rater": _("Judge or metric"), "criterion": _("Criterion")}
OFFERS: Final = {
    ImportKind.ANSWERS: ColumnOffer(
        targets.ANSWERS, LABELS, Target.ANSWER, {"system": _("System")}, by_column=True
    ),
    ImportKind.QUESTIONS: ColumnOffer(targets.QUESTIONS, QUESTION_LABELS),
    ImportKind.GRADES: ColumnOffer(targets.GRADES, LABELS, Target.GRADE, _RATED),
    ImportKind.SCORES: ColumnOffer(
        targets.SCORES, SCORE_LABELS, Target.SCORE, _SCORED, by_column=True
    ),
    ImportKind.CHOICES: ColumnOffer(targets.CHOICES),
    ImportKind.FIGURES: ColumnOffer(targets.FIGURES, FIGURE_LABELS),
    ImportKind.PAIRS: ColumnOffer(targets.PAIRS, PAIR_LABELS),
}


class ColumnForm(forms.Form):
    """Where one column of a file goes."""

    target = forms.ChoiceField(label=_("Goes to"))

    def __init__(
        self, kind: ImportKind, column: FileColumn, guess: Guess, data: Any = None, prefix: str = ""
    ) -> None:
        self.column, self.guess, self._offer = column, guess, OFFERS[kind]
        names = {name: getattr(guess, name) for name in self._offer.named}
        super().__init__(data, initial={"target": guess.target, **names}, prefix=prefix)
        ordered = [one for one in self._offer.targets if one != Target.IGNORE]
        self.fields["target"].choices = [  # type: ignore[attr-defined]
            ("", _("Choose …")),
            *((str(one), self._offer.labels[one]) for one in [*ordered, Target.IGNORE]),
        ]
        for name, label in self._offer.named.items():
            self.fields[name] = NameInput(label=label, required=False, max_length=200)
        if self._offer.by_column:
            first = next(iter(self._offer.named))
            self.fields[first].widget.attrs["placeholder"] = self._own_name()

    def place(self) -> ColumnTarget:
        """Return where the column goes; before anything is sent, where it probably belongs."""
        said = self.cleaned_data if self.is_bound and self.is_valid() else self.initial
        if said["target"] != self._offer.wide:
            return ColumnTarget(self.column.name, said["target"])
        names = {name: said[name] for name in self._offer.named}
        if self._offer.by_column:
            first = next(iter(names))
            names[first] = names[first] or self._own_name()
        return ColumnTarget(self.column.name, said["target"], **names)

    def _own_name(self) -> str:
        """Return what a system or a judge is called if nobody says otherwise."""
        name = self.column.name
        return name.rpartition(".")[2] or name if self._offer.wide == Target.ANSWER else name


def columns_of(upload: Upload, data: Any = None) -> list[ColumnForm]:
    """Return a small form for each column, filled with what was chosen before or is suggested.

    There is none where the layout is a published one of choice questions.
    """
    kind = ImportKind(upload.kind)
    if kind == ImportKind.CHOICES and choice_mappings.published(files.layout_of(upload)):
        return []
    chosen = {one["column"]: one for one in (upload.mapping or {}).get("places", ())}
    found = []
    for place, (column, guess) in enumerate(recognising.guesses(upload)):
        if before := chosen.get(column.name):
            names = (before[name] for name in ("target", "system", "rater", "criterion"))
            said = Guess(*names)  # what was only suggested, and taken, is still to be checked
            guess = guess if said == replace(guess, sure=True) else said
        found.append(ColumnForm(kind, column, guess, data, prefix=f"c{place}"))
    return found


class ChoiceOptions(imports.WholeForm, record=ChoiceMapping):
    def __init__(self, layout: ChoiceKind | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.layout = layout
        self.fields["dataset"].required = True

    @property
    def layout_name(self) -> Any:
        return LAYOUTS.get(self.layout) if self.layout else ""

    def mapping(self, places: tuple[ColumnTarget, ...]) -> ChoiceMapping:
        return ChoiceMapping(places, str(self.layout or ""), **self.cleaned_data)


def options_of(upload: Upload, data: Any = None) -> ChoiceOptions:
    layout = choice_mappings.published(files.layout_of(upload))
    stored = upload.mapping or {}
    known = KNOWN_NAMES.get(layout, "") if layout else ""
    initial = {
        "dataset": stored.get("dataset", known),
        "subject": stored.get("subject", ""),
    }
    return ChoiceOptions(layout, data, initial=initial)


class PairOptions(imports.WholeForm, record=PairMapping):
    rubric = one_of(PairMapping, "rubric", required=True)

    def __init__(self, rubrics: Iterable[RubricVersion], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rubric"].choices = [  # type: ignore[attr-defined]
            (imports.NEW, _("a new one, from the file")),
            *((f"{one.rubric.key}@{one.number}", str(one)) for one in rubrics),
        ]

    def mapping(self, places: tuple[ColumnTarget, ...]) -> PairMapping:
        said = dict(self.cleaned_data)
        is_new = said["rubric"] == imports.NEW
        said |= {"rubric": ""} if is_new else {"new_rubric": ""}
        used = {one.target for one in places}
        # Where a column says so, it holds.
        by_column = {
            "criterion": Target.CRITERION,
            "rater": Target.RATER,
            "system_a": Target.SYSTEM_A,
            "system_b": Target.SYSTEM_B,
        }
        said |= {name: "" for name, target in by_column.items() if target in used}
        return PairMapping(places, **said)


def pair_options(upload: Upload, rubrics: Iterable[RubricVersion], data: Any = None) -> PairOptions:
    """Return the form for the whole of a file of choices; rubrics of marks are not offered."""
    name = upload.name.removesuffix(".gz").rpartition(".")[0] or upload.name
    initial: dict[str, Any] = {
        "round_name": name,
        "new_rubric": name,
        "criterion": DEFAULT,
        **(upload.mapping or {}),
    }
    initial["rubric"] = initial.get("rubric") or imports.NEW
    initial["new_rubric"] = initial["new_rubric"] or name
    offered = [one for one in rubrics if asks_for_choices(one)]
    return PairOptions(offered, data, initial=initial)


def asks_for_choices(version: RubricVersion) -> bool:
    return any(one.mark == Criterion.Mark.CHOICE for one in version.criteria.all())


class FigureOptions(imports.WholeForm, record=FigureMapping):
    pass


class QuestionOptions(imports.WholeForm, record=QuestionMapping):
    """Where a column says otherwise, the column counts."""

    capability = one_of(QuestionMapping, "capability")
    difficulty = one_of(
        QuestionMapping, "difficulty", required=False, choices=[("", "–"), *Difficulty.choices]
    )
    domain = one_of(QuestionMapping, "domain")
    author = one_of(QuestionMapping, "author")

    def __init__(
        self,
        project: Project,
        user: User,
        writers: Mapping[str, User],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Make the form; without `writers` the drafts become those of whoever asks."""
        super().__init__(*args, **kwargs)
        offered: dict[str, list[tuple[Any, Any]]] = {
            "capability": capability_options(project),
            "domain": domain_options(project),
        }
        for name, options in offered.items():
            self.fields[name].choices = [("", "–"), *options]  # type: ignore[attr-defined]
        others = [
            (name, one.display_name) for name, one in writers.items() if name != user.username
        ]
        self.fields["author"].choices = [("", _("I am")), *others]  # type: ignore[attr-defined]
        if not others:
            del self.fields["author"]
        self._paths = paths_of(project)

    @property
    def filed(self) -> list[forms.BoundField]:
        """What questions are filed under: these fields stand beside what capabilities mean."""
        return [self["capability"], self["difficulty"]]

    @property
    def rest(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in {"capability", "difficulty"}]

    def mapping(self, places: tuple[ColumnTarget, ...]) -> QuestionMapping:
        said = dict(self.cleaned_data)
        named = {name: by_pk.get(said[name], "") for name, by_pk in self._paths.items()}
        return QuestionMapping(places, **{**said, **named})


def paths_of(project: Project) -> dict[str, dict[str, str]]:
    """Return capabilities and subject areas by id, each as the path that a file names it by."""
    return {
        "capability": {str(pk): path for pk, path in taxonomy.capability_paths(project).items()},
        "domain": {str(pk): path for pk, path in taxonomy.domain_paths(project).items()},
    }


def question_options(
    upload: Upload, user: User, writers: Mapping[str, User], data: Any = None
) -> QuestionOptions:
    """Return the form for the whole file; in an empty project what is missing is made."""
    project = upload.project
    paths = paths_of(project)
    initial: dict[str, Any] = {"create_missing": not paths["capability"], "make_sources": True}
    stored = dict(upload.mapping or {})
    for name, by_pk in paths.items():
        path = stored.pop(name, "")
        initial[name] = next((pk for pk, one in by_pk.items() if path and one == path), "")
    return QuestionOptions(project, user, writers, data, initial=initial | stored)


HIGHER, LOWER = "higher", "lower"


@dataclass(frozen=True)
class MachineRowForm:
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


class MachineRow(RecordForm, record=Machine, leave_out=("higher_is_better", "guessed")):
    """What a judge or a metric is on a criterion; an empty end of its range is open."""

    name = NameInput(widget=forms.HiddenInput, max_length=MAX_NAME)
    criterion = NameInput(widget=forms.HiddenInput, max_length=MAX_NAME, required=False)
    direction = forms.ChoiceField(
        label=_("Better is"), choices=((HIGHER, _("higher")), (LOWER, _("lower")))
    )
    sure = forms.BooleanField(label=_("This range is right"), required=False)

    def __init__(self, line: MachineRowForm, *args: Any, **kwargs: Any) -> None:
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


class ScoreOptions(imports.WholeForm, record=ScoreMapping):
    machines: Sequence[MachineRow] = ()
    #: Judges and metrics of which nothing was said yet when the form was sent.
    fresh: Sequence[str] = ()

    def is_valid(self) -> bool:
        return all([super().is_valid(), not self.fresh, *(row.is_valid() for row in self.machines)])

    def mapping(self, places: tuple[ColumnTarget, ...]) -> ScoreMapping:
        said = dict(self.cleaned_data)
        said["system"] = imports.whole(places, Target.SYSTEM, said["system"])
        said["criterion"] = imports.whole(places, Target.CRITERION, said["criterion"])
        first = {row.line.whole.name: row for row in reversed(self.machines)}
        found = tuple(row.machine(first[row.line.whole.name]) for row in self.machines)
        return ScoreMapping(places, found, **said)


#: What holds for a whole file of scores where no column says so.
_WHOLE = ("release", "rater", "system", "criterion")


def score_options(upload: Upload, columns: Sequence[ColumnForm], data: Any = None) -> ScoreOptions:
    """Return the form for the whole file, with a row for each judge and metric in it."""
    stored = dict(upload.mapping or {})
    places = tuple(one.place() for one in columns)
    options = ScoreOptions(data)
    if data is not None:
        forms.Form.is_valid(options)
        said = {name: options.cleaned_data.get(name) or "" for name in _WHOLE}
        words = options.cleaned_data.get("words") or {}
    else:
        only = {"system": surveys.only_system(upload.project)}
        said = {name: stored.get(name) or only.get(name, "") for name in _WHOLE}
        words = stored.get("words") or {}
    mapping = ScoreMapping(places, (), words=words, **said)
    seen = surveys.machines(upload, mapping)
    if data is None:
        found = machines.suggest_words(word for one in seen for word in one.words)
        options.initial = {**said, "words": found | words}
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


def _lines(seen: Iterable[Seen], doubts: Iterable[Sequence[str]]) -> Iterator[MachineRowForm]:
    doubted = {tuple(pair) for pair in doubts}
    for whole in seen:
        for place, (criterion, part) in enumerate(whole.parts()):
            doubt = (whole.name, part.name) in doubted
            yield MachineRowForm(whole, criterion, part, is_first=place == 0, doubted=doubt)


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
