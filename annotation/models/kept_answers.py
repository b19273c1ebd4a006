"""Answers that are given again to the same request: Idempotency-Key."""

from django.conf import settings
from django.db import models


class KeptAnswer(models.Model):
    """A deed that a program asked for under a key of its own: taken on, and then what was answered.

    The answer is written in the transaction of the deed, and only by whoever holds the claim.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="kept_answers"
    )
    key_sha = models.CharField(max_length=64)
    #: Of method, address and body.
    request_sha = models.CharField(max_length=64)
    claim = models.UUIDField()
    begun_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    headers = models.JSONField(default=dict, blank=True)
    body = models.BinaryField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key_sha"], name="a_key_stands_for_one_deed"),
            models.CheckConstraint(
                condition=models.Q(answered_at__isnull=True, status__isnull=True, body__isnull=True)
                | models.Q(answered_at__isnull=False, status__isnull=False, body__isnull=False),
                name="an_answer_is_kept_whole",
            ),
        ]
        indexes = [models.Index(fields=["begun_at"], name="answer_kept_since")]

    def __str__(self) -> str:
        return f"{self.status or 'begun'} at {self.begun_at}"
