"""Reads about inspection as a whole: what came back, why and how fast; who is to be retrained."""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    Func,
    Max,
    OuterRef,
    Q,
    Subquery,
    Sum,
    When,
)

from annotation.bank.models import Finding, Question, QuestionChange, QuestionVersion
from annotation.inspection import rules
from annotation.inspection.models import Retraining, RetrainingLimit
from annotation.people.models import Project, User

State = QuestionVersion.State
#: Above so many percent of returns, where a project has not said otherwise.
USUAL_LIMIT = 30


@dataclass(frozen=True)
class DesignerLine:
    """A designer and what became of what they handed in."""

    designer: User
    figures: rules.Figures


@dataclass(frozen=True)
class RetrainingEntry:
    """A designer on the retraining list."""

    designer: User
    need: rules.RetrainingNeed
    since: datetime | None


class Seconds(Func):
    """A time as seconds since some beginning, so that the database can take the difference."""

    output_field = FloatField()
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **given: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="(julianday(%(expressions)s) * 86400)", **given
        )

    def as_postgresql(self, compiler: Any, connection: Any, **given: Any) -> Any:
        template = "EXTRACT(EPOCH FROM %(expressions)s)::float"
        return self.as_sql(compiler, connection, template=template, **given)


def handed_in(
    project: Project, designer: User | None = None, since: datetime | None = None
) -> list[rules.Handed]:
    """Return every version that was handed in (since a time), drafts left out."""
    before = QuestionVersion.objects.filter(
        question=OuterRef("question"), number=OuterRef("number") - 1, state=State.RETURNED
    )
    rows = QuestionVersion.objects.filter(
        question__project=project, state__in=[State.SUBMITTED, State.ACCEPTED, State.RETURNED]
    )
    if since is not None:
        rows = rows.filter(submitted_at__gte=since)
    if designer is not None:
        rows = rows.filter(author=designer)
    came_back = Subquery(before.order_by().values("decided_at")[:1])
    found = rows.annotate(
        waited=Seconds("decided_at") - Seconds("submitted_at"),
        mended=Case(When(number__gt=1, then=Seconds("submitted_at") - Seconds(came_back))),
    ).values_list("author_id", "state", "waited", "mended")
    return [
        rules.Handed(author, state == State.RETURNED, waited, mended)
        for author, state, waited, mended in found.order_by()
    ]


def lines(
    project: Project, designer: User | None = None, since: datetime | None = None
) -> list[DesignerLine]:
    """Return the figures of every designer (or of one), by name."""
    if since is None:
        found = _of_all_time(project, designer, _stamp())
    else:
        found = rules.by_designer(handed_in(project, designer, since))
    people = _people(found)
    ranked = sorted(found, key=lambda pk: str(people[pk].display_name).lower())
    return [DesignerLine(people[pk], found[pk]) for pk in ranked]


def _stamp() -> tuple[tuple[Any, ...], ...]:
    """Return what differs as soon as any version was handed in, taken back, decided or removed."""
    states = [State.SUBMITTED, State.ACCEPTED, State.RETURNED]
    rows = QuestionVersion.objects.filter(state__in=states).order_by("state").values("state")
    counted = rows.annotate(
        n=Count("pk"),
        which=Sum("pk"),
        whose=Sum("author_id"),
        submitted=Max("submitted_at"),
        decided=Max("decided_at"),
    )
    return tuple(counted.values_list("state", "n", "which", "whose", "submitted", "decided"))


@functools.lru_cache(maxsize=16)
def _of_all_time(
    project: Project, designer: User | None, stamp: tuple[tuple[Any, ...], ...]
) -> Mapping[int, rules.Figures]:
    """Return the figures of all time by designer; they are kept as long as the stamp is the same."""
    return rules.by_designer(handed_in(project, designer))


def reasons(
    project: Project, designer: User | None = None, since: datetime | None = None
) -> list[rules.ReasonShare]:
    rows = Finding.objects.filter(
        inspection__version__question__project=project, outcome=Finding.Outcome.FAIL
    )
    if since is not None:
        rows = rows.filter(inspection__version__submitted_at__gte=since)
    if designer is not None:
        rows = rows.filter(inspection__author=designer)
    return rules.by_reason(dict(rows.order_by().values_list("reason").annotate(n=Count("pk"))))


def limit_of(project: Project) -> int:
    row = RetrainingLimit.objects.filter(project=project).first()
    return row.percent if row else USUAL_LIMIT


def retraining(project: Project) -> list[RetrainingEntry]:
    """Return who is to be retrained, by name: too much came back, or a question was invalidated.

    What was settled for somebody counts no more; everything after it does.
    """
    limit, settled = limit_of(project), _settled(project)
    decided = _decided(project, is_settled=bool(settled))
    disputed = _invalidated(project, settled)
    needs = {
        pk: rules.need(*decided.get(pk, (0, 0)), disputed.get(pk, []), limit)
        for pk in {*decided, *disputed}
    }
    people = _people(pk for pk, need in needs.items() if need.is_there)
    ranked = sorted(people.values(), key=lambda one: str(one.display_name).lower())
    return [RetrainingEntry(one, needs[one.pk], settled.get(one.pk)) for one in ranked]


def settled_entries(project: Project) -> list[Retraining]:
    """Return what was settled, the newest first."""
    rows = Retraining.objects.filter(project=project)
    return list(rows.select_related("designer__person", "by__person")[:200])


def _decided(project: Project, *, is_settled: bool) -> dict[int, tuple[int, int]]:
    """Return how many came back and how many were decided, by designer, since they were settled.

    Args:
        is_settled: something was settled for somebody; else nobody is asked about.
    """
    settled = Retraining.objects.filter(
        project=project, designer=OuterRef("author"), at__gte=OuterRef("decided_at")
    )
    versions = QuestionVersion.objects.filter(
        question__project=project, state__in=[State.ACCEPTED, State.RETURNED]
    )
    rows = (
        (versions.filter(~Exists(settled)) if is_settled else versions)
        .order_by()
        .values("author")
        .annotate(n=Count("pk"), back=Count("pk", filter=Q(state=State.RETURNED)))
    )
    return {row["author"]: (row["back"], row["n"]) for row in rows}


def _settled(project: Project) -> dict[int, datetime]:
    rows = Retraining.objects.filter(project=project).order_by("at")
    return dict(rows.values_list("designer_id", "at"))


def _invalidated(project: Project, settled: dict[int, datetime]) -> dict[int, list[str]]:
    """Return the questions that were invalidated, by the author of what was accepted last."""
    accepted = QuestionVersion.objects.accepted().filter(question=OuterRef("question"))
    rows = (
        QuestionChange.objects.filter(
            question__project=project,
            new=Question.State.INVALIDATED,
            question__state=Question.State.INVALIDATED,
        )
        .annotate(author=Subquery(accepted.order_by("-number").values("author")[:1]))
        .exclude(Q(author=None))
        .order_by("pk")
        .values_list("author", F("question__external_id"), "at")
    )
    found: dict[int, list[str]] = {}
    for author, name, at in rows:
        since = settled.get(author)
        theirs = found.setdefault(author, [])
        if (since is None or at > since) and name not in theirs:
            theirs.append(name)
    return {author: names for author, names in found.items() if names}


def _people(pks: Iterable[int]) -> dict[int, User]:
    rows = User.objects.filter(pk__in=list(pks)).select_related("person")
    return {one.pk: one for one in rows}
