"""Reads for the page of one question: versions, sources, use and history."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import (
    Citation,
    Inspection,
    Item,
    Project,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
    Round,
    SourceVersion,
)
from annotation.queries import corpus, inspections
from annotation.rules import diffs


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


def changes(
    old: QuestionVersion, new: QuestionVersion, seen: Collection[int] | None = None
) -> list[diffs.Change]:
    return inspections.changes(old, new, seen)


def returned_by(version: QuestionVersion) -> list[Inspection]:
    """Return the inspections that sent the version before this one back, if one did."""
    before = inspections.before(version)
    if before is None or before.state != QuestionVersion.State.RETURNED:
        return []
    return inspections.inspections_of(before)


def inspections_of(version: QuestionVersion) -> list[Inspection]:
    """Return how a version was inspected; while it waits, nobody is told what others found."""
    decided = {QuestionVersion.State.ACCEPTED, QuestionVersion.State.RETURNED}
    return inspections.inspections_of(version) if version.state in decided else []


def suggestion(version: QuestionVersion, names: Collection[str]) -> dict[str, Any]:
    """Return the texts that inspectors proposed for these fields; the last one counts."""
    found: dict[str, Any] = {}
    for inspection in inspections_of(version):
        found |= {key: text for key, text in inspection.suggestion.items() if key in names}
    return found


def comments_of(version: QuestionVersion) -> list[QuestionComment]:
    rows = QuestionComment.objects.filter(question=version.question_id)
    return list(rows.select_related("author__person", "version"))


def items_of(version: QuestionVersion) -> list[Item]:
    rows = Item.objects.filter(question_version__question=version.question_id)
    return list(rows.select_related("question_version").order_by("-pk"))


def rounds_with(version: QuestionVersion) -> list[Round]:
    """Return the rounds that put some version of this question before people."""
    rows = Round.objects.filter(items__item__question_version__question=version.question_id)
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
