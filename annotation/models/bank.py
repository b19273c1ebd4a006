"""The question bank: questions, their versions, what they rest on, what was said of them."""

from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.imports import ImportBatch
from annotation.models.names import NamesField
from annotation.models.projects import Project
from annotation.models.sources import SourceVersion
from annotation.models.taxonomy import Capability, Difficulty, Domain, QuestionType


class SeenQuestions(models.Manager["Question"]):
    """Questions without those that an import is still bringing in."""

    def get_queryset(self) -> "models.QuerySet[Question]":
        return super().get_queryset().exclude(state="STAGED")


class Question(models.Model):
    """A QA pair of the bank, through all its versions.

    While an import brings it in (or takes it back), it is STAGED and nobody sees it. A staged
    question that `stands_for` another one holds that one's next version until all rows are in.
    """

    class State(models.TextChoices):
        STAGED = "STAGED", _("being brought in")
        LIVE = "LIVE", _("live")
        RETIRED = "RETIRED", _("retired")
        INVALIDATED = "INVALIDATED", _("invalidated")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="questions")
    external_id = models.CharField(_("id"), max_length=200)
    state = models.CharField(max_length=11, choices=State, default=State.LIVE)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    #: The import that brought it.
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="questions"
    )
    stands_for = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = SeenQuestions()
    everything = models.Manager["Question"]()

    class Meta:
        ordering = ["external_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "external_id"], name="question_id_is_unique_in_its_project"
            ),
        ]
        indexes = [models.Index(fields=["project", "state"], name="question_by_state")]

    def __str__(self) -> str:
        return self.external_id


