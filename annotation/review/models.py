"""What reviewers decided about disputed grades, who confirmed it, and what came of it. Append-only."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.domains.models import Capability
from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Project, Rater
from annotation.rounds.models import Assignment, Round
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item, Response
from evalsite.db.rules import holds, index, unique


class ReviewRule(models.Model):
    """How a project reviews; the newest row holds."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="review_rules")
    n_reviewers = models.PositiveSmallIntegerField(_("reviewers for a decision"), default=1)
    hide_people = models.BooleanField(_("hide who gave a grade"), default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["project", "-pk"]
        constraints = [holds("one_or_two_people_decide", models.Q(n_reviewers__in=[1, 2]))]

    def __str__(self) -> str:
        return f"{self.project_id}: {self.n_reviewers}"


class Decision(models.Model):
    """Somebody decided something about a question of a round, and why.

    It holds once it has an `Effect`; where two reviewers are wanted, the second one gives it that.
    `key` is the request's own id: the same request twice is one decision.
    """

    class Act(models.TextChoices):
        TAKE_UP = "TAKE_UP", _("to be looked at")
        KEEP = "KEEP", _("the grades are kept")
        REGRADE = "REGRADE", _("graded by one more annotator")
        HAND_BACK = "HAND_BACK", _("handed back to its annotator")
        ADJUDICATE = "ADJUDICATE", _("adjudicated")
        STRIKE_GRADE = "STRIKE_GRADE", _("a grade declared invalid")
        STRIKE_RATER = "STRIKE_RATER", _("an annotator's grades declared invalid")
        STRIKE_QUESTION = "STRIKE_QUESTION", _("the question declared invalid")
        FIX_ANSWER = "FIX_ANSWER", _("the standard answer is corrected")
        CLARIFY_RUBRIC = "CLARIFY_RUBRIC", _("the rubric is made clearer")
        REVERSE = "REVERSE", _("an earlier decision taken back")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="decisions")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    #: Which pair of its answers it is about, in a round of pairs; 0 if it is about the whole question.
    pair = models.PositiveSmallIntegerField(default=0, db_default=0)
    key = models.UUIDField(default=uuid.uuid4)
    act = models.CharField(max_length=15, choices=Act)
    response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    criterion = models.ForeignKey(
        Criterion, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    value = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    grade = models.ForeignKey(
        Grade, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    rater = models.ForeignKey(
        Rater, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    #: The corrected answer, or what is added to the rubric's principle.
    text = models.TextField(blank=True)
    reverses = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="reversals"
    )
    reason = models.CharField(max_length=1000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique("a_decision_is_made_once", "round", "key"),
            holds("a_decision_says_its_reason", ~models.Q(reason="")),
            holds(
                "an_adjudication_has_its_grade",
                ~models.Q(act="ADJUDICATE")
                | models.Q(response__isnull=False, criterion__isnull=False, value__isnull=False),
            ),
            holds(
                "only_a_reversal_reverses",
                models.Q(act="REVERSE", reverses__isnull=False)
                | (~models.Q(act="REVERSE") & models.Q(reverses__isnull=True)),
            ),
        ]
        indexes = [index("decision_by_question", "round", "item")]

    def __str__(self) -> str:
        return f"{self.act} in {self.round_id}"


class Effect(models.Model):
    """A decision holds from here on; what was written for it."""

    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="effect")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    grade = models.ForeignKey(
        Grade, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    invalidation = models.ForeignKey(
        Invalidation, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    def __str__(self) -> str:
        return f"of {self.decision_id}"


class Look(models.Model):
    """Somebody looked into why an annotator stood on the list of a round, and what came of it."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="looks")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="looks")
    #: The signals that stood then, in figures.
    because = models.JSONField(default=dict)
    note = models.CharField(_("what you found"), max_length=1000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [holds("a_look_says_what_was_found", ~models.Q(note=""))]

    def __str__(self) -> str:
        return f"{self.rater_id} in {self.round_id}"
