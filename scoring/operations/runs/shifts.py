"""One job's work on a run, as coroutines: steps side by side, a heartbeat, and an end in good order."""

import asyncio
import functools
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from evalsite import errors
from scoring.llm.base import Failed
from scoring.models import Endpoint, Run, Step
from scoring.operations.runs import beating, budgeting, claiming, kinds, sharing, storing
from scoring.operations.runs.calling import BUDGET, ENDPOINT, House
from scoring.operations.runs.desk import Desk
from scoring.operations.runs.doing import do
from scoring.operations.runs.means import Means
from scoring.operations.runs.pacing import Brake, Line

logger = logging.getLogger(__name__)

#: Steps that one job works on at once, whatever its endpoints allow.
MOST_AT_ONCE = 64
#: So many steps are read at once, so that calls that come back meanwhile are stored soon.
READ_TOGETHER = 4
#: Seconds between two looks at the run.
BEAT = 0.3
#: When a run begins, its workers come within so many seconds: limits are agreed upon at every beat.
ARRIVING = 3.0
#: For so many seconds at the beginning a job leaves room for the workers that are on their way: what
#: it has claimed by then it keeps.
GATHERING = 1.0
#: A job with nothing to do leaves its worker to others after so many seconds.
IDLE = 10.0
#: A job whose worker nobody else wants goes on for so many slices of time.
SLICES = 40

#: Why a job stops: a person, its time, or its worker; beside those of `calling`.
ASKED, OVER, ENDING = "asked", "over", "ending"
PAUSES = {BUDGET: Run.Pause.BUDGET, ENDPOINT: Run.Pause.ENDPOINT}


@dataclass(frozen=True, slots=True)
class Ready:
    """A step with all that it needs."""

    step: Step
    work: kinds.Work
    past: storing.Past


