"""What a person may do to a run. Workers see it within a second; calls in flight are finished and stored."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import User
from annotation.operations import audit
from evalsite import errors
from scoring.models import Endpoint, Run, Step
from scoring.operations.runs import kinds, requesting, ringing

State = Run.State


class NotNow(errors.Conflict):
    """The run is not in a state in which this can be done."""

    code = "run_not_now"


class NothingFailed(errors.Conflict):
    code = "nothing_failed"


@transaction.atomic
def pause(*, run: Run, user: User | None, now: datetime) -> None:
    """Stop for a while. What is done stays; what is in work is done again without repeating its calls.

    Raises:
        NotNow: it does not run.
    """
    mine = Run.objects.filter(pk=run.pk, state=State.RUNNING)
    _move(run, mine.update(state=State.PAUSED, pause=Run.Pause.PERSON, problem=""))
    _record(run, "run.paused", user, now)


@transaction.atomic
def resume(*, run: Run, user: User | None, now: datetime) -> None:
    """Go on with a run that was paused, by whomever; one that stopped before it began is prepared again.

    Raises:
        NotNow: it is not paused.
    """
    mine = Run.objects.filter(pk=run.pk, state=State.PAUSED)
    begins = mine.filter(started_at__isnull=True)
    goes_on = {"pause": "", "problem": ""}
    _move(
        run,
        begins.update(state=State.STAGED, **goes_on) or mine.update(state=State.RUNNING, **goes_on),
    )
    _record(run, "run.resumed", user, now)
    ringing.ring(run)


@transaction.atomic
def cancel(*, run: Run, user: User | None, now: datetime) -> None:
    """End a run for good. What it came to so far stays.

    Raises:
        NotNow: it has ended already.
    """
    mine = Run.objects.filter(pk=run.pk, state__in=[State.STAGED, State.RUNNING, State.PAUSED])
    _move(run, mine.update(state=State.CANCELLED, pause="", finished_at=now))
    _record(run, "run.cancelled", user, now)


@transaction.atomic
def retry_failed(*, run: Run, user: User | None, now: datetime, step: int | None = None) -> int:
    """Free the steps in which the machinery failed; return how many. Calls that came back are kept.

    A step that is done (the system failed, or the judge gave no reading) is an outcome and stays.

    Args:
        step: the ordinal of the one that is tried again; all that failed unless given.

    Raises:
        NotNow: the run is being prepared or was called off.
        NothingFailed: there is nothing to try again.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state in {State.STAGED, State.CANCELLED}:
        raise _not_now()
    failed = Step.objects.filter(run=run, state=Step.State.FAILED)
    if step is not None:
        failed = failed.filter(ordinal=step)
    n_freed = failed.update(
        state=Step.State.FREE, outcome="", problem="", trouble="", finished_at=None
    )
    if not n_freed:
        if step is not None:
            raise NothingFailed(_("This step has not failed, so there is nothing to try again."))
        raise NothingFailed(_("No step of this run failed, so there is nothing to try again."))
    Run.objects.filter(pk=run.pk, state=State.DONE).update(state=State.RUNNING, finished_at=None)
    _record(run, "run.retried", user, now, steps=n_freed)
    ringing.ring(run)
    run.refresh_from_db()
    return n_freed


@transaction.atomic
def set_budget(*, run: Run, budget: Decimal | None, user: User | None, now: datetime) -> None:
    """Give a run another budget, or none. One that stopped at its budget goes on.

    Raises:
        NotNow: it has ended.
        requesting.BudgetTooSmall, requesting.BudgetNeedsPrices: nothing can be spent of it, or its
            costs cannot be counted.
    """
    if budget is not None:
        requesting.check_budget(budget, _counted_with(run))
    mine = Run.objects.filter(pk=run.pk, state__in=[State.STAGED, State.RUNNING, State.PAUSED])
    _move(run, mine.update(budget=budget))
    _record(run, "run.budget", user, now, budget=None if budget is None else str(budget))
    stopped = Run.objects.filter(pk=run.pk, state=State.PAUSED, pause=Run.Pause.BUDGET)
    if stopped.update(state=State.RUNNING, pause="", problem=""):
        run.refresh_from_db()
        ringing.ring(run)


def _counted_with(run: Run) -> Iterable[Endpoint]:
    """Return the endpoints of a run with the prices that it counts with."""
    known = run.config.get("prices", {})
    for one in Endpoint.objects.filter(pk__in=set(kinds.of(run.kind).endpoints(run))):
        price = known.get(str(one.pk), {})
        one.prompt_price, one.completion_price = price.get("prompt"), price.get("completion")
        one.currency = price.get("currency", one.currency)
        yield one


def _move(run: Run, n_moved: int) -> None:
    if not n_moved:
        raise _not_now()
    run.refresh_from_db()


def _not_now() -> NotNow:
    return NotNow(_("The run has moved on since this page was drawn. Look at it again."))


def _record(run: Run, verb: str, user: User | None, now: datetime, **data: Any) -> None:
    subject = f"run:{run.number}"
    audit.record(project=run.project, actor=user, verb=verb, subject=subject, at=now, **data)
