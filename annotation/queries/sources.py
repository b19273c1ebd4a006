"""Reads about the corpus: the list of sources, and one with its versions and its questions."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from annotation.models import Citation, Project, QuestionVersion, Source, SourceVersion
from evalsite import keyset
from evalsite.keyset import Page


@dataclass(frozen=True)
class Filters:
    text: str = ""
    kind: str = ""
    stale: bool = False


@dataclass(frozen=True)
class Line:
    """A source as a line of the list; it is stale when its newest version is past its date."""

    source: Source
    number: int
    valid_until: date | None
    n_questions: int
    is_stale: bool


def filtered(project: Project, filters: Filters, today: date) -> "QuerySet[Source]":
    newest = SourceVersion.objects.filter(source=OuterRef("pk")).order_by("-number")
    rows = Source.objects.filter(project=project).annotate(
        number=Subquery(newest.values("number")[:1]),
        valid_until=Subquery(newest.values("valid_until")[:1]),
    )
    if filters.text:
        rows = rows.filter(title__icontains=filters.text)
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
    return rows.filter(valid_until__lt=today) if filters.stale else rows


def page(rows: "QuerySet[Source]", after: str = "", size: int = keyset.SIZE) -> Page[Source]:
    return keyset.page(rows, by=("title", "pk"), after=after, size=size)


def lines(sources: list[Source], today: date) -> list[Line]:
    cited = Citation.objects.filter(source_version__source__in=sources).order_by()
    counts = dict(
        cited.values_list("source_version__source").annotate(
            n=Count("version__question", distinct=True)
        )
    )
    return [_line(one, counts.get(one.pk, 0), today) for one in sources]


def _line(one: Source, n: int, today: date) -> Line:
    until: date | None = one.valid_until  # type: ignore[attr-defined]
    number: int = one.number or 0  # type: ignore[attr-defined]
    return Line(one, number, until, n, until is not None and until < today)


def source_of(project: Project, pk: int) -> Source | None:
    return Source.objects.filter(project=project, pk=pk).first()


def versions_of(source: Source) -> list[SourceVersion]:
    """Return the versions of a source, the newest first, each with how many versions cite it."""
    rows = source.versions.select_related("created_by__person").order_by("-number")
    return list(rows.annotate(n_cited=Count("citations")))


def questions_of(source: Source) -> list[QuestionVersion]:
    """Return the newest version of every question that some version made from this source."""
    citing = Citation.objects.filter(
        source_version__source=source, version__question=OuterRef("question")
    )
    rows = QuestionVersion.objects.newest().filter(Exists(citing))
    return list(rows.select_related("question", "author__person").order_by("-pk")[:200])
