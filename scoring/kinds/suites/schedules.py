"""When suites run by themselves: what is due, what came since, and what became of the runs.

* What became of the gates of a run that nobody was watching, in words to keep. Loads scipy when asked.
* Have suites run by themselves over what is new, and look at their gates when they have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Final
from uuid import NAMESPACE_URL, uuid5

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from pydantic import Field

from annotation.common import draws as seeds
from annotation.people import audit
from annotation.people.models import Membership, Project, Role, User
from evalsite import errors, queue
from evalsite.kinds import Text, YesNo, choice, gettext_noop
from evalsite.records import Ask, Record
from scoring.engine import requests
from scoring.engine.kinds import Budget
from scoring.engine.models import Run
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import (
    Conversation,
    ConversationSet,
    ScheduledRun,
    Suite,
    SuiteSchedule,
)
from scoring.kinds.suites.operations import Since

INTERVALS: Final = {
    SuiteSchedule.Every.HOURLY: timedelta(hours=1),
    SuiteSchedule.Every.DAILY: timedelta(days=1),
    SuiteSchedule.Every.WEEKLY: timedelta(days=7),
}
SHOWN: Final = 50
#: Notices of so many days are told; the page of the schedule keeps them all.
TOLD: Final = timedelta(days=30)
OVER: Final = (Run.State.DONE, Run.State.CANCELLED)


@dataclass(frozen=True, kw_only=True)
class Scheduled(Record):
    """How often, over which sets (by name); `from_beginning` takes in what is there already."""

    every: Annotated[str, choice(SuiteSchedule.Every), Ask(gettext_noop("How often"))]
    sets: Annotated[
        tuple[Annotated[str, Text(120, empty=False)], ...],
        Field(min_length=1),
        Ask(
            gettext_noop("Conversations"),
            gettext_noop("Runs cover what is new in them."),
        ),
    ]
    budget: Budget = None
    from_beginning: Annotated[bool, YesNo(), Ask(gettext_noop("Begin with present ones"))] = False


@dataclass(frozen=True, slots=True)
class ScheduleFace:
    """A schedule as its page shows it."""

    schedule: SuiteSchedule
    sets: Sequence[str]
    n_new: int
    runs: Sequence[ScheduledRun]


def schedule_of(suite: Suite) -> SuiteSchedule | None:
    return SuiteSchedule.objects.filter(suite=suite).select_related("suite", "by").first()


def face(schedule: SuiteSchedule) -> ScheduleFace:
    rows = ScheduledRun.objects.filter(schedule=schedule).select_related("run").order_by("-pk")
    names = schedule.sets.order_by("name").values_list("name", flat=True)
    return ScheduleFace(schedule, list(names), new_in(schedule).count(), list(rows[:SHOWN]))


def due(now: datetime) -> "QuerySet[SuiteSchedule]":
    """Return the schedules whose time has come."""
    return SuiteSchedule.objects.active().filter(next_at__lte=now).order_by("next_at", "pk")


def new_in(schedule: SuiteSchedule) -> "QuerySet[Conversation]":
    """Return the conversations that came since a schedule's last run."""
    sets = list(schedule.sets.values_list("pk", flat=True))
    if not schedule.seen:
        return suites.conversations_in(sets)
    return suites.conversations_in(sets, after=schedule.seen, late=schedule.waiting)


def newest(sets: Sequence[int]) -> int:
    """Return the key of the last conversation in these sets; 0 where there is none."""
    return (
        suites.conversations_in(list(sets)).order_by("-pk").values_list("pk", flat=True).first()
        or 0
    )


def moving(schedule: SuiteSchedule) -> Run | None:
    """Return the run of a schedule that is not over."""
    found = ScheduledRun.objects.filter(schedule=schedule).exclude(run__state__in=OVER)
    one = found.select_related("run").first()
    return one.run if one else None


def unjudged() -> "QuerySet[ScheduledRun]":
    """Return the runs that are over and whose gates nobody has looked at."""
    return ScheduledRun.objects.filter(gates=ScheduledRun.Gates.OPEN, run__state__in=OVER).order_by(
        "pk"
    )


