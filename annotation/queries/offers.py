"""Which seats somebody can be given, best first."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from annotation.models import Assignment, ClaimEvent, Rater, Round
from annotation.queries import own, qualifications, repeats
from annotation.rules import orders, seeds
from annotation.rules import repeats as repeat_rules
from evalsite import prepared

#: A few turns of somebody's own order are looked at first; then more, then twice as many, and so on.
FEW = 8
LOOK_AHEAD = 40
WIDEST = 500
GIVEN_UP = repeats.GIVEN_UP


@dataclass(frozen=True)
class Offer:
    """A seat that can be taken; `turn` is its item's place in the person's own order."""

    seat: int
    item_ordinal: int
    fence: int
    item: int
    turn: int | None = None


def candidates(round_: Round, rater: Rater, cursor: int, now: datetime) -> Iterator[Offer]:
    """Yield free seats in this person's own order of items, then whatever else is left."""
    if round_.state == Round.State.REVIEW:
        yield from _open_to(round_, rater, _rest(handed_on(round_, rater, now), rater))
        return
    yield from _again(round_, rater, now, hurry=False)
    yield from _twice_first(round_, rater, now)
    n_items = _n_items(round_)
    start, width = cursor, FEW
    while start < n_items:
        ahead = orders.visits(round_.seed, rater.ref, n_items, start, min(width, n_items - start))
        turns = {ordinal: start + step for step, ordinal in enumerate(ahead)}
        yield from _open_to(round_, rater, _seats_at(turns, round_, now))
        start, width = start + width, max(LOOK_AHEAD, min(width * 2, WIDEST))
    yield from _open_to(round_, rater, _rest(_free(round_, rater, now), rater))
    yield from _again(round_, rater, now, hurry=True)


def _again(round_: Round, rater: Rater, now: datetime, *, hurry: bool) -> Iterator[Offer]:
    """Yield the items that this person grades once more, where their time has come."""
    if repeats.has_any(round_):
        due = repeats.due(round_, rater, to_be_had(now), hurry=hurry)
        yield from _open_to(round_, rater, [Offer(*seat) for seat in due])


def _twice_first(round_: Round, rater: Rater, now: datetime) -> Iterator[Offer]:
    """Yield what this person is to meet twice, where it has to come before the rest."""
    if not repeats.has_any(round_):
        return
    free = _free(round_, rater, now)
    twice = list(_open_to(round_, rater, _rest(free.filter(repeats.comes_twice()), rater)))
    if not twice:
        return
    once = free.filter(~repeats.comes_twice()).order_by().values_list("round_item_id", flat=True)
    items = set(once.distinct()[:WIDEST])
    mine = Assignment.objects.filter(repeats.first_only(), round=round_, rater=rater)
    n_twice = mine.filter(repeats.is_repeated()).count()
    if repeat_rules.come_first(
        repeats.design(round_, round_.annotators.filter(ended_at__isnull=True).count()),
        n_open=len(items - _closed(round_, rater, items)),
        n_once=mine.count() - n_twice,
        n_twice=n_twice,
    ):
        yield from twice


def handed_on(round_: Round, rater: Rater, now: datetime) -> QuerySet[Assignment]:
    """Return the seats a reviewer has added or handed on since the round was closed."""
    planned = round_.items.aggregate(n=Sum("n_seats"))["n"] or 0
    reassigned = ClaimEvent.objects.filter(
        assignment=OuterRef("pk"), kind=ClaimEvent.Kind.REASSIGNED, at__gte=round_.review_at
    )
    return _free(round_, rater, now).filter(Q(ordinal__gte=planned) | Exists(reassigned))


def new_to(seats: QuerySet[Assignment], round_: Round, rater: Rater) -> QuerySet[Assignment]:
    """Leave out repeats, and the items on which this person has a seat, or which they gave up."""
    seats = seats.filter(repeats.first_only())
    seen = Assignment.objects.filter(round=round_, rater=rater).values("round_item_id")
    given_up = ClaimEvent.objects.filter(
        rater=rater, kind__in=GIVEN_UP, assignment__round=round_
    ).values("assignment__round_item_id")
    return seats.exclude(round_item_id__in=seen).exclude(round_item_id__in=given_up)


