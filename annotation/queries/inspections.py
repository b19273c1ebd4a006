"""Reads about inspection: what waits for somebody, and one version with all that helps to judge it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import (
    Checklist,
    Citation,
    Criterion,
    Inspection,
    Project,
    Question,
    QuestionVersion,
    RubricVersion,
    User,
)
from annotation.queries import standing
from annotation.rules import diffs
from annotation.rules import questions as rules
from evalsite import keyset
from evalsite.keyset import Page

#: The core domains first, and of equals what waits longest.
ORDER = ("rank", "submitted_at", "pk")


@dataclass(frozen=True)
class Filters:
    """What of the queue somebody wants to see; empty means all."""

    capability: int | None = None
    designer: int | None = None


@dataclass(frozen=True)
class Place:
    """Where a version stands in somebody's queue, and what is before and after it."""

    number: int
    total: int
    before: int | None
    after: int | None


def waiting(project: Project) -> "QuerySet[QuestionVersion]":
    """Return every version of a project that waits for an inspector.

    The question is looked up for each, so that a database begins with the few that wait, and not
    with all questions of the project.
    """
    live = Question.objects.filter(
        pk=OuterRef("question_id"), project=project, state=rules.Life.LIVE
    )
    return QuestionVersion.objects.filter(Exists(live), state=QuestionVersion.State.SUBMITTED)


def queue(
    project: Project, user: User, filters: Filters = Filters()
) -> "QuerySet[QuestionVersion]":
    """Return what waits for this inspector: nothing of their own, nothing they have inspected."""
    mine = standing.since_accepted().filter(author=user)
    rows = (
        waiting(project)
        .exclude(author=user)
        .exclude(question__in=mine.values("question"))
        .exclude(Exists(Inspection.objects.filter(version=OuterRef("pk"), inspector=user)))
        .annotate(rank=Case(When(domain__priority="P0", then=0), default=1, output_field=_WHOLE))
    )
    if filters.capability is not None:
        rows = rows.filter(capability_id=filters.capability)
    if filters.designer is not None:
        rows = rows.filter(author_id=filters.designer)
    return rows


_WHOLE = IntegerField()


def page(
    project: Project, user: User, filters: Filters, after: str = "", size: int = keyset.SIZE
) -> Page[QuestionVersion]:
    """Return a page of the queue; each row says how many inspectors have been there."""
    inspected = Inspection.objects.filter(version=OuterRef("pk")).order_by().values("version")
    counted = inspected.annotate(n=Count("pk")).values("n")
    rows = (
        queue(project, user, filters)
        .select_related("question", "capability", "domain", "author__person")
        .annotate(n_inspected=Coalesce(Subquery(counted, output_field=_WHOLE), 0))
    )
    return keyset.page(rows, by=ORDER, after=after, size=size)


def place_of(rows: "QuerySet[QuestionVersion]", version: QuestionVersion) -> Place | None:
    """Return where a version stands in a queue; None if it is not in it."""
    here = rows.filter(pk=version.pk).first()
    if here is None:
        return None
    rank, at = here.rank, here.submitted_at  # type: ignore[attr-defined]
    earlier = rows.filter(_beyond("lt", rank, at, here.pk))
    later = rows.filter(_beyond("gt", rank, at, here.pk)).order_by(*ORDER)
    n_before = earlier.count()
    return Place(
        number=n_before + 1,
        total=rows.count(),
        before=earlier.order_by(*(f"-{name}" for name in ORDER))
        .values_list("pk", flat=True)
        .first(),
        after=later.values_list("pk", flat=True).first(),
    )


def _beyond(step: str, rank: int, at: datetime | None, pk: int) -> Q:
    first = Q(**{f"rank__{step}": rank})
    then = Q(rank=rank, **{f"submitted_at__{step}": at})
    return first | then | Q(rank=rank, submitted_at=at, **{f"pk__{step}": pk})


def first_of(rows: "QuerySet[QuestionVersion]") -> int | None:
    return rows.order_by(*ORDER).values_list("pk", flat=True).first()


def version_of(project: Project, pk: int) -> QuestionVersion | None:
    """Return a version that was submitted, with everything its page names."""
    rows = QuestionVersion.objects.exclude(state=QuestionVersion.State.DRAFT)
    seen = Question.objects.filter(project=project)
    return (
        rows.filter(question__in=seen.values("pk"), pk=pk)
        .select_related("question__project", "capability__rubric", "domain", "author__person")
        .first()
    )


