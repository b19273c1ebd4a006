"""What a person decided of two contents: the same in meaning, or changed. Append-only."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.items import Item, Response
from annotation.models.projects import Project


class SamenessTagQuerySet(models.QuerySet["SamenessTag"]):
    def current(self) -> Self:
        """Return the last word on every pair."""
        later = SamenessTag.objects.filter(
            left_item=models.OuterRef("left_item"),
            right_item=models.OuterRef("right_item"),
            revision__gt=models.OuterRef("revision"),
        )
        later_response = SamenessTag.objects.filter(
            left_response=models.OuterRef("left_response"),
            right_response=models.OuterRef("right_response"),
            revision__gt=models.OuterRef("revision"),
        )
        return self.exclude(models.Exists(later)).exclude(models.Exists(later_response))


class SamenessTag(models.Model):
    """Whether two questions, or two responses, say the same; the smaller key stands left.

    LalaEval's manual tags of questions and answers between rounds (appendix F.2).
    """

    class Kind(models.TextChoices):
        QUESTION = "QUESTION", _("question")
        RESPONSE = "RESPONSE", _("response")

    class Verdict(models.TextChoices):
        SAME = "SAME", _("the same")
        CHANGED = "CHANGED", _("changed")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sameness_tags")
    kind = models.CharField(max_length=8, choices=Kind)
    left_item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    right_item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    left_response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    right_response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    verdict = models.CharField(max_length=7, choices=Verdict)
    note = models.CharField(_("note"), max_length=500, blank=True)
    revision = models.PositiveIntegerField(default=1)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    objects = SamenessTagQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["left_item", "right_item", "revision"],
                condition=Q(kind="QUESTION"),
                name="one_word_on_two_questions_a_revision",
            ),
            models.UniqueConstraint(
                fields=["left_response", "right_response", "revision"],
                condition=Q(kind="RESPONSE"),
                name="one_word_on_two_responses_a_revision",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind="QUESTION",
                    right_item__isnull=False,
                    left_item__lt=F("right_item"),
                    left_response__isnull=True,
                    right_response__isnull=True,
                )
                | Q(
                    kind="RESPONSE",
                    right_response__isnull=False,
                    left_response__lt=F("right_response"),
                    left_item__isnull=True,
                    right_item__isnull=True,
                ),
                name="a_tag_is_of_two_questions_or_two_responses",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.verdict}"