def to_be_had(now: datetime) -> Q:
    """Return the condition of a seat that is free, or whose lease is over.

    One that its annotator looks at again stays theirs.
    """
    over = Q(state=Assignment.State.CLAIMED, lease_until__lt=now, submitted_at__isnull=True)
    return Q(state=Assignment.State.FREE) | over


def _free(round_: Round, rater: Rater, now: datetime) -> QuerySet[Assignment]:
    return new_to(Assignment.objects.filter(to_be_had(now), round=round_), round_, rater)


def _rest(seats: QuerySet[Assignment], rater: Rater) -> list[Offer]:
    """Return some of these seats, for everybody in another order, so that few reach for the same."""
    rows = seats.order_by("ordinal").values_list("pk", "round_item__ordinal", "fence", "round_item")
    chosen = [Offer(*row) for row in rows[: 5 * LOOK_AHEAD]]
    return sorted(chosen, key=lambda one: seeds.rank_key(rater.ref, str(one.item_ordinal)))


def _n_items(round_: Round) -> int:
    """Return the number of items, fixed when the round was prepared."""
    prepared = round_.draw.get("prepared")
    return int(prepared["items"]) if prepared else round_.items.count()


def _mine(rater: int, items: Collection[int]) -> QuerySet[Any, int]:
    mine = Assignment.objects.filter(round_item__in=items, rater=rater)
    return mine.values_list("round_item_id", flat=True)


def _given_up(rater: int, items: Collection[int]) -> QuerySet[Any, int]:
    events = ClaimEvent.objects.filter(
        rater=rater, kind__in=GIVEN_UP, assignment__round_item__in=items
    )
    return events.values_list("assignment__round_item_id", flat=True)


def _at(round_: int, now: datetime, ordinals: Collection[int]) -> QuerySet[Any, Any]:
    seats = Assignment.objects.filter(
        to_be_had(now),
        repeats.first_only(),
        round_item__round=round_,
        round_item__ordinal__in=ordinals,
    )
    return seats.order_by("ordinal").values_list("pk", "round_item__ordinal", "fence", "round_item")


def _places(keys: Collection[int]) -> dict[str, int]:
    """Return a few keys as the values of a prepared query; no row has the key -1."""
    return dict(zip(_FEW, [*keys, *[-1] * FEW], strict=False))


_FEW: dict[str, type] = {f"key_{place}": int for place in range(FEW)}
_MINE = prepared.Query(lambda rater, **few: _mine(rater, few.values()), rater=int, **_FEW)
_GIVEN_UP = prepared.Query(lambda rater, **few: _given_up(rater, few.values()), rater=int, **_FEW)
_AT = prepared.Query(
    lambda round_, now, **few: _at(round_, now, few.values()), round_=int, now=datetime, **_FEW
)


def _open_to(round_: Round, rater: Rater, offers: list[Offer]) -> Iterator[Offer]:
    """Leave out items on which this person has a seat, which they gave up, or which are not for them.

    Not for them are those they wrote or inspected, and those they would have to qualify for first.
    """
    closed = _closed(round_, rater, {offer.item for offer in offers})
    yield from (offer for offer in offers if offer.item not in closed)


def _closed(round_: Round, rater: Rater, items: set[int]) -> set[int]:
    if len(items) <= FEW:
        closed = {
            *_MINE.all(rater=rater.pk, **_places(items)),
            *_GIVEN_UP.all(rater=rater.pk, **_places(items)),
        }
    else:
        closed = {*_mine(rater.pk, items), *_given_up(rater.pk, items)}
    if own.is_banked(round_) and not _may_grade_own(round_, rater):
        closed |= own.closed_to(rater, items)
    if round_.asks_qualification:
        closed |= qualifications.closed_to(round_, rater, items)
    return closed


def _may_grade_own(round_: Round, rater: Rater) -> bool:
    """Return whether an owner has said why this person grades what they wrote or inspected."""
    return round_.annotators.filter(rater=rater).exclude(own_override="").exists()


def _seats_at(turns: dict[int, int], round_: Round, now: datetime) -> list[Offer]:
    """Return the seats to be had on these items (turn by ordinal), first turn and seat first."""
    if len(turns) <= FEW:
        rows = _AT.all(round_=round_.pk, now=now, **_places(turns))
    else:
        rows = list(_at(round_.pk, now, list(turns)))
    seats = [Offer(row[0], row[1], row[2], row[3], turn=turns[row[1]]) for row in rows]
    return sorted(seats, key=lambda seat: seat.turn or 0)
