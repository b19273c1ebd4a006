"""A whole bank as one file: made to be taken elsewhere, or handed in to be brought in."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.people.models import Project
from evalsite.db.rules import unique


class BankFile(models.Model):
    """A file that holds a bank with its history, and how far the work on it is.

    `report` is what the last check found, or what a finished export holds.
    """

    class Way(models.TextChoices):
        OUT = "OUT", _("export")
        IN = "IN", _("import")

    class State(models.TextChoices):
        ASKED = "ASKED", _("waits for a worker")
        READY = "READY", _("ready")
        REFUSED = "REFUSED", _("has problems")
        CONFIRMED = "CONFIRMED", _("being brought in")
        APPLIED = "APPLIED", _("brought in")
        FAILED = "FAILED", _("stopped")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="bank_files")
    number = models.PositiveIntegerField()
    way = models.CharField(max_length=3, choices=Way)
    state = models.CharField(max_length=9, choices=State, default=State.ASKED)
    name = models.CharField(max_length=255)
    #: Whether people stand in an export by their names.
    named = models.BooleanField(_("people by name"), default=False)
    #: Whether what differs here stays as it is, so that the rest can come in.
    keep_own = models.BooleanField(_("what differs stays"), default=False)
    sha = models.CharField(max_length=64, blank=True)
    size = models.BigIntegerField(default=0)
    #: Counts the workers that began to write an export; one that was overtaken writes no more.
    turn = models.PositiveIntegerField(default=0)
    #: How many workers began with what it waits for.
    tries = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    said = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [unique("bank_file_number_is_unique", "project", "number")]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.number} {self.way} {self.state}"

    @property
    def is_moving(self) -> bool:
        return self.state in {self.State.ASKED, self.State.CONFIRMED}

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"bank:{self.number}"


class BankPiece(models.Model):
    """A piece of a bank file's bytes."""

    file = models.ForeignKey(BankFile, on_delete=models.CASCADE, related_name="pieces")
    ordinal = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [unique("bank_piece_is_unique", "file", "ordinal")]

    def __str__(self) -> str:
        return f"{self.file_id}/{self.ordinal}"