def n_inspected(version: QuestionVersion) -> int:
    """Return how many inspectors have decided; how, is not for the next one to know."""
    return version.inspections.count()


def citations_of(version: QuestionVersion) -> list[Citation]:
    return list(version.citations.select_related("source_version__source"))


def before(version: QuestionVersion) -> QuestionVersion | None:
    """Return the version before this one, with what it is compared by."""
    rows = QuestionVersion.objects.filter(question_id=version.question_id)
    return (
        rows.filter(number__lt=version.number)
        .select_related("capability", "domain")
        .order_by("-number")
        .first()
    )


def wording(version: QuestionVersion, seen: Collection[int] | None = None) -> dict[str, str]:
    """Return what a version says, field by field, as texts that can be compared.

    `seen` are the sources that whoever reads may see, None for all; others go unnamed.
    """
    return {
        "turns": "\n\n".join(str(one.get("content") or "") for one in version.turns),
        "answer": version.answer,
        "key_points": "\n".join(version.key_points),
        "principle": version.principle,
        "capability": str(version.capability or ""),
        "domain": str(version.domain or ""),
        "difficulty": str(version.get_difficulty_display()) if version.difficulty else "",
        "question_type": str(version.get_question_type_display()) if version.question_type else "",
        "sources": "\n".join(
            f"{one.source_version}, {one.locator}"
            for one in citations_of(version)
            if seen is None or one.source_version.source_id in seen
        ),
        "as_of": version.as_of,
        "valid_until": str(version.valid_until or ""),
        "tags": ", ".join(version.tags),
        "language": version.language,
    }


def changes(
    old: QuestionVersion, new: QuestionVersion, seen: Collection[int] | None = None
) -> list[diffs.Change]:
    """Return the fields that differ between two versions."""
    return [one for one in diffs.fields(wording(old, seen), wording(new, seen)) if one.changed]


def inspections_of(version: QuestionVersion) -> list[Inspection]:
    """Return the inspections of a version, each with what it found."""
    rows = version.inspections.select_related("inspector__person", "checklist")
    return list(rows.prefetch_related("findings"))


def to_answer(version: QuestionVersion) -> dict[str, str]:
    """Return what sent the version before this one back, if one did: the lines' words by their keys."""
    old = before(version)
    if old is None or old.state != QuestionVersion.State.RETURNED:
        return {}
    return {
        one.line: next(
            (str(row["text"]) for row in inspection.checklist.lines if row["key"] == one.line),
            one.line,
        )
        for inspection in inspections_of(old)
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    }


def rubric_for(version: QuestionVersion) -> RubricVersion | None:
    """Return the newest rubric of the version's capability, with its scales."""
    if version.capability is None or version.capability.rubric is None:
        return None
    return version.capability.rubric.versions.first()


def scales_of(rubric: RubricVersion | None) -> list[Criterion]:
    if rubric is None:
        return []
    return list(rubric.criteria.prefetch_related("levels"))


def designers_of(project: Project) -> list[User]:
    """Return whose versions wait in this project, by name."""
    writers = set(waiting(project).order_by().values_list("author", flat=True).distinct())
    return list(
        User.objects.filter(pk__in=writers).select_related("person").order_by("person__name")
    )


def line_of(version: QuestionVersion) -> dict[str, Any]:
    """Return how many inspectors a version wants, and how many have been there."""
    wanted = rules.wanted_inspections(version.domain.priority if version.domain else None)
    done = getattr(version, "n_inspected", None)
    done = n_inspected(version) if done is None else done
    return {"wanted": max(wanted, done + 1), "done": done}


def checklist_of(project: Project, number: int) -> Checklist | None:
    """Return one version of a project's checklist."""
    return Checklist.objects.filter(project=project, number=number).first()


def checklists_of(project: Project) -> list[Checklist]:
    """Return the versions of a project's checklist, the newest first."""
    rows = Checklist.objects.filter(project=project).select_related("created_by__person")
    return list(rows.order_by("-number")[:50])


def returned_to(project: Project, user: User) -> list[QuestionVersion]:
    """Return what came back to somebody and nobody has gone on with, the longest ago first."""
    rows = QuestionVersion.objects.newest().filter(
        question__project=project,
        question__state=rules.Life.LIVE,
        author=user,
        state=QuestionVersion.State.RETURNED,
    )
    rows = rows.select_related("question").prefetch_related("inspections__findings")
    return list(rows.order_by("decided_at", "pk"))
