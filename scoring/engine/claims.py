"""Who works on which step. Every change of hands raises the fence; an older fence writes nothing.

* What a job tells the database every moment, and what it is told: leases, limits, and whether to go on.
* All work on the database of a job, in one thread: coroutines of another one hand it in and wait.
* What a job works with. Tests give it other things than a worker does.
"""

import asyncio
import contextvars
import functools
import queue
import threading
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.common.sentences import gettext as _
from annotation.people import audit
from evalsite.db import prepared
from scoring.endpoints.models import Endpoint
from scoring.engine import kinds
from scoring.engine import pacing as sharing
from scoring.engine.kinds import RunKind
from scoring.engine.models import Run, Step
from scoring.engine.pacing import Allowance, Patience
from scoring.llm.base import ChatModel, Failed

State = Step.State


def _is_mine(pk: int, fence: int) -> "QuerySet[Step]":
    return Step.objects.filter(pk=pk, fence=fence, state=State.CLAIMED)


_HELD = prepared.PreparedQuery(
    lambda pk, fence: _is_mine(pk, fence).select_for_update().values_list("pk", flat=True),
    pk=int,
    fence=int,
)
_DONE = prepared.Update(
    lambda pk, fence, outcome, result, flags, now: (
        _is_mine(pk, fence),
        {
            "state": State.DONE,
            "outcome": outcome,
            "result": result,
            "flags": flags,
            "finished_at": now,
            "lease_until": None,
        },
    ),
    pk=int,
    fence=int,
    outcome=str,
    result=dict,
    flags=str,
    now=datetime,
)
_CLAIM = prepared.Update(
    lambda pk, worker, until, now: (
        Step.objects.filter(pk=pk),
        {
            "state": State.CLAIMED,
            "fence": F("fence") + 1,
            "attempt": F("attempt") + 1,
            "worker": worker,
            "lease_until": until,
            "started_at": Coalesce("started_at", now),
        },
    ),
    pk=int,
    worker=str,
    until=datetime,
    now=datetime,
)
_CLAIMED = prepared.PreparedQuery(
    lambda run, worker: (
        Step.objects.filter(run=run, state=State.CLAIMED, worker=worker)
        .order_by("ordinal")
        .select_related("item", "response", "release__system")
    ),
    run=int,
    worker=str,
)


#: A step whose workers were gone so often is done alone, so that it takes no other step along; and
#: fails when that went on.
ALONE = 3
MOST_LOST = 6


def claim(
    *, run: Run, n: int, worker: str, until: datetime, now: datetime, alone: bool = True
) -> list[Step]:
    """Take up to n steps that nobody works on, the first ones first. In the caller's transaction.

    Those whose worker was not heard of count as free. On PostgreSQL two workers pass each other by.

    Args:
        alone: the worker has nothing in hands. Only so it gets, when nothing else is left, a single one
            of the steps over which workers ended.
    """
    if run.pilot:
        n = min(n, _left_of_pilot(run))
    taken = _next(n).all(run=run.pk, now=now) if n > 0 else []
    if len(taken) < n:
        gone = Step.objects.filter(run=run, state=State.CLAIMED, lease_until__lt=now)
        left = list(_locked(gone.filter(lost__lt=ALONE).order_by("ordinal"), n - len(taken)))
        Step.objects.filter(pk__in=left).update(lost=F("lost") + 1)
        taken += left
    if not taken and alone:
        taken = list(_locked(_free(run, now), min(n, 1)))
    if not taken:
        return []
    for pk in taken:
        _CLAIM.run(pk=pk, worker=worker, until=until, now=now)
    wanted = set(taken)
    steps = [one for one in _CLAIMED.all(run=run.pk, worker=worker) if one.pk in wanted]
    for step in steps:
        step.run = run
    return steps


def _free(run: Any, now: Any) -> "QuerySet[Step]":
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    return Step.objects.filter(due, run=run, state=State.FREE).order_by("ordinal")


@functools.cache
def _next(n: int) -> "prepared.PreparedQuery[int]":
    """Return the query of the first n steps that are free and no suspects, locked."""
    return prepared.PreparedQuery(
        lambda run, now: _locked(_free(run, now).filter(lost__lt=ALONE), n), run=int, now=datetime
    )


MOST_OF_PRELUDE = 64


def _left_of_pilot(run: Run) -> int:
    """Return how many steps of a pilot nobody has begun; one worker at a time counts them."""
    Run.objects.select_for_update().get(pk=run.pk)
    mine = Step.objects.filter(run=run)
    if kinds.plugin(run.kind).has_prelude:
        prelude = Q(release__isnull=True, response__isnull=True)
        if mine.filter(prelude, state=State.FREE).exists():
            return MOST_OF_PRELUDE
        mine = mine.exclude(prelude)
    return max(0, run.pilot - mine.exclude(state=State.FREE).count())


def end_pilot(*, run: Run, now: datetime) -> bool:
    """Stop a run whose pilot is over, for somebody to look at it; return whether it did."""
    if Step.objects.filter(run=run, state=State.CLAIMED).exists() or _left_of_pilot(run):
        return False
    return pause(run=run, reason=Run.Pause.PILOT, problem="", now=now)


