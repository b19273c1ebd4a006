"""Seats: who holds which item of a round under a lease, in which blind order, and what happened."""

from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Rater
from annotation.models.rounds import Round, RoundItem, RoundResponse


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def wanted(self) -> Self:
        """Leave out the seats that were dropped because nobody was left who could take them."""
        return self.exclude(state=Assignment.State.DROPPED)

    def held_by(self, rater: Rater) -> Self:
        return self.filter(rater=rater, state=Assignment.State.CLAIMED)


class Assignment(models.Model):
    """One seat of a round item. `token` addresses it for the one who holds it, and changes with every claim."""

    class State(models.TextChoices):
        FREE = "FREE", _("free")
        CLAIMED = "CLAIMED", _("claimed")
        SUBMITTED = "SUBMITTED", _("submitted")
        DROPPED = "DROPPED", _("dropped")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="assignments")
    round_item = models.ForeignKey(RoundItem, on_delete=models.CASCADE, related_name="assignments")
    seat = models.PositiveSmallIntegerField()
    ordinal = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.FREE)
    rater = models.ForeignKey(
        Rater, null=True, blank=True, on_delete=models.PROTECT, related_name="assignments"
    )
    token = models.CharField(max_length=40, null=True, blank=True, unique=True)
    claim_no = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    #: Held ready for somebody who works on another one; becomes work when they come to it.
    warm = models.BooleanField(default=False)
    #: Why a repeat was dropped: by rule, where nobody is left who graded the item before.
    dropped_why = models.CharField(max_length=300, blank=True)
    fence = models.PositiveIntegerField(default=0)
    rev = models.PositiveIntegerField(default=0)
    #: Active time at the page over all submissions that were in time; that of late ones is with their grades.
    active_ms = models.PositiveBigIntegerField(default=0, db_default=0)
    order_version = models.CharField(max_length=20)
    order_row = models.IntegerField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round_item", "seat"], name="seat_is_unique"),
            models.UniqueConstraint(fields=["round", "ordinal"], name="seat_ordinal_is_unique"),
            models.UniqueConstraint(
                fields=["round_item", "rater"],
                condition=models.Q(rater__isnull=False),
                name="a_rater_has_one_seat_of_an_item",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    state__in=["FREE", "DROPPED"], rater__isnull=True, lease_until__isnull=True
                )
                | models.Q(state="CLAIMED", rater__isnull=False, lease_until__isnull=False)
                | models.Q(state="SUBMITTED", rater__isnull=False, submitted_at__isnull=False),
                name="a_seat_that_is_taken_has_a_rater",
            ),
        ]
        indexes = [
            models.Index(fields=["round", "state", "lease_until"], name="seat_by_state"),
            # Up to its end, so that the last one that somebody submitted is found without the others.
            models.Index(
                fields=["rater", "round", "state", "submitted_at", "ordinal"], name="seat_by_rater"
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.round_item_id}"


class ClaimEvent(models.Model):
    """What happened to a seat. Append-only; the token of an old claim is found here."""

    class Kind(models.TextChoices):
        CLAIMED = "CLAIMED", _("claimed")
        EXPIRED = "EXPIRED", _("expired")
        DECLINED = "DECLINED", _("skipped")
        HANDED_BACK = "HANDED_BACK", _("handed back")
        REASSIGNED = "REASSIGNED", _("reassigned")
        REOPENED = "REOPENED", _("asked to look again")

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="events")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=11, choices=Kind)
    claim_no = models.PositiveIntegerField()
    token = models.CharField(max_length=40, db_index=True)
    reason = models.CharField(max_length=300, blank=True)
    #: What had been drafted when the seat was lost.
    kept = models.JSONField(null=True, blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["rater", "kind"], name="claim_event_by_rater")]

    def __str__(self) -> str:
        return f"{self.kind} {self.assignment_id}"


class Slot(models.Model):
    """A position of a seat, standing for one response. Made with the seat, immutable."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveSmallIntegerField()
    round_response = models.ForeignKey(
        RoundResponse, on_delete=models.CASCADE, related_name="slots"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "position"], name="slot_position_is_unique"
            ),
            models.UniqueConstraint(
                fields=["assignment", "round_response"], name="a_response_once_in_a_seat"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id}@{self.position}"


class Draft(models.Model):
    """What its holder has entered so far; the only mutable record of a seat."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    rev = models.PositiveIntegerField(default=0)
    marks = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft of {self.assignment_id}"


class Receipt(models.Model):
    """The answer to a request that was carried out once; a repeat of the request gets it again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    op_id = models.UUIDField()
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="receipts")
    kind = models.CharField(max_length=12)
    rev = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, blank=True)
    late = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "op_id"], name="a_request_is_answered_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.op_id}"
