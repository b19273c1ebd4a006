"""How people come in: links that invite them to a project, and where they are signed in."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.names import NameField
from annotation.models.projects import Project


class Invitation(models.Model):
    """A link that lets one person into a project. Only a hash of it is kept; it works once, until a day."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="invitations")
    #: For the owners' list: for whom the link was made.
    whom = NameField(_("for whom"), max_length=200)
    roles = models.JSONField()
    token_sha = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(used_at__isnull=True, used_by__isnull=True)
                | models.Q(used_at__isnull=False, used_by__isnull=False, revoked_at__isnull=True),
                name="an_invitation_is_used_by_somebody_or_revoked",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.whom} to {self.project_id}"


class PasswordLink(models.Model):
    """A link to a new password that was mailed. It works until it is used, taken back, or its person signs in."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="password_links"
    )
    token_sha = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"for {self.user_id}"


class SetUpLink(models.Model):
    """The link that makes the first account. Only a hash of it is kept; gone with the first account."""

    token_sha = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"made at {self.made_at}"


class SignIn(models.Model):
    """A device that somebody signed in with; gone when they sign out there, or are signed out."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_ins"
    )
    session_key = models.CharField(max_length=40, unique=True)
    agent = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.user_id} since {self.at}"


class LinkAsked(models.Model):
    """Somebody asked for a link to a new password. Hashes only, and only for a day: to slow down guessing."""

    #: Of what was typed, whether or not somebody is called so.
    whom_sha = models.CharField(max_length=64)
    #: Of the network address that asked.
    from_sha = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["whom_sha", "at"], name="link_asked_for_whom"),
            models.Index(fields=["from_sha", "at"], name="link_asked_from_where"),
        ]

    def __str__(self) -> str:
        return f"asked at {self.at}"
