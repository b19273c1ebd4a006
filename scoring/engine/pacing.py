"""How workers share what an endpoint allows, and how fast it may be asked just now.

* The line before an endpoint, within one job: who may ask when, and when nobody should go on asking.
"""

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoring.endpoints.models import Endpoint, EndpointPace, EndpointUser
from scoring.llm.base import OF_THE_SYSTEM, ChatModel, Failed, Trouble

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


class Interrupted(BaseException):
    """The run is to stop here. Not an Exception, so that no procedure takes it for a failure."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often one tries again, and how long one waits in between."""

    #: Attempts at a call before its step fails.
    attempts: int = 6
    #: Attempts that came too soon are not the call's fault: more of them are allowed.
    limited: int = 20
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def wait(self, n: int, sha: str) -> float:
        """Return the seconds to wait after the nth failure: twice as long each time, a little apart."""
        whole = min(self.longest_wait, self.first_wait * 2.0 ** min(n - 1, 16))
        return whole * (0.75 + 0.5 * int(sha[:8], 16) / 2**32)


class Brake:
    """Stops a job: nothing new is begun, and what waits is interrupted."""

    def __init__(self) -> None:
        self.reason = ""
        self._pulled = asyncio.Event()
        self._told: list[Callable[[], None]] = []

    def pull(self, reason: str) -> None:
        if not self.reason:
            self.reason = reason
            self._pulled.set()
            for tell in self._told:
                tell()

    def call(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when it is pulled."""
        self._told.append(tell)

    def check(self) -> None:
        """Raise Interrupted if the job is to stop."""
        if self.reason:
            raise Interrupted(self.reason)

    async def sleep(self, seconds: float) -> None:
        """Wait; raise Interrupted if the job is to stop meanwhile."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._pulled.wait(), seconds)
        self.check()


class PacedEndpoint:
    """One endpoint as this job asks it."""

    def __init__(
        self, endpoint: Endpoint, model: ChatModel, brake: Brake, clock: Callable[[], datetime]
    ) -> None:
        self.endpoint, self.model = endpoint, model
        self.limit = 0
        self.in_flight = 0
        #: Failures in a row, without a reply in between; too early ones by themselves.
        self.n_failed = 0
        self.n_limited = 0
        self._brake, self._clock = brake, clock
        self._not_before: datetime | None = None
        self._interval = 0.0
        self._next_at = -math.inf
        self._waiting: deque[asyncio.Event] = deque()
        brake.call(self.wake)

    def allow(self, given: Allowance) -> None:
        """Take over what the workers agreed upon."""
        self.limit = given.slots
        self.hold_until(given.not_before)
        per_minute = self.endpoint.per_minute
        self._interval = 60 * given.n_workers / per_minute if per_minute else 0.0
        self.wake()

    def hold_until(self, not_before: datetime | None) -> None:
        self._not_before = not_before

    def cut(self, share: float) -> None:
        """Go slower at once, and not only when the workers have agreed again."""
        self.limit = min(self.limit, max(1, int(self.endpoint.max_in_flight * share)))

    @property
    def holds(self) -> int:
        """Return how many requests may be in flight until the next agreement."""
        return max(self.limit, self.in_flight)

    async def enter(self) -> None:
        """Wait for a slot and the right moment, and take them; raise Interrupted if the job stops.

        Who came first goes first. A step that has just had a reply does not pass those that wait:
        else some dialogues would be held to their end before others begin, and nothing would be
        left to do beside the last ones.
        """
        turn = asyncio.Event()
        self._waiting.append(turn)
        try:
            while not self._takes(turn):
                wait = self._wait() if self._waiting[0] is turn else 0.0
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait if wait > 0 else None):
                        await turn.wait()
                turn.clear()
        finally:
            self._waiting.remove(turn)
            self._wake_first()

    def _takes(self, turn: asyncio.Event) -> bool:
        """Take a slot if it is this one's turn and there is one; raise Interrupted if the job stops."""
        self._brake.check()
        if self._waiting[0] is not turn or self._wait() > 0 or self.in_flight >= self.limit:
            return False
        self.in_flight += 1
        self._next_at = asyncio.get_running_loop().time() + self._interval
        return True

    def leave(self) -> None:
        """Give the slot back."""
        self.in_flight -= 1
        self._wake_first()

    def note(self, failed: Failed | None) -> None:
        """Remember how the endpoint answered."""
        if failed is None or failed.trouble in OF_THE_SYSTEM:
            self.n_failed = self.n_limited = 0
        elif failed.trouble is Trouble.RATE_LIMITED:
            self.n_limited += 1
        else:
            self.n_failed += 1

    @property
    def is_hopeless(self) -> bool:
        """Whether so many failed in a row that asking on would only make steps fail."""
        slots = max(1, self.limit)
        return self.n_failed >= 4 + 3 * slots or self.n_limited >= 40 + 10 * slots

    def wake(self) -> None:
        """Have everybody who waits look again."""
        for turn in self._waiting:
            turn.set()

    def _wait(self) -> float:
        """Return for how many seconds nobody may ask."""
        wait = self._next_at - asyncio.get_running_loop().time() if self._interval else 0.0
        if self._not_before is not None:
            wait = max(wait, (self._not_before - self._clock()).total_seconds())
        return wait

    def _wake_first(self) -> None:
        if self._waiting:
            self._waiting[0].set()
