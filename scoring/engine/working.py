"""One step: run its procedure, and store what came of it, whichever of the three outcomes it is.

* One job's work on a run, as coroutines: steps side by side, a heartbeat, and an end in good order.
* Write down the steps of a run, in short batches; a plan that was stopped goes on where it was.
* A job of a run: take free steps, do them side by side, hand the rest back, and end in time.
"""

import asyncio
import functools
import itertools
import logging
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.common.pace import Batches
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import calls, claims, kinds
from scoring.engine import pacing as sharing
from scoring.engine import requests as ringing
from scoring.engine.calls import BUDGET, ENDPOINT, House, Past, Remembering
from scoring.engine.claims import Means, StepDesk
from scoring.engine.kinds import RunKind, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.engine.pacing import Brake, Interrupted, PacedEndpoint
from scoring.llm.base import Failed, MachineryFailed, Reply, Request, SystemFailed

logger = logging.getLogger(__name__)


class NoModel:
    """Stands in for a ChatModel where nobody is to be asked."""

    async def reply(self, request: Request) -> Reply:
        raise LookupError(f"A step that computes has no endpoint for {request.role}.")


async def do(house: House, kind: RunKind, step: Step, work: Work, past: Past) -> bool:
    """Do a step and end it; return whether it ended. One that was interrupted is left as it is."""
    model = Remembering(house, step, work.endpoints, past)
    try:
        result = await _result(work, model)
    except Interrupted:
        return False
    except BaseExceptionGroup as several:
        if not model.interrupted:
            await _end_badly(house, kind, step, _first(several))
    except Exception as problem:  # noqa: BLE001  told below; a worker outlives its steps
        if not model.interrupted:
            await _end_badly(house, kind, step, problem)
    else:
        if not model.interrupted:
            await _end(house, kind, step, result)
    return not model.interrupted


async def _result(work: Work, model: Remembering) -> Any:
    if not work.blocking:
        return _plain(await work.procedure(model))

    async def compute() -> Any:
        return await work.procedure(NoModel())

    return _plain(await asyncio.to_thread(lambda: asyncio.run(compute())))


async def _end(house: House, kind: RunKind, step: Step, result: Any) -> None:
    now = house.clock()
    try:
        await house.desk.write(lambda: claims.end(step=step, kind=kind, result=result, now=now))
    except Exception as problem:  # noqa: BLE001  what a kind cannot store is its step's failure
        await _end_badly(house, kind, step, problem)


async def _end_badly(house: House, kind: RunKind, step: Step, problem: Exception) -> None:
    if isinstance(problem, SystemFailed):
        unkept = await _end_by_system(house, kind, step, problem)
        if unkept is None:
            return
        problem = unkept
    if kinds.passes(problem):
        raise problem  # the step is left as it is, and the next job does it again
    now = house.clock()
    failed = problem if isinstance(problem, Failed) else None
    known = isinstance(problem, Failed | errors.Refusal)
    if not known:
        logger.error("Step %s of run %s", step.pk, step.run_id, exc_info=problem)
    said = str(problem) if known else _unexpected()
    await house.desk.write(lambda: claims.fail(step=step, failed=failed, problem=said, now=now))


async def _end_by_system(
    house: House, kind: RunKind, step: Step, failed: SystemFailed
) -> Exception | None:
    """End a step in which the system failed; return why that could not be stored, if so."""
    now = house.clock()
    try:
        await house.desk.write(
            lambda: claims.end_by_system(step=step, kind=kind, failed=failed, now=now)
        )
    except Exception as problem:  # noqa: BLE001  what a kind cannot store is its step's failure
        return problem
    return None


def _unexpected() -> str:
    return _("Unexpected error; see the worker’s log.")


def _first(several: BaseExceptionGroup[BaseException]) -> Exception:
    """Return the failure that says most: the system's own, then the machinery's, then any."""
    flat: list[BaseException] = []
    waiting: list[BaseException] = [several]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, BaseExceptionGroup):
            waiting.extend(one.exceptions)
        else:
            flat.append(one)
    for kind in (SystemFailed, MachineryFailed, Exception):
        for one in flat:
            if isinstance(one, kind):
                return one
    raise several


