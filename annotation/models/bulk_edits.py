"""Many questions edited at once: what was asked for, and what became of every one of them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.bank import Question
from annotation.models.projects import Project


class BulkEdit(models.Model):
    """One action on many questions: tried out first (PLANNED), then carried out line by line.

    `values` is what a change sets; `note` the reason of a retirement.
    """

    class Action(models.TextChoices):
        CHANGE = "CHANGE", _("change")
        SUBMIT = "SUBMIT", _("hand in for inspection")
        RETIRE = "RETIRE", _("retire")

    class State(models.TextChoices):
        PLANNED = "PLANNED", _("tried out")
        RUNNING = "RUNNING", _("under way")
        DONE = "DONE", _("done")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="bulk_edits")
    number = models.PositiveIntegerField()
    action = models.CharField(max_length=6, choices=Action)
    values = models.JSONField(default=dict)
    note = models.CharField(_("reason"), max_length=500, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.PLANNED)
    cursor = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "number"], name="bulk_edit_number_is_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.number} {self.action}"


class BulkLine(models.Model):
    """A question of a bulk edit, as it stood when it was tried out; nothing else is written over.

    A draft that is thrown away with its question leaves the line with the question's id alone.
    """

    class Fate(models.TextChoices):
        EDIT = "EDIT", _("its draft is changed")
        REVISE = "REVISE", _("it gets a new draft version")
        SUBMIT = "SUBMIT", _("it is handed in")
        RETIRE = "RETIRE", _("it is retired")
        SAME = "SAME", _("it is so already")
        REFUSED = "REFUSED", _("it is refused")

    class Outcome(models.TextChoices):
        WAITING = "WAITING", _("waits")
        DONE = "DONE", _("done")
        REFUSED = "REFUSED", _("refused")
        STALE = "STALE", _("changed meanwhile")

    edit = models.ForeignKey(BulkEdit, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveIntegerField()
    question = models.ForeignKey(
        Question, null=True, on_delete=models.SET_NULL, related_name="bulk_lines"
    )
    external_id = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    rev = models.PositiveIntegerField()
    version_state = models.CharField(max_length=9)
    life = models.CharField(max_length=11)
    is_used = models.BooleanField(default=False)
    fate = models.CharField(max_length=7, choices=Fate)
    outcome = models.CharField(max_length=7, choices=Outcome)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["edit", "position"], name="a_line_of_a_bulk_edit_has_its_place"
            ),
            models.CheckConstraint(
                condition=~models.Q(outcome__in=["REFUSED", "STALE"]) | ~models.Q(reason=""),
                name="a_refused_line_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.edit_id}: {self.external_id} {self.fate} {self.outcome}"
