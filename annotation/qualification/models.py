"""Training, trials and qualification of annotators (LalaEval, process 8).

Append-only, but for the withdrawal of an example.
"""

from decimal import Decimal
from typing import Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.domains.models import Capability
from annotation.people.models import Project, Rater
from annotation.qualification import rules
from annotation.rounds.models import Round
from annotation.rubrics.models import RubricVersion
from evalsite.db.rules import holds, index, unique

SHARE = [MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))]


class QualificationRule(models.Model):
    """What is asked of annotators in a capability; without capability: in all the others.

    The last row holds. A trial keeps the row it began with.
    """

    class Statistic(models.TextChoices):
        RAW = "RAW", _("share of equal grades")
        KAPPA = "KAPPA", _("Cohen’s κ with quadratic weights")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    statistic = models.CharField(
        _("agreement is measured by"), max_length=5, choices=Statistic, default=Statistic.RAW
    )
    reference_at = models.DecimalField(
        _("agreement with the reference"), max_digits=4, decimal_places=3, validators=SHARE
    )
    peers_at = models.DecimalField(
        _("agreement among annotators"),
        max_digits=4,
        decimal_places=3,
        null=True,
        blank=True,
        validators=SHARE,
    )
    by_bound = models.BooleanField(_("the whole interval has to lie above"), default=False)
    n_least = models.PositiveSmallIntegerField(
        _("on so many grades or more"), validators=[MinValueValidator(1)]
    )
    practice_at = models.DecimalField(
        _("share of practised grades that are right"),
        max_digits=4,
        decimal_places=3,
        validators=SHARE,
    )
    most_failures = models.PositiveSmallIntegerField(
        _("failed trials before somebody stands aside"), validators=[MinValueValidator(1)]
    )
    #: Whether new rounds ask for qualification; said for the whole project only.
    asked = models.BooleanField(_("new rounds ask for qualification"), default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            holds(
                "a_project_not_a_capability_asks_for_qualification",
                models.Q(asked=False) | models.Q(capability__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.capability_id}: {self.reference_at}"

    @property
    def threshold(self) -> rules.Threshold:
        return rules.Threshold(
            reference_at=float(self.reference_at),
            peers_at=None if self.peers_at is None else float(self.peers_at),
            by_bound=self.by_bound,
            n_least=self.n_least,
            practice_at=float(self.practice_at),
            most_failures=self.most_failures,
        )


class TrainingExampleQuerySet(models.QuerySet["TrainingExample"]):
    def in_use(self) -> Self:
        return self.filter(withdrawn_at__isnull=True)


class TrainingExample(models.Model):
    """An answer with the grades it should get and why. Changed by withdrawing it and writing another."""

    class Use(models.TextChoices):
        LEARN = "LEARN", _("to learn: shown with its grades")
        PRACTISE = "PRACTISE", _("to practise: graded first")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    capability = models.ForeignKey(Capability, on_delete=models.PROTECT, related_name="examples")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    use = models.CharField(_("use"), max_length=8, choices=Use, default=Use.PRACTISE)
    question = models.TextField(_("question"))
    reference = models.TextField(_("standard answer"), blank=True)
    response = models.TextField(_("answer to be graded"))
    #: By key of the criterion, the grade as text.
    grades = models.JSONField(default=dict)
    explanation = models.TextField(_("why it gets these grades"))
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = TrainingExampleQuerySet.as_manager()

    class Meta:
        ordering = ["capability", "number"]
        constraints = [unique("training_example_number_is_unique", "project", "number")]

    def __str__(self) -> str:
        return f"{self.capability_id}/{self.number}"

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"example:{self.number}"


class Practice(models.Model):
    """Somebody read an example, or graded it and was told at once. Append-only."""

    example = models.ForeignKey(TrainingExample, on_delete=models.PROTECT, related_name="practices")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="practices")
    #: Empty where the example was only read.
    grades = models.JSONField(default=dict, blank=True)
    n_right = models.PositiveSmallIntegerField(default=0)
    n = models.PositiveSmallIntegerField(default=0)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [index("practice_by_rater", "rater", "example")]
        constraints = [
            holds("no_more_is_right_than_was_practised", models.Q(n_right__lte=models.F("n")))
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} on {self.example_id}"


class Trial(models.Model):
    """A round that qualifies its annotators in a capability, by the rule as it was at its beginning."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="trial")
    capability = models.ForeignKey(Capability, on_delete=models.PROTECT, related_name="+")
    #: Without: the rule of a project that never wrote one.
    rule = models.ForeignKey(
        QualificationRule, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    def __str__(self) -> str:
        return f"trial {self.round_id} of {self.capability_id}"

    @property
    def threshold(self) -> rules.Threshold:
        return self.rule.threshold if self.rule else rules.Threshold()

    @property
    def statistic(self) -> str:
        return self.rule.statistic if self.rule else QualificationRule.Statistic.RAW


class Qualification(models.Model):
    """What happened to somebody in a capability and where that led; the last row is their state."""

    class State(models.TextChoices):
        NEW = "NEW", _("not begun")
        TRAINING = "TRAINING", _("in training")
        TRAINED = "TRAINED", _("ready for a trial")
        TRIAL = "TRIAL", _("in a trial")
        QUALIFIED = "QUALIFIED", _("qualified")
        RETRAINING = "RETRAINING", _("training again")
        SUSPENDED = "SUSPENDED", _("stands aside")

    class Event(models.TextChoices):
        BEGUN = "BEGUN", _("began the training")
        PRACTISED = "PRACTISED", _("finished the training")
        INVITED = "INVITED", _("was put into a trial")
        PASSED = "PASSED", _("passed the trial")
        FAILED = "FAILED", _("did not reach the threshold")
        UNDECIDED = "UNDECIDED", _("the trial could not tell")
        WITHDRAWN = "WITHDRAWN", _("left the trial")
        LAPSED = "LAPSED", _("was sent back to training")
        ALLOWED = "ALLOWED", _("was let in by an owner")
        SUSPENDED = "SUSPENDED", _("was asked to stand aside")
        REINSTATED = "REINSTATED", _("may train again")

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="qualifications")
    capability = models.ForeignKey(
        Capability, on_delete=models.PROTECT, related_name="qualifications"
    )
    number = models.PositiveIntegerField()
    event = models.CharField(max_length=10, choices=Event)
    state = models.CharField(max_length=10, choices=State)
    reason = models.CharField(max_length=500, blank=True)
    #: The trial it rests on, and what was measured there.
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="qualifications"
    )
    figures = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique("one_step_of_a_qualification_after_the_other", "rater", "capability", "number"),
            holds(
                "what_is_said_of_somebody_by_hand_says_why",
                ~models.Q(event__in=["ALLOWED", "SUSPENDED", "LAPSED", "REINSTATED"])
                | ~models.Q(reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id}/{self.capability_id}: {self.state}"


class Expertise(models.Model):
    """What somebody knows about, in a word or two; shown where annotators are chosen."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="expertise")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="expertise"
    )
    tag = NameColumn(_("knows about"), max_length=60)

    class Meta:
        ordering = ["tag"]
        constraints = [unique("an_expertise_is_named_once", "project", "user", "tag")]

    def __str__(self) -> str:
        return self.tag
