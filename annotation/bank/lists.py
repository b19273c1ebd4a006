"""The list of the bank as records for a file: page by page, however long it is.

* The list of the bank with what imports brought as it is: one list, in one order.
* The bank as a board: a column for each state, a card for each question by its newest version.
"""

import heapq
import itertools
import operator
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Case, F, QuerySet, TextField, Value, When
from django.db.models.functions import Substr

from annotation.bank import questions
from annotation.bank import rules as bank
from annotation.bank.models import Citation, Question, QuestionVersion
from annotation.bank.questions import BankFilters
from annotation.bank.rules import BoardColumn as Column
from annotation.bank.rules import Order
from annotation.domains import queries as taxonomy
from annotation.domains.queries import domain_paths
from annotation.files.answers import CitedPlace
from annotation.people import queries as people_queries
from annotation.people.models import Project, User
from annotation.sources import queries as corpus
from annotation.systems import queries as systems
from annotation.systems.models import Item
from annotation.systems.queries import Origin
from evalsite.web import keyset

#: So many questions are read at a time.
PAGE = 200


def records(
    project: Project,
    filters: questions.BankFilters,
    *,
    user: User,
    now: datetime,
    order: Order = Order.NEWEST,
) -> Iterator[dict[str, Any]]:
    """Yield every line of the list in its order: questions by their newest version, and imported ones.

    The importer reads them back: capabilities and areas stand as paths, sources as objects.
    """
    paths = taxonomy.capability_paths(project), taxonomy.domain_paths(project)
    both = heapq.merge(
        _of_questions(project, filters, paths, user, now, order),
        _of_items(project, filters, paths, order),
        key=operator.itemgetter(0),
        reverse=order is Order.NEWEST,
    )
    return (record for _place, record in both)


Paths = tuple[Mapping[int, str], Mapping[int, str]]
Placed = Iterator[tuple[Any, dict[str, Any]]]


def _of_questions(
    project: Project, filters: BankFilters, paths: Paths, user: User, now: datetime, order: Order
) -> Placed:
    rows = questions.filtered(project, filters, user=user, now=now)
    of_a_kind = filters.capability is not None
    seen = corpus.seen_by(project, user, people_queries.roles(project.pk, user))
    after: str | None = ""
    while after is not None:
        page = questions.page(project, rows, after, PAGE, of_a_kind=of_a_kind, order=order)
        sources = _sources(page.rows, seen)
        for one in page.rows:
            yield _at(one.question, order), _record(one, *_filed(one, paths), sources[one.pk])
        after = page.after


def _of_items(project: Project, filters: BankFilters, paths: Paths, order: Order) -> Placed:
    items = imported(project, filters)
    after: str | None = ""
    while after is not None:
        page = keyset.page(items, by=ITEM_KEYS[order], after=after, size=PAGE)
        for item in page.rows:
            yield _at(item, order), _record_of_item(item, *_filed(item, paths))
        after = page.after


def _at(row: Question | Item, order: Order) -> Any:
    """Return by what a question or an item stands in the list."""
    return row.external_id if order is Order.ID else row.created_at


def _filed(row: QuestionVersion | Item, paths: Paths) -> tuple[str, str]:
    capabilities, domains = paths
    return capabilities.get(row.capability_id or 0, ""), domains.get(row.domain_id or 0, "")


