"""Have suites run by themselves over what is new, and look at their gates when they have."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Membership, Role, User
from annotation.operations import audit
from annotation.rules import seeds
from evalsite import errors, queue
from scoring.models import ConversationSet, ScheduledRun, Suite, SuiteSchedule
from scoring.operations import suite_runs
from scoring.operations.runs import requesting
from scoring.operations.suite_runs import Since
from scoring.queries import suite_gates_said, suite_schedules, suites

RUN_JOB: Final = "scoring.schedule_jobs.run_due"
GATES_JOB: Final = "scoring.jobs.look_at_gates"
SEEDS: Final = 2**31


class NothingChosen(errors.Invalid):
    code = "no_sets_chosen"


class NotNow(errors.Conflict):
    """The schedule has moved on."""

    code = "schedule_not_now"


@transaction.atomic
def set_schedule(
    *,
    suite: Suite,
    every: str,
    sets: Sequence[ConversationSet],
    by: User,
    now: datetime,
    budget: Decimal | None = None,
    from_beginning: bool = False,
) -> SuiteSchedule:
    """Have a suite run by itself in the name of whoever says so, the first time an interval from now.

    Args:
        suite: whose newest version runs, whichever it is then.
        every: HOURLY, DAILY or WEEKLY.
        sets: over what comes into these.
        by: who sets it.
        now: when.
        budget: of each run.
        from_beginning: the next run is over all that is there, not only over what comes from now on.

    Raises:
        NothingChosen: no set is chosen, or the project has none of these.
    """
    requesting.check_amount(budget)
    chosen = [one for one in sets if one.project_id == suite.project_id]
    if not chosen:
        message = _("Choose the conversations to watch.")
        raise NothingChosen(message, fields={"sets": [message]})
    keys = sorted(one.pk for one in chosen)
    values: dict[str, Any] = {
        "every": SuiteSchedule.Every(every),
        "budget": budget,
        "next_at": now + suite_schedules.INTERVALS[SuiteSchedule.Every(every)],
        "by": by,
        "changed_at": now,
        "problem": "",
    }
    there = SuiteSchedule.objects.select_for_update().filter(suite=suite).first()
    watched = sorted(there.sets.values_list("pk", flat=True)) if there else []
    if from_beginning:
        values |= {"seen": 0, "waiting": []}
    elif watched != keys:
        values |= {"seen": suite_schedules.newest(keys), "waiting": suites.staged(keys)}
    made, _new = SuiteSchedule.objects.update_or_create(suite=suite, defaults=values)
    made.sets.set(chosen)
    _record(made, "suite.scheduled", by, now, every=made.every)
    return made


@transaction.atomic
def pause(*, schedule: SuiteSchedule, by: User, now: datetime) -> None:
    """Stop asking for runs. What comes in the meantime is new when it goes on.

    Raises:
        NotNow: it is paused already.
    """
    mine = SuiteSchedule.objects.filter(pk=schedule.pk, paused_at__isnull=True)
    _moved(mine.update(paused_at=now))
    _record(schedule, "suite.schedule_paused", by, now)


@transaction.atomic
def resume(*, schedule: SuiteSchedule, by: User, now: datetime) -> None:
    """Go on, from the next look at the clock, in the name of whoever says so.

    Raises:
        NotNow: it is not paused.
    """
    mine = SuiteSchedule.objects.filter(pk=schedule.pk, paused_at__isnull=False)
    _moved(mine.update(paused_at=None, next_at=now, problem="", by=by))
    _record(schedule, "suite.schedule_resumed", by, now)


@transaction.atomic
def note(*, one: ScheduledRun, by: User, now: datetime) -> None:
    """Say that the gates that were not kept are known of; they are not told again."""
    mine = ScheduledRun.objects.filter(pk=one.pk, noted_at__isnull=True)
    if mine.update(noted_at=now):
        _record(one.schedule, "suite.gates_noted", by, now, run=one.run.number)


def sweep(now: datetime) -> int:
    """Ring for schedules that are due, and for gates to be looked at; return for how many."""
    n_due, n_open = suite_schedules.due(now).count(), suite_schedules.unjudged().count()
    if n_due:
        _ring(RUN_JOB, "suite-schedules", "default")
    if n_open:
        _ring(GATES_JOB, "suite-gates", "insight")
    return n_due + n_open


def run_due(now: datetime) -> int:
    """Ask for the runs whose time has come; return how many were asked for. Twice at once is once."""
    return sum(_run(one, now) for one in list(suite_schedules.due(now)[:100]))


def look_at_gates(now: datetime) -> int:
    """Look at the gates of runs of schedules that are over. Loads scipy: insight workers only."""
    found = list(suite_schedules.unjudged().select_related("run__project", "schedule")[:20])
    for one in found:
        state, said = suite_gates_said.of(one.run, suite_schedules.before(one))
        mine = ScheduledRun.objects.filter(pk=one.pk, gates=ScheduledRun.Gates.OPEN)
        mine.update(gates=state, said=said)
    return len(found)


def run_now(*, schedule: SuiteSchedule, now: datetime) -> bool:
    """Ask for the next run without waiting for its time; return whether there was something new.

    Raises:
        NotNow: the run before it is not over, or whoever set it may ask for no more runs.
        errors.Refusal: it cannot be run; says why.
    """
    if not _may_go_on(schedule):
        raise NotNow(
            _("The person in whose name it runs may ask for no more runs here. Save it in yours.")
        )
    if suite_schedules.moving(schedule):
        raise NotNow(_("The run before it is not over."))
    with transaction.atomic():
        locked = SuiteSchedule.objects.select_for_update().get(pk=schedule.pk)
        return _asked(locked, now)


def _may_go_on(schedule: SuiteSchedule) -> bool:
    """Return whether the one in whose name it runs may still ask for runs in the project."""
    held = Membership.objects.with_role([Role.OWNER, Role.CURATOR]).filter(
        project=schedule.suite.project_id, user=schedule.by, user__is_active=True
    )
    return schedule.by is not None and held.exists()


def _stop(schedule: SuiteSchedule, now: datetime) -> None:
    problem = _(
        "It stopped: the person in whose name it ran may ask for no more runs here. Go on, and it "
        "runs in your name."
    )
    mine = SuiteSchedule.objects.active().filter(pk=schedule.pk)
    mine.update(paused_at=now, looked_at=now, problem=problem)


def _run(schedule: SuiteSchedule, now: datetime) -> int:
    """Ask for one run if something is new; in any case look again an interval later."""
    if not _may_go_on(schedule):
        _stop(schedule, now)
        return 0
    try:
        with transaction.atomic():
            mine = SuiteSchedule.objects.active().filter(pk=schedule.pk, next_at=schedule.next_at)
            if not mine.update(next_at=_next(schedule, now), looked_at=now, problem=""):
                return 0  # somebody else was there before
            if suite_schedules.moving(schedule):
                mine_now = SuiteSchedule.objects.filter(pk=schedule.pk)
                mine_now.update(problem=_("The run before it is not over; nothing was left out."))
                return 0
            return int(_asked(schedule, now))
    except errors.Refusal as refusal:
        SuiteSchedule.objects.filter(pk=schedule.pk).update(
            next_at=_next(schedule, now), looked_at=now, problem=refusal.message[:500]
        )
        return 0


def _asked(schedule: SuiteSchedule, now: datetime) -> bool:
    """Ask for a run over what is new, and move the mark; return whether anything was."""
    n_new = suite_schedules.new_in(schedule).count()
    if not n_new or schedule.by is None:
        return False
    sets = list(schedule.sets.order_by("pk"))
    keys = [one.pk for one in sets]
    staged, last = suites.staged(keys), suite_schedules.newest(keys)
    suite = schedule.suite
    mark = f"{schedule.pk}/{schedule.seen}/{schedule.waiting}/{last}"
    run = suite_runs.request_suite(
        project=suite.project,
        version=suites.newest(suite),
        sets=sets,
        key=uuid5(NAMESPACE_URL, f"evalsite:schedule:{mark}:{schedule.changed_at.isoformat()}"),
        name=_("%(suite)s, what is new") % {"suite": suite.name[:90]},
        seed=seeds.integer(schedule.pk, "scheduled", str(last), below=SEEDS),
        user=schedule.by,
        now=now,
        budget=schedule.budget,
        since=Since(schedule.seen, schedule.waiting),
    )
    _made, new = ScheduledRun.objects.get_or_create(
        run=run, defaults={"schedule": schedule, "n_new": n_new, "asked_at": now}
    )
    SuiteSchedule.objects.filter(pk=schedule.pk).update(
        seen=max(run.config["last"], schedule.seen), waiting=staged, looked_at=now, problem=""
    )
    return new


def _next(schedule: SuiteSchedule, now: datetime) -> datetime:
    """Return the first time after now, in whole intervals from when it was due."""
    every = suite_schedules.INTERVALS[SuiteSchedule.Every(schedule.every)]
    late = max(now - schedule.next_at, timedelta(0))
    return schedule.next_at + (late // every + 1) * every


def _ring(job: str, key: str, where: str) -> None:
    """Ring for a worker; if the queue is down, the sweeper rings again."""
    try:
        queue.enqueue(job, queue=where, key=key)
    except queue.QueueDown:
        return


def _moved(n: int) -> None:
    if not n:
        raise NotNow(_("The schedule has moved on since this page was drawn. Look at it again."))


def _record(schedule: SuiteSchedule, verb: str, by: User, now: datetime, **data: Any) -> None:
    suite = schedule.suite
    audit.record(
        project=suite.project,
        actor=by,
        verb=verb,
        subject=f"suite:{suite.number}",
        at=now,
        **data,
    )
