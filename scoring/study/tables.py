"""The tables of a bundle: which rows and columns of the database figures rest on, and what each one is.

Written and read by the same description. No text of a question, an answer or a person is in it, no name
of a person, and no name of a system unless names are shown.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from django.db.models import Field, ForeignKey, JSONField, Model, Q, QuerySet
from django.db.models import fields as kinds

from annotation.bank.models import QuestionVersion
from annotation.domains.models import Capability, Domain
from annotation.files.models import ImportBatch
from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Project, Rater
from annotation.rounds.models import (
    Assignment,
    Round,
    RoundAnnotator,
    RoundItem,
    RoundResponse,
    RoundSystem,
    SamenessTag,
    Slot,
)
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.systems.models import Item, Response, System, SystemRelease
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Machine, Run
from scoring.kinds.judging.models import Tuning, TuningQuestion, TuningVersion
from scoring.publishing.models import Publication
from scoring.shown.sheet import FORMULA

PAGE: Final = 5_000
#: What is written in place of what a row holds, by the column.
Shown = Mapping[str, Callable[[Any], Any]]
#: Known grades, with which gold is compared.
KNOWN: Final = (Grade.Kind.ADJUDICATED, Grade.Kind.REFERENCE)


@dataclass(frozen=True)
class Span:
    """What a bundle reaches over.

    `rounds` are those that its figures read, `judges` the machines; `names` is what systems are called
    instead of their names, and None where these are shown.
    """

    project: Project
    rounds: Sequence[Round]
    judges: Sequence[int] = ()
    names: Mapping[str, str] | None = None

    @cached_property
    def places(self) -> "QuerySet[RoundItem]":
        return RoundItem.objects.filter(round__in=self.rounds)

    @cached_property
    def served(self) -> "QuerySet[RoundResponse]":
        return RoundResponse.objects.filter(round_item__round__in=self.rounds)

    @cached_property
    def judgments(self) -> "QuerySet[Judgment]":
        return Judgment.objects.counted().filter(rater__in=self.judges)

    @cached_property
    def responses(self) -> "QuerySet[Response]":
        mine = Q(pk__in=self.served.values("response"))
        return Response.objects.filter(mine | Q(pk__in=self.judgments.values("response")))

    @cached_property
    def items(self) -> "QuerySet[Item]":
        mine = Q(pk__in=self.places.values("item")) | Q(pk__in=self.responses.values("item"))
        return Item.objects.filter(mine)

    @cached_property
    def releases(self) -> "QuerySet[SystemRelease]":
        drawn = RoundSystem.objects.filter(round__in=self.rounds).values("release")
        mine = Q(pk__in=self.responses.values("release")) | Q(pk__in=drawn)
        return SystemRelease.objects.filter(mine)

    @cached_property
    def grades(self) -> "QuerySet[Grade]":
        """Grades with a value: what was written as a text counts in no figure."""
        known = Q(
            round__project=self.project,
            kind__in=KNOWN,
            response__in=self.served.filter(round_item__purpose="GOLD").values("response"),
        )
        rows = Grade.objects.seen().filter(Q(round__in=self.rounds) | known)
        return rows.exclude(criterion__mark=Criterion.Mark.TEXT)

    @cached_property
    def versions(self) -> "QuerySet[RubricVersion]":
        mine = Q(pk__in=self.places.values("rubric_version"))
        mine |= Q(criteria__in=self.grades.values("criterion"))
        mine |= Q(criteria__in=self.judgments.values("criterion"))
        mine |= Q(rubric__machine__rater__in=self.judges)
        return RubricVersion.objects.filter(mine).distinct()

    @cached_property
    def raters(self) -> "QuerySet[Rater]":
        mine = Q(pk__in=self.grades.values("rater")) | Q(pk__in=self.judges)
        return Rater.objects.filter(mine | Q(round_places__round__in=self.rounds)).distinct()

    @cached_property
    def runs(self) -> "QuerySet[Run]":
        mine = Q(pk__in=self.judgments.values("run"))
        mine |= Q(publications__round__in=self.rounds)
        if self.judges:  # what judges were made of
            mine |= Q(project=self.project, kind__in=(Run.Kind.COMBINE, Run.Kind.FUSION))
        return Run.objects.filter(mine).distinct()

    @cached_property
    def batches(self) -> "QuerySet[ImportBatch]":
        mine = Q(pk__in=self.grades.values("batch")) | Q(pk__in=self.judgments.values("batch"))
        mine |= Q(pk__in=self.responses.values("batch")) | Q(pk__in=self.items.values("batch"))
        return ImportBatch.objects.filter(mine | Q(pk__in=self.releases.values("batch")))

    @cached_property
    def mentioned(self) -> "QuerySet[Round]":
        """Return the rounds, with those of known grades."""
        mine = Q(pk__in=[one.pk for one in self.rounds])
        return Round.objects.filter(mine | Q(pk__in=self.grades.values("round")))

    def shown_rounds(self) -> Shown:
        return {"draw": _prepared}

    def shown_runs(self) -> Shown:
        inside = {one.pk for one in self.rounds}
        return {
            "round_id": lambda key: key if key in inside else None,
            "config": lambda held: _some(held, "made_of"),
        }

    def shown_systems(self) -> Shown:
        names = self.names
        if names is None:
            return {}
        return {"name": lambda name: names[name], "family": lambda _family: ""}

    def shown_releases(self) -> Shown:
        number = itertools.count(1)
        return {} if self.names is None else {"label": lambda _label: str(next(number))}

    def shown_judges(self) -> Shown:
        return {"config": lambda held: _some(held, "turned")}


def _some(held: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    return {name: held[name]} if held and name in held else {}


def _prepared(draw: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a draw how many items there are and how many come twice."""
    prepared = draw.get("prepared") or {}
    kept = {name: prepared[name] for name in ("items", "repeats") if name in prepared}
    return {"prepared": kept} if kept else {}


