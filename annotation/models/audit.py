"""What was done, by whom and when: append-only, chained once sealed."""

from django.db import models

from annotation.models.projects import Project


class AuditEvent(models.Model):
    """One deed. `actor` is a user's public id; free text stands beside it and only its hash is chained."""

    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.PROTECT, related_name="events"
    )
    actor = models.UUIDField(null=True, blank=True)
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    data = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    note_sha = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()
    seq = models.PositiveBigIntegerField(null=True, blank=True)
    sha = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "seq"],
                condition=models.Q(seq__isnull=False, project__isnull=False),
                name="sealed_event_is_unique_in_its_project",
            ),
            models.UniqueConstraint(
                fields=["seq"],
                condition=models.Q(seq__isnull=False, project__isnull=True),
                name="sealed_event_is_unique_outside_projects",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="event_by_project"),
            models.Index(fields=["id"], condition=models.Q(seq__isnull=True), name="event_to_seal"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"
