"""Reads about inspection: what waits for somebody, and one version with all that helps to judge it.

* Reads for the page of one question: versions, sources, use and history.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    IntegerField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotation.bank import questions as standing
from annotation.bank import rules
from annotation.bank.models import (
    Checklist,
    Citation,
    Inspection,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
)
from annotation.common import diffs
from annotation.people.models import Project, User
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.sources import queries as corpus
from annotation.sources.models import SourceVersion
from annotation.systems.models import Item
from evalsite.web import keyset
from evalsite.web.keyset import Page

#: The core domains first, and of equals what waits longest.
ORDER = ("rank", "submitted_at", "pk")


@dataclass(frozen=True)
class QueueFilters:
    """What of the queue somebody wants to see; empty means all."""

    capability: int | None = None
    designer: int | None = None


@dataclass(frozen=True)
class QueuePlace:
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
    project: Project, user: User, filters: QueueFilters = QueueFilters()
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


def queue_since(project: Project, user: User) -> tuple[int, datetime | None]:
    """Return how many wait for this inspector, and since when the oldest does."""
    rows = queue(project, user).order_by()
    found = rows.aggregate(n=Count("pk"), oldest=Min("submitted_at"))
    return found["n"], found["oldest"]


def page(
    project: Project, user: User, filters: QueueFilters, after: str = "", size: int = keyset.SIZE
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


def place_of(rows: "QuerySet[QuestionVersion]", version: QuestionVersion) -> QueuePlace | None:
    """Return where a version stands in a queue; None if it is not in it."""
    here = rows.filter(pk=version.pk).first()
    if here is None:
        return None
    rank, at = here.rank, here.submitted_at  # type: ignore[attr-defined]
    earlier = rows.filter(_beyond("lt", rank, at, here.pk))
    later = rows.filter(_beyond("gt", rank, at, here.pk)).order_by(*ORDER)
    n_before = earlier.count()
    return QueuePlace(
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
) -> list[diffs.FieldChange]:
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


def versions_of(project: Project, question: int) -> list[QuestionVersion]:
    """Return the versions of a question, the newest first; none if the bank has no such question."""
    seen = Question.objects.filter(project=project, pk=question)
    rows = QuestionVersion.objects.filter(question__in=seen.values("pk"))
    named = rows.select_related("question__project", "capability", "domain", "author__person")
    return list(named.order_by("-number"))


def under_way(project: Project, question: int) -> QuestionVersion | None:
    """Return the newest version of a question, with what its editor names."""
    found = versions_of(project, question)
    return found[0] if found else None


def citations(version: QuestionVersion) -> list[Citation]:
    return list(version.citations.select_related("source_version__source"))


def changes_told(
    old: QuestionVersion, new: QuestionVersion, seen: Collection[int] | None = None
) -> list[diffs.FieldChange]:
    return changes(old, new, seen)


def returned_by(version: QuestionVersion) -> list[Inspection]:
    """Return the inspections that sent the version before this one back, if one did."""
    earlier = before(version)
    if earlier is None or earlier.state != QuestionVersion.State.RETURNED:
        return []
    return inspections_of(earlier)


def inspections_told(version: QuestionVersion) -> list[Inspection]:
    """Return how a version was inspected; while it waits, nobody is told what others found."""
    decided = {QuestionVersion.State.ACCEPTED, QuestionVersion.State.RETURNED}
    return inspections_of(version) if version.state in decided else []


def suggestion(version: QuestionVersion, names: Collection[str]) -> dict[str, Any]:
    """Return the texts that inspectors proposed for these fields; the last one counts."""
    found: dict[str, Any] = {}
    for inspection in inspections_told(version):
        found |= {key: text for key, text in inspection.suggestion.items() if key in names}
    return found


def comments_of(version: QuestionVersion) -> list[QuestionComment]:
    rows = QuestionComment.objects.filter(question=version.question_id)
    return list(rows.select_related("author__person", "version"))


def _items(version: QuestionVersion) -> "QuerySet[Item]":
    """Return what was put before systems and raters under the id of a question, imported or of the bank."""
    question = version.question
    rows = Item.objects.seen().filter(project=question.project_id)
    return rows.filter(external_id=question.external_id)


def items_of(version: QuestionVersion) -> list[Item]:
    return list(_items(version).select_related("question_version").order_by("-pk"))


def rounds_with(version: QuestionVersion) -> list[Round]:
    """Return the rounds that put some wording of this question before people."""
    rows = Round.objects.filter(items__item__in=_items(version))
    return list(rows.distinct().order_by("-number"))


def life_of(version: QuestionVersion) -> list[QuestionChange]:
    rows = QuestionChange.objects.filter(question=version.question_id)
    return list(rows.select_related("by__person").order_by("-pk"))


def sources(project: Project, seen: Collection[int] | None = None) -> list[SourceVersion]:
    """Return the newest version of every source, to choose from.

    `seen` are the sources somebody may see, None for all. Withdrawn ones are not offered.
    """
    found: dict[int, SourceVersion] = {}
    gone = corpus.withdrawn_sources().values("version__source")
    rows = _of(project, seen).exclude(source__in=gone).defer("text")
    for one in rows.select_related("source").order_by("source__title", "source", "-number"):
        found.setdefault(one.source_id, one)
    return list(found.values())


def titles(
    project: Project,
    seen: Collection[int] | None = None,
    cited_by: QuestionVersion | None = None,
) -> dict[int, str]:
    """Return the name of every version of the sources somebody may see, None for all.

    What a draft cites already stays in it, without its name where they may not see it.
    """
    rows = _of(project, seen)
    found = {
        pk: f"{title}, v{number}"
        for pk, title, number in rows.values_list("pk", "source__title", "number")
    }
    if cited_by is not None:
        there = cited_by.citations.order_by().values_list("source_version", flat=True)
        return {pk: _("a source that you may not see") for pk in there} | found
    return found


def _of(project: Project, seen: Collection[int] | None) -> "QuerySet[SourceVersion]":
    rows = SourceVersion.objects.filter(source__project=project)
    return rows if seen is None else rows.filter(source__in=seen)


def quotes(
    project: Project,
    passages: Collection[tuple[int, int, int]],
    seen: Collection[int] | None = None,
) -> dict[tuple[int, int, int], str]:
    """Return the words of passages, each a version of a source, its start and its end."""
    rows = _of(project, seen).filter(pk__in={pk for pk, _start, _end in passages})
    texts = dict(rows.values_list("pk", "text"))
    return {one: texts[one[0]][one[1] : one[2]] for one in passages if one[0] in texts}
