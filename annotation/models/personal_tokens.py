"""Tokens that programs sign in with, and tries that failed."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.names import NameField
from annotation.models.projects import Project


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    def working(self, now: datetime) -> Self:
        return self.filter(revoked_at__isnull=True, expires_at__gt=now)


class PersonalToken(models.Model):
    """What a program shows instead of a password. Only a hash of it is kept; it may never do more than its person."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="personal_tokens"
    )
    name = NameField(_("name"), max_length=100)
    #: The first characters, by which its person knows it again.
    start = models.CharField(max_length=12)
    token_sha = models.CharField(max_length=64, unique=True)
    #: Of evalsite.scopes.NAMES.
    scopes = models.JSONField()
    #: The only project that it opens; none is every project of its person.
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    #: To the minute.
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = PersonalTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")),
                name="a_token_ends_after_it_was_made",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.start}… of {self.user_id}"


class FailedTry(models.Model):
    """Somebody showed what lets nobody in. Hashes only, and only for a day: to slow down guessing."""

    #: Of the network address that tried.
    from_sha = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["from_sha", "at"], name="failed_try_from_where")]

    def __str__(self) -> str:
        return f"failed at {self.at}"
