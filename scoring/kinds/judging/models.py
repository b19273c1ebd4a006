"""Judges that are tuned: how a round's questions were split, every version tried, and what was locked."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project, User
from annotation.rounds.models import Round
from annotation.systems.models import Response
from evalsite.db.rules import holds, unique
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Run


class Tuning(models.Model):
    """A judge that is being tuned on some questions of a final round, to be measured once on the others.

    What is fixed when it begins: round, split, endpoint, criteria and how the judge is asked. Its
    instructions and examples are worked on (`rev` counts the changes) until a version is locked.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tunings")
    number = models.PositiveIntegerField()
    name = NameColumn(_("name"), max_length=100)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="tunings")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="tunings")
    #: Keys of the criteria that it judges by, in the order of the rubrics.
    criteria = models.JSONField(default=list)
    #: How the judge is asked (scoring.kinds.judging.settings.JudgeSettings), without instructions and examples.
    settings = models.JSONField(default=dict)
    #: Of the questions, in percent, that are set aside.
    share = models.PositiveSmallIntegerField()
    seed = models.PositiveBigIntegerField()
    instructions = models.TextField()
    #: Answers that the judge is shown with people's grades: {"response": key, "reason": why}.
    examples = models.JSONField(default=list)
    rev = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    locked = models.ForeignKey(
        "TuningVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    #: The run of the locked version over the questions that were set aside.
    measure = models.OneToOneField(
        Run, null=True, blank=True, on_delete=models.PROTECT, related_name="measures_tuning"
    )
    locked_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    locked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            unique("tuning_number_is_unique", "project", "number"),
            holds(
                "a_tuning_is_locked_as_a_whole",
                models.Q(locked__isnull=True, locked_at__isnull=True)
                | models.Q(locked__isnull=False, locked_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_locked(self) -> bool:
        return self.locked_id is not None

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"tuning:{self.number}"


class TuningQuestion(models.Model):
    """On which side of the split a question stands; `group` is that of its items, in every round."""

    tuning = models.ForeignKey(Tuning, on_delete=models.PROTECT, related_name="questions")
    group = models.CharField(max_length=200)
    is_held_out = models.BooleanField()

    class Meta:
        constraints = [unique("a_question_stands_on_one_side", "tuning", "group")]

    def __str__(self) -> str:
        return self.group


class TuningVersion(models.Model):
    """What a judge was told when it was tried: never changes. Its judge has that as its configuration."""

    tuning = models.ForeignKey(Tuning, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    note = NameColumn(_("what changed"), max_length=200, blank=True)
    instructions = models.TextField()
    examples = models.JSONField(default=list)
    judge = models.OneToOneField(Judge, on_delete=models.PROTECT, related_name="tuned_version")
    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="tries_version")
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [unique("tuning_version_number_is_unique", "tuning", "number")]

    def __str__(self) -> str:
        return f"{self.tuning} v{self.number}"


class TuningAside(models.Model):
    """A disagreement that is not worth more work, since the judge is right there or nobody is."""

    class Right(models.TextChoices):
        JUDGE = "JUDGE", _("the judge is right")
        NEITHER = "NEITHER", _("neither is right")

    tuning = models.ForeignKey(Tuning, on_delete=models.PROTECT, related_name="aside")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="+")
    right = models.CharField(max_length=7, choices=Right)
    by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [unique("an_answer_is_set_aside_once", "tuning", "response")]

    def __str__(self) -> str:
        return f"{self.response_id}: {self.right}"
