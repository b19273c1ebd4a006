"""How workers share what an endpoint allows, and how fast it may be asked just now.

Every worker that asks an endpoint says so every second or two, and says how many requests it may have
in flight. It never takes more than the others left, so that together they stay below the limit, and
it lets go of what is more than its part before somebody else takes it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scoring.models import Endpoint, EndpointPace, EndpointUser

#: A share that was cut by a 429 grows again after so long, by this part of the whole.
QUIET = timedelta(seconds=5)
GROWTH = 0.125
#: Several 429 within so long are one: they answer requests that were sent at the same speed.
SAME = timedelta(seconds=1)
#: Nobody waits longer than this for a server that names a later hour; it is asked again then.
MOST_WAITING = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one worker may do at an endpoint."""

    slots: int
    n_workers: int
    share: float
    not_before: datetime | None
    #: Everybody has the part that is theirs; if not, one asks again soon.
    settled: bool = True


def check_in(
    *, endpoint: Endpoint, worker: str, holds: int, now: datetime, seen_within: timedelta
) -> Allowance:
    """Say that this worker asks an endpoint; return how many requests it may have in flight.

    Args:
        holds: how many it has, or may begin before it hears the answer.
    """
    pace = _grown(_pace(endpoint, now), now)
    EndpointUser.objects.filter(endpoint=endpoint, seen_at__lt=now - seen_within).delete()
    mine, _new = EndpointUser.objects.update_or_create(
        endpoint=endpoint, worker=worker, defaults={"seen_at": now}
    )
    rows = list(EndpointUser.objects.filter(endpoint=endpoint).order_by("pk"))
    place = [one.pk for one in rows].index(mine.pk)
    fair = part(usable(endpoint.max_in_flight, pace.share), len(rows), place)
    left = endpoint.max_in_flight - sum(one.slots for one in rows if one.pk != mine.pk)
    reserved = max(holds, min(fair, left))
    EndpointUser.objects.filter(pk=mine.pk).update(slots=reserved)
    settled = reserved == fair
    return Allowance(min(fair, reserved), len(rows), pace.share, pace.not_before, settled)


def check_out(*, worker: str) -> None:
    """Leave the limits of all endpoints to the others."""
    EndpointUser.objects.filter(worker=worker).delete()


def slow_down(*, endpoint: Endpoint, retry_after: float | None, now: datetime) -> Allowance:
    """Note that an endpoint was asked too fast: all workers go at half the speed, and wait as told."""
    pace = _pace(endpoint, now)
    if pace.share >= 1 or pace.changed_at <= now - SAME:
        pace.share, pace.changed_at = max(pace.share / 2, 1 / endpoint.max_in_flight), now
    if retry_after is not None:
        wait = min(timedelta(seconds=retry_after), MOST_WAITING)
        pace.not_before = max(pace.not_before or now, now + wait)
    pace.save(update_fields=["share", "changed_at", "not_before"])
    return Allowance(0, 1, pace.share, pace.not_before)


def usable(max_in_flight: int, share: float) -> int:
    """Return how many requests all workers together may have in flight at a share."""
    return max(1, int(max_in_flight * share))


def part(whole: int, n: int, place: int) -> int:
    """Return the part of the worker at a place among n; the first ones get what is left over."""
    return whole // n + (place < whole % n)


def _pace(endpoint: Endpoint, now: datetime) -> EndpointPace:
    EndpointPace.objects.get_or_create(endpoint=endpoint, defaults={"changed_at": now})
    # Whoever comes next waits here: the limits are dealt out by one at a time.
    return EndpointPace.objects.select_for_update().get(endpoint=endpoint)


def _grown(pace: EndpointPace, now: datetime) -> EndpointPace:
    if pace.share < 1 and pace.changed_at <= now - QUIET:
        pace.share, pace.changed_at = min(1.0, pace.share + GROWTH), now
        pace.save(update_fields=["share", "changed_at"])
    return pace
