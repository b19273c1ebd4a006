"""Marks by people, what they remarked, and what was declared invalid. All append-only."""

from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.domains.models import Capability
from annotation.files.models import SEEN, ImportBatch
from annotation.people.models import Rater
from annotation.rounds.models import Assignment, Round, Slot
from annotation.rubrics.models import Criterion
from annotation.systems.models import Display, Item, Response
from evalsite.db.rules import holds, index, unique


class GradeQuerySet(models.QuerySet["Grade"]):
    def seen(self) -> Self:
        return self.filter(SEEN)

    def current(self) -> Self:
        return self.seen().filter(is_current=True)


class Grade(models.Model):
    """A mark by a person for response × criterion. A correction is a new revision.

    Imported grades have a batch and a line instead of a slot and an assignment; reference grades
    (gold, training) have neither. Only `is_current` may ever change.
    """

    class Kind(models.TextChoices):
        GIVEN = "GIVEN", _("given")
        ADJUDICATED = "ADJUDICATED", _("adjudicated")
        REFERENCE = "REFERENCE", _("reference")

    class Outcome(models.TextChoices):
        VALUE = "VALUE", _("graded")
        CANNOT_GRADE = "CANNOT_GRADE", _("cannot be graded")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="grades")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="grades")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="grades")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="grades")
    slot = models.ForeignKey(
        Slot, null=True, blank=True, on_delete=models.PROTECT, related_name="grades"
    )
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.PROTECT, related_name="grades"
    )
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="grades"
    )
    line = models.PositiveBigIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=11, choices=Kind, default=Kind.GIVEN)
    outcome = models.CharField(max_length=12, choices=Outcome, default=Outcome.VALUE)
    reason = models.CharField(max_length=300, blank=True)
    value = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    #: The answer beside it, where the criterion asks which of two is better: `response` stood at A.
    against = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    #: What was written, where the criterion asks for a text: a better answer, say.
    text = models.TextField(blank=True, default="")
    revision = models.PositiveIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    late = models.BooleanField(default=False)
    given_at = models.DateTimeField(null=True, blank=True)
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    view = models.CharField(max_length=10, blank=True)

    objects = GradeQuerySet.as_manager()

    class Meta:
        indexes = [
            # By a column alone: what is compared with a value in a query proves no condition of an index.
            index("late_grades", "round", where=models.Q(late=True))
        ]
        constraints = [
            unique(
                "grade_revision_is_unique",
                "slot",
                "criterion",
                "kind",
                "revision",
                where=models.Q(slot__isnull=False),
            ),
            unique(
                "imported_grade_line_is_unique",
                "batch",
                "line",
                where=models.Q(batch__isnull=False),
            ),
            unique(
                "reference_grade_revision_is_unique",
                "round",
                "response",
                "criterion",
                "kind",
                "revision",
                where=models.Q(slot__isnull=True, batch__isnull=True, against__isnull=True),
            ),
            unique(
                "reference_choice_revision_is_unique",
                "round",
                "response",
                "against",
                "criterion",
                "kind",
                "revision",
                where=models.Q(slot__isnull=True, batch__isnull=True, against__isnull=False),
            ),
            unique(
                "one_current_grade_per_slot_and_criterion",
                "slot",
                "criterion",
                "kind",
                where=models.Q(slot__isnull=False, is_current=True),
            ),
            holds(
                "a_grade_has_a_value_or_says_why_not",
                models.Q(outcome="VALUE", value__isnull=False)
                | (models.Q(outcome="VALUE") & ~models.Q(text=""))
                | models.Q(outcome="CANNOT_GRADE", value__isnull=True),
            ),
            holds(
                "a_graded_slot_belongs_to_a_seat",
                models.Q(slot__isnull=True, assignment__isnull=True)
                | models.Q(slot__isnull=False, assignment__isnull=False, batch__isnull=True),
            ),
            holds("a_late_grade_counts_nowhere", models.Q(late=False) | models.Q(is_current=False)),
            holds(
                "an_imported_grade_has_its_line",
                models.Q(batch__isnull=True, line__isnull=True)
                | models.Q(batch__isnull=False, line__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.value} by {self.rater_id}"


class RemarkQuerySet(models.QuerySet["Remark"]):
    def flags(self) -> Self:
        """Return the flags that stand: the last word of each person on a question, if not empty."""
        newer = Remark.objects.filter(
            slot=models.OuterRef("slot"),
            rater=models.OuterRef("rater"),
            kind=Remark.Kind.FLAG,
            late=False,
            revision__gt=models.OuterRef("revision"),
        )
        standing = self.filter(kind=Remark.Kind.FLAG, late=False).exclude(text="")
        return standing.exclude(models.Exists(newer))

    def awaiting(self) -> Self:
        """Return those flags that nobody has answered, of rounds that are neither final nor discarded."""
        over = Round.everything.filter(
            models.Q(state=Round.State.FINAL) | models.Q(discarded_at__isnull=False)
        ).values("pk")
        mine = self.flags().filter(answers=None).exclude(round__in=over)
        return mine.exclude(slot__assignment__round__in=over)


class Remark(models.Model):
    """A comment, a flag or a marked place, on a grade or on a slot; a flag of a round is a message about it."""

    class Kind(models.TextChoices):
        COMMENT = "COMMENT", _("comment")
        FLAG = "FLAG", _("flag")
        EVIDENCE = "EVIDENCE", _("evidence")

    grade = models.ForeignKey(
        Grade, null=True, blank=True, on_delete=models.PROTECT, related_name="remarks"
    )
    slot = models.ForeignKey(
        Slot, null=True, blank=True, on_delete=models.PROTECT, related_name="remarks"
    )
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind)
    text = models.TextField(blank=True)
    display = models.ForeignKey(
        Display, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    late = models.BooleanField(default=False)
    at = models.DateTimeField()

    objects = RemarkQuerySet.as_manager()

    class Meta:
        constraints = [
            holds(
                "a_remark_is_about_a_grade_a_slot_or_a_round",
                models.Q(grade__isnull=False, slot__isnull=True, round__isnull=True)
                | models.Q(grade__isnull=True, slot__isnull=False, round__isnull=True)
                | models.Q(grade__isnull=True, slot__isnull=True, round__isnull=False, kind="FLAG"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.rater_id}"


class FlagAnswer(models.Model):
    """What a curator answered to a flag. A later answer stands in front of an earlier one."""

    flag = models.ForeignKey(Remark, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"answer to {self.flag_id}"


class Invalidation(models.Model):
    """Somebody declared grades invalid, or took that back (`reverses`). `valid` is derived from these."""

    class Kind(models.TextChoices):
        GRADE = "GRADE", _("one grade")
        RATER = "RATER", _("a rater in a capability of a round")
        QUESTION = "QUESTION", _("a question")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="invalidations")
    kind = models.CharField(max_length=8, choices=Kind)
    grade = models.ForeignKey(
        Grade, null=True, blank=True, on_delete=models.PROTECT, related_name="invalidations"
    )
    rater = models.ForeignKey(
        Rater, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="reversed_by"
    )
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            holds(
                "an_invalidation_has_its_target",
                models.Q(kind="GRADE", grade__isnull=False)
                | models.Q(kind="RATER", rater__isnull=False)
                | models.Q(kind="QUESTION", item__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.round_id}"
