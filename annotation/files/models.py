"""Files that were brought in, and the batches of rows that came of them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project
from evalsite.db.rules import unique


class ImportKind(models.TextChoices):
    ANSWERS = "ANSWERS", _("questions and answers")
    QUESTIONS = "QUESTIONS", _("questions for the bank")
    GRADES = "GRADES", _("grades")
    SCORES = "SCORES", _("scores of judges and metrics")
    CHOICES = "CHOICES", _("questions of multiple choice")
    FIGURES = "FIGURES", _("figures of other benchmarks")
    PAIRS = "PAIRS", _("preferences")


class WholeKind(models.TextChoices):
    """Files of which no rows are mapped: a worker reads one whole, and then it is gone."""

    TALKS = "TALKS", _("conversations")
    DIALOGUES = "DIALOGUES", _("dialogues")
    SHEETS = "SHEETS", _("sheets of collected answers")


class Upload(models.Model):
    """A file as it was handed in, its mapping, and the report of the last dry run."""

    #: What unpacks to more bytes than this is read by a worker, never in a web process; and what
    #: unpacks to more than that takes minutes, and lets everything smaller pass.
    SMALL = 512 * 1024
    LARGE = 8 * 1024 * 1024

    class Wish(models.TextChoices):
        """What a program wants done with a file once a worker has read it."""

        CHECK = "CHECK", _("to be checked")
        APPLY = "APPLY", _("to be checked and brought in")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="uploads")
    number = models.PositiveIntegerField()
    #: One of ImportKind, or of WholeKind; empty until somebody has said what is in it.
    kind = models.CharField(max_length=9, choices=ImportKind, blank=True)
    name = models.CharField(max_length=255)
    sha = models.CharField(max_length=64)
    size = models.BigIntegerField()
    unpacked = models.BigIntegerField(null=True)
    wish = models.CharField(max_length=5, choices=Wish, blank=True)
    layout = models.JSONField(default=dict)
    #: What a person said of it, by the key of what was asked: see `annotation.files.asks`.
    told = models.JSONField(default=dict)
    mapping = models.JSONField(null=True)
    mapping_sha = models.CharField(max_length=64, blank=True)
    report = models.JSONField(null=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [unique("upload_number_is_unique", "project", "number")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_large(self) -> bool:
        """Say whether a worker reads it: by what is in it, however small it was packed."""
        return self.unpacked is None or self.unpacked > self.SMALL

    @property
    def queue(self) -> str:
        """Return the queue that it waits in."""
        return "large" if self.unpacked is None or self.unpacked > self.LARGE else "bulk"

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"upload:{self.number}"


class UploadProblems(models.Model):
    """What the last check of a file found, as packed JSON: problems, and the places of rows to leave out."""

    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, related_name="problems")
    data = models.BinaryField()
    left_out = models.BinaryField(default=bytes)

    def __str__(self) -> str:
        return f"problems of {self.upload_id}"


class UploadChunk(models.Model):
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [unique("upload_chunk_is_unique", "upload", "ordinal")]

    def __str__(self) -> str:
        return f"{self.upload_id}/{self.ordinal}"


class KeptMapping(models.Model):
    """A mapping that somebody gave a name, for further files of the same columns or the same maker."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="kept_mappings")
    name = NameColumn(max_length=120)
    kind = models.CharField(max_length=9, choices=ImportKind)
    #: Tells the columns, or the known shape, of the files that it is for.
    key = models.CharField(max_length=64)
    mapping = models.JSONField()
    told = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [unique("one_kept_mapping_of_a_name_in_a_project", "project", "name")]

    def __str__(self) -> str:
        return self.name


class ImportBatch(models.Model):
    """The rows that one file under one mapping brought. They are seen only while it is APPLIED."""

    class State(models.TextChoices):
        STAGED = "STAGED", _("being brought in")
        APPLIED = "APPLIED", _("applied")
        UNDONE = "UNDONE", _("undone")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=ImportKind)
    upload = models.ForeignKey(Upload, null=True, on_delete=models.SET_NULL, related_name="batches")
    file_name = models.CharField(max_length=255)
    file_sha = models.CharField(max_length=64)
    mapping = models.JSONField()
    mapping_sha = models.CharField(max_length=64)
    #: What the file is read by: what a person said, and what was taken of the rest.
    told = models.JSONField(default=dict)
    #: The places in the file of rows that are not brought in, as packed JSON.
    left_out = models.BinaryField(default=bytes)
    state = models.CharField(max_length=7, choices=State, default=State.STAGED)
    stopped = models.CharField(max_length=300, blank=True)
    undoing = models.BooleanField(default=False)
    #: How many workers began since it last got on.
    tries = models.PositiveSmallIntegerField(default=0)
    cursor = models.PositiveBigIntegerField(default=0)
    n_rows = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=dict)
    #: Whether what came in is found by its words: a worker reads it once it is applied.
    words_kept = models.BooleanField(default=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    applied_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            unique("one_batch_per_file_and_mapping", "project", "file_sha", "mapping_sha"),
            unique("batch_number_is_unique", "project", "number"),
            unique("one_import_at_a_time_in_a_project", "project", where=models.Q(state="STAGED")),
        ]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.state})"

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"import:{self.number}"


#: Rows belong to no batch or to one that is applied: the filter for everything a batch can bring.
SEEN = models.Q(batch__isnull=True) | models.Q(batch__state=ImportBatch.State.APPLIED)