def _plain(result: Any) -> Any:
    if is_dataclass(result) and not isinstance(result, type):
        return asdict(result)
    return result


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
    past: calls.Past


class Shift:
    """Works on a run until nothing is left, somebody stops it, or its time is up."""

    def __init__(
        self, run: Run, desk: StepDesk, clock: Callable[[], datetime], worker: str, means: Means
    ) -> None:
        self.run, self.desk, self.clock, self.worker, self.means = run, desk, clock, worker, means
        self.kind = kinds.kind_called(run.kind)
        self.lease = float(settings.RUN_LEASE)
        self.stopped_by = ""
        self._held: dict[int, Step] = {}
        self._ready: deque[Ready] = deque()
        self._doing: set[asyncio.Task[None]] = set()
        self._fetching: asyncio.Task[None] | None = None
        self._dry_until = 0.0
        self._got_on = False
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
        till = calls.Till(self.run)
        prices = calls.Prices(self.run.config.get("prices", {}))
        purse = calls.Purse(prices, self.run.budget, lambda: self.desk.read(till.read))
        return House(self.desk, self._brake, purse, lines, self.clock, self.means.patience)

    async def _line(self, endpoint: Endpoint, stack: AsyncExitStack) -> PacedEndpoint:
        opened = await self.desk.read(lambda: self.means.open_model(endpoint))
        model = await stack.enter_async_context(opened)
        return PacedEndpoint(endpoint, model, self._brake, self.clock)

    def _leave(self) -> None:
        claims.release(list(self._held.values()))
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
    def _is_alone(self) -> bool:
        """Whether a step is under way over which workers have ended: nothing is begun beside it."""
        return bool(self._doing) and any(one.lost >= claims.ALONE for one in self._held.values())

    @property
    def _is_dry(self) -> bool:
        """Whether there was nothing to take a moment ago."""
        return time.monotonic() < self._dry_until

    def _begin(self, group: asyncio.TaskGroup) -> None:
        """Begin what is ready, and fetch more in time."""
        if self._brake.reason or self._is_alone or not (width := self._width):
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
        until = claims.lease(now, self.lease)
        try:
            steps = await self.desk.write(
                lambda: claims.claim(
                    run=self.run,
                    n=n,
                    worker=self.worker,
                    until=until,
                    now=now,
                    alone=not self._held,
                )
            )
            self._held |= {one.pk: one for one in steps}
            if steps and not self._got_on:
                self._got_on = True
                self.means.got_on()
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
            return Ready(step, self.kind.prepare(step), calls.past(step))
        except Exception as problem:  # noqa: BLE001  told when the step is done
            return Ready(step, kinds.Work(_raising(problem)), calls.Past())

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
        told = await self.desk.read(lambda: claims.look(self.run))
        self._house.purse.budget = told.budget
        if not told.goes_on:
            self._brake.pull(ASKED)
        elif self.means.stopping():
            self._brake.pull(ENDING)
        elif seconds > settings.RUN_SLICE:
            long = seconds > SLICES * settings.RUN_SLICE
            if long or await self.desk.read(lambda: claims.others_wait(self.run)):
                self._brake.pull(OVER)

    async def _renew(self) -> None:
        until = claims.lease(self.clock(), self.lease)
        held = list(self._held.values())
        await self.desk.write(lambda: claims.renew(steps=held, worker=self.worker, until=until))

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
            lambda: claims.agree(
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
            lambda: claims.pause(run=self.run, reason=PAUSES[reason], problem=problem, now=now)
        )


def _raising(problem: Exception) -> kinds.Procedure:
    async def procedure(_model: object) -> None:
        raise problem

    return procedure


Clock = Callable[[], datetime]
#: Looked for by whoever plans, so that a run that is called off is not planned to its end.
MOST_PLANNED_AT_ONCE = 2000
MOST_KEY = 200


class _PlanOvertaken(Exception):
    """Somebody else plans this run, or it was called off."""


