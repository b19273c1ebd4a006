"""Suites that run by themselves over what is new, and what became of each of those runs."""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import User
from scoring.models.runs import Run
from scoring.models.suites import ConversationSet, Suite


class SuiteScheduleQuerySet(models.QuerySet["SuiteSchedule"]):
    def active(self) -> Self:
        return self.filter(paused_at__isnull=True)


class SuiteSchedule(models.Model):
    """When a suite runs by itself, and over the new conversations of which sets.

    `seen` is the key of the last conversation that a run of it was over, or that was there when it began:
    the next run is over those after it.
    """

    class Every(models.TextChoices):
        HOURLY = "HOURLY", _("every hour")
        DAILY = "DAILY", _("every day")
        WEEKLY = "WEEKLY", _("every week")

    suite = models.OneToOneField(Suite, on_delete=models.PROTECT, related_name="schedule")
    every = models.CharField(_("how often"), max_length=6, choices=Every)
    sets = models.ManyToManyField(ConversationSet, related_name="+")
    #: Of each run; none is "no limit".
    budget = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    seen = models.PositiveBigIntegerField(default=0)
    #: Batches that were still being brought in when it last ran: what is in them is new the next time.
    waiting = models.JSONField(default=list, blank=True)
    next_at = models.DateTimeField()
    #: When it was last looked for new conversations.
    looked_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    #: Why the last run could not be asked for.
    problem = models.CharField(max_length=500, blank=True)
    #: In whose name it runs: who set it last.
    by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    objects = SuiteScheduleQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["next_at"],
                condition=models.Q(paused_at__isnull=True),
                name="schedule_that_is_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.suite_id}, {self.every}"


class ScheduledRun(models.Model):
    """A run that a schedule asked for, and what became of its suite's gates."""

    class Gates(models.TextChoices):
        OPEN = "OPEN", _("not looked at yet")
        NONE = "NONE", _("none")
        KEPT = "KEPT", _("kept")
        FAILED = "FAILED", _("not kept")

    schedule = models.ForeignKey(SuiteSchedule, on_delete=models.PROTECT, related_name="runs")
    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="scheduled")
    n_new = models.PositiveIntegerField()
    gates = models.CharField(max_length=6, choices=Gates, default=Gates.OPEN)
    #: The gates that were not kept, in words.
    said = models.JSONField(default=list, blank=True)
    asked_at = models.DateTimeField()
    #: When a person said that they know of the gates that were not kept.
    noted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["run"], condition=models.Q(gates="OPEN"), name="gates_to_be_looked_at"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.gates}"
