"""Who works on which step. Every change of hands raises the fence; an older fence writes nothing."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from evalsite import prepared
from scoring.llm.base import Failed
from scoring.models import Run, Step
from scoring.operations.runs import flagging
from scoring.operations.runs.kinds import Kind

State = Step.State


_HELD = prepared.Query(
    lambda pk, fence: (
        Step.objects.select_for_update()
        .filter(pk=pk, fence=fence, state=State.CLAIMED)
        .values_list("pk", flat=True)
    ),
    pk=int,
    fence=int,
)


def claim(*, run: Run, n: int, worker: str, until: datetime, now: datetime) -> list[Step]:
    """Take up to n steps that nobody works on, the first ones first. In the caller's transaction.

    Those whose worker was not heard of count as free. On PostgreSQL two workers pass each other by.
    """
    free = Q(state=State.FREE) & (Q(not_before__isnull=True) | Q(not_before__lte=now))
    taken = _lock(Step.objects.filter(free, run=run).order_by("ordinal"), n)
    if len(taken) < n:
        lost = Step.objects.filter(run=run, state=State.CLAIMED, lease_until__lt=now)
        taken += _lock(lost.order_by("ordinal"), n - len(taken))
    if not taken:
        return []
    Step.objects.filter(pk__in=taken).update(
        state=State.CLAIMED,
        fence=F("fence") + 1,
        attempt=F("attempt") + 1,
        worker=worker,
        lease_until=until,
        started_at=Coalesce("started_at", now),
    )
    mine = Step.objects.filter(pk__in=taken).order_by("ordinal")
    steps = list(mine.select_related("item", "response", "release__system"))
    for step in steps:
        step.run = run
    return steps


def _lock(rows: "QuerySet[Step]", n: int) -> list[int]:
    return list(rows.select_for_update(skip_locked=True).values_list("pk", flat=True)[:n])


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


def end(*, step: Step, kind: Kind, result: Any, now: datetime) -> bool:
    """Store what a step came to, with the rows of its kind; return whether it was still held."""

    def fields() -> dict[str, Any]:
        outcome = kind.record(step, result, now)
        return {
            "outcome": outcome,
            "result": result,
            "flags": " ".join(flagging.flags_of(result)),
        }

    return _end(step, now, fields)


def end_by_system(*, step: Step, kind: Kind, failed: Failed, now: datetime) -> bool:
    """End a step in which the system that is judged failed: an outcome of its own."""

    def fields() -> dict[str, Any]:
        kind.record_failure(step, failed, now)
        return {"outcome": Step.Outcome.SYSTEM_FAILED, **_said(failed)}

    return _end(step, now, fields)


def fail(
    *, step: Step, failed: Failed | None, problem: str, now: datetime, state: str = State.FAILED
) -> bool:
    """End a step in which the machinery failed. It can be tried again."""
    said = _said(failed) if failed else {"problem": problem[:500]}
    return _end(step, now, lambda: {"outcome": Step.Outcome.MACHINERY_FAILED, **said}, state)


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
    """Free the steps whose worker was not heard of; `every`: of all workers, since none is alive."""
    claimed = Step.objects.filter(state=State.CLAIMED)
    if not every:
        claimed = claimed.filter(lease_until__lt=now)
    return claimed.update(state=State.FREE, lease_until=None, worker="")


def lease(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)


def _end(
    step: Step, now: datetime, fields: Callable[[], dict[str, Any]], state: str = State.DONE
) -> bool:
    if not held(step):
        return False
    changed = fields()
    _mine(step).update(state=state, finished_at=now, lease_until=None, **changed)
    return True


def _mine(step: Step) -> "QuerySet[Step]":
    return Step.objects.filter(pk=step.pk, fence=step.fence, state=State.CLAIMED)


def _said(failed: Failed) -> dict[str, str]:
    return {"trouble": failed.trouble.value, "problem": str(failed)[:500]}
