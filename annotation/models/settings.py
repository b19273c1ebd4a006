"""What a project has set, section by section. Append-only: the newest version of a section holds."""

from django.conf import settings
from django.db import models

from annotation.models.projects import Project
from annotation.rules.settings import Section


class SettingsVersion(models.Model):
    """A section as it was set at one time (annotation/rules/settings.py says what is in it)."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="settings_versions")
    section = models.CharField(max_length=9, choices=[(one.value, one.value) for one in Section])
    number = models.PositiveIntegerField()
    body = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["project", "section", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "section", "number"], name="settings_are_numbered_by_section"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.section} {self.number}"
