"""Ring for workers. The database is the record: a bell that is lost is rung again by the sweeper.

* Ask for a run. The same request again is the same run.
* What a person may do to a run. Workers see it within a second; calls in flight are finished and stored.
* What is done about runs every few seconds, and before the workers of a site start.
"""

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from annotation.common import texts as contents
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.rounds.models import Round
from evalsite import errors, panels, queue, records
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import claims as claiming
from scoring.engine import estimating, kinds
from scoring.engine.estimating import RunEstimate
from scoring.engine.kinds import LEAST_BUDGET, AskedRun, BeginRun, Begun, RunAsking
from scoring.engine.models import Run, Step

#: Steps of a pilot: real ones, which count.
PILOT = 3
JOB = "scoring.run_jobs.work"
QUEUE = "runs"


def ring(run: Run) -> None:
    """Ring once for every worker process there is: all of them may work on one run.

    Outside a transaction a queue that is down is left to the sweeper, as it is inside one.
    """
    for place in range(settings.RUN_WORKERS):
        try:
            queue.enqueue(
                JOB,
                queue=QUEUE,
                key=f"run-{run.pk}-{place}",
                run_id=run.pk,
            )
        except queue.QueueDown:
            return


class BudgetNeedsPrices(errors.Invalid): ...


class BudgetTooSmall(errors.Invalid): ...


class OtherProject(errors.Invalid):
    code = "endpoint_of_another_project"


class BadWish(errors.Invalid):
    """What was chosen lies beyond its limits; `fields` says what of it."""

    code = "bad_run"


def checked(
    kind: Begun, of: Any, wish: BeginRun, *, user: User | None, now: datetime
) -> tuple[RunEstimate, AskedRun]:
    """Return what a run would take, and be; nothing is written.

    Args:
        kind: of the run.
        of: the project, or what of it the run is about.
        wish: what was chosen, of the kind's record.
        user: who asks.
        now: when.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    _check_limits(wish)
    asked = kind.asked(of, wish, RunAsking(user, now))
    return reckoned(kind, _project(of), asked, wish.seed), asked


def reckoned(kind: Begun, project: Project, asked: AskedRun, seed: int) -> RunEstimate:
    """Return what a run would take.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    run = Run(
        project=project,
        kind=kind.kind,
        protocol=asked.protocol,
        config=dict(asked.config),
        seed=seed,
        round=asked.round,
        judge=asked.judge,
    )
    if not asked.imagined:
        kinds.kind_called(run.kind).check(run)
    return estimating.estimate(run, n_in_all=asked.n_in_all)


def started(
    kind: Begun,
    of: Any,
    wish: BeginRun,
    *,
    user: User | None,
    now: datetime,
    cloned_from: Run | None = None,
) -> Run:
    """Have a run made of what was chosen, in the background. The same key again is the same run.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    if found := Run.objects.filter(project=_project(of), key=wish.key).first():
        return found
    _check_limits(wish)
    with transaction.atomic() if kind.writes else nullcontext():
        asked = kind.asked(of, wish, RunAsking(user, now, starts=True))
        return request_run(
            project=_project(of),
            key=wish.key,
            kind=kind.kind,
            name=wish.name,
            protocol=asked.protocol,
            config=asked.config,
            seed=wish.seed,
            user=user,
            now=now,
            round_=asked.round,
            judge=asked.judge,
            budget=wish.budget,
            cloned_from=cloned_from,
            pilot=wish.pilot,
        )


def _project(of: Any) -> Project:
    found: Project = of if isinstance(of, Project) else of.project
    return found


def _check_limits(wish: BeginRun) -> None:
    found: dict[str, list[str]] = {}
    for one in records.faults(wish):
        found.setdefault(one.path.split(".")[0], []).append(records.said(one, _))
    if found:
        told = [f"{name}: {' '.join(said)}" for name, said in found.items()]
        raise BadWish(" ".join(told), fields=found)


def request_run(
    *,
    project: Project,
    key: UUID,
    kind: str,
    name: str,
    protocol: str,
    config: Mapping[str, Any],
    seed: int,
    user: User | None,
    now: datetime,
    round_: Round | None = None,
    judge: Judge | None = None,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
    pilot: bool = False,
    is_practice: bool = False,
) -> Run:
    """Write a run down and ring for a worker; a `pilot` pauses after its first steps.

    The scores of one that `is_practice` count nowhere.

    Raises:
        errors.Refusal: its kind says why it cannot run.
        estimating.TooLong: a prompt does not fit the endpoint it would go to.
        BudgetTooSmall, BudgetNeedsPrices: of this budget nothing, or nobody knows what, can be spent.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    run = Run(
        project=project,
        key=key,
        kind=kind,
        name=name[:120],
        protocol=protocol,
        config=dict(config),
        config_sha=config_sha(kind, protocol, config, seed, judge),
        seed=seed,
        secret=secrets.token_hex(32),
        round=round_,
        judge=judge,
        budget=budget,
        cloned_from=cloned_from,
        pilot=PILOT if pilot else 0,
        is_practice=is_practice,
        requested_by=user,
        requested_at=now,
    )
    asked = _checked(run)
    run.asks_script = any(one.is_scripted for one in asked)
    run.asks_script |= _is_any("scripted_scores", run)
    run.scripted = run.asks_script or _is_any("scripted_texts", run)
    run.estimate = estimating.estimate(run).as_dict()
    run.config["prices"] = {str(one.pk): prices(one) for one in asked}
    return _stage(run, now)


