"""What to grade: a rubric's versions, their criteria, and the described levels of each."""

from decimal import Decimal
from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.common.scales import Scale
from annotation.people.models import Project
from evalsite.db.rules import holds, unique


class RubricQuerySet(models.QuerySet["Rubric"]):
    def for_people(self) -> Self:
        """Leave out the rubrics of metrics and judges, which nobody words or chooses."""
        return self.exclude(versions__kind=RubricVersion.Kind.METRIC)


class Rubric(models.Model):
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rubrics")
    key = models.SlugField(max_length=80)
    name = NameColumn(_("name"), max_length=200)
    created_at = models.DateTimeField()
    #: The version of another rubric, perhaps of another project, that this one began as.
    copied_from = models.ForeignKey(
        "annotation.RubricVersion",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="copies",
    )

    objects = RubricQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [unique("rubric_key_is_unique", "project", "key")]

    def __str__(self) -> str:
        return self.name


class RubricVersionQuerySet(models.QuerySet["RubricVersion"]):
    def asking_choices(self) -> Self:
        """Leave out those that ask for marks, not which of two answers is better."""
        return self.filter(criteria__mark=Criterion.Mark.CHOICE).distinct()


class RubricVersion(models.Model):
    """One wording of a rubric. Frozen from its first use in a round on; a change is a new version."""

    class Kind(models.TextChoices):
        HUMAN = "HUMAN", _("for people")
        METRIC = "METRIC", _("of a metric or a judge")

    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.HUMAN)
    principle = models.TextField(_("grading principle"), blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    frozen_at = models.DateTimeField(null=True, blank=True)

    objects = RubricVersionQuerySet.as_manager()

    class Meta:
        ordering = ["rubric", "-number"]
        constraints = [unique("rubric_version_is_unique", "rubric", "number")]

    def __str__(self) -> str:
        return f"{self.rubric} v{self.number}"

    @property
    def audited(self) -> tuple[Project, str]:
        return self.rubric.project, f"rubric:{self.rubric.key}/{self.number}"


class CriterionQuerySet(models.QuerySet["Criterion"]):
    def with_values(self) -> Self:
        """Leave out texts, of which none is right, and what is no mark of one answer alone."""
        return self.exclude(mark__in=[Criterion.Mark.TEXT, Criterion.Mark.CHOICE])


class Criterion(models.Model):
    """What a response is graded on. `key` stays the same over the versions of a rubric.

    A label is stored as the value of its level, several labels as a sum (`scales.one_number`).
    """

    class Mark(models.TextChoices):
        LEVELS = "LEVELS", _("described levels")
        YES_NO = "YES_NO", _("yes or no")
        LABEL = "LABEL", _("one label")
        LABELS = "LABELS", _("several labels")
        NUMBER = "NUMBER", _("a number")
        TEXT = "TEXT", _("a text")
        CHOICE = "CHOICE", _("which of two is better")

    rubric_version = models.ForeignKey(
        RubricVersion, on_delete=models.PROTECT, related_name="criteria"
    )
    key = models.SlugField(max_length=80)
    name = NameColumn(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    mark = models.CharField(_("mark"), max_length=6, choices=Mark, default=Mark.LEVELS)
    position = models.PositiveIntegerField(default=0)
    #: An end that is empty is open, as only those of a metric or a judge may be.
    minimum = models.DecimalField(
        _("lowest"), max_digits=12, decimal_places=4, null=True, default=Decimal(0)
    )
    maximum = models.DecimalField(_("top score"), max_digits=12, decimal_places=4, null=True)
    higher_is_better = models.BooleanField(_("higher is better"), default=True)
    step = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, default=Decimal(1)
    )
    pass_at = models.DecimalField(
        _("passes from"), max_digits=12, decimal_places=4, null=True, blank=True
    )
    weight = models.DecimalField(_("weight"), max_digits=8, decimal_places=4, default=Decimal(1))

    objects = CriterionQuerySet.as_manager()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            unique("criterion_key_is_unique_in_its_version", "rubric_version", "key"),
            holds(
                "criterion_minimum_is_below_its_maximum", models.Q(minimum__lt=models.F("maximum"))
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def ends(self) -> tuple[Decimal, Decimal]:
        """The lowest and the highest value.

        Raises:
            ValueError: the range is open.
        """
        if self.minimum is None or self.maximum is None:
            raise ValueError("The range of this criterion is open.")
        return self.minimum, self.maximum

    @property
    def has_order(self) -> bool:
        """Whether more is more: so of levels, numbers, and yes and no."""
        return self.mark in {self.Mark.LEVELS, self.Mark.NUMBER, self.Mark.YES_NO}

    @property
    def is_of_choice(self) -> bool:
        """Whether it may be left empty: a text whose least length is none."""
        return self.mark == self.Mark.TEXT and not self.minimum

    @property
    def scale(self) -> Scale:
        offered: frozenset[Decimal] = frozenset()
        if self.mark == self.Mark.CHOICE:
            offered = frozenset(level.value for level in self.levels.all())
        whole = self.mark == self.Mark.LABELS
        return Scale(*self.ends, self.step, self.pass_at, whole=whole, only=offered)


class Level(models.Model):
    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="levels")
    value = models.DecimalField(max_digits=12, decimal_places=4)
    label = NameColumn(max_length=120)
    description = models.TextField(blank=True)
    #: Answers that would get this grade, each a text.
    examples = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["value"]
        constraints = [unique("level_value_is_unique", "criterion", "value")]

    def __str__(self) -> str:
        return f"{self.value.normalize():f} {self.label}"