def before(one: ScheduledRun) -> Run | None:
    """Return the run that a scheduled one is compared with: the finished one before it."""
    rows = ScheduledRun.objects.filter(
        schedule=one.schedule_id, pk__lt=one.pk, run__state=Run.State.DONE
    )
    found = rows.select_related("run").order_by("-pk").first()
    return found.run if found else None


def failed(project: Project, now: datetime) -> "QuerySet[ScheduledRun]":
    """Return the runs of schedules whose gates were not kept, and of which nobody said that they know."""
    rows = ScheduledRun.objects.filter(
        run__project=project,
        gates=ScheduledRun.Gates.FAILED,
        noted_at__isnull=True,
        run__finished_at__gte=now - TOLD,
    )
    return rows.select_related("run", "schedule__suite").order_by("-pk")


def notices(*, project: Project, now: datetime, **_context: Any) -> list[tuple[str, str, str]]:
    """Return title, text and address of what the daily mail tells of suites that run by schedule."""
    found = []
    for one in failed(project, now)[:10]:
        suite = one.schedule.suite
        title = _("“%(suite)s” failed gates") % {"suite": suite.name}
        there = reverse("run_suite", args=[project.slug, one.run.number])
        found.append((title, "; ".join(one.said[:3]), there))
    return found


Gates = ScheduledRun.Gates


def of_suite_gates_said(run: Run, baseline: Run | None) -> tuple[str, list[str]]:
    """Return whether the gates were kept, and those that were not in words.

    A run that was called off kept none. Where no run came before, a gate against a baseline is left out.
    """
    gates = suite_frame.suite_of(run).gates
    if not gates:
        return Gates.NONE, []
    if run.state != Run.State.DONE:
        return Gates.FAILED, [f"The run was cancelled. {run.problem}".strip()]
    from scoring.kinds.suites import figure as suite_gates  # scipy is for workers alone

    skipped = {one.words for one in gates if one.drop is not None and baseline is None}
    failed = [
        f"{one.gate}: {one.release} {'–' if one.value is None else f'{one.value:.4g}'} ({one.said})"
        for one in suite_gates.verdicts(
            suite_frame.Frame(run), suite_gates.baseline_or_none(baseline)
        )
        if not one.passed and one.gate not in skipped
    ]
    return (Gates.FAILED, failed) if failed else (Gates.KEPT, [])


RUN_JOB: Final = "scoring.run_jobs.run_due"
GATES_JOB: Final = "scoring.jobs.look_at_gates"
SEEDS: Final = 2**31


class NothingChosen(errors.Invalid):
    code = "no_sets_chosen"


class ScheduleNotNow(errors.Conflict):
    """The schedule has moved on."""


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
    requests.check_amount(budget)
    chosen = [one for one in sets if one.project_id == suite.project_id]
    if not chosen:
        message = _("Choose the conversations to watch.")
        raise NothingChosen(message, fields={"sets": [message]})
    keys = sorted(one.pk for one in chosen)
    values: dict[str, Any] = {
        "every": SuiteSchedule.Every(every),
        "budget": budget,
        "next_at": now + INTERVALS[SuiteSchedule.Every(every)],
        "by": by,
        "changed_at": now,
        "problem": "",
    }
    there = SuiteSchedule.objects.select_for_update().filter(suite=suite).first()
    watched = sorted(there.sets.values_list("pk", flat=True)) if there else []
    if from_beginning:
        values |= {"seen": 0, "waiting": []}
    elif watched != keys:
        values |= {"seen": newest(keys), "waiting": suites.staged(keys)}
    made, _new = SuiteSchedule.objects.update_or_create(suite=suite, defaults=values)
    made.sets.set(chosen)
    _record(made, "suite.scheduled", by, now, every=made.every)
    return made


@transaction.atomic
def pause(*, schedule: SuiteSchedule, by: User, now: datetime) -> None:
    """Stop asking for runs. What comes in the meantime is new when it goes on.

    Raises:
        ScheduleNotNow: it is paused already.
    """
    mine = SuiteSchedule.objects.filter(pk=schedule.pk, paused_at__isnull=True)
    _moved(mine.update(paused_at=now))
    _record(schedule, "suite.schedule_paused", by, now)