def _is_any(slot: str, run: Run) -> bool:
    """Return whether a script wrote what a run rests on: kinds know what that is, the engine does not."""
    return any(one(run) for one in panels.supplied(slot).values())


def config_sha(
    kind: str, protocol: str, config: Mapping[str, Any], seed: int, judge: Judge | None
) -> str:
    """Return the hash of all that decides what a run comes to, prices not among it."""
    plain = {name: value for name, value in config.items() if name != "prices"}
    whole = [kind, protocol, plain, seed, judge.config_sha if judge else ""]
    return hashlib.sha256(contents.canonical(whole)).hexdigest()


def prices(endpoint: Endpoint) -> dict[str, str | None]:
    """Return the prices a run counts with, as they are now."""

    def text(price: Decimal | None) -> str | None:
        return None if price is None else str(price)

    found = {
        "prompt": text(endpoint.prompt_price),
        "completion": text(endpoint.completion_price),
        "currency": endpoint.currency,
    }
    if endpoint.cached_price is not None:
        found["cached"] = text(endpoint.cached_price)
    return found


def check_amount(budget: Decimal | None) -> None:
    """Refuse a budget that nothing can be spent of.

    Raises:
        BudgetTooSmall: it is not above 0.
    """
    if budget is not None and budget < LEAST_BUDGET:
        message = _("A budget is at least %(least)s. Left out, there is no limit.")
        message %= {"least": f"{LEAST_BUDGET:f}"}
        raise BudgetTooSmall(message, fields={"budget": [message]})


def check_budget(budget: Decimal, endpoints: Iterable[Endpoint]) -> None:
    """Refuse a budget of nothing, or where the costs cannot be counted, or not be added up.

    Raises:
        BudgetTooSmall: it is not above 0.
        BudgetNeedsPrices: an endpoint has no prices, or two count in different currencies.
    """
    check_amount(budget)
    endpoints = list(endpoints)
    for one in endpoints:
        if one.prompt_price is None or one.completion_price is None:
            message = _("A budget needs prices: give those of “%(name)s”, or leave the budget out.")
            raise BudgetNeedsPrices(message % {"name": one.name}, fields={"budget": [message]})
    if len({one.currency for one in endpoints}) > 1:
        message = _("A budget needs one currency, and the endpoints of this run have several.")
        raise BudgetNeedsPrices(message, fields={"budget": [message]})


def _checked(run: Run) -> list[Endpoint]:
    """Return the endpoints of a run that may be started."""
    kind = kinds.kind_called(run.kind)
    kind.check(run)
    wanted = set(kind.endpoints(run))
    found = list(Endpoint.objects.filter(pk__in=wanted, project=run.project).order_by("pk"))
    if len(found) < len(wanted):
        raise OtherProject(_("An endpoint of this run does not belong to the project."))
    if run.budget is not None:
        check_budget(run.budget, found)
    return found


@transaction.atomic
def _stage(run: Run, now: datetime) -> Run:
    project = Project.objects.select_for_update().get(pk=run.project_id)
    if found := Run.objects.filter(project=project, key=run.key).first():
        return found
    last = Run.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    run.number = (last or 0) + 1
    run.save()
    audit.record(
        project=project,
        actor=run.requested_by,
        verb="run.requested",
        subject=f"run:{run.number}",
        at=now,
        kind=run.kind,
        protocol=run.protocol,
    )
    ring(run)
    return run


State = Run.State


class RunNotNow(errors.Conflict):
    """The run is not in a state in which this can be done."""


class NothingFailed(errors.Conflict): ...


@transaction.atomic
def pause(*, run: Run, user: User | None, now: datetime) -> None:
    """Stop for a while. What is done stays; what is in work is done again without repeating its calls.

    Raises:
        RunNotNow: it does not run.
    """
    mine = Run.objects.filter(pk=run.pk, state=State.RUNNING)
    _move(run, mine.update(state=State.PAUSED, pause=Run.Pause.PERSON, problem=""))
    _record(run, "run.paused", user, now)