@dataclass(frozen=True)
class Table:
    """A table: its file, whose rows, what it holds, and what its columns are.

    A column that refers to another table is described by that table.
    """

    name: str
    model: type[Model]
    about: str
    rows: Callable[[Span], "QuerySet[Any]"]
    columns: tuple[str, ...]
    shown: Callable[[Span], Shown] = lambda _span: {}
    #: Columns that the first form of a bundle did not have: there all rows have the default.
    added: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return f"{self.name}.csv"

    @cached_property
    def fields(self) -> dict[str, "Field[Any, Any]"]:
        """Return the columns with the fields they are kept in; `id` comes first."""
        found = [self.model._meta.get_field(name) for name in ("id", *self.columns)]
        return {one.name: one for one in found if isinstance(one, Field)}

    def fields_of(self, form: int) -> dict[str, "Field[Any, Any]"]:
        """Return the columns that a form of a bundle has."""
        left_out = self.added if form == 1 else ()
        return {name: one for name, one in self.fields.items() if name not in left_out}

    def lines(self, span: Span) -> Iterator[list[str]]:
        """Yield the rows as cells, in the order of their keys."""
        names = [one.attname for one in self.fields.values()]
        shown = self.shown(span)
        at = [(place, shown[name]) for place, name in enumerate(names) if name in shown]
        for held in paged(self.rows(span), names, PAGE):
            row = list(held)
            for place, make in at:
                row[place] = make(row[place])
            yield [written(one) for one in row]

    def read(self, lines: Iterable[Sequence[str]], form: int) -> Iterator[Model]:
        """Yield rows of cells as rows of the database; what is not in the table is filled in.

        Raises:
            ValueError: a cell cannot be read.
        """
        known = self.fields_of(form)
        fields = list(known.values())
        others = [one for one in self.model._meta.concrete_fields if one.name not in known]
        for cells in lines:
            held = {one.attname: _read(one, cell) for one, cell in zip(fields, cells, strict=True)}
            more = {one.attname: _filled(one, held["id"]) for one in others}
            yield self.model(**held, **more)


