"""Links by which people without an account read the report of a round."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project
from annotation.rounds.models import Round


class ReportLink(models.Model):
    """A link to one report. Only a hash of it is kept; it works until a day, or until it is taken back.

    `query` holds what the report was asked to show, by the names of its address; `names` says whether
    systems stand in it by their names.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="report_links")
    #: For the owners' list: for whom the link was made.
    whom = NameColumn(_("for whom"), max_length=200)
    names = models.BooleanField()
    query = models.JSONField(default=dict)
    token_sha = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    n_seen = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.whom} to the report of {self.round_id}"

    @property
    def project(self) -> Project:
        return self.round.project