@transaction.atomic
def resume(*, run: Run, user: User | None, now: datetime) -> None:
    """Go on with a run that was paused, by whomever; one that stopped before it began is prepared again.

    Raises:
        RunNotNow: it is not paused.
    """
    mine = Run.objects.filter(pk=run.pk, state=State.PAUSED)
    begins = mine.filter(started_at__isnull=True)
    goes_on = {"pause": "", "problem": "", "pilot": 0}
    _move(
        run,
        begins.update(state=State.STAGED, **goes_on) or mine.update(state=State.RUNNING, **goes_on),
    )
    _record(run, "run.resumed", user, now)
    ring(run)


@transaction.atomic
def cancel(*, run: Run, user: User | None, now: datetime) -> None:
    """End a run for good. What it came to so far stays.

    Raises:
        RunNotNow: it has ended already.
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
        RunNotNow: the run is being prepared or was called off.
        NothingFailed: there is nothing to try again.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state in {State.STAGED, State.CANCELLED}:
        raise _not_now()
    failed = Step.objects.filter(run=run, state=Step.State.FAILED)
    if step is not None:
        failed = failed.filter(ordinal=step)
    n_freed = failed.update(
        state=Step.State.FREE, outcome="", problem="", trouble="", finished_at=None, lost=0
    )
    if not n_freed:
        if step is not None:
            raise NothingFailed(_("This step has not failed, so there is nothing to try again."))
        raise NothingFailed(_("No step of this run failed, so there is nothing to try again."))
    Run.objects.filter(pk=run.pk, state=State.DONE).update(state=State.RUNNING, finished_at=None)
    _record(run, "run.retried", user, now, steps=n_freed)
    ring(run)
    run.refresh_from_db()
    return n_freed


@transaction.atomic
def set_budget(*, run: Run, budget: Decimal | None, user: User | None, now: datetime) -> None:
    """Give a run another budget, or none. One that stopped at its budget goes on.

    Raises:
        RunNotNow: it has ended.
        requesting.BudgetTooSmall, requesting.BudgetNeedsPrices: nothing can be spent of it, or its
            costs cannot be counted.
    """
    if budget is not None:
        check_budget(budget, _counted_with(run))
    mine = Run.objects.filter(pk=run.pk, state__in=[State.STAGED, State.RUNNING, State.PAUSED])
    _move(run, mine.update(budget=budget))
    _record(run, "run.budget", user, now, budget=None if budget is None else str(budget))
    stopped = Run.objects.filter(pk=run.pk, state=State.PAUSED, pause=Run.Pause.BUDGET)
    if stopped.update(state=State.RUNNING, pause="", problem=""):
        run.refresh_from_db()
        ring(run)


def _counted_with(run: Run) -> Iterable[Endpoint]:
    """Return the endpoints of a run with the prices that it counts with."""
    known = run.config.get("prices", {})
    for one in Endpoint.objects.filter(pk__in=set(kinds.kind_called(run.kind).endpoints(run))):
        price = known.get(str(one.pk), {})
        one.prompt_price, one.completion_price = price.get("prompt"), price.get("completion")
        one.currency = price.get("currency", one.currency)
        yield one


def _move(run: Run, n_moved: int) -> None:
    if not n_moved:
        raise _not_now()
    run.refresh_from_db()


def _not_now() -> RunNotNow:
    return RunNotNow(_("The run has moved on since this page was drawn. Look at it again."))


def _record(run: Run, verb: str, user: User | None, now: datetime, **data: Any) -> None:
    subject = f"run:{run.number}"
    audit.record(project=run.project, actor=user, verb=verb, subject=subject, at=now, **data)


RunState = Step.State


def sweep(now: datetime) -> int:
    """Free the steps of workers that are no more, and ring for runs that have work; return how many runs.

    A run without any open step is rung for as well: its last worker died before it could say so.
    """
    claiming.free_lost(now=now)
    runs = list(_with_work())
    for run in runs:
        ring(run)
    return len(runs)


def hand_out_again(now: datetime) -> int:
    """Free the steps of all workers, since none is alive; return how many runs are rung for."""
    claiming.free_lost(now=now, every=True)
    return sweep(now)


def _with_work() -> "list[Run]":
    mine = Step.objects.filter(run=OuterRef("pk"))
    free = Exists(mine.filter(state=RunState.FREE))
    busy = Exists(mine.filter(state=RunState.CLAIMED))
    moving = Run.objects.to_work_on()
    return list(moving.filter(free | ~busy).only("pk", "state"))