def paged(rows: "QuerySet[Any]", names: Sequence[str], size: int) -> Iterator[tuple[Any, ...]]:
    """Yield columns of rows by their keys, so many at a time: no cursor stays open."""
    last = 0
    while found := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", *names)[:size]):
        last = found[-1][0]
        yield from (one[1:] for one in found)


def _systems(span: Span) -> "QuerySet[System]":
    return System.objects.filter(releases__in=span.releases).distinct()


def _criteria(span: Span) -> "QuerySet[Criterion]":
    return Criterion.objects.filter(rubric_version__in=span.versions)


def _tunings(span: Span) -> "QuerySet[Tuning]":
    return Tuning.objects.filter(project=span.project if span.judges else None)


def _versions_of_questions(span: Span) -> "QuerySet[QuestionVersion]":
    of = span.items.filter(question_version__isnull=False).values("question_version__question")
    return QuestionVersion.objects.filter(question__in=of)


def _tags(span: Span) -> "QuerySet[SamenessTag]":
    items, answers = span.items.values("pk"), span.responses.values("pk")
    return SamenessTag.objects.filter(project=span.project).filter(
        Q(left_item__in=items, right_item__in=items)
        | Q(left_response__in=answers, right_response__in=answers)
    )


_BATCH = ("project", "number", "state", "applied_at", "file_sha", "mapping_sha")
_ROUND = (
    *("project", "number", "name", "kind", "of_pairs", "state", "seed", "n_seats", "draw"),
    "revision",
)
_SCALE = ("minimum", "maximum", "step", "pass_at")
_CRITERION = ("rubric_version", "key", "name", "mark", "position", *_SCALE)
_ITEM = ("project", "question_version", "external_id", "group", "content_sha", "prompt_sha")
_PLACE = (
    "round",
    "item",
    "pair",
    "occasion",
    "ordinal",
    "purpose",
    "inclusion_probability",
    "n_seats",
)
_GRADE = (
    "round",
    "response",
    "against",
    "criterion",
    "rater",
    "slot",
    "assignment",
    "batch",
    "line",
    "kind",
)
_MARK = ("outcome", "value", "revision", "is_current", "late", "given_at", "active_ms")
_JUDGMENT = ("rater", "response", "criterion", "batch", "line", "run", "target_level")
_SCORE = ("target_index", "repeat", "outcome", "value", "n_valid", "sd", "mass", "label", "at")
_DRAWN = ("project", "round", "run", "sort", "n_units", "n_taken", "seed", "rule", "rule_label")
_RUN = ("project", "number", "kind", "name", "round", "state", "is_practice", "config")
_TAG = ("project", "kind", "left_item", "right_item", "left_response", "right_response", "verdict")
#: What people gave: the table that every figure rests on.
RATINGS: Final = "ratings"
ANSWERS: Final = "answers"
#: Stands in the place of a text: how long it is.
SIGNS: Final = "signs"

