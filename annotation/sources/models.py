"""The raw corpus: what questions are made from. A changed text is a new version."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project
from evalsite.db.rules import unique


class SourceCollection(models.Model):
    """Sources that belong together. Designers are appointed to it; the others do not see it."""

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="source_collections"
    )
    name = NameColumn(_("name"), max_length=120)
    note = models.CharField(_("note"), max_length=500, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [unique("collection_name_is_unique", "project", "name")]

    def __str__(self) -> str:
        return self.name


class Appointment(models.Model):
    """A designer of a collection, from a day on. It is ended, never deleted."""

    collection = models.ForeignKey(
        SourceCollection, on_delete=models.PROTECT, related_name="appointments"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="appointments"
    )
    appointed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    appointed_at = models.DateTimeField()
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            unique(
                "designer_is_appointed_once",
                "collection",
                "user",
                where=models.Q(ended_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} for {self.collection_id}"


class Source(models.Model):
    """A document or page of the corpus, with where it comes from (LalaEval, process 3)."""

    class Kind(models.TextChoices):
        WEB = "WEB", _("web page")
        DOCUMENT = "DOCUMENT", _("document")
        DATA = "DATA", _("data")
        EXPERT = "EXPERT", _("statement of an expert")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sources")
    title = NameColumn(_("title"), max_length=300)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.DOCUMENT)
    address = models.CharField(_("address"), max_length=1000, blank=True)
    publisher = NameColumn(_("publisher"), max_length=200, blank=True)
    licence = NameColumn(_("licence"), max_length=200, blank=True)
    #: Without one it is open to everybody who reads the bank.
    collection = models.ForeignKey(
        SourceCollection,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="sources",
        verbose_name=_("collection"),
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["title"]
        constraints = [unique("source_title_is_unique", "project", "title")]

    def __str__(self) -> str:
        return self.title

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"source:{self.pk}"


class SourceEdit(models.Model):
    """Somebody corrected where a source comes from. Append-only.

    `before` and `after` hold what was changed by the names of the fields, and nothing else.
    """

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="edits")
    before = models.JSONField()
    after = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.source_id}: {', '.join(self.after)}"


class SourceVersion(models.Model):
    """What a source said at a time. Immutable; `sha` is the fingerprint of its text and dates."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    sha = models.CharField(max_length=64)
    text = models.TextField(_("text"), blank=True)
    retrieved_on = models.DateField(_("retrieved on"), null=True, blank=True)
    valid_from = models.DateField(_("valid from"), null=True, blank=True)
    valid_until = models.DateField(_("valid until"), null=True, blank=True)
    note = models.CharField(_("note"), max_length=500, blank=True)
    #: The file the text was read from: name, format, sha256, pages; none for a text that was pasted.
    file = models.JSONField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["source", "-number"]
        constraints = [
            unique("source_version_says_new_things", "source", "sha"),
            unique("source_version_is_unique", "source", "number"),
        ]

    def __str__(self) -> str:
        return f"{self.source} v{self.number}"


class SourceCheck(models.Model):
    """Somebody checked a version of a source, or withdrew the source. Append-only.

    A source whose last check is WITHDRAWN is withdrawn; a later check takes it back into use. A
    version nobody has checked is unverified, whatever was said of the one before it.
    """

    class Outcome(models.TextChoices):
        VERIFIED = "VERIFIED", _("verified")
        NOT_VERIFIED = "NOT", _("could not be verified")
        WITHDRAWN = "WITHDRAWN", _("withdrawn")

    version = models.ForeignKey(SourceVersion, on_delete=models.PROTECT, related_name="checks")
    outcome = models.CharField(_("outcome"), max_length=9, choices=Outcome)
    how = models.CharField(_("how"), max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.outcome}"