class QuestionChange(models.Model):
    """A question was retired, invalidated or taken back into use. Append-only."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="changes")
    old = models.CharField(max_length=11, choices=Question.State)
    new = models.CharField(max_length=11, choices=Question.State)
    reason = models.CharField(_("reason"), max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.old} → {self.new}"


class QuestionVersionQuerySet(models.QuerySet["QuestionVersion"]):
    def accepted(self) -> Self:
        return self.filter(state="ACCEPTED")

    def drawable(self) -> Self:
        """Return the highest accepted version of every question that is live."""
        later = models.OuterRef("question_id"), models.OuterRef("number")
        newer = QuestionVersion.objects.filter(
            question_id=later[0], number__gt=later[1], state="ACCEPTED"
        )
        return self.accepted().filter(question__state="LIVE").exclude(models.Exists(newer))

    def newest(self) -> Self:
        """Return the highest version of every question that is seen, whatever its state."""
        later = models.OuterRef("question_id"), models.OuterRef("number")
        newer = QuestionVersion.objects.filter(question_id=later[0], number__gt=later[1])
        return self.exclude(models.Exists(newer)).exclude(question__state="STAGED")


class QuestionVersion(models.Model):
    """One wording of a question and its standard answer. Immutable from SUBMITTED on.

    `turns` are the messages that lead to the answer, the last one by the user. `meaning_changed`
    is said of a new version of a question that a round has used. `rev` counts a draft's savings.
    """

    class State(models.TextChoices):
        DRAFT = "DRAFT", _("draft")
        SUBMITTED = "SUBMITTED", _("in inspection")
        ACCEPTED = "ACCEPTED", _("accepted")
        RETURNED = "RETURNED", _("returned")

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="written_versions"
    )
    turns = models.JSONField(default=list)
    answer = models.TextField(_("standard answer"), blank=True)
    key_points = models.JSONField(_("key points"), default=list)
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )
    domain = models.ForeignKey(
        Domain, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )
    difficulty = models.CharField(_("difficulty"), max_length=12, choices=Difficulty, blank=True)
    question_type = models.CharField(_("type"), max_length=8, choices=QuestionType, blank=True)
    principle = models.TextField(_("principle of this question"), blank=True)
    as_of = models.CharField(_("as of"), max_length=40, blank=True)
    valid_until = models.DateField(_("valid until"), null=True, blank=True)
    tags = NamesField(_("tags"), default=list)
    language = models.CharField(_("language"), max_length=35, blank=True)
    meaning_changed = models.BooleanField(null=True, blank=True)
    meaning_note = models.CharField(max_length=500, blank=True)
    #: What the author answers to each finding of the inspection that returned the version before.
    replies = models.JSONField(default=dict)
    rev = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    saved_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    #: The import that brought it.
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )

    objects = QuestionVersionQuerySet.as_manager()

    class Meta:
        ordering = ["question", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "number"], name="question_version_is_unique"
            ),
            models.UniqueConstraint(
                fields=["question"],
                condition=models.Q(state__in=["DRAFT", "SUBMITTED"]),
                name="one_version_of_a_question_is_under_way",
            ),
            models.CheckConstraint(
                condition=models.Q(state="DRAFT") | models.Q(submitted_at__isnull=False),
                name="what_is_no_draft_was_submitted",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["DRAFT", "SUBMITTED"], decided_at__isnull=True)
                | models.Q(state__in=["ACCEPTED", "RETURNED"], decided_at__isnull=False),
                name="what_was_decided_says_when",
            ),
        ]
        indexes = [
            # All that the queue and the figures of inspection and the board count by.
            models.Index(
                fields=[
                    "state",
                    "submitted_at",
                    "question",
                    "number",
                    "author",
                    "capability",
                    "domain",
                    "decided_at",
                ],
                name="version_by_state",
            ),
            models.Index(
                fields=["valid_until"],
                condition=models.Q(valid_until__isnull=False),
                name="version_by_date",
            ),
            # Both hold all that counting by kind reads, so that it never touches the texts.
            models.Index(
                fields=["capability", "difficulty", "domain", "state", "question", "number"],
                name="version_by_kind",
            ),
            models.Index(fields=["question", "number", "state"], name="version_of_question"),
            # All that lists filter and figures count by: they do not touch the texts either.
            models.Index(
                fields=[
                    "question",
                    "number",
                    "state",
                    "author",
                    "capability",
                    "difficulty",
                    "domain",
                    "language",
                    "valid_until",
                    "saved_at",
                    "submitted_at",
                    "decided_at",
                    "meaning_changed",
                ],
                name="version_listed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} v{self.number}"

    @property
    def asked(self) -> str:
        """What is asked last, in one line."""
        said = [one for one in self.turns if one.get("role") == "user"]
        return " ".join(str(said[-1].get("content") or "").split()) if said else ""


class Citation(models.Model):
    """A place in a source that a version rests on; written with its draft.

    A passage that was marked in the text stands from `start` up to `end`, in characters.
    """

    version = models.ForeignKey(QuestionVersion, on_delete=models.CASCADE, related_name="citations")
    source_version = models.ForeignKey(
        SourceVersion, on_delete=models.PROTECT, related_name="citations"
    )
    locator = models.CharField(_("place"), max_length=300, blank=True)
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "source_version", "locator"], name="a_place_is_cited_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} from {self.source_version_id}"

    @property
    def quote(self) -> str:
        """The words of the passage; empty where only a place is named."""
        if self.start is None or self.end is None:
            return ""
        return self.source_version.text[self.start : self.end]


class MachineDraft(models.Model):
    """An endpoint drafted a part of a version. It says so for as long as the version is there."""

    class Part(models.TextChoices):
        QUESTION = "QUESTION", _("question and answer")
        KEY_POINTS = "POINTS", _("key points")

    version = models.ForeignKey(
        QuestionVersion, on_delete=models.CASCADE, related_name="machine_drafts"
    )
    part = models.CharField(max_length=8, choices=Part)
    #: What the endpoint was called when it wrote, the protocol and its prompts, and the run.
    endpoint = models.CharField(_("endpoint"), max_length=120)
    protocol = models.CharField(max_length=40)
    prompts_sha = models.CharField(max_length=64)
    run = models.PositiveIntegerField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.part} by {self.endpoint}"


class QuestionComment(models.Model):
    """Something said about a question, at a field of one version or in general. Append-only."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="comments")
    version = models.ForeignKey(
        QuestionVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="comments"
    )
    field = models.CharField(max_length=40, blank=True)
    text = models.TextField(_("comment"))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.text[:40]}"