@transaction.atomic
def resume(*, schedule: SuiteSchedule, by: User, now: datetime) -> None:
    """Go on, from the next look at the clock, in the name of whoever says so.

    Raises:
        ScheduleNotNow: it is not paused.
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
    n_due, n_open = due(now).count(), unjudged().count()
    if n_due:
        _ring(RUN_JOB, "suite-schedules", "default")
    if n_open:
        _ring(GATES_JOB, "suite-gates", "insight")
    return n_due + n_open


def run_due(now: datetime) -> int:
    """Ask for the runs whose time has come; return how many were asked for. Twice at once is once."""
    return sum(_run(one, now) for one in list(due(now)[:100]))


def look_at_gates(now: datetime) -> int:
    """Look at the gates of runs of schedules that are over. Loads scipy: insight workers only."""
    found = list(unjudged().select_related("run__project", "schedule")[:20])
    for one in found:
        state, said = of_suite_gates_said(one.run, before(one))
        mine = ScheduledRun.objects.filter(pk=one.pk, gates=ScheduledRun.Gates.OPEN)
        mine.update(gates=state, said=said)
    return len(found)


def run_now(*, schedule: SuiteSchedule, now: datetime) -> bool:
    """Ask for the next run without waiting for its time; return whether there was something new.

    Raises:
        ScheduleNotNow: the run before it is not over, or whoever set it may ask for no more runs.
        errors.Refusal: it cannot be run; says why.
    """
    if not _may_go_on(schedule):
        raise ScheduleNotNow(
            _("The person in whose name it runs may ask for no more runs here. Save it in yours.")
        )
    if moving(schedule):
        raise ScheduleNotNow(_("The run before it is not over."))
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
            if moving(schedule):
                mine_now = SuiteSchedule.objects.filter(pk=schedule.pk)
                mine_now.update(problem=_("The last run is not over."))
                return 0
            return int(_asked(schedule, now))
    except errors.Refusal as refusal:
        SuiteSchedule.objects.filter(pk=schedule.pk).update(
            next_at=_next(schedule, now), looked_at=now, problem=refusal.message[:500]
        )
        return 0


def _asked(schedule: SuiteSchedule, now: datetime) -> bool:
    """Ask for a run over what is new, and move the mark; return whether anything was."""
    n_new = new_in(schedule).count()
    if not n_new or schedule.by is None:
        return False
    sets = list(schedule.sets.order_by("pk"))
    keys = [one.pk for one in sets]
    staged, last = suites.staged(keys), newest(keys)
    suite = schedule.suite
    mark = f"{schedule.pk}/{schedule.seen}/{schedule.waiting}/{last}"
    wish = suite_runs.SuiteRun(
        key=uuid5(NAMESPACE_URL, f"evalsite:schedule:{mark}:{schedule.changed_at.isoformat()}"),
        name=_("%(suite)s, what is new") % {"suite": suite.name[:90]},
        seed=seeds.integer(schedule.pk, "scheduled", str(last), below=SEEDS),
        budget=schedule.budget,
        sets=tuple(one.name for one in sets),
    )
    of = suite_runs.Of(suites.newest(suite), Since(schedule.seen, schedule.waiting))
    run = requests.started(suite_runs.START, of, wish, user=schedule.by, now=now)
    _made, new = ScheduledRun.objects.get_or_create(
        run=run, defaults={"schedule": schedule, "n_new": n_new, "asked_at": now}
    )
    SuiteSchedule.objects.filter(pk=schedule.pk).update(
        seen=max(run.config["last"], schedule.seen), waiting=staged, looked_at=now, problem=""
    )
    return new


def _next(schedule: SuiteSchedule, now: datetime) -> datetime:
    """Return the first time after now, in whole intervals from when it was due."""
    every = INTERVALS[SuiteSchedule.Every(schedule.every)]
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
        raise ScheduleNotNow(
            _("The schedule has moved on since this page was drawn. Look at it again.")
        )


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