TABLES: Final[tuple[Table, ...]] = (
    Table("projects", Project, "The project.", lambda span: _one(span.project), ()),
    Table("imports", ImportBatch, "Files that rows came from.", lambda span: span.batches, _BATCH),
    Table(
        "capabilities",
        Capability,
        "What was evaluated, as a tree.",
        lambda span: Capability.objects.filter(project=span.project),
        ("project", "parent", "name", "kind", "question_type", "weight", "position"),
    ),
    Table(
        "areas",
        Domain,
        "Subject areas, as a tree.",
        lambda span: Domain.objects.filter(project=span.project),
        ("project", "parent", "name", "priority", "in_scope", "position"),
    ),
    Table(
        "rubrics",
        Rubric,
        "Rubrics of people and of machines.",
        lambda span: Rubric.objects.filter(versions__in=span.versions).distinct(),
        ("project", "key", "name"),
    ),
    Table(
        "rubric_versions",
        RubricVersion,
        "Their versions.",
        lambda span: span.versions,
        ("rubric", "number", "kind"),
    ),
    Table(
        "criteria", Criterion, "Criteria.", _criteria, (*_CRITERION, "higher_is_better", "weight")
    ),
    Table(
        "levels",
        Level,
        "Levels of criteria.",
        lambda span: Level.objects.filter(criterion__in=_criteria(span)),
        ("criterion", "value", "label"),
    ),
    Table(
        "systems",
        System,
        "Systems; by number where names were hidden.",
        _systems,
        ("project", "name", "family", "colour", "batch"),
        Span.shown_systems,
    ),
    Table(
        "releases",
        SystemRelease,
        "Their releases.",
        lambda span: span.releases,
        ("system", "label", "batch"),
        Span.shown_releases,
    ),
    Table(
        "question_versions",
        QuestionVersion,
        "Versions of questions of the bank, and whether their meaning changed.",
        _versions_of_questions,
        ("question", "number", "meaning_changed"),
    ),
    Table(
        "questions",
        Item,
        "Questions as they were graded.",
        lambda span: span.items,
        (*_ITEM, "capability", "domain", "difficulty", "batch"),
    ),
    Table(
        ANSWERS,
        Response,
        "Answers; signs is how long each one is.",
        lambda span: span.responses,
        ("item", "release", "sample_no", "content_sha", "batch", "messages"),
        lambda _span: {"messages": signs},
    ),
    Table(
        "rounds",
        Round,
        "This round, and others that its figures read.",
        lambda span: span.mentioned,
        (*_ROUND, "opened_at", "review_at", "final_at"),
        Span.shown_rounds,
        added=("of_pairs",),
    ),
    Table(
        "round_systems",
        RoundSystem,
        "Who took part in a round.",
        lambda span: RoundSystem.objects.filter(round__in=span.rounds),
        ("round", "release", "ordinal"),
    ),
    Table(
        "round_questions",
        RoundItem,
        "Questions in a round, with the chance of being drawn.",
        lambda span: span.places,
        (*_PLACE, "rubric_version"),
        added=("pair",),
    ),
    Table(
        "round_answers",
        RoundResponse,
        "Which answer stood for a release.",
        lambda span: span.served,
        ("round_item", "release", "response"),
    ),
    Table(
        "raters",
        Rater,
        "Annotators, by number, and machines.",
        lambda span: span.raters,
        ("project", "kind"),
    ),
    Table(
        "round_annotators",
        RoundAnnotator,
        "Who might grade in a round.",
        lambda span: RoundAnnotator.objects.filter(round__in=span.rounds),
        ("round", "rater"),
    ),
    Table(
        "seats",
        Assignment,
        "Seats.",
        lambda span: Assignment.objects.filter(round__in=span.rounds),
        ("round", "round_item", "seat", "ordinal", "state", "rater"),
    ),
    Table(
        "slots",
        Slot,
        "In which position of a seat an answer stood.",
        lambda span: Slot.objects.filter(assignment__round__in=span.rounds),
        ("assignment", "position", "round_response"),
    ),
    Table(
        RATINGS,
        Grade,
        "Grades of people, a row a revision.",
        lambda span: span.grades,
        (*_GRADE, *_MARK),
        added=("against",),
    ),
    Table(
        "invalidations",
        Invalidation,
        "What was declared invalid, or taken back.",
        lambda span: Invalidation.objects.filter(
            Q(round__in=span.rounds) | Q(grade__in=span.grades.filter(kind__in=KNOWN))
        ),
        ("round", "kind", "grade", "rater", "capability", "item", "reverses", "at"),
    ),
    Table("sameness", SamenessTag, "What people found the same.", _tags, (*_TAG, "revision")),
    Table(
        "runs",
        Run,
        "Runs of machines.",
        lambda span: span.runs,
        (*_RUN, "finished_at"),
        Span.shown_runs,
    ),
    Table(
        "publications",
        Publication,
        "What a round was drawn from, where machines made it.",
        lambda span: Publication.objects.filter(round__in=span.rounds),
        (*_DRAWN, "even", "frame"),
    ),
    Table(
        "machines",
        Machine,
        "Judges and metrics.",
        lambda span: Machine.objects.filter(rater__in=span.judges),
        ("rater", "rubric", "family"),
    ),
    Table(
        "judges",
        Judge,
        "How judges were configured.",
        lambda span: Judge.objects.filter(
            Q(rater__in=span.judges) | Q(tuned_version__tuning__in=_tunings(span))
        ),
        ("project", "rater", "name", "protocol", "config"),
        Span.shown_judges,
    ),
    Table("tunings", Tuning, "Tuned judges.", _tunings, ("project", "number", "locked")),
    Table(
        "tuned_versions",
        TuningVersion,
        "Which judge a tuning made.",
        lambda span: TuningVersion.objects.filter(tuning__in=_tunings(span)),
        ("tuning", "number", "judge"),
    ),
    Table(
        "tuned_questions",
        TuningQuestion,
        "On what it was tuned.",
        lambda span: TuningQuestion.objects.filter(tuning__in=_tunings(span)),
        ("tuning", "group", "is_held_out"),
    ),
    Table(
        "judgments",
        Judgment,
        "Scores of machines.",
        lambda span: span.judgments,
        (*_JUDGMENT, *_SCORE),
    ),
)
BY_MODEL: Final = {one.model: one for one in TABLES}
_TYPES: Final[tuple[tuple[type[Any], str], ...]] = (
    (kinds.BooleanField, "boolean"),
    (kinds.DateTimeField, "datetime"),
    (JSONField, "object"),
    (kinds.DecimalField, "number"),
    (kinds.FloatField, "number"),
    (kinds.IntegerField, "integer"),
)


