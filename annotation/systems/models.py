"""What is put before a rater, the systems that are judged, and what they answered."""

from typing import Self, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.bank.models import QuestionVersion
from annotation.common.fields import NameColumn
from annotation.domains.models import Capability, Difficulty, Domain, QuestionType
from annotation.files.models import SEEN, ImportBatch
from annotation.people.models import Project
from evalsite.db.rules import index, unique

T = TypeVar("T", bound=models.Model)


class BatchedQuerySet(models.QuerySet[T]):
    def seen(self) -> Self:
        return self.filter(SEEN)


class Item(models.Model):
    """Messages, reference answer and extra fields. Immutable, identified by its content.

    An item of the bank is identified by the version it puts before raters.

    `prompt_sha` covers what a system saw, `content_sha` the reference too: a corrected answer
    keeps its responses. `group` is the question, for statistics within a question.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="items")
    #: The version of the bank that this item puts before raters; none if it was imported as it is.
    question_version = models.OneToOneField(
        QuestionVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="item"
    )
    external_id = models.CharField(max_length=200)
    content_sha = models.CharField(max_length=64)
    prompt_sha = models.CharField(max_length=64, db_index=True)
    group = models.CharField(max_length=200)
    messages = models.JSONField()
    reference = models.TextField(blank=True)
    key_points = models.JSONField(default=list)
    extra = models.JSONField(default=dict)
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="items"
    )
    domain = models.ForeignKey(
        Domain, null=True, blank=True, on_delete=models.PROTECT, related_name="items"
    )
    difficulty = models.CharField(max_length=12, choices=Difficulty, blank=True)
    question_type = models.CharField(max_length=8, choices=QuestionType, blank=True)
    as_of = models.CharField(max_length=40, blank=True)
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="items"
    )
    created_at = models.DateTimeField()
    #: Made of what systems put out, so that people rate it: only the rounds it was made for draw it.
    published_at = models.DateTimeField(null=True, blank=True)

    objects = BatchedQuerySet["Item"].as_manager()

    class Meta:
        constraints = [
            unique(
                "item_is_identified_by_its_content",
                "project",
                "external_id",
                "content_sha",
                where=models.Q(question_version__isnull=True),
            )
        ]
        indexes = [
            # Lists go by it, and the search looks up beginnings in it.
            index("item_by_external_id", "project", "external_id"),
            # The trees count by these, without touching the texts.
            index("item_by_domain", "project", "domain", "batch"),
            index("item_by_capability", "project", "capability", "batch"),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def question(self) -> str:
        """What was asked last, in one line."""
        asked = [one for one in self.messages if one.get("role") == "user"] or self.messages
        return " ".join(str(asked[-1].get("content") or "").split()) if asked else ""


class System(models.Model):
    """A language model or application that is judged. `colour` stays with it on every page.

    `family` is that of the language model behind it, to be compared with the families of judges.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="systems")
    name = NameColumn(_("name"), max_length=200)
    aliases = models.JSONField(default=list, blank=True)
    family = NameColumn(_("family"), max_length=80, blank=True)
    colour = models.PositiveSmallIntegerField(default=1)
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="systems"
    )
    created_at = models.DateTimeField()

    objects = BatchedQuerySet["System"].as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [unique("system_name_is_unique", "project", "name")]

    def __str__(self) -> str:
        return self.name

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"system:{self.pk}"


class SystemRelease(models.Model):
    """One configuration of a system in time.

    What it may use beside its own knowledge is yes, no, or None where nobody has said.
    """

    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="releases")
    label = NameColumn(_("release"), max_length=120)
    notes = models.TextField(blank=True)
    web_access = models.BooleanField(_("web access"), null=True, blank=True)
    retrieval = models.BooleanField(_("retrieval"), null=True, blank=True)
    tools = models.BooleanField(_("tools"), null=True, blank=True)
    context_length = models.PositiveIntegerField(_("context in tokens"), null=True, blank=True)
    knowledge_until = models.CharField(_("knowledge until"), max_length=40, blank=True)
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="releases"
    )
    created_at = models.DateTimeField()

    objects = BatchedQuerySet["SystemRelease"].as_manager()

    class Meta:
        ordering = ["system", "label"]
        constraints = [unique("release_label_is_unique", "system", "label")]

    def __str__(self) -> str:
        return f"{self.system} · {self.label}"

    @property
    def attributes(self) -> list[str]:
        """What is known of it, each in a few words."""
        used = (
            (self.web_access, _("web access"), _("no web access")),
            (self.retrieval, _("retrieval"), _("no retrieval")),
            (self.tools, _("tools"), _("no tools")),
        )
        known = [str(yes if value else no) for value, yes, no in used if value is not None]
        if self.context_length:
            known.append(_("context of %(n)d tokens") % {"n": self.context_length})
        if self.knowledge_until:
            known.append(_("knowledge until %(day)s") % {"day": self.knowledge_until})
        return known


class Response(models.Model):
    """What a release answered to an item: one message or several. Immutable."""

    class Origin(models.TextChoices):
        IMPORTED = "IMPORTED", _("imported")
        GENERATED = "GENERATED", _("generated")
        DIALOGUE = "DIALOGUE", _("dialogue")
        RECORDED = "RECORDED", _("recorded")

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="responses")
    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="responses")
    sample_no = models.PositiveIntegerField(default=1)
    content_sha = models.CharField(max_length=64)
    messages = models.JSONField()
    origin = models.CharField(max_length=9, choices=Origin, default=Origin.IMPORTED)
    details = models.JSONField(default=dict)
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="responses"
    )
    created_at = models.DateTimeField()

    objects = BatchedQuerySet["Response"].as_manager()

    class Meta:
        constraints = [
            unique(
                "response_is_identified_by_its_content",
                "item",
                "release",
                "sample_no",
                "content_sha",
            )
        ]

    def __str__(self) -> str:
        return f"{self.release_id} on {self.item_id}"


class Display(models.Model):
    """What is shown of a response: normalised, masked, rendered. Evidence offsets refer to `text`."""

    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="displays")
    renderer = models.CharField(max_length=20)
    mask_set = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)

    class Meta:
        constraints = [
            unique(
                "one_display_per_response_renderer_and_masks", "response", "renderer", "mask_set"
            )
        ]

    def __str__(self) -> str:
        return f"display of {self.response_id}"
