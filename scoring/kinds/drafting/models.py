"""Help with drafting: what a project allows, what was asked of an endpoint, what it proposed."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.bank.models import QuestionVersion
from annotation.people.models import Project, User
from annotation.sources.models import SourceVersion
from evalsite.db.rules import unique
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Run


class DraftingRule(models.Model):
    """An owner allows an endpoint to help with drafting, or nobody. Append-only: the last row holds."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="drafting_rules")
    endpoint = models.ForeignKey(
        Endpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.project_id}: {self.endpoint_id or 'none'}"


class Drafting(models.Model):
    """Something that an endpoint was asked to draft: from a passage, or of a question."""

    class Task(models.TextChoices):
        QUESTIONS = "QUESTIONS", _("questions from a passage")
        POINTS = "POINTS", _("key points of an answer")
        AMBIGUITY = "AMBIGUITY", _("whether a question is ambiguous")

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="drafting")
    task = models.CharField(max_length=9, choices=Task)
    source_version = models.ForeignKey(
        SourceVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    #: A draft may be thrown away; what was proposed for it stays readable in its run.
    question_version = models.ForeignKey(
        QuestionVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.task} in run {self.run_id}"


class Proposal(models.Model):
    """What an endpoint proposed: a question with its answer, key points, or findings. Immutable."""

    drafting = models.ForeignKey(Drafting, on_delete=models.PROTECT, related_name="proposals")
    number = models.PositiveSmallIntegerField()
    content = models.JSONField()

    class Meta:
        ordering = ["number"]
        constraints = [unique("proposal_is_unique", "drafting", "number")]

    def __str__(self) -> str:
        return f"proposal {self.number} of {self.drafting_id}"


class ProposalUse(models.Model):
    """Somebody took a proposal over into a draft of theirs."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="uses")
    question_version = models.ForeignKey(
        QuestionVersion, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.proposal_id} in {self.question_version_id}"
