"""Conversations that are evaluated, and suites that say how. What came in or was saved stays as it is.

* Suites that run by themselves over what is new, and what became of each of those runs.
"""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project, User
from annotation.systems.models import Item, Response
from evalsite.db.rules import index, unique
from scoring.engine.models import Run


class ConversationSet(models.Model):
    """Conversations under one name; files and programs add to it."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="conversation_sets")
    number = models.PositiveIntegerField()
    name = NameColumn(_("name"), max_length=120)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            unique("conversation_set_number_is_unique", "project", "number"),
            unique("conversation_set_name_is_unique", "project", "name"),
        ]

    def __str__(self) -> str:
        return self.name


class ConversationBatch(models.Model):
    """What came in at once. Its conversations are seen when all of them are there."""

    class State(models.TextChoices):
        STAGED = "STAGED", _("being brought in")
        APPLIED = "APPLIED", _("applied")

    set = models.ForeignKey(ConversationSet, on_delete=models.PROTECT, related_name="batches")
    #: Made by whoever sends, or of the file: the same twice is one.
    key = models.CharField(max_length=64)
    file_name = models.CharField(max_length=255, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.STAGED)
    #: Bytes, as they came.
    size = models.PositiveBigIntegerField(default=0, db_default=0)
    n = models.PositiveIntegerField(default=0)
    n_known = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [unique("a_batch_comes_in_once", "set", "key")]

    def __str__(self) -> str:
        return self.file_name or self.key


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def seen(self) -> Self:
        return self.filter(batch__state=ConversationBatch.State.APPLIED)


class Conversation(models.Model):
    """A recorded conversation: its opening is an item, the whole of it what a release has to do with it.

    The counts are those of the messages, turns and tool calls as metrics see them.
    """

    set = models.ForeignKey(ConversationSet, on_delete=models.PROTECT, related_name="conversations")
    batch = models.ForeignKey(
        ConversationBatch, on_delete=models.PROTECT, related_name="conversations"
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="conversations")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="conversations")
    external_id = models.CharField(max_length=200)
    n_messages = models.PositiveIntegerField()
    n_turns = models.PositiveIntegerField()
    n_tool_calls = models.PositiveIntegerField()
    #: How many of its messages were recorded before a system completed it; none where it is as recorded.
    n_before = models.PositiveIntegerField(default=0, db_default=0)
    #: All that was said, for the search.
    text = models.TextField(blank=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        constraints = [unique("a_conversation_is_once_in_a_set", "set", "response")]
        indexes = [index("conversation_by_external_id", "set", "external_id")]

    def __str__(self) -> str:
        return self.external_id


class Suite(models.Model):
    """An evaluation suite; what it says is its newest version."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="suites")
    number = models.PositiveIntegerField()
    name = NameColumn(_("name"), max_length=120)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("suite_number_is_unique", "project", "number"),
            unique("suite_name_is_unique", "project", "name"),
        ]

    def __str__(self) -> str:
        return self.name


class SuiteVersion(models.Model):
    """A suite as it was saved: the YAML as it was written, and what was read from it."""

    suite = models.ForeignKey(Suite, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    definition = models.JSONField()
    sha = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [unique("suite_version_number_is_unique", "suite", "number")]

    def __str__(self) -> str:
        return f"{self.suite_id}/{self.number}"


class PublishedPart(models.Model):
    """A part of a recorded conversation that was given to people, on an item made of what went before it.

    It is a call of a tool (with the turn it is in), else a turn, else the whole conversation, on an item
    made of its opening.
    """

    #: What the release has to do with the conversation: the whole of it.
    source = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="published_parts")
    turn = models.PositiveIntegerField(null=True, blank=True)
    #: The number of a call within the conversation, from 0.
    tool_call = models.PositiveIntegerField(null=True, blank=True)
    #: What people rate.
    response = models.OneToOneField(Response, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        part = self.turn if self.tool_call is None else f"{self.turn}/{self.tool_call}"
        return f"{self.source_id}/{part} as {self.response_id}"


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
        indexes = [index("schedule_that_is_due", "next_at", where=models.Q(paused_at__isnull=True))]

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
        indexes = [index("gates_to_be_looked_at", "run", where=models.Q(gates="OPEN"))]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.gates}"
