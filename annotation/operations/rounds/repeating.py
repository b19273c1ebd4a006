"""Drop the repeats that nobody can take any more, so that a round does not wait for them."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import F

from annotation.models import Assignment, Rater, Round
from annotation.operations import audit
from annotation.queries import repeats

NOBODY_LEFT = "Nobody is left who graded this item before."
TOO_CLOSE = "Whoever graded this item before has too little in between to grade it once more."
CLOSED = "The round was closed before its turn came."


def drop_stranded(*, round_: Round, without: Rater | None, now: datetime) -> int:
    """Drop the free repeats for which nobody is left; return how many.

    Args:
        without: somebody who is offered nothing more: done, once they have submitted what they hold.
    """
    if not repeats.has_any(round_):
        return 0
    found = repeats.stranded(round_, without)
    near = [one.seat for one in found if one.is_near]
    others = [one.seat for one in found if not one.is_near]
    return _drop(round_, near, TOO_CLOSE, now) + _drop(round_, others, NOBODY_LEFT, now)


def drop_rest(*, round_: Round, now: datetime) -> int:
    """Drop the repeats that are still free when a round is closed; return how many."""
    if not repeats.has_any(round_):
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
        audit.record(
            project=round_.project,
            actor=None,
            verb="repeats.dropped",
            subject=f"round:{round_.number}",
            at=now,
            note=why,
            seats=sorted(dropped),
        )
    return len(dropped)
