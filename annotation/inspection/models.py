"""From when on designers are to be retrained, and what was done about it. Append-only."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.people.models import Project
from evalsite.db.rules import holds


class RetrainingLimit(models.Model):
    """The share of returns, in percent, above which a designer stands on the list."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="retraining_limits")
    percent = models.PositiveSmallIntegerField(
        _("more than so many percent returned"),
        validators=[MinValueValidator(1), MaxValueValidator(100)],
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["project", "-pk"]
        constraints = [
            holds("a_retraining_limit_is_a_percentage", models.Q(percent__gte=1, percent__lte=100))
        ]

    def __str__(self) -> str:
        return f"{self.project_id}: {self.percent} %"


class Retraining(models.Model):
    """An entry of the retraining list was settled: what was before `at` no longer counts."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="retrainings")
    designer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="retrainings"
    )
    note = models.CharField(_("what was done"), max_length=1000)
    #: Why they stood on the list, in figures, as it was settled.
    because = models.JSONField(default=dict)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            holds("nobody_settles_their_own_retraining", ~models.Q(designer=models.F("by")))
        ]

    def __str__(self) -> str:
        return f"{self.designer_id} at {self.at:%Y-%m-%d}"
