"""The list of the bank as records for a file: page by page, however long it is."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from annotation.models import Citation, Domain, Project, QuestionVersion, User
from annotation.queries import questions as reads

#: So many questions are read at a time.
PAGE = 200


def records(
    project: Project, filters: reads.Filters, *, user: User, now: datetime
) -> Iterator[dict[str, Any]]:
    """Yield every question that fits the filters by its newest version, in the list's order."""
    rows = reads.filtered(project, filters, user=user, now=now)
    domains = dict(Domain.objects.filter(project=project).values_list("pk", "name"))
    of_a_kind = filters.capability is not None
    after: str | None = ""
    while after is not None:
        page = reads.page(project, rows, after, PAGE, of_a_kind=of_a_kind)
        sources = _sources(page.rows)
        for one in page.rows:
            yield _record(one, domains.get(one.domain_id or 0, ""), sources[one.pk])
        after = page.after


def _record(version: QuestionVersion, domain: str, sources: list[str]) -> dict[str, Any]:
    return {
        "external_id": version.question.external_id,
        "version": version.number,
        "state": version.state,
        "life": version.question.state,
        "messages": version.turns,
        "standard_answer": version.answer,
        "key_points": version.key_points,
        "capability": version.capability.name if version.capability else "",
        "domain": domain,
        "difficulty": version.difficulty,
        "type": version.question_type,
        "as_of": version.as_of,
        "valid_until": version.valid_until.isoformat() if version.valid_until else "",
        "principle": version.principle,
        "tags": version.tags,
        "language": version.language,
        "sources": sources,
        "author": version.author.display_name,
        "saved_at": version.saved_at.isoformat(),
    }


def _sources(versions: list[QuestionVersion]) -> defaultdict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    cited = Citation.objects.filter(version__in=versions)
    for one in cited.select_related("source_version__source"):
        title = one.source_version.source.title
        found[one.version_id].append(f"{title}, {one.locator}" if one.locator else title)
    return found
