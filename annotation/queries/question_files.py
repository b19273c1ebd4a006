"""The list of the bank as records for a file: page by page, however long it is."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Case, F, QuerySet, TextField, Value, When
from django.db.models.functions import Substr

from annotation.models import Citation, Project, QuestionVersion, User
from annotation.queries import questions as reads
from annotation.queries import sources as corpus
from annotation.queries import standing, taxonomy
from annotation.rules.tabular.citations import Cited

#: So many questions are read at a time.
PAGE = 200


def records(
    project: Project, filters: reads.Filters, *, user: User, now: datetime
) -> Iterator[dict[str, Any]]:
    """Yield every question that fits the filters by its newest version, in the list's order.

    The importer reads them back: capabilities and areas stand as paths, sources as objects.
    """
    rows = reads.filtered(project, filters, user=user, now=now)
    capabilities = taxonomy.capability_paths(project)
    domains = taxonomy.domain_paths(project)
    of_a_kind = filters.capability is not None
    seen = corpus.seen_by(project, user, standing.roles(project.pk, user))
    after: str | None = ""
    while after is not None:
        page = reads.page(project, rows, after, PAGE, of_a_kind=of_a_kind)
        sources = _sources(page.rows, seen)
        for one in page.rows:
            capability = capabilities.get(one.capability_id or 0, "")
            domain = domains.get(one.domain_id or 0, "")
            yield _record(one, capability, domain, sources[one.pk])
        after = page.after


def _record(
    version: QuestionVersion, capability: str, domain: str, sources: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "external_id": version.question.external_id,
        "version": version.number,
        "state": version.state,
        "life": version.question.state,
        "messages": version.turns,
        "standard_answer": version.answer,
        "key_points": version.key_points,
        "capability": capability,
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


def _sources(
    versions: list[QuestionVersion], seen: frozenset[int] | None
) -> defaultdict[int, list[dict[str, Any]]]:
    """Return the sources of each version; one that whoever asks may not see is left out."""
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    cited = _with_quotes(Citation.objects.filter(version__in=versions))
    if seen is not None:
        cited = cited.filter(source_version__source__in=seen)
    for one in cited.select_related("source_version__source").order_by("position", "pk"):
        said = one.source_version
        source = said.source
        place = Cited(
            title=source.title,
            address=source.address,
            locator=one.locator,
            kind=source.kind,
            publisher=source.publisher,
            licence=source.licence,
            retrieved_on=said.retrieved_on,
            valid_from=said.valid_from,
            valid_until=said.valid_until,
            version=said.number,
            start=one.start,
            end=one.end,
            quote=one.words,
        )
        found[one.version_id].append(place.as_record())
    return found


def _with_quotes(rows: "QuerySet[Citation]") -> "QuerySet[Any]":
    """Have the database cut the words of each passage out: a source may be as long as a book."""
    length = F("end") - F("start")
    cut = Substr("source_version__text", F("start") + 1, length)
    none = Value("", output_field=TextField())
    passage = When(start__isnull=False, end__isnull=False, then=cut)
    whole = Case(passage, default=none, output_field=TextField())
    return rows.defer("source_version__text").annotate(words=whole)
