"""Repeats: who may be served an item once more, and when it is far enough from the first time.

* Drop the repeats that nobody can take any more, so that a round does not wait for them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.common import draws as seeds
from annotation.people import audit
from annotation.people.models import Rater
from annotation.rounds import rules
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundItem

#: After these somebody is not offered the same item again.
GIVEN_UP = (ClaimEvent.Kind.DECLINED, ClaimEvent.Kind.REASSIGNED)
State = Assignment.State
#: What is the same in a repeat: the item, and which pair of its answers.
_WHAT = ("round_item__item", "round_item__pair")


def has_any(round_: Round) -> bool:
    """Return whether the round serves repeats; fixed when it was prepared."""
    return bool((round_.draw.get("prepared") or {}).get("repeats"))


def first_only() -> Q:
    """Return the condition of a seat that anybody may take: it is no repeat."""
    return Q(round_item__occasion=1)


def comes_twice() -> Exists:
    """Return the condition of a seat whose item can be met once more by whoever takes it."""
    again = Assignment.objects.filter(
        round=OuterRef("round"),
        round_item__item=OuterRef("round_item__item"),
        round_item__pair=OuterRef("round_item__pair"),
        round_item__occasion=2,
        state=State.FREE,
    )
    return Exists(again)


def is_repeated() -> Exists:
    """Return the condition of a seat whose item is served twice in its round."""
    again = RoundItem.objects.filter(
        round=OuterRef("round"),
        item=OuterRef("round_item__item"),
        pair=OuterRef("round_item__pair"),
        occasion=2,
    )
    return Exists(again)


def design(round_: Round, n_people: int) -> rules.RoundDesign:
    """Return what a round hands out, fixed when it was prepared, to so many people."""
    prepared = round_.draw.get("prepared") or {}
    n_twice = int(prepared.get("repeats", 0))
    return rules.RoundDesign(
        n_once=int(prepared.get("items", 0)) - 2 * n_twice,
        n_twice=n_twice,
        n_seats=round_.n_seats,
        n_people=n_people,
    )


def open_to(rater: Rater) -> "QuerySet[Assignment]":
    """Return the repeats of what this person has graded and not yet met again."""
    graded = Assignment.objects.filter(
        round_item__round=OuterRef("round_item__round"),
        round_item__item=OuterRef("round_item__item"),
        round_item__pair=OuterRef("round_item__pair"),
        round_item__occasion=1,
        rater=rater,
        state=State.SUBMITTED,
    )
    mine = Assignment.objects.filter(round_item=OuterRef("round_item"), rater=rater)
    given_up = ClaimEvent.objects.filter(
        rater=rater, kind__in=GIVEN_UP, assignment__round_item=OuterRef("round_item")
    )
    seats = Assignment.objects.filter(round_item__occasion=2)
    return seats.filter(Exists(graded), ~Exists(mine), ~Exists(given_up))


def due(
    round_: Round, rater: Rater, to_be_had: Q, *, hurry: bool
) -> Iterator[tuple[int, int, int, int]]:
    """Yield seats (key, item's ordinal, fence, item) whose turn has come, the oldest first.

    Args:
        to_be_had: the condition of a seat that can be taken.
        hurry: there is no other work: a few others between the two times are enough.
    """
    rows = open_to(rater).filter(to_be_had, round=round_).order_by("ordinal")
    seats = list(rows.values_list("pk", "round_item__ordinal", "fence", "round_item", *_WHAT))
    if not seats:
        return
    submitted = Assignment.objects.filter(round=round_, rater=rater, state=State.SUBMITTED)
    done = list(submitted.values_list(*_WHAT, "round_item__occasion", "submitted_at"))
    times = sorted(at for *_what, _occasion, at in done if at)
    first = {(item, pair): at for item, pair, occasion, at in done if occasion == 1 and at}
    ready = []
    for *seat, item, pair in seats:
        between = len(times) - bisect_right(times, first[item, pair])
        if between >= (rules.MIN_BETWEEN if hurry else _usual(round_, rater, seat[1])):
            ready.append((first[item, pair], seat))
    for _at, (pk, ordinal, fence, round_item) in sorted(ready, key=lambda one: one[0]):
        yield pk, ordinal, fence, round_item


def _usual(round_: Round, rater: Rater, ordinal: int) -> int:
    """Return after how many others an item comes again: another number for everybody."""
    extra = seeds.integer(
        round_.seed, "repeat", rater.ref, str(ordinal), below=rules.USUALLY_BETWEEN + 1
    )
    return rules.USUALLY_BETWEEN + extra


def met_again(seats: Sequence[Assignment]) -> set[int]:
    """Return those of these seats whose item its holder has been given once more."""
    if not any(has_any(one.round) for one in seats):
        return set()
    again = Assignment.objects.filter(
        round=OuterRef("round"),
        round_item__item=OuterRef("round_item__item"),
        round_item__pair=OuterRef("round_item__pair"),
        round_item__occasion=2,
        rater=OuterRef("rater"),
    )
    found = Assignment.objects.filter(
        Exists(again), pk__in=[one.pk for one in seats], round_item__occasion=1
    )
    return set(found.values_list("pk", flat=True))


@dataclass(frozen=True)
class Stranded:
    """A free repeat that nobody can take any more."""

    seat: Assignment
    #: Whether somebody is there who graded the item, with too little in between.
    is_near: bool


def stranded(round_: Round, without: Rater | None) -> list[Stranded]:
    """Return the free repeats for which nobody is left who graded the item, or still may.

    Args:
        without: somebody who is offered nothing more: done, once they have submitted what they hold.
    """
    free = Assignment.objects.filter(round=round_, state=State.FREE, round_item__occasion=2)
    by_item: dict[int, list[Assignment]] = {}
    for seat in free.select_related("round_item").order_by("-ordinal"):
        by_item.setdefault(seat.round_item_id, []).append(seat)
    if not by_item:
        return []
    places = round_.annotators.filter(ended_at__isnull=True).values_list("rater", flat=True)
    done = None if without is None or _holds_any(round_, without.pk) else without.pk
    people = [_standing(round_, pk, is_done=pk == done) for pk in places]
    surplus = []
    for seats in by_item.values():
        n_takers, n_near = _takers(seats[0], people)
        left = seats[: max(0, len(seats) - n_takers)]
        surplus += [Stranded(seat, place < n_near) for place, seat in enumerate(left)]
    return surplus


def _holds_any(round_: Round, rater: int) -> bool:
    """Return whether somebody has seats to submit: after them, more lies between two looks."""
    return Assignment.objects.filter(round=round_, rater=rater, state=State.CLAIMED).exists()


@dataclass(frozen=True)
class _Person:
    """How far somebody is: before `long_ago` lies what they have graded two others since."""

    rater: int
    is_busy: bool
    long_ago: datetime | None
    is_done: bool = False


def _standing(round_: Round, rater: int, *, is_done: bool) -> _Person:
    if is_done:
        return _Person(rater, False, None, is_done=True)
    mine = Assignment.objects.filter(round=round_, rater=rater)
    last = mine.filter(state=State.SUBMITTED).order_by("-submitted_at")
    times = list(last.values_list("submitted_at", flat=True)[: rules.MIN_BETWEEN])
    open_seats = Assignment.objects.filter(
        first_only(), round=round_, state__in=[State.FREE, State.CLAIMED]
    ).exclude(round_item__in=mine.filter(state=State.SUBMITTED).values("round_item"))
    enough = len(times) == rules.MIN_BETWEEN
    is_busy = open_seats.exists() or _holds_any(round_, rater)
    return _Person(rater, is_busy, times[-1] if enough else None)


def _takers(seat: Assignment, people: Sequence[_Person]) -> tuple[int, int]:
    """Return how many of these people can meet the item again, or still may, and how many met it too late."""
    closed = {
        *Assignment.objects.filter(round_item=seat.round_item_id, rater__isnull=False).values_list(
            "rater", flat=True
        ),
        *ClaimEvent.objects.filter(
            assignment__round_item=seat.round_item_id, kind__in=GIVEN_UP
        ).values_list("rater", flat=True),
    }
    firsts = Assignment.objects.filter(
        round=seat.round_id,
        round_item__item=seat.round_item.item_id,
        round_item__pair=seat.round_item.pair,
        round_item__occasion=1,
    )
    rows = list(firsts.values_list("rater", "state", "submitted_at"))
    n_free = sum(state == State.FREE for _rater, state, _at in rows)
    held = {rater: at for rater, _state, at in rows}
    left = [one for one in people if one.rater not in closed]
    graded = [one for one in left if one.rater in held]
    n_again = sum(_can_meet_again(one, held[one.rater]) for one in graded)
    n_new = sum(one.rater not in held and not one.is_done for one in left)
    return n_again + min(n_free, n_new), len(graded) - n_again


def _can_meet_again(person: _Person, first: datetime | None) -> bool:
    if person.is_done:
        return False
    if person.is_busy or first is None:  # something will lie between
        return True
    return person.long_ago is not None and first < person.long_ago


NOBODY_LEFT = "Nobody is left who graded this item before."
TOO_CLOSE = "Whoever graded this item before has too little in between to grade it once more."
CLOSED = "The round was closed before its turn came."


def drop_stranded(*, round_: Round, without: Rater | None, now: datetime) -> int:
    """Drop the free repeats for which nobody is left; return how many.

    Args:
        without: somebody who is offered nothing more: done, once they have submitted what they hold.
    """
    if not has_any(round_):
        return 0
    found = stranded(round_, without)
    near = [one.seat for one in found if one.is_near]
    others = [one.seat for one in found if not one.is_near]
    return _drop(round_, near, TOO_CLOSE, now) + _drop(round_, others, NOBODY_LEFT, now)


def drop_rest(*, round_: Round, now: datetime) -> int:
    """Drop the repeats that are still free when a round is closed; return how many."""
    if not has_any(round_):
        return 0
    free = Assignment.objects.filter(
        round=round_, state=Assignment.State.FREE, round_item__occasion=2
    )
    return _drop(round_, free, CLOSED, now)


@transaction.atomic
def _drop(round_: Round, seats: Iterable[Assignment], why: str, now: datetime) -> int:
    dropped = [
        seat.ordinal
        for seat in seats
        if Assignment.objects.filter(
            pk=seat.pk, fence=seat.fence, state=Assignment.State.FREE
        ).update(state=Assignment.State.DROPPED, dropped_why=why, fence=F("fence") + 1)
    ]
    if dropped:
        audit.done(round_, "repeats.dropped", None, now, note=why, seats=sorted(dropped))
    return len(dropped)
