"""Which things have some words: from the index, or a question's texts sign by sign."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.bank.models import Question, QuestionVersion
from annotation.files.models import ImportBatch
from annotation.people.models import Project
from annotation.search.models import QuestionText, SearchText
from annotation.search.rules import Sought
from annotation.sources.models import Source
from annotation.systems.models import Item, Response
from evalsite.db.fulltext import WordIndex, from_indexes
from evalsite.web import keyset

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
#: So many texts are found at most, the best ones; and so many stand on a page.
MOST, SIZE = 1_000, 20


def questions(project: Project, wanted: str) -> "QuerySet[QuestionText]":
    """Return the questions of a project that have these words, what was begun last first.

    It walks the texts, which are all that its table holds, and asks of those that fit whose they
    are; a slice of it stops where enough are found.

    Args:
        wanted: as annotation.search.rules.folded wrote it.
    """
    own = Question.objects.filter(pk=OuterRef("pk"), project=project)
    return QuestionText.objects.filter(Exists(own), said__contains=wanted).order_by("-pk")


@dataclass(frozen=True)
class Limits:
    """What somebody may see, and what of it they want to: a filter leaves out what has no such thing.

    Attributes:
        kinds: what they may see.
        sources: those they may see; None for all.
        domains: of questions, items and responses; None for all.
        state: of a question's newest version.
        collection: of sources.
    """

    kinds: Collection[str]
    sources: "QuerySet[Source] | None" = field(default_factory=Source.objects.none)
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
class FoundText:
    """A text that was found: the thing it is of by kind and key, which part of it, and how well."""

    pk: int
    kind: str
    of: int
    part: int
    score: int


@dataclass(frozen=True)
class FoundTexts:
    """The texts that were found, the best first; `more` says that there are others."""

    hits: Sequence[FoundText]
    more: bool

    @property
    def counts(self) -> Counter[str]:
        """How many things of each kind there are; a thing of several parts counts once."""
        return Counter(kind for kind, _of in {(one.kind, one.of) for one in self.hits})


@dataclass(frozen=True)
class FoundPage:
    """Some hits, the best first, and the address of those that follow."""

    rows: list[FoundText]
    after: str | None
    first: bool


def found_texts(
    project: Project, sought: Sought, limits: Limits, *, most: int = MOST
) -> FoundTexts:
    """Return the texts of a project that have what is sought, of things within the limits.

    What an import is bringing in, or took back, is not seen. One look at the database, on PostgreSQL two.
    """
    if not sought or not limits.seen:
        return FoundTexts((), more=False)
    rows = _texts(project, sought, limits)
    best: Any = INDEX.best(rows, sought.words, most=most + 1)
    hits = [
        FoundText(pk, kind, question or item or source or response, part, score)
        for pk, kind, question, item, source, response, part, score in best.values_list(
            "pk", "kind", "question", "item", "source", "response", "part", "score"
        )
    ]
    return FoundTexts(hits[:most], more=len(hits) > most)


def counts(
    project: Project, sought: Sought, limits: Limits, *, most: int = MOST
) -> Counter[str] | None:
    """Return how many things of each kind would be found; None where there are more than `most` texts."""
    if not sought or not limits.seen:
        return Counter()
    rows = INDEX.having(_texts(project, sought, limits), sought.words)
    fields = "kind", *dict.fromkeys(FIELDS.values())
    with from_indexes(rows.db):
        found = list(rows.order_by().values_list(*fields)[: most + 1])
    if len(found) > most:
        return None
    return Counter(kind for kind, *_of in set(found))


def _texts(project: Project, sought: Sought, limits: Limits) -> "QuerySet[SearchText]":
    """Return the texts within the limits that have what must stand together."""
    seen = Q()
    for kind in limits.seen:
        seen |= Q(kind=kind) & _within(kind, project, limits)
    # "Is true" has no index: that of the projects would have PostgreSQL unpack all texts of one.
    home = f"({INDEX.table}.project_id = %s) IS TRUE"
    rows = SearchText.objects.filter(seen).extra(where=[home], params=[project.pk])  # noqa: S610 - nothing of a person is in it
    for run in sought.runs:
        rows = INDEX.together(rows, run)
    return rows


def page(hits: Sequence[FoundText], *, after: str = "", size: int = SIZE) -> FoundPage:
    """Return the page of the hits that follows the key `after`, the best first."""
    key = keyset.read_key(after, 2)
    first = key is None or not all(isinstance(one, int) for one in key)
    left = hits if first or key is None else [one for one in hits if [one.score, one.pk] < key]
    shown = list(left[:size])
    more = len(left) > size
    return FoundPage(
        rows=shown,
        after=keyset.write([shown[-1].score, shown[-1].pk]) if more else None,
        first=first,
    )


def _within(kind: str, project: Project, limits: Limits) -> Q:
    """Return what of a kind is within the limits; what is not seen is few, and is left out."""
    unseen = ImportBatch.objects.filter(project=project).exclude(state=ImportBatch.State.APPLIED)
    batches = unseen.order_by().values("pk")
    if kind == Kind.QUESTION:
        staged = Question.everything.filter(project=project, state=Question.State.STAGED)
        seen = ~Q(question__in=staged.order_by().values("pk"))
        wanted = _wanted_versions(project, limits)
        return seen if wanted is None else seen & Q(question__in=wanted)
    if kind == Kind.ITEM:
        return ~Q(item__in=Item.objects.filter(batch__in=batches).values("pk")) & _placed(
            "item__", limits
        )
    if kind == Kind.RESPONSE:
        return ~Q(response__in=Response.objects.filter(batch__in=batches).values("pk")) & _placed(
            "response__item__", limits
        )
    seen = Q() if limits.sources is None else Q(source__in=limits.sources.order_by().values("pk"))
    return seen if limits.collection is None else seen & Q(source__collection=limits.collection)


def _wanted_versions(project: Project, limits: Limits) -> "QuerySet[Any, Any] | None":
    """Return the questions whose newest version is as wanted; None where any is."""
    plain = {"state": limits.state, "language": limits.language, "capability": limits.capability}
    wanted: dict[str, Any] = {name: value for name, value in plain.items() if value}
    if limits.domains is not None:
        wanted["domain__in"] = limits.domains
    if not wanted:
        return None
    newest = QuestionVersion.objects.newest().filter(question__project=project, **wanted)
    return newest.order_by().values("question")


def _placed(through: str, limits: Limits) -> Q:
    wanted = Q()
    if limits.domains is not None:
        wanted &= Q(**{f"{through}domain__in": limits.domains})
    if limits.capability is not None:
        wanted &= Q(**{f"{through}capability": limits.capability})
    return wanted