def plan(*, run: Run, clock: Clock) -> None:
    """Write the steps that are missing, and set the run going once all of them are there.

    Two who plan at once do no harm: the one who comes second to a batch stops.
    """
    n_there = run.steps.count()
    try:
        plans = itertools.islice(kinds.kind_called(run.kind).plan(run), n_there, None)
        _write_all(run, plans, n_there, Run.State.STAGED)
    except _PlanOvertaken:
        return
    except errors.Refusal as refusal:
        _give_up(run, str(refusal), clock())
        return
    staged = Run.objects.filter(pk=run.pk, state=Run.State.STAGED)
    if staged.update(state=Run.State.RUNNING, started_at=clock()):
        ringing.ring(run)  # whoever came while it was planned has gone again


def extend(*, run: Run) -> bool:
    """Write the steps of a run's next stage; return whether there is one.

    Two who do it at once do no harm, and one that was stopped is made up for when its steps are done.
    """
    kind = kinds.kind_called(run.kind)
    if not isinstance(kind, kinds.Staged):
        return False
    known = set(run.steps.values_list("key", flat=True))
    rows = [one for one in kind.more(run) if one.key[:MOST_KEY] not in known]
    try:
        _write_all(run, rows, len(known), Run.State.RUNNING)
    except _PlanOvertaken:
        return True
    return bool(rows)


def _write_all(run: Run, plans: Iterable[StepPlan], n_there: int, state: str) -> None:
    """Write steps in batches, numbered from those that are there.

    Raises:
        _PlanOvertaken: somebody else wrote some of them, or the run has moved on.
        IntegrityError: two of them have the same key, which no further attempt would mend.
    """
    n_known = n_there
    pace = Batches(start=200, most=MOST_PLANNED_AT_ONCE)
    for batch in pace.batches(enumerate(plans, start=n_there)):
        rows = list(batch)
        try:
            _write(run, rows, state)
        except IntegrityError as clash:
            if run.steps.count() > n_known:
                raise _PlanOvertaken from clash
            raise
        n_known += len(rows)


@transaction.atomic
def _write(run: Run, batch: Iterable[tuple[int, StepPlan]], state: str) -> None:
    if not Run.objects.select_for_update().filter(pk=run.pk, state=state).exists():
        raise _PlanOvertaken
    Step.objects.bulk_create(
        Step(
            run=run,
            ordinal=ordinal,
            key=one.key[:MOST_KEY],
            spec=dict(one.spec),
            item_id=one.item_id,
            release_id=one.release_id,
            response_id=one.response_id,
        )
        for ordinal, one in batch
    )


def _give_up(run: Run, problem: str, now: datetime) -> None:
    """Call off a run that turned out not to be possible; its page says why."""
    Run.objects.filter(pk=run.pk, state=Run.State.STAGED).update(
        state=Run.State.CANCELLED, problem=problem[:500], finished_at=now
    )


def work(run_id: int, clock: Callable[[], datetime], means: Means | None = None) -> None:
    """Plan a run if need be, and work on its steps until none is left or the time is up.

    Starting this twice is harmless: the second one takes what the first left. What nobody thought of
    stops the run, once; what passes by itself is raised, and the sweeper rings again.
    """
    run = Run.objects.select_related("project", "round", "judge__rater").filter(pk=run_id).first()
    if run is None:
        return
    try:
        _work(run, clock, means or Means())
    except Exception as problem:
        if kinds.passes(problem):
            raise
        kinds.stop(run=run, problem=problem, now=clock())


def _work(run: Run, clock: Callable[[], datetime], means: Means) -> None:
    if run.state == Run.State.STAGED:
        plan(run=run, clock=clock)
        run.refresh_from_db(fields=["state", "started_at", "problem"])
    if run.state != Run.State.RUNNING:
        return
    desk = means.desk()
    shift = Shift(run, desk, clock, worker_name(), means)
    desk.serve(shift.work)
    extended = claims.is_worked_off(run) and extend(run=run)
    if run.pilot and not claims.is_worked_off(run):
        with transaction.atomic():
            stopped = claims.end_pilot(run=run, now=clock())
        if stopped:
            return
    if extended or (not claims.finish(run=run, now=clock()) and shift.goes_on):
        ringing.ring(run)


def worker_name() -> str:
    """Return a name that no other job has."""
    return f"{socket.gethostname()[:30]}-{os.getpid()}-{secrets.token_hex(4)}"