def _locked(rows: "QuerySet[Step]", n: int) -> "QuerySet[Step, int]":
    return rows.select_for_update(skip_locked=True).values_list("pk", flat=True)[:n]


def held(step: Step) -> bool:
    """Say whether a step is still in the hands of whoever claimed it so, and keep it there until the commit."""
    return _HELD.first(pk=step.pk, fence=step.fence) is not None


def renew(*, steps: Collection[Step], worker: str, until: datetime) -> int:
    """Renew the leases of a worker; return how many it still holds."""
    mine = Step.objects.filter(pk__in=[one.pk for one in steps], worker=worker, state=State.CLAIMED)
    return mine.update(lease_until=until)


def release(steps: Sequence[Step]) -> None:
    """Give steps back undone; the calls they made are kept."""
    for step in steps:
        _mine(step).update(state=State.FREE, lease_until=None, worker="")


def end(*, step: Step, kind: RunKind, result: Any, now: datetime) -> bool:
    """Store what a step came to, with the rows of its kind; return whether it was still held."""
    if not held(step):
        return False
    outcome = kind.record(step, result, now)
    flags = " ".join(kinds.flags_of(result))
    known = {"pk": step.pk, "fence": step.fence, "outcome": outcome.value}
    _DONE.run(**known, result=result, flags=flags, now=now)
    return True


def end_by_system(*, step: Step, kind: RunKind, failed: Failed, now: datetime) -> bool:
    """End a step in which the system that is judged failed: an outcome of its own."""
    if not held(step):
        return False
    kind.record_failure(step, failed, now)
    said = _said(failed)
    _mine(step).update(
        state=State.DONE,
        outcome=Step.Outcome.SYSTEM_FAILED,
        finished_at=now,
        lease_until=None,
        **said,
    )
    return True


def fail(
    *, step: Step, failed: Failed | None, problem: str, now: datetime, state: str = State.FAILED
) -> bool:
    """End a step in which the machinery failed. It can be tried again."""
    said = _said(failed) if failed else {"problem": problem[:500]}
    ended = _mine(step).update(
        state=state,
        outcome=Step.Outcome.MACHINERY_FAILED,
        finished_at=now,
        lease_until=None,
        **said,
    )
    return bool(ended)


def is_worked_off(run: Run) -> bool:
    """Return whether no step is left to do."""
    return not Step.objects.filter(run=run, state__in=[State.FREE, State.CLAIMED]).exists()


def finish(*, run: Run, now: datetime) -> bool:
    """End a run of which no step is left; return whether it ended by this."""
    if not is_worked_off(run):
        return False
    mine = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING)
    return bool(mine.update(state=Run.State.DONE, finished_at=now))


def free_lost(*, now: datetime, every: bool = False) -> int:
    """Free the steps whose worker was not heard of; `every`: of all workers, since none is alive.

    A step over which workers end again and again fails; it can be tried again.
    """
    claimed = Step.objects.filter(state=State.CLAIMED)
    if not every:
        claimed = claimed.filter(lease_until__lt=now)
    said = _("The worker ended %(n)d times in the midst of this step. Its log says why.")
    n_failed = claimed.filter(lost__gte=MOST_LOST - 1).update(
        state=State.FAILED,
        outcome=Step.Outcome.MACHINERY_FAILED,
        problem=said % {"n": MOST_LOST},
        lost=F("lost") + 1,
        finished_at=now,
        lease_until=None,
        worker="",
    )
    freed = claimed.update(state=State.FREE, lease_until=None, worker="", lost=F("lost") + 1)
    return n_failed + freed


def lease(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)


def _mine(step: Step) -> "QuerySet[Step]":
    return _is_mine(step.pk, step.fence)


def _said(failed: Failed) -> dict[str, str]:
    return {"trouble": failed.trouble.value, "problem": str(failed)[:500]}


@dataclass(frozen=True, slots=True)
class RunNews:
    """What a job learns of its run."""

    goes_on: bool
    budget: Decimal | None


def look(run: Run) -> RunNews:
    """Return what somebody may have changed."""
    found = Run.objects.filter(pk=run.pk).values_list("state", "budget").first()
    if found is None:
        return RunNews(goes_on=False, budget=None)
    return RunNews(goes_on=found[0] == Run.State.RUNNING, budget=found[1])


def others_wait(run: Run) -> bool:
    """Say whether another run has work that nobody does."""
    others = Run.objects.to_work_on().exclude(pk=run.pk)
    busy = Step.objects.filter(run__in=others, state=Step.State.CLAIMED)
    return others.exclude(pk__in=busy.values("run")).exists()


def agree(
    *,
    holds: Mapping[int, int],
    endpoints: Mapping[int, Endpoint],
    worker: str,
    now: datetime,
    seen_within: timedelta,
) -> dict[int, Allowance]:
    """Agree with the other workers on who may ask how much, endpoint by endpoint in one order."""
    return {
        pk: sharing.check_in(
            endpoint=endpoints[pk],
            worker=worker,
            holds=holds[pk],
            now=now,
            seen_within=seen_within,
        )
        for pk in sorted(endpoints)
    }


