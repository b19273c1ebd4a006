"""The raw corpus: what questions are made from. A changed text is a new version."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Project


class Source(models.Model):
    """A document or page of the corpus, with where it comes from (LalaEval, process 3)."""

    class Kind(models.TextChoices):
        WEB = "WEB", _("web page")
        DOCUMENT = "DOCUMENT", _("document")
        DATA = "DATA", _("data")
        EXPERT = "EXPERT", _("statement of an expert")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sources")
    title = models.CharField(_("title"), max_length=300)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.DOCUMENT)
    address = models.CharField(_("address"), max_length=1000, blank=True)
    publisher = models.CharField(_("publisher"), max_length=200, blank=True)
    licence = models.CharField(_("licence"), max_length=200, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(fields=["project", "title"], name="source_title_is_unique"),
        ]

    def __str__(self) -> str:
        return self.title


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
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["source", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "sha"], name="source_version_says_new_things"
            ),
            models.UniqueConstraint(fields=["source", "number"], name="source_version_is_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.source} v{self.number}"
