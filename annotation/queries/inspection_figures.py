"""Reads about inspection as a whole: what came back, why and how fast; who is to be retrained."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery

from annotation.models import (
    Finding,
    Project,
    Question,
    QuestionChange,
    QuestionVersion,
    Retraining,
    RetrainingLimit,
    User,
)
from annotation.rules import inspections as rules

State = QuestionVersion.State
#: Above so many percent of returns, where a project has not said otherwise.
USUAL_LIMIT = 30


@dataclass(frozen=True)
class Line:
    """A designer and what became of what they handed in."""

    designer: User
    figures: rules.Figures


@dataclass(frozen=True)
class Entry:
    """A designer on the retraining list."""

    designer: User
    need: rules.Need
    since: datetime | None


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
    values = rows.annotate(back=Subquery(before.values("decided_at")[:1])).values_list(
        "author_id", "submitted_at", "decided_at", "state", "back"
    )
    return [
        rules.Handed(author, submitted, decided, state == State.RETURNED, back)
        for author, submitted, decided, state, back in values.order_by()
        if submitted is not None
    ]


def lines(
    project: Project, designer: User | None = None, since: datetime | None = None
) -> list[Line]:
    """Return the figures of every designer (or of one), by name."""
    found = rules.by_designer(handed_in(project, designer, since))
    people = _people(found)
    ranked = sorted(found, key=lambda pk: str(people[pk].display_name).lower())
    return [Line(people[pk], found[pk]) for pk in ranked]


def reasons(
    project: Project, designer: User | None = None, since: datetime | None = None
) -> list[rules.Share]:
    rows = Finding.objects.filter(
        inspection__version__question__project=project, outcome=Finding.Outcome.FAIL
    )
    if since is not None:
        rows = rows.filter(inspection__version__submitted_at__gte=since)
    if designer is not None:
        rows = rows.filter(inspection__author=designer)
    return rules.by_reason(rows.order_by().values_list("reason", flat=True))


def limit_of(project: Project) -> int:
    row = RetrainingLimit.objects.filter(project=project).first()
    return row.percent if row else USUAL_LIMIT


def retraining(project: Project) -> list[Entry]:
    """Return who is to be retrained, by name: too much came back, or a question was invalidated.

    What was settled for somebody counts no more; everything after it does.
    """
    limit, settled = limit_of(project), _settled(project)
    decided = _decided(project)
    disputed = _invalidated(project, settled)
    needs = {
        pk: rules.need(*decided.get(pk, (0, 0)), disputed.get(pk, []), limit)
        for pk in {*decided, *disputed}
    }
    people = _people(pk for pk, need in needs.items() if need.is_there)
    ranked = sorted(people.values(), key=lambda one: str(one.display_name).lower())
    return [Entry(one, needs[one.pk], settled.get(one.pk)) for one in ranked]


def settled_entries(project: Project) -> list[Retraining]:
    """Return what was settled, the newest first."""
    rows = Retraining.objects.filter(project=project)
    return list(rows.select_related("designer__person", "by__person")[:200])


def _decided(project: Project) -> dict[int, tuple[int, int]]:
    """Return how many came back and how many were decided, by designer, since they were settled."""
    settled = Retraining.objects.filter(
        project=project, designer=OuterRef("author"), at__gte=OuterRef("decided_at")
    )
    rows = (
        QuestionVersion.objects.filter(
            ~Exists(settled),
            question__project=project,
            state__in=[State.ACCEPTED, State.RETURNED],
        )
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
