"""Which things have some words: from the index, or a question's texts sign by sign."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, When

from annotation.models import (
    Item,
    Project,
    Question,
    QuestionText,
    QuestionVersion,
    Response,
    SearchText,
    Source,
)
from annotation.rules.searching import Sought
from evalsite import keyset
from evalsite.fulltext import WordIndex

Kind = SearchText.Kind
#: The index of words beside the table of texts.
INDEX = WordIndex("annotation_searchtext", column="words")
#: By which field a text says of what it is.
FIELDS: Mapping[str, str] = {
    Kind.QUESTION: "question",
    Kind.ITEM: "item",
    Kind.SOURCE: "source",
    Kind.RESPONSE: "response",
}
#: So many things stand on a page of results.
SIZE = 20


def questions(project: Project, wanted: str) -> "QuerySet[QuestionText]":
    """Return the questions of a project that have these words, what was begun last first.

    It walks the texts, which are all that its table holds, and asks of those that fit whose they
    are; a slice of it stops where enough are found.

    Args:
        wanted: as annotation.rules.searching.folded wrote it.
    """
    own = Question.objects.filter(pk=OuterRef("pk"), project=project)
    return QuestionText.objects.filter(Exists(own), said__contains=wanted).order_by("-pk")


@dataclass(frozen=True)
class Limits:
    """What somebody may see, and what of it they want to: a filter leaves out what has no such thing.

    Attributes:
        kinds: what they may see.
        sources: those they may see.
        domains: of questions, items and responses; None for all.
        state: of a question's newest version.
        collection: of sources.
    """

    kinds: Collection[str]
    sources: "QuerySet[Source]" = field(default_factory=Source.objects.none)
    domains: Collection[int] | None = None
    capability: int | None = None
    state: str = ""
    language: str = ""
    collection: int | None = None

    @property
    def seen(self) -> list[str]:
        """The kinds that are left."""
        of_bank = bool(self.state or self.language)
        placed = self.domains is not None or self.capability is not None
        wanted = {
            Kind.QUESTION: self.collection is None,
            Kind.ITEM: self.collection is None and not of_bank,
            Kind.SOURCE: not of_bank and not placed,
            Kind.RESPONSE: self.collection is None and not of_bank,
        }
        return [kind for kind, left in wanted.items() if left and kind in self.kinds]


@dataclass(frozen=True)
class Page:
    """Some texts, the best first, and the address of those that follow."""

    rows: list[SearchText]
    after: str | None
    first: bool


def found(project: Project, sought: Sought, limits: Limits) -> "QuerySet[SearchText]":
    """Return the texts of a project that have what is sought, of things within the limits.

    Each has a `score`. What an import is bringing in, or took back, is not seen.
    """
    kinds = limits.seen
    if not sought or not kinds:
        return SearchText.objects.none()
    seen = Q()
    for kind in kinds:
        seen |= Q(kind=kind) & _within(kind, project, limits)
    rows = SearchText.objects.filter(seen, project=project)
    for run in sought.runs:
        rows = rows.filter(words__contains=run)
    return INDEX.matching(rows, sought.words)


def counts(rows: "QuerySet[SearchText]") -> dict[str, int]:
    """Return how many things of each kind were found."""
    of = Case(*(When(kind=kind, then=F(name)) for kind, name in FIELDS.items()))
    counted = rows.order_by().values("kind").annotate(n=Count(of, distinct=True))
    return dict(counted.values_list("kind", "n"))


def page(
    rows: "QuerySet[SearchText]", sought: Sought, *, after: str = "", size: int = SIZE
) -> Page:
    """Return the page of what was found that follows the key `after`, the best first."""
    key: list[Any] | None = keyset.read(after, 2)
    if key is not None and all(isinstance(one, int) for one in key):
        rows = INDEX.beyond(rows, sought.words, *key)
    else:
        key = None
    best = list(rows.defer("words").order_by("-score", "-pk")[: size + 1])
    shown = best[:size]
    more = len(best) > size
    return Page(
        rows=shown,
        after=keyset.write([_score(shown[-1]), shown[-1].pk]) if more else None,
        first=key is None,
    )


def _score(row: SearchText) -> int:
    score: int = row.score  # type: ignore[attr-defined]  # comes with what was found
    return score


def _within(kind: str, project: Project, limits: Limits) -> Q:
    if kind == Kind.QUESTION:
        return Q(question__in=_questions(project, limits))
    if kind == Kind.ITEM:
        return Q(item__in=_placed(Item.objects.seen().filter(project=project), "", limits))
    if kind == Kind.SOURCE:
        rows = limits.sources
        if limits.collection is not None:
            rows = rows.filter(collection=limits.collection)
        return Q(source__in=rows.order_by().values("pk"))
    rows_ = Response.objects.seen().filter(item__project=project)
    return Q(response__in=_placed(rows_, "item__", limits))


def _questions(project: Project, limits: Limits) -> "QuerySet[Any, Any]":
    plain = {"state": limits.state, "language": limits.language, "capability": limits.capability}
    wanted = {name: value for name, value in plain.items() if value}
    if limits.domains is not None:
        wanted["domain__in"] = limits.domains
    if not wanted:
        return Question.objects.filter(project=project).order_by().values("pk")
    newest = QuestionVersion.objects.newest().filter(question__project=project, **wanted)
    return newest.order_by().values("question")


def _placed(rows: "QuerySet[Any]", through: str, limits: Limits) -> "QuerySet[Any, Any]":
    if limits.domains is not None:
        rows = rows.filter(**{f"{through}domain__in": limits.domains})
    if limits.capability is not None:
        rows = rows.filter(**{f"{through}capability": limits.capability})
    return rows.order_by().values("pk")