class Shift:
    """Works on a run until nothing is left, somebody stops it, or its time is up."""

    def __init__(
        self, run: Run, desk: Desk, clock: Callable[[], datetime], worker: str, means: Means
    ) -> None:
        self.run, self.desk, self.clock, self.worker, self.means = run, desk, clock, worker, means
        self.kind = kinds.of(run.kind)
        self.lease = float(settings.RUN_LEASE)
        self.stopped_by = ""
        self._held: dict[int, Step] = {}
        self._ready: deque[Ready] = deque()
        self._doing: set[asyncio.Task[None]] = set()
        self._fetching: asyncio.Task[None] | None = None
        self._dry_until = 0.0
        self._settled = True
        young = (
            run.started_at is not None and (clock() - run.started_at).total_seconds() < GATHERING
        )
        self._gathers_until = time.monotonic() + GATHERING if young else 0.0

    @property
    def goes_on(self) -> bool:
        """Whether another job should go on where this one stopped."""
        return self.stopped_by in {OVER, ENDING}

    async def work(self) -> None:
        """Do all of it. An exception means that the database could not be written."""
        self._brake = Brake()
        self._changed = asyncio.Event()
        self._brake.call(self._changed.set)
        async with AsyncExitStack() as stack:
            try:
                self._house = await self._open(stack)
                await self._agree()
                async with asyncio.TaskGroup() as group:
                    beat = group.create_task(self._beat())
                    await self._do_steps(group)
                    beat.cancel()
            except (Failed, errors.Refusal) as failed:  # an endpoint could not even be opened
                await self._pause(ENDPOINT, str(failed))
            finally:
                self.stopped_by = self._brake.reason
                await self.desk.write(self._leave)

    async def _open(self, stack: AsyncExitStack) -> House:
        wanted = set(self.kind.endpoints(self.run))
        asked = Endpoint.objects.filter(pk__in=wanted).select_related("project")
        rows = await self.desk.read(lambda: list(asked))
        lines = {one.pk: await self._line(one, stack) for one in rows}
        till = budgeting.Till(self.run)
        prices = budgeting.Prices(self.run.config.get("prices", {}))
        purse = budgeting.Purse(prices, self.run.budget, lambda: self.desk.read(till.read))
        return House(self.desk, self._brake, purse, lines, self.clock, self.means.patience)

    async def _line(self, endpoint: Endpoint, stack: AsyncExitStack) -> Line:
        opened = await self.desk.read(lambda: self.means.open_model(endpoint))
        model = await stack.enter_async_context(opened)
        return Line(endpoint, model, self._brake, self.clock)

    def _leave(self) -> None:
        claiming.release(list(self._held.values()))
        sharing.check_out(worker=self.worker)

    # Steps

    @property
    def _width(self) -> int:
        """Return how many steps can have a request in flight at once."""
        lines = self._house.lines.values()
        if not lines:
            return 1
        width = min(MOST_AT_ONCE, sum(one.limit for one in lines))
        if time.monotonic() < self._gathers_until:
            most = sum(one.endpoint.max_in_flight for one in lines)
            width = min(width, -(-most // settings.RUN_WORKERS))
        return width

    async def _do_steps(self, group: asyncio.TaskGroup) -> None:
        busy_at = time.monotonic()
        paused = False
        while True:
            self._begin(group)
            if self._brake.reason in PAUSES and not paused:
                paused = True
                await self._pause(self._brake.reason, self._house.problem)
            if self._doing or self._fetching:
                busy_at = time.monotonic()
            elif self._is_over(time.monotonic() - busy_at):
                return
            await self._changed.wait()
            self._changed.clear()

    def _is_over(self, idle: float) -> bool:
        """Whether a job that does nothing just now should end."""
        if self._brake.reason or idle > IDLE:
            return True
        return self._is_dry and not self._ready

    @property
    def _is_dry(self) -> bool:
        """Whether there was nothing to take a moment ago."""
        return time.monotonic() < self._dry_until

    def _begin(self, group: asyncio.TaskGroup) -> None:
        """Begin what is ready, and fetch more in time."""
        if self._brake.reason or not (width := self._width):
            return
        # A few more than have room: a step of many calls waits between them, and others go on.
        most = width + (width // 4 + 1 if self._house.lines else 0)
        while self._ready and len(self._doing) < most:
            task = group.create_task(self._do(self._ready.popleft()))
            self._doing.add(task)
        wanted = most - len(self._doing) - len(self._ready)
        if wanted > 0 and not self._fetching and not self._is_dry:
            self._fetching = group.create_task(self._fetch(wanted))

    async def _do(self, ready: Ready) -> None:
        try:
            if await do(self._house, self.kind, ready.step, ready.work, ready.past):
                del self._held[ready.step.pk]
        finally:
            self._doing -= {asyncio.current_task()}
            self._changed.set()

    async def _fetch(self, n: int) -> None:
        """Claim steps and read what they need."""
        now = self.clock()
        until = claiming.lease(now, self.lease)
        try:
            steps = await self.desk.write(
                lambda: claiming.claim(run=self.run, n=n, worker=self.worker, until=until, now=now)
            )
            self._held |= {one.pk: one for one in steps}
            if len(steps) < n:
                self._dry_until = time.monotonic() + 1.0
            for start in range(0, len(steps), READ_TOGETHER):
                few = steps[start : start + READ_TOGETHER]
                self._ready += await self.desk.read(functools.partial(self._prepared, few))
                self._changed.set()
        finally:
            self._fetching = None
            self._changed.set()

    def _prepared(self, steps: Sequence[Step]) -> list[Ready]:
        return [self._prepare(one) for one in steps]

    def _prepare(self, step: Step) -> Ready:
        """Return a step with what it needs; what cannot be prepared fails when it is done."""
        try:
            return Ready(step, self.kind.prepare(step), storing.past(step))
        except Exception as problem:  # noqa: BLE001  told when the step is done
            return Ready(step, kinds.Work(_raising(problem)), storing.Past())

    # The heart

    async def _beat(self) -> None:
        began = agreed = renewed = time.monotonic()
        every = min(BEAT, self.lease / 4)
        while True:
            await asyncio.sleep(every)
            await self._look(time.monotonic() - began)
            if time.monotonic() - renewed > self.lease / 3:
                renewed = time.monotonic()
                await self._renew()
            unsettled = not self._settled or time.monotonic() - began < ARRIVING
            if unsettled or time.monotonic() - agreed > self._agree_every:
                agreed = time.monotonic()
                await self._agree()
            self._changed.set()

    async def _look(self, seconds: float) -> None:
        told = await self.desk.read(lambda: beating.look(self.run))
        self._house.purse.budget = told.budget
        if not told.goes_on:
            self._brake.pull(ASKED)
        elif self.means.stopping():
            self._brake.pull(ENDING)
        elif seconds > settings.RUN_SLICE:
            long = seconds > SLICES * settings.RUN_SLICE
            if long or await self.desk.read(lambda: beating.others_wait(self.run)):
                self._brake.pull(OVER)

    async def _renew(self) -> None:
        until = claiming.lease(self.clock(), self.lease)
        held = list(self._held.values())
        await self.desk.write(lambda: claiming.renew(steps=held, worker=self.worker, until=until))

    @property
    def _agree_every(self) -> float:
        return min(1.5, self.lease / 4)

    async def _agree(self) -> None:
        """Share the limits of the endpoints with the other workers."""
        lines = self._house.lines
        if not lines:
            return
        now = self.clock()
        endpoints = {pk: line.endpoint for pk, line in lines.items()}
        holds = {pk: line.holds for pk, line in lines.items()}
        seen_within = timedelta(seconds=max(4 * self._agree_every, min(self.lease, 20.0)))
        given = await self.desk.write(
            lambda: beating.agree(
                holds=holds,
                endpoints=endpoints,
                worker=self.worker,
                now=now,
                seen_within=seen_within,
            )
        )
        self._settled = all(one.settled for one in given.values())
        for pk, allowance in given.items():
            lines[pk].allow(allowance)

    async def _pause(self, reason: str, problem: str) -> None:
        now = self.clock()
        await self.desk.write(
            lambda: beating.pause(run=self.run, reason=PAUSES[reason], problem=problem, now=now)
        )


def _raising(problem: Exception) -> kinds.Procedure:
    async def procedure(_model: object) -> None:
        raise problem

    return procedure