def pause(*, run: Run, reason: str, problem: str, now: datetime) -> bool:
    """Stop a run for a reason of its own; return whether it ran."""
    mine = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING)
    if not mine.update(state=Run.State.PAUSED, pause=reason, problem=problem[:500]):
        return False
    audit.done(run, "run.stopped", None, now, reason=reason)
    return True


T = TypeVar("T")

#: So many deeds share a transaction at most: it stays short.
MOST_TOGETHER = 32


@dataclass
class _Order(Generic[T]):
    deed: Callable[[], T]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[T]"
    writes: bool
    result: Any = None
    problem: BaseException | None = field(default=None)

    def tell(self) -> None:
        if self.future.done():
            return
        if self.problem is not None:
            self.future.set_exception(self.problem)
        else:
            self.future.set_result(self.result)


class StepDesk:
    """Does what coroutines hand in. Everything is done in the order in which it came, writes first."""

    def __init__(self) -> None:
        self._inbox: queue.SimpleQueue[_Order[Any] | None] = queue.SimpleQueue()

    async def write(self, deed: Callable[[], T]) -> T:
        """Do something in a transaction, which others may share; return what it returns.

        If somebody else's deed fails in it, this one is done again in one of its own.
        """
        return await self._hand_in(deed, writes=True)

    async def read(self, deed: Callable[[], T]) -> T:
        """Read something, outside of any transaction."""
        return await self._hand_in(deed, writes=False)

    def serve(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in an event loop of its own thread, and do here what it hands in.

        Returns what it returns, or raises what it raises.
        """
        ended: list[T] = []
        broken: list[BaseException] = []

        def run() -> None:
            try:
                ended.append(asyncio.run(work()))
            except BaseException as problem:  # noqa: BLE001  raised again in the other thread
                broken.append(problem)
            finally:
                self._inbox.put(None)

        context = contextvars.copy_context()
        thread = threading.Thread(target=lambda: context.run(run), name="run", daemon=True)
        thread.start()
        while self._do_what_waits():
            pass
        thread.join()
        if broken:
            raise broken[0]
        return ended[0]

    async def _hand_in(self, deed: Callable[[], T], *, writes: bool) -> T:
        loop = asyncio.get_running_loop()
        order: _Order[T] = _Order(deed, loop, loop.create_future(), writes)
        self._inbox.put(order)
        return await order.future

    def _do_what_waits(self) -> bool:
        """Do what has been handed in; return whether more can come."""
        orders: list[_Order[Any]] = []
        goes_on = True
        first = self._inbox.get()
        while True:
            if first is None:
                goes_on = False
                break
            orders.append(first)
            if len(orders) >= MOST_TOGETHER:
                break
            try:
                first = self._inbox.get_nowait()
            except queue.Empty:
                break
        writes = [one for one in orders if one.writes]
        if writes:
            _write_together(writes)
            _tell(writes)
        for one in orders:
            if not one.writes:
                _do(one)
                _tell([one])
        return goes_on


def _write_together(orders: list[_Order[Any]]) -> None:
    """Do deeds in one transaction; if one of them fails, each in its own."""
    if len(orders) > 1:
        try:
            with transaction.atomic():
                for one in orders:
                    one.result = one.deed()
        except Exception:  # noqa: BLE001, S110  whose it was comes out below
            pass
        else:
            return
    for one in orders:
        _do(one)


def _do(order: _Order[Any]) -> None:
    try:
        if order.writes:
            with transaction.atomic():
                order.result = order.deed()
        else:
            order.result = order.deed()
    except Exception as problem:  # noqa: BLE001  it belongs to whoever waits for it
        order.problem = problem


def _tell(orders: list[_Order[Any]]) -> None:
    def tell() -> None:
        for one in orders:
            one.tell()

    try:
        orders[0].loop.call_soon_threadsafe(tell)
    except RuntimeError:  # the loop has ended: nobody waits any more
        return


OpenModel = Callable[[Endpoint], AbstractAsyncContextManager[ChatModel]]


def open_configured(endpoint: Endpoint) -> AbstractAsyncContextManager[ChatModel]:
    """Open the client of an endpoint as it is configured, with its key."""
    from scoring.endpoints import queries as endpoints
    from scoring.llm import clients  # a job that asks nobody loads no client

    return clients.open_model(endpoints.config_of(endpoint))


def nobody_asks() -> bool:
    return False


def nobody_told() -> None: ...


@dataclass(frozen=True)
class Means:
    open_model: OpenModel = open_configured
    patience: Patience = field(default_factory=Patience)
    desk: Callable[[], StepDesk] = StepDesk
    #: Whether the worker was asked to end.
    stopping: Callable[[], bool] = nobody_asks
    #: Told whenever steps were claimed: from there on they count for themselves what they fail at.
    got_on: Callable[[], None] = nobody_told
