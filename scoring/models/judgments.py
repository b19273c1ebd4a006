"""Marks by machines, and what is known of the machines that gave them. Judgments are append-only."""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Criterion, ImportBatch, Rater, Response, Rubric
from annotation.models.imports import SEEN
from annotation.models.names import NameField
from scoring.models.runs import Run, Step


class Machine(models.Model):
    """A judge or a metric: the rater it is in the table of ratings, and what stands behind it.

    Its range and criteria are the newest version of a rubric of its own. `family` is that of the
    language model behind a judge, to be compared with the systems it judges.
    """

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="machine")
    rubric = models.OneToOneField(Rubric, on_delete=models.PROTECT, related_name="machine")
    family = NameField(max_length=80, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.rater.ref


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def seen(self) -> Self:
        """Return what may be read: of a run over a round, only once the round is final."""
        final = models.Q(run__round__isnull=True) | models.Q(run__round__state="FINAL")
        return self.filter(SEEN & final)

    def counted(self) -> Self:
        """Return what figures, exports and counts are made of.

        The rule of the last run: of several finished runs over a round in which the same machine
        judged, the one that finished last counts, whole; of runs over other choices of answers, the
        last one that may be read counts for each answer. Runs that are not finished do not. Imported
        judgments always count.
        """
        later = models.Q(finished_at__gt=models.OuterRef("run__finished_at")) | models.Q(
            finished_at=models.OuterRef("run__finished_at"), pk__gt=models.OuterRef("run")
        )
        same = Judgment.objects.filter(
            run=models.OuterRef("pk"), rater=models.OuterRef(models.OuterRef("rater"))
        )
        answer = same.filter(
            response=models.OuterRef(models.OuterRef("response")),
            target_index__isnull=True,  # as the index has it that finds these
        )
        final = models.Q(round__isnull=True) | models.Q(round__state="FINAL")
        of_round = models.Q(models.Exists(same), round=models.OuterRef("run__round"))
        newer = Run.objects.filter(
            later, final, of_round | models.Exists(answer), state=Run.State.DONE
        )
        finished = models.Q(run__isnull=True) | models.Q(run__state=Run.State.DONE)
        return self.seen().filter(finished).exclude(models.Exists(newer))


class Judgment(models.Model):
    """A mark by a machine for a response (or a part of it) × criterion. Nothing of it ever changes.

    Repeats count the samples of a judge from 1; 0 is their mean, with `n_valid` and `sd`. A value is
    a binary number, since metrics spread over many magnitudes; its shortest text has every decimal
    that was written, up to 15 digits. A failure has a reason and no value.
    """

    class Target(models.TextChoices):
        RESPONSE = "RESPONSE", _("response")
        TURN = "TURN", _("turn")
        MESSAGE = "MESSAGE", _("message")
        TOOL_CALL = "TOOL_CALL", _("tool call")

    class Outcome(models.TextChoices):
        SCORED = "SCORED", _("scored")
        UNSCORED = "UNSCORED", _("not scored")
        REFUSED = "REFUSED", _("refused")
        SKIPPED = "SKIPPED", _("left out")

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="judgments")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="judgments")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="judgments")
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="judgments"
    )
    line = models.PositiveBigIntegerField(null=True, blank=True)
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.PROTECT, related_name="judgments"
    )
    step = models.ForeignKey(
        Step, null=True, blank=True, on_delete=models.PROTECT, related_name="judgments"
    )
    target_level = models.CharField(max_length=9, choices=Target, default=Target.RESPONSE)
    target_index = models.PositiveIntegerField(null=True, blank=True)
    repeat = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=8, choices=Outcome, default=Outcome.SCORED)
    reason = models.CharField(max_length=300, blank=True)
    value = models.FloatField(null=True, blank=True)
    n_valid = models.PositiveIntegerField(null=True, blank=True)
    sd = models.FloatField(null=True, blank=True)
    #: The probability that the weighed values had together, where a score was weighed by it (G-Eval).
    mass = models.FloatField(null=True, blank=True)
    label = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True)
    at = models.DateTimeField(null=True, blank=True)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        verbose_name_plural = _("judgments")
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "line"],
                condition=models.Q(batch__isnull=False),
                name="imported_judgment_line_is_unique",
            ),
            models.UniqueConstraint(
                fields=["rater", "response", "criterion", "target_level", "repeat"],
                condition=models.Q(batch__isnull=False, target_index__isnull=True),
                name="one_imported_judgment_of_a_response",
            ),
            models.UniqueConstraint(
                fields=["rater", "response", "criterion", "target_level", "target_index", "repeat"],
                condition=models.Q(batch__isnull=False, target_index__isnull=False),
                name="one_imported_judgment_of_a_part_of_a_response",
            ),
            models.UniqueConstraint(
                fields=["run", "rater", "response", "criterion", "target_level", "repeat"],
                condition=models.Q(run__isnull=False, target_index__isnull=True),
                name="one_judgment_of_a_response_in_a_run",
            ),
            models.UniqueConstraint(
                fields=[
                    "run",
                    "rater",
                    "response",
                    "criterion",
                    "target_level",
                    "target_index",
                    "repeat",
                ],
                condition=models.Q(run__isnull=False, target_index__isnull=False),
                name="one_judgment_of_a_part_of_a_response_in_a_run",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="SCORED", value__isnull=False)
                | (~models.Q(outcome="SCORED") & models.Q(value__isnull=True)),
                name="a_judgment_has_a_value_exactly_if_it_is_scored",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="SCORED") | ~models.Q(reason=""),
                name="a_judgment_without_a_score_says_why",
            ),
            models.CheckConstraint(
                condition=models.Q(batch__isnull=True, line__isnull=True)
                | models.Q(batch__isnull=False, line__isnull=False),
                name="an_imported_judgment_has_its_line",
            ),
            models.CheckConstraint(
                condition=models.Q(batch__isnull=False, run__isnull=True)
                | models.Q(batch__isnull=True, run__isnull=False),
                name="a_judgment_comes_from_an_import_or_a_run",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.value} by {self.rater_id}"
