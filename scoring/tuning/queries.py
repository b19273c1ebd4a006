"""Judges that are tuned: their split, versions, figures, and where people and judge differ."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from annotation.people.models import Project
from annotation.people.permissions import Scope
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.systems.models import Item, Response
from evalsite.web import keyset
from scoring.beside import verdicts
from scoring.beside.verdicts import PersonGrade
from scoring.engine.models import Judgment, Run
from scoring.figures import labels, typed
from scoring.figures import operations as figures
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging.models import Tuning, TuningQuestion, TuningVersion
from scoring.shown.names import Name
from scoring.tuning.said import Apart, OfCriterion, TuningFigure

FIGURE: Final = "tuning"
#: So many disagreements stand open.
SHOWN: Final = 8
STRICT, KIND = "strict", "kind"


def tunings_of(project: Project) -> "QuerySet[Tuning]":
    """Return the tunings of a project, the newest first."""
    rows = Tuning.objects.filter(project=project).order_by("-number")
    return rows.select_related("round", "endpoint", "locked__judge", "measure")


def page(project: Project, *, after: str = "") -> keyset.Page[Tuning]:
    rows = tunings_of(project).annotate(n_versions=Count("versions"))
    return keyset.page(rows, by=("-number",), after=after)


def tuning_numbered(scope: Scope, number: int) -> Tuning:
    """Return a tuning by its number.

    Raises:
        Http404: there is none.
    """
    found: Tuning = get_object_or_404(tunings_of(scope.project), number=number)
    found.project = found.round.project = scope.project
    return found


def rounds(scope: Scope) -> "QuerySet[Round]":
    """Return the rounds whose grades a judge may be tuned by: final ones that people graded."""
    final = labels.graded(scope.project).filter(state=Round.State.FINAL)
    return final.order_by("-number")


def strata_of(round_: Round) -> dict[str, str]:
    """Return the questions of a round that are judged, each with its rubric and capability."""
    places = RoundItem.objects.filter(
        round=round_, purpose__in=judging.PURPOSES, occasion=1, rubric_version__isnull=False
    )
    rows = places.order_by("item__group", "item__external_id").values_list(
        "item__group",
        "rubric_version__rubric__name",
        "rubric_version__number",
        "item__capability__name",
    )
    return {group: f"{rubric} {number}, {capability}" for group, rubric, number, capability in rows}


def items(tuning: Tuning, *, held_out: bool) -> list[int]:
    """Return the items of one side of the split, as they stand in the round."""
    groups = TuningQuestion.objects.filter(tuning=tuning, is_held_out=held_out).values("group")
    rows = RoundItem.objects.filter(round=tuning.round_id, item__group__in=groups)
    return list(rows.order_by("item").values_list("item", flat=True).distinct())


def practised(tuning: Tuning, responses: Collection[int]) -> list[RoundResponse]:
    """Return which of these answers belong to the questions that are practised on, as people saw them."""
    groups = TuningQuestion.objects.filter(tuning=tuning, is_held_out=False).values("group")
    rows = RoundResponse.objects.filter(
        round_item__round=tuning.round_id,
        round_item__item__group__in=groups,
        round_item__purpose__in=judging.PURPOSES,
        round_item__occasion=1,
        response__in=list(responses),
    )
    return list(rows.select_related("round_item__item", "response", "display"))


@dataclass(frozen=True, slots=True)
class Split:
    """How many questions stand where, and how often those that were set aside were looked at.

    `n_opened` tunings measured on some of them; `n_practised` of them were practised on in others.
    """

    n_practice: int
    n_held_out: int
    n_opened: int
    n_practised: int


def split(tuning: Tuning) -> Split:
    mine = TuningQuestion.objects.filter(tuning=tuning)
    held = mine.filter(is_held_out=True)
    others = TuningQuestion.objects.filter(
        tuning__project=tuning.project_id, group__in=held.values("group")
    )
    opened = others.filter(is_held_out=True, tuning__locked__isnull=False)
    practised = others.filter(is_held_out=False, tuning__versions__isnull=False)
    return Split(
        n_practice=mine.filter(is_held_out=False).count(),
        n_held_out=held.count(),
        n_opened=opened.values("tuning").distinct().count(),
        n_practised=practised.values("group").distinct().count(),
    )


@dataclass(frozen=True)
class TriedVersion:
    """A version with what its try came to; `figure` is None until that is known."""

    version: TuningVersion
    stored: Figure | None

    @cached_property
    def figure(self) -> TuningFigure | None:
        return _read(self.stored)

    @property
    def run(self) -> Run:
        return self.version.run

    @property
    def is_at_work(self) -> bool:
        """Whether something is still to come by itself."""
        if self.stored is None:
            return self.run.state in {Run.State.STAGED, Run.State.RUNNING}
        return self.figure is None and not self.stored.will_not_come


def _read(stored: Figure | None) -> TuningFigure | None:
    if stored is None or stored.state != Figure.State.READY:
        return None
    return typed.read_figure(TuningFigure, stored.data)


@dataclass(frozen=True)
class TuningCourse:
    """A tuning with all its versions, the newest first."""

    tuning: Tuning
    tried: Sequence[TriedVersion]
    measured: Figure | None

    @cached_property
    def split(self) -> Split:
        return split(self.tuning)

    @property
    def held_out(self) -> TuningFigure | None:
        return _read(self.measured)

    @property
    def is_at_work(self) -> bool:
        last = self.tuning.measure
        measuring = last is not None and self.held_out is None
        given_up = self.measured is not None and self.measured.will_not_come
        over = last is not None and last.state in {Run.State.CANCELLED, Run.State.PAUSED}
        waits = measuring and not given_up and not over
        return waits or any(one.is_at_work for one in self.tried)

    def version(self, number: int | None) -> TriedVersion | None:
        """Return a version by its number; without one the newest whose figure is there."""
        if number is not None:
            return next((one for one in self.tried if one.version.number == number), None)
        return next((one for one in self.tried if one.figure), None)

    @property
    def locked(self) -> TriedVersion | None:
        return next((one for one in self.tried if one.version.pk == self.tuning.locked_id), None)

    def measuring(self, tried: TriedVersion) -> dict[str, Any]:
        """Return about what measuring a version takes, from what trying it was estimated to."""
        ratio = self.split.n_held_out / self.split.n_practice
        known = tried.run.estimate
        cost = None if known["cost"] is None else known["cost"] * ratio
        return {
            "calls": round(known["calls"] * ratio),
            "cost": cost,
            "currency": known["currency"],
            "seconds": known["seconds"] * ratio,
        }

    def before(self, tried: TriedVersion) -> TriedVersion | None:
        """Return the version before one."""
        return next((o for o in self.tried if o.version.number < tried.version.number), None)

    def optimism(self, criterion: str) -> float | None:
        """Return by how much the locked version agreed better where it was practised."""
        mine, there = self.locked, self.held_out
        if mine is None or mine.figure is None or there is None:
            return None
        both = mine.figure.of(criterion), there.of(criterion)
        values = [one.agreement.value if one else None for one in both]
        return None if None in values else (values[0] or 0) - (values[1] or 0)


def course(tuning: Tuning, now: datetime) -> TuningCourse:
    versions = list(tuning.versions.select_related("run", "judge").order_by("-number"))
    for one in versions:
        one.tuning = tuning
    runs = [one.run for one in versions] + ([tuning.measure] if tuning.measure else [])
    over = [one.pk for one in runs if one.state == Run.State.DONE]
    found = figures.of_runs(name=FIGURE, round_=tuning.round, runs=over, now=now) if over else {}
    tried = [TriedVersion(one, found.get(one.run_id)) for one in versions]
    return TuningCourse(tuning, tried, found.get(tuning.measure_id or 0))


@dataclass(frozen=True, slots=True)
class JudgeDisagreement:
    """An answer on which judge and people differ, with both texts and what each side said."""

    row: Apart
    title: str
    question: str
    answer: str
    name: Name | None
    given: Sequence[PersonGrade]
    reason: str
    #: Set aside, and who is right then.
    right: str
    is_example: bool

    @property
    def is_strict(self) -> bool:
        return self.row.gap < 0

    @property
    def distance(self) -> float:
        return abs(self.row.gap)

    @property
    def remark(self) -> str:
        """What a person wrote of it first."""
        return next((text for grade in self.given for text in grade.remarks), "")


@dataclass(frozen=True)
class Apartness:
    """The disagreements of a version on a criterion; those set aside are counted apart."""

    reading: ReadRound
    tried: TriedVersion
    found: OfCriterion

    @cached_property
    def aside(self) -> dict[int, str]:
        rows = self.tried.version.tuning.aside.values_list("response_id", "right")
        return dict(rows)

    @cached_property
    def left(self) -> list[Apart]:
        return [one for one in self.found.apart if one.response not in self.aside]

    @property
    def n_strict(self) -> int:
        return sum(one.gap < 0 for one in self.left)

    @property
    def n_kind(self) -> int:
        return len(self.left) - self.n_strict

    @property
    def put_aside(self) -> list[Apart]:
        return [one for one in self.found.apart if one.response in self.aside]

    def rows(self, which: str) -> list[Apart]:
        """Return those that are asked for: all, those too strict or too kind, those set aside."""
        if which == "aside":
            return self.put_aside
        wanted = {STRICT: (True,), KIND: (False,)}.get(which, (True, False))
        return [one for one in self.left if (one.gap < 0) in wanted]

    def read(self, rows: Sequence[Apart]) -> list[JudgeDisagreement]:
        """Return them as they are read: three texts each."""
        pks = [one.response for one in rows]
        responses = Response.objects.in_bulk(pks)
        known = Item.objects.in_bulk({one.item for one in rows})
        given = verdicts.given([self.reading.round], pks, self.found.criterion)
        reasons, names = self._reasons(pks), self.reading.names
        examples = {one["response"] for one in self.tried.version.tuning.examples}
        return [
            JudgeDisagreement(
                row=one,
                title=known[one.item].external_id,
                question=known[one.item].question,
                answer=verdicts.said(responses.get(one.response)),
                name=names.get(one.release),
                given=given.get(one.response, ()),
                reason=reasons.get(one.response, ""),
                right=self.aside.get(one.response, ""),
                is_example=one.response in examples,
            )
            for one in rows
        ]

    def _reasons(self, responses: Sequence[int]) -> dict[int, str]:
        rows = Judgment.objects.filter(
            run=self.tried.run, repeat=0, response__in=responses, criterion__in=self.found.own
        )
        return dict(rows.values_list("response_id", "text"))