def _one(project: Project) -> "QuerySet[Project]":
    return Project.objects.filter(pk=project.pk)


def signs(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """Return in the place of messages how long each one is."""
    return [{SIGNS: len(str(one.get("content") or ""))} for one in messages]


def written(value: Any) -> str:
    """Return a value as a cell, from which `_read` makes the same value: nothing for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, str):  # no spreadsheet takes it for a formula
        return f"'{value}" if value.startswith((*FORMULA, "'")) else value
    return repr(value) if isinstance(value, float) else str(value)


def type_of(field: "Field[Any, Any]") -> str:
    """Return the type of a column, as a data package says it."""
    if isinstance(field, ForeignKey):
        return "integer"
    return next((name for kind, name in _TYPES if isinstance(field, kind)), "string")


def _json(cell: str) -> Any:
    """Read what is kept as JSON; the length of a text as a text of that length."""
    held = json.loads(cell)
    if isinstance(held, list):
        return [
            {"content": "." * int(one[SIGNS])} if isinstance(one, dict) and SIGNS in one else one
            for one in held
        ]
    return held


def _flag(cell: str) -> bool:
    if cell not in {"true", "false"}:
        raise ValueError(f"“{cell}” is neither true nor false")
    return cell == "true"


def _number(cell: str) -> Decimal:
    try:
        return Decimal(cell)
    except ArithmeticError as problem:
        raise ValueError(f"“{cell}” is no number") from problem


_READ: Final[Mapping[str, Callable[[str], Any]]] = {
    "boolean": _flag,
    "datetime": datetime.fromisoformat,
    "object": _json,
    "integer": int,
    "string": lambda cell: cell.removeprefix("'"),
}


def _read(field: "Field[Any, Any]", cell: str) -> Any:
    if cell == "" and field.null:
        return None
    kind = type_of(field)
    if kind == "number":
        return float(cell) if isinstance(field, kinds.FloatField) else _number(cell)
    return _READ[kind](cell)


def _filled(field: "Field[Any, Any]", key: int) -> Any:
    """Return something for a column that is not in the table, unlike that of any other row."""
    if field.null:
        return None
    if field.has_default():
        return field.get_default()
    if isinstance(field, kinds.UUIDField):
        return UUID(int=key)
    if isinstance(field, kinds.DateTimeField):
        return datetime.fromtimestamp(0, tz=UTC)
    if isinstance(field, JSONField):
        return []
    if isinstance(field, kinds.BinaryField):
        return b""
    if isinstance(field, kinds.CharField | kinds.TextField):
        return "" if field.blank else str(key)
    return key
