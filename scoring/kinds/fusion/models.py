"""Evaluation tasks of Fusion-Eval and their plans. Versions and plans are written once and stay."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project, User
from annotation.rubrics.models import RubricVersion
from evalsite.db.rules import unique
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Run


class EvaluationTask(models.Model):
    """What is to be evaluated, under one name; all that a judge reads of it stands in its versions."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="evaluation_tasks")
    number = models.PositiveIntegerField()
    name = NameColumn(_("name"), max_length=120)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            unique("task_number_is_unique", "project", "number"),
            unique("task_name_is_unique", "project", "name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"task:{self.number}"


class TaskVersion(models.Model):
    """A task as judges read it: its words, fields, criteria and assistants. Immutable.

    `content` has description, language, fields, criteria, assistants, and the range of an overall score
    of the judge's own (scoring.kinds.fusion.tasks says how); `sha` is its hash.
    """

    class Overall(models.TextChoices):
        MEAN = "MEAN", _("the mean of the criteria")
        OWN = "OWN", _("a score of its own")

    task = models.ForeignKey(EvaluationTask, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    sha = models.CharField(max_length=64)
    overall = models.CharField(max_length=4, choices=Overall, default=Overall.MEAN)
    #: The rubric of people that its criteria were taken from.
    rubric_version = models.ForeignKey(
        RubricVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [unique("task_version_is_unique", "task", "number")]

    def __str__(self) -> str:
        return f"{self.task_id} v{self.number}"

    @property
    def project(self) -> Project:
        return self.task.project


class Plan(models.Model):
    """Which assistants for which criterion, and steps: what goes before an answer. Immutable.

    `alignment` has for each criterion's key the keys of the assistants that are named for it.
    """

    class Source(models.TextChoices):
        ENDPOINT = "ENDPOINT", _("by an endpoint")
        PERSON = "PERSON", _("by a person")

    task = models.ForeignKey(EvaluationTask, on_delete=models.PROTECT, related_name="plans")
    version = models.ForeignKey(TaskVersion, on_delete=models.PROTECT, related_name="plans")
    number = models.PositiveIntegerField()
    text = models.TextField()
    alignment = models.JSONField(default=dict, blank=True)
    source = models.CharField(max_length=8, choices=Source)
    #: Who wrote it, and in which run; both empty for a person's.
    endpoint = models.ForeignKey(
        Endpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.PROTECT, related_name="plans"
    )
    based_on = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    #: What was wrong with the alignment in the endpoint's reply, and names in it that nobody knows.
    problem = models.CharField(max_length=300, blank=True)
    unknown = models.JSONField(default=list, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [unique("plan_number_is_unique", "task", "number")]

    def __str__(self) -> str:
        return f"plan {self.number} of {self.task_id}"