def _record_of_item(item: Item, capability: str, domain: str) -> dict[str, Any]:
    return {
        "external_id": item.external_id,
        "version": "",
        "state": "IMPORTED",
        "life": "",
        "messages": item.messages,
        "standard_answer": item.reference,
        "key_points": item.key_points,
        "capability": capability,
        "domain": domain,
        "difficulty": item.difficulty,
        "type": item.question_type,
        "as_of": item.as_of,
        "valid_until": "",
        "principle": str(item.extra.get("principle") or ""),
        "tags": [],
        "language": str(item.extra.get("language") or ""),
        "sources": [],
        "author": "",
        "saved_at": item.created_at.isoformat(),
    }


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
        place = CitedPlace(
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


#: Filters that imported items have as well as questions.
OF_BOTH = frozenset({"text", "capability", "difficulty", "domain", "batch", "origin"})
ITEM_KEYS: Mapping[Order, tuple[str, ...]] = {
    Order.NEWEST: ("-pk",),
    Order.OLDEST: ("pk",),
    Order.ID: ("external_id", "pk"),
}


@dataclass(frozen=True)
class BankItemLine:
    """An imported item as a line of the list."""

    item: Item
    area: str


@dataclass(frozen=True)
class Listing:
    """A page of the list, and how many lines fit; above questions.MOST_COUNTED not exactly."""

    rows: list[questions.BankQuestionLine | BankItemLine]
    after: str | None
    first: bool
    n: int


def imported(project: Project, filters: BankFilters) -> "QuerySet[Item]":
    """Return the imported items that fit and are not in the bank; none of what only questions have."""
    named = {name for name in questions.NAMES if getattr(filters, name) not in ("", None)}
    if filters.origin == Origin.BANK or named - OF_BOTH:
        return Item.objects.none()
    wanted = systems.SystemFilters(
        filters.capability, filters.difficulty, filters.text, filters.batch, Origin.IMPORT
    )
    rows = systems.brought(systems.filtered(project, wanted))
    if filters.domain is not None:
        rows = rows.filter(domain__in=questions.below(project, filters.domain))
    return rows


def listing(
    project: Project,
    filters: BankFilters,
    after: str,
    *,
    user: User,
    now: datetime,
    order: Order = Order.NEWEST,
) -> Listing:
    """Return a page of questions and imported items in one order.

    `after` has the key of the last question and that of the last item, with a point between them.
    """
    last_question, _point, last_item = after.partition(".")
    rows = questions.filtered(project, filters, user=user, now=now)
    of_a_kind = filters.capability is not None
    page = questions.page(
        project, rows, last_question, of_a_kind=of_a_kind, order=order, brief=True
    )
    items = imported(project, filters)
    n_items = len(items.order_by().values_list("pk")[: questions.MOST_COUNTED + 1])
    lines: list[questions.BankQuestionLine | BankItemLine] = [
        *questions.lines(project, page.rows, now.date())
    ]
    if not n_items:
        return Listing(lines, page.after, not after, page.n)
    areas = domain_paths(project)
    held = keyset.page(systems.counted(items), by=ITEM_KEYS[order], after=last_item)
    of_items = [BankItemLine(one, areas.get(one.domain_id or 0, "")) for one in held.rows]
    down = order is Order.NEWEST
    both = heapq.merge(lines, of_items, key=_place(order), reverse=down)
    taken = list(itertools.islice(both, keyset.SIZE))
    more = len(lines) + len(of_items) > len(taken) or bool(page.after or held.after)
    for one in taken:
        if isinstance(one, BankItemLine):
            last_item = keyset.write(
                [getattr(one.item, key.strip("-")) for key in ITEM_KEYS[order]]
            )
        else:
            question = one.version.question
            last_question = keyset.write(
                [question.external_id if order is Order.ID else question.pk]
            )
    further = f"{last_question}.{last_item}" if more else None
    return Listing(taken, further, not after, page.n + n_items)


def _place(order: Order) -> Callable[[questions.BankQuestionLine | BankItemLine], Any]:
    """Return by what a line of either origin stands in the list."""
    return lambda line: _at(
        line.item if isinstance(line, BankItemLine) else line.version.question, order
    )


#: Cards of a column that are shown at once, beside others and alone.
SIZE = 8
ALONE = 24
#: What an accepted question needs a look for.
LOOKS = ("outdated", "stale_source", "changed_source", "withdrawn_source", "no_meaning")
Life = Question.State


@dataclass(frozen=True)
class BoardCard:
    """A question on the board, and where it may go."""

    version: QuestionVersion
    area: str
    priority: str
    #: Days since it was last saved.
    age: int
    moves: tuple[bank.CardMove, ...]
    may_inspect: bool
    may_edit: bool


@dataclass(frozen=True)
class Pile:
    """A column with its cards; `n` is at most one more than questions.MOST_COUNTED."""

    column: Column
    n: int
    cards: tuple[BoardCard, ...]
    after: str | None
    first: bool


def board(
    project: Project,
    filters: BankFilters,
    *,
    user: User,
    now: datetime,
    only: Column | None = None,
    after: str = "",
) -> list[Pile]:
    """Return the columns of the board, filtered as the list is, but for its state and life.

    Args:
        only: this column alone, from the key `after` on.
    """
    plain = replace(filters, state="", life="")
    rows = questions.filtered(project, plain, user=user, now=now)
    looks = _needing_look(rows, user, now)
    of_a_kind = filters.capability is not None
    found = []
    for column in [only] if only else Column:
        begin, size = (after, ALONE) if only else ("", SIZE)
        if column is Column.LOOK:
            page = questions.page_of_few(list(looks.values()), begin, size, brief=True)
        else:
            mine = _of_column(project, rows, column, looks, of_a_kind)
            page = questions.page(project, mine, begin, size, of_a_kind=of_a_kind, brief=True)
        found.append((column, page.n, page))
    cards = _cards(project, [one for _c, _n, page in found for one in page.rows], looks, user, now)
    return [
        Pile(column, n, tuple(cards[one.pk] for one in page.rows), page.after, page.first)
        for column, n, page in found
    ]


def _needing_look(
    rows: "QuerySet[QuestionVersion]", user: User, now: datetime
) -> Mapping[int, int]:
    """Return the accepted versions that need a look, at most so many of each kind.

    By the version's id, the question's.
    """
    accepted = rows.filter(state=QuestionVersion.State.ACCEPTED)
    found: dict[int, int] = {}
    for look in LOOKS:
        needing = questions.needing(accepted, look, user=user, now=now).order_by()
        found |= dict(needing.values_list("pk", "question_id")[: questions.MOST_COUNTED])
    return found


def _of_column(
    project: Project,
    rows: "QuerySet[QuestionVersion]",
    column: Column,
    looks: Collection[int],
    of_a_kind: bool,
) -> "QuerySet[QuestionVersion]":
    if column in {Column.RETIRED, Column.INVALIDATED}:
        if not of_a_kind:
            return rows.filter(question__state=column.value)
        # The few that are out of use are found first; else all of a kind would be asked.
        idle = Question.objects.filter(project=project, state=column.value).order_by()
        return rows.filter(question__in=idle.values("pk"))
    live = rows.filter(question__state=Life.LIVE)
    of_state = live.filter(state=column.value)
    return of_state.exclude(pk__in=looks) if column is Column.ACCEPTED and looks else of_state


def _cards(
    project: Project,
    versions: Sequence[QuestionVersion],
    looks: Collection[int],
    user: User,
    now: datetime,
) -> dict[int, BoardCard]:
    where = questions.of_many(project.pk, versions, user)
    areas = domain_paths(project)
    found = {}
    for one in versions:
        at = where[one.pk]
        found[one.pk] = BoardCard(
            version=one,
            area=areas.get(one.domain_id or 0, ""),
            priority=one.domain.priority if one.domain else "",
            age=max((now.date() - one.saved_at.date()).days, 0),
            moves=tuple(bank.moves(at, one.pk in looks)),
            may_inspect=bank.allows(bank.Act.INSPECT, at),
            may_edit=bank.allows(bank.Act.EDIT, at),
        )
    return found
