"""When suites run by themselves: what is due, what came since, and what became of the runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from scoring.models import (
    Conversation,
    Run,
    ScheduledRun,
    Suite,
    SuiteSchedule,
)
from scoring.queries import suites

INTERVALS: Final = {
    SuiteSchedule.Every.HOURLY: timedelta(hours=1),
    SuiteSchedule.Every.DAILY: timedelta(days=1),
    SuiteSchedule.Every.WEEKLY: timedelta(days=7),
}
SHOWN: Final = 50
#: Notices of so many days are told; the page of the schedule keeps them all.
TOLD: Final = timedelta(days=30)
OVER: Final = (Run.State.DONE, Run.State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Face:
    """A schedule as its page shows it."""

    schedule: SuiteSchedule
    sets: Sequence[str]
    n_new: int
    runs: Sequence[ScheduledRun]


def of(suite: Suite) -> SuiteSchedule | None:
    return SuiteSchedule.objects.filter(suite=suite).select_related("suite", "by").first()


def face(schedule: SuiteSchedule) -> Face:
    rows = ScheduledRun.objects.filter(schedule=schedule).select_related("run").order_by("-pk")
    names = schedule.sets.order_by("name").values_list("name", flat=True)
    return Face(schedule, list(names), new_in(schedule).count(), list(rows[:SHOWN]))


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
        title = _("“%(suite)s” did not keep its gates") % {"suite": suite.name}
        there = reverse("run_suite", args=[project.slug, one.run.number])
        found.append((title, "; ".join(one.said[:3]), there))
    return found
