"""Which grades count in a figure unless its page says otherwise: of one grade, and in the database.

* What annotators submitted first: later corrections change results, but not these.
* Of how many questions somebody is told: what they have taken, and what still comes to them.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from annotation.grading import seating as offers
from annotation.grading.models import Grade, GradeQuerySet, Invalidation
from annotation.people.models import Rater
from annotation.qualification import queries as qualifications
from annotation.rounds import queries as own
from annotation.rounds import repeats, rules
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundAnnotator, RoundItem
from annotation.rubrics.rules import oriented
from evalsite.db import prepared

Purpose = RoundItem.Purpose


def is_seat_counted(
    purpose: str, occasion: int, *, purposes: Collection[str] | None = None
) -> bool:
    """Say whether what is given in a seat counts.

    Args:
        purposes: of round items, where a page wants others than the usual ones; with REPEAT among
            them later occasions count, too.
    """
    if purposes is None:
        return occasion == 1 and purpose != Purpose.GOLD
    return (occasion == 1 or purpose == Purpose.REPEAT) and purpose in purposes


#: The seats of `is_seat_counted` that do not count, as a condition on round items.
SEATS_APART = Q(occasion__gt=1) | Q(purpose=Purpose.GOLD)


@dataclass(frozen=True)
class Struck:
    """What was declared invalid and not taken back."""

    grades: frozenset[int]
    raters: frozenset[tuple[int, int, int | None]]
    items: frozenset[tuple[int, int]]

    def __bool__(self) -> bool:
        return bool(self.grades or self.raters or self.items)

    def hits(self, grade: int, round_: int, rater: int, capability: int | None, item: int) -> bool:
        return (
            grade in self.grades
            or (round_, item) in self.items
            or (round_, rater, capability) in self.raters
            or (round_, rater, None) in self.raters
        )

    def among_grades(self) -> Q:
        """Return `hits` as a condition on grades."""
        made = Q(pk__in=self.grades)
        for round_, item in self.items:
            made |= Q(round=round_, response__item=item)
        for round_, rater, capability in self.raters:
            of = {} if capability is None else {"response__item__capability": capability}
            made |= Q(round=round_, rater=rater, **of)
        return made


def struck(rounds: Iterable[Round]) -> Struck:
    """Return what is invalid now: declared so, and not taken back."""
    rows = list(
        Invalidation.objects.filter(
            round__in=rounds, reverses__isnull=True, reversed_by__isnull=True
        )
    )
    return Struck(
        grades=frozenset(row.grade_id for row in rows if row.grade_id is not None),
        raters=frozenset(
            (row.round_id, row.rater_id, row.capability_id)
            for row in rows
            if row.rater_id is not None
        ),
        items=frozenset((row.round_id, row.item_id) for row in rows if row.item_id is not None),
    )


def given(rounds: Sequence[Round]) -> "QuerySet[Grade]":
    """Return the values that people gave and that stand, whether they count or not."""
    return Grade.objects.current().filter(
        round__in=rounds, kind=Grade.Kind.GIVEN, outcome=Grade.Outcome.VALUE
    )


def uncounted(rounds: Sequence[Round]) -> set[tuple[int, int]]:
    """Return round and key of those of `given` that count in no figure; they are few."""
    seats = RoundItem.objects.filter(SEATS_APART, round__in=rounds)
    values = given(rounds).values_list("round_id", "pk")
    assignments = Assignment.objects.filter(round_item__in=seats)
    found: set[tuple[int, int]] = set()
    if assignments.exists():
        found.update(values.filter(assignment__in=assignments))
    if gone := struck(rounds):
        found.update(values.filter(gone.among_grades()))
    return found


PAGE = 20_000
FIELDS = (
    "pk",
    "slot_id",
    "criterion_id",
    "rater_id",
    "response_id",
    "criterion__key",
    "criterion__minimum",
    "criterion__maximum",
    "value",
    "given_at",
    "active_ms",
    "slot__position",
    "response__item_id",
    "response__item__capability_id",
    "assignment__round_item__purpose",
    "assignment__round_item__occasion",
    "criterion__mark",
    "assignment__round_item__pair",
    "against_id",
)


class First(NamedTuple):
    """A first grade: who, of what, which share of the scale, when.

    Of a choice, response and criterion name the two answers, whichever stood first, and the share tells
    choices apart, no more.
    """

    rater: int
    response: int
    criterion: str
    value: Any
    share: float | None
    at: Any
    active_ms: int | None
    item: int
    capability: int | None
    purpose: str
    occasion: int
    mark: str
    #: Which pair of the item's answers, in a round of pairs.
    pair: int


def rows(round_: Round) -> Iterator[First]:
    """Yield the first grade of each annotator on each response × criterion, late ones left out.

    Every page is read to its end before its first row is handed out.
    """
    table = _given(round_).order_by("pk")
    seen: set[tuple[int, int, int]] = set()
    last = 0
    while found := list(table.filter(pk__gt=last).values_list(*FIELDS)[:PAGE]):
        last = found[-1][0]
        for one in found:
            if (key := one[1:4]) not in seen:
                seen.add(key)
                yield _first(one)
        if len(found) < PAGE:
            return


def _given(round_: Round) -> GradeQuerySet:
    rows: GradeQuerySet = Grade.objects.filter(
        round=round_, kind=Grade.Kind.GIVEN, slot__isnull=False, late=False
    )
    return rows


def _first(one: tuple[Any, ...]) -> First:
    _pk, _slot, _criterion, rater, response, key, low, high, value, at, active_ms = one[:11]
    _position, item, capability, purpose, occasion, mark, pair, against = one[11:]
    response, key, value = oriented(response, key, against, value)
    scaled = value is not None and low is not None and high is not None and high > low
    share = float((value - low) / (high - low)) if scaled else None
    about = (item, capability, purpose, occasion, mark, pair)
    return First(rater, response, key, value, share, at, active_ms, *about)


State = Assignment.State
#: Where more people share the seats than an item has, others may take all the seats of an item. It is
#: looked up once so few are free; before, all is told of that this person may still be given.
FEW_SEATS = 300


#: An item, and which pair of its answers (0 where all of them are graded).
_Met = tuple[int, int]


@dataclass
class _MetItems:
    """What somebody has met of a round: items in the order in which they came, or will come."""

    graded: list[tuple[_Met, int, datetime]] = field(default_factory=list)  # item, occasion, when
    held: list[tuple[_Met, int]] = field(default_factory=list)  # item, occasion

    @property
    def items(self) -> set[_Met]:
        taken = [*(one[:2] for one in self.graded), *self.held]
        return {item for item, occasion in taken if occasion == 1}

    def since(self, item: _Met) -> int:
        """Return how many others they have graded since the first time of an item."""
        times = sorted(at for _item, _occasion, at in self.graded)
        first = next(at for one, occasion, at in self.graded if (one, occasion) == (item, 1))
        return len(times) - bisect_right(times, first)


_N_PEOPLE = prepared.PreparedQuery(
    lambda round_: (
        RoundAnnotator.objects.filter(round=round_)
        .values("round")
        .annotate(n=Count("pk"))
        .values_list("n", flat=True)
        .order_by()
    ),
    round_=int,
)
_MANY_FREE = prepared.PreparedQuery(
    lambda round_: (
        Assignment.objects.filter(round=round_, state=State.FREE)
        .order_by()
        .values_list("pk", flat=True)[FEW_SEATS : FEW_SEATS + 1]
    ),
    round_=int,
)
_GIVEN_UP = prepared.PreparedQuery(
    lambda rater, round_: ClaimEvent.objects.filter(
        rater=rater, kind__in=repeats.GIVEN_UP, assignment__round=round_
    ).values_list("pk", flat=True)[:1],
    rater=int,
    round_=int,
)


def total(rater: Rater, round_: Round, now: datetime) -> int:
    """Return of how many questions of a round this person is told."""
    asks = repeats.has_any(round_) or round_.asks_qualification
    asks = asks or (own.is_banked(round_) and own.has_part(rater))
    if round_.state == Round.State.OPEN and not asks:
        n_items, _n_twice = _n_planned(round_)
        n_people = _N_PEOPLE.first(round_=round_.pk) or 0
        is_shared = _is_shared(round_, n_people)
        if not is_shared and _GIVEN_UP.first(rater=rater.pk, round_=round_.pk) is None:
            share = (
                own.shares(rater, [round_]).get(round_.pk) if n_people > round_.n_seats else None
            )
            # every item has a seat for them
            return min(n_items, max(share.n_planned, share.n_taken)) if share else n_items
    return totals(rater, [round_], now)[round_.pk]


def totals(rater: Rater, rounds: Iterable[Round], now: datetime) -> dict[int, int]:
    """Return by round of how many questions this person is told."""
    rounds = list(rounds)
    taken = Assignment.objects.filter(
        rater=rater, round__in=rounds, state__in=[State.CLAIMED, State.SUBMITTED]
    )
    counts = taken.values_list("round_id").annotate(n=Count("pk")).order_by()
    found: dict[int, int] = defaultdict(int, counts.values_list("round_id", "n"))
    going = [one for one in rounds if one.state == Round.State.OPEN]
    for pk, n in _to_come(rater, going, found, now).items():
        found[pk] += n
    return found


def _to_come(
    rater: Rater, rounds: Sequence[Round], taken: dict[int, int], now: datetime
) -> dict[int, int]:
    """Return how many more questions come to this person, by round."""
    shared = _shared(rounds)
    barred = _barred(rater, rounds)
    plain = [
        one for one in rounds if not repeats.has_any(one) and one.pk not in shared | barred.keys()
    ]
    plan = own.shares(rater, rounds)
    found = {
        one.pk: _within(plan.get(one.pk), max(0, _n_planned(one)[0] - taken[one.pk]))
        for one in plain
    }
    rest = [one for one in rounds if one.pk not in found]
    if not rest:
        return found
    met = _met(rater, rest)
    open_ = _open(rater, [one for one in rest if one.pk in shared], now)
    twice = _twice(rest)
    waiting = _waiting(rater, rest, now)
    for one in rest:
        mine, again = met[one.pk], twice[one.pk]
        closed = mine.items | barred[one.pk]
        if one.pk in shared:
            left = open_[one.pk] - closed
            n_twice, n_left = len(left & again), len(left)
        else:
            n_twice, n_left = len(again - closed), _n_planned(one)[0] - len(closed)
        n_left = _within(plan.get(one.pk), n_left)
        n_twice = min(n_twice, n_left)
        found[one.pk] = n_left + rules.n_to_come(
            [mine.since(item) for item in waiting[one.pk]],
            [occasion == 1 and item in again for item, occasion in mine.held],
            n_once=n_left - n_twice,
            n_twice=n_twice,
        )
    return found


def _within(share: own.AnnotatorShare | None, n_left: int) -> int:
    """Return how many of the items that are left come to somebody who does their share."""
    return n_left if share is None else min(n_left, max(0, share.n_planned - share.n_taken))


def _n_planned(round_: Round) -> tuple[int, int]:
    """Return how many items a round has, and how many of them come twice."""
    design = repeats.design(round_, n_people=0)
    return design.n_once + design.n_twice, design.n_twice


def _shared(rounds: Sequence[Round]) -> set[int]:
    """Return the rounds in which others may have taken all the seats of an item."""
    rows = RoundAnnotator.objects.filter(round__in=rounds).values("round").order_by()
    n_people = dict(rows.annotate(n=Count("pk")).values_list("round", "n"))
    return {one.pk for one in rounds if _is_shared(one, n_people.get(one.pk, 0))}


def _is_shared(round_: Round, n_people: int) -> bool:
    return n_people > round_.n_seats and _MANY_FREE.first(round_=round_.pk) is None


def _barred(rater: Rater, rounds: Sequence[Round]) -> dict[int, set[_Met]]:
    """Return the items that are never given to this person: given up, of their own, not qualified for."""
    found: dict[int, set[_Met]] = defaultdict(set)
    given_up = ClaimEvent.objects.filter(
        rater=rater,
        kind__in=repeats.GIVEN_UP,
        assignment__round__in=rounds,
        assignment__round_item__occasion=1,
    )
    where = ("assignment__round_id", "assignment__round_item__item_id")
    for round_id, *what in given_up.values_list(*where, "assignment__round_item__pair"):
        found[round_id].add((what[0], what[1]))
    whole = {*own.barred(rater, rounds), *qualifications.barred(rater, rounds)}
    of_pairs = {one.pk for one in rounds if one.of_pairs}
    for round_id, item in whole:
        if round_id not in of_pairs:
            found[round_id].add((item, 0))
    if of_pairs and whole:
        places = RoundItem.objects.filter(
            round__in=of_pairs, occasion=1, item__in={item for _round, item in whole}
        )
        for round_id, item, pair in places.values_list("round_id", "item_id", "pair"):
            if (round_id, item) in whole:
                found[round_id].add((item, pair))
    return found


_WHERE = ("round_id", "round_item__item_id", "round_item__pair")


def _met(rater: Rater, rounds: Sequence[Round]) -> dict[int, _MetItems]:
    found: dict[int, _MetItems] = defaultdict(_MetItems)
    rows = Assignment.objects.filter(
        rater=rater, round__in=rounds, state__in=[State.CLAIMED, State.SUBMITTED]
    ).order_by("warm", "claimed_at", "ordinal")
    fields = ("round_item__occasion", "state", "submitted_at")
    for round_id, item, pair, occasion, state, at in rows.values_list(*_WHERE, *fields):
        if state == State.SUBMITTED:
            found[round_id].graded.append(((item, pair), occasion, at))
        else:
            found[round_id].held.append(((item, pair), occasion))
    return found


def _open(rater: Rater, rounds: Sequence[Round], now: datetime) -> dict[int, set[_Met]]:
    """Return the items that have a seat for somebody who has none of theirs, by round."""
    seats = Assignment.objects.filter(offers.to_be_had(now), repeats.first_only(), round__in=rounds)
    return _by_round(seats)


def _twice(rounds: Sequence[Round]) -> dict[int, set[_Met]]:
    """Return the items that can be met once more, by round."""
    repeated = [one for one in rounds if repeats.has_any(one)]
    return _by_round(
        Assignment.objects.filter(round__in=repeated, round_item__occasion=2, state=State.FREE)
    )


def _waiting(rater: Rater, rounds: Sequence[Round], now: datetime) -> dict[int, set[_Met]]:
    """Return the items that wait for this person's second time, by round."""
    repeated = [one for one in rounds if repeats.has_any(one)]
    return _by_round(repeats.open_to(rater).filter(offers.to_be_had(now), round__in=repeated))


def _by_round(seats: QuerySet[Assignment]) -> dict[int, set[_Met]]:
    found: dict[int, set[_Met]] = defaultdict(set)
    for round_id, item, pair in seats.order_by().values_list(*_WHERE).distinct():
        found[round_id].add((item, pair))
    return found
