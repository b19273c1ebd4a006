"""Quality inspection: a checklist per project, and what inspectors found. All append-only."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.bank import QuestionVersion
from annotation.models.projects import Project


class Checklist(models.Model):
    """One version of a project's checklist: `lines` are {key, text, help, field} in their order."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="checklists")
    number = models.PositiveIntegerField()
    lines = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["project", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="checklist_is_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} checklist {self.number}"


class Inspection(models.Model):
    """A check of a version by somebody other than its author.

    `author` repeats the version's author, so that the database itself can refuse an inspection of
    one's own work; a guard of the database keeps the two equal. `suggestion` holds proposed texts
    by field.
    """

    class Verdict(models.TextChoices):
        ACCEPT = "ACCEPT", _("accepted")
        RETURN = "RETURN", _("returned")

    version = models.ForeignKey(
        QuestionVersion, on_delete=models.PROTECT, related_name="inspections"
    )
    inspector = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="inspections"
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    checklist = models.ForeignKey(Checklist, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=6, choices=Verdict)
    note = models.TextField(_("note"), blank=True)
    suggestion = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "inspector"], name="an_inspector_inspects_a_version_once"
            ),
            models.CheckConstraint(
                condition=~Q(inspector=F("author")), name="nobody_inspects_their_own_question"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.version_id} by {self.inspector_id}"


class Finding(models.Model):
    """A line of the checklist as it was answered; a failed one says why and at which field."""

    class Outcome(models.TextChoices):
        PASS = "PASS", _("pass")
        FAIL = "FAIL", _("fail")
        NOT_APPLICABLE = "NOT_APPLICABLE", _("not applicable")

    inspection = models.ForeignKey(Inspection, on_delete=models.PROTECT, related_name="findings")
    line = models.CharField(max_length=40)
    outcome = models.CharField(max_length=14, choices=Outcome)
    reason = models.CharField(max_length=40, blank=True)
    field = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["inspection", "line"], name="a_line_is_answered_once_in_an_inspection"
            ),
            models.CheckConstraint(
                condition=~Q(outcome="FAIL") | ~Q(reason=""), name="what_failed_says_why"
            ),
        ]
        # What failed, and why, is counted from here.
        indexes = [
            models.Index(fields=["outcome", "inspection", "reason"], name="finding_by_outcome")
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.outcome}"
