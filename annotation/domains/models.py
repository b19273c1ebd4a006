"""What is evaluated: the hierarchy of subject areas and the capabilities.

* How many questions are wanted of each kind, and who is to write them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project
from annotation.rubrics.models import Rubric
from evalsite.db.rules import holds, unique


class Priority(models.TextChoices):
    P0 = "P0", _("P0, core")
    P1 = "P1", _("P1, close")
    P2 = "P2", _("P2, related")
    P3 = "P3", _("P3, broad")


class Difficulty(models.TextChoices):
    SIMPLE = "SIMPLE", _("simple")
    INTERMEDIATE = "INTERMEDIATE", _("intermediate")
    DIFFICULT = "DIFFICULT", _("difficult")


class QuestionType(models.TextChoices):
    FACTUAL = "FACTUAL", _("factual")
    OPEN = "OPEN", _("open")


@dataclass(frozen=True)
class DifficultyText:
    """What a difficulty means for a capability, and a question that has it."""

    code: str
    label: str
    definition: str = ""
    example: str = ""


def _said(entry: object) -> dict[str, str]:
    """Read what is stored of a difficulty; before examples were kept it was the definition alone."""
    if isinstance(entry, Mapping):
        return {name: str(entry.get(name, "")) for name in ("definition", "example")}
    return {"definition": str(entry or "")}


def unique_among_siblings(subject: str) -> list[models.BaseConstraint]:
    """Return the two constraints that keep names unique below a parent and at the top."""
    return [
        unique(f"{subject}_name_is_unique_below_its_parent", "project", "parent", "name"),
        unique(
            f"{subject}_name_is_unique_at_the_top",
            "project",
            "name",
            where=models.Q(parent__isnull=True),
        ),
    ]


class Domain(models.Model):
    """A node of the hierarchy of subject areas (LalaEval, process 1)."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="domains")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="children"
    )
    name = NameColumn(_("name"), max_length=200)
    definition = models.TextField(_("what belongs here"), blank=True)
    #: Whether the parts of this area cover it, and where the borders between them run.
    completeness_note = models.TextField(_("completeness"), blank=True)
    priority = models.CharField(max_length=2, choices=Priority, default=Priority.P1)
    in_scope = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "name"]
        constraints = unique_among_siblings("domain")

    def __str__(self) -> str:
        return self.name


class Capability(models.Model):
    """A dimension, general or of the domain, that is evaluated (LalaEval, process 2)."""

    class Kind(models.TextChoices):
        GENERAL = "GENERAL", _("general")
        DOMAIN = "DOMAIN", _("domain")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="capabilities")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="children"
    )
    name = NameColumn(_("name"), max_length=200)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.DOMAIN)
    definition = models.TextField(_("definition"), blank=True)
    #: By difficulty: {"definition": …, "example": …}.
    difficulties = models.JSONField(default=dict, blank=True)
    question_type = models.CharField(
        _("question type"), max_length=8, choices=QuestionType, default=QuestionType.FACTUAL
    )
    weight = models.DecimalField(_("weight"), max_digits=8, decimal_places=4, default=Decimal(1))
    rubric = models.ForeignKey(
        Rubric, null=True, blank=True, on_delete=models.PROTECT, related_name="capabilities"
    )
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "name"]
        constraints = [
            *unique_among_siblings("capability"),
            holds("capability_weight_is_not_negative", models.Q(weight__gte=0)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def described(self) -> list[DifficultyText]:
        """What each difficulty means here, from simple to difficult."""
        return [
            DifficultyText(one, str(one.label), **_said(self.difficulties.get(one)))
            for one in Difficulty
        ]


class PlanCell(models.Model):
    """A wanted number of questions: of a capability and difficulty, and perhaps of a domain."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="plan_cells")
    capability = models.ForeignKey(Capability, on_delete=models.PROTECT, related_name="plan_cells")
    difficulty = models.CharField(max_length=12, choices=Difficulty)
    domain = models.ForeignKey(
        Domain, null=True, blank=True, on_delete=models.PROTECT, related_name="plan_cells"
    )
    wanted = models.PositiveIntegerField(_("wanted"))

    class Meta:
        constraints = [
            unique(
                "plan_cell_is_unique_in_its_domain", "project", "capability", "difficulty", "domain"
            ),
            unique(
                "plan_cell_is_unique_over_all_domains",
                "project",
                "capability",
                "difficulty",
                where=models.Q(domain__isnull=True),
            ),
            holds("a_plan_cell_wants_something", models.Q(wanted__gte=1)),
            holds("a_plan_cell_has_a_difficulty", models.Q(difficulty__in=Difficulty.values)),
        ]

    def __str__(self) -> str:
        return f"{self.capability_id} {self.difficulty}: {self.wanted}"


class PlanShare(models.Model):
    """What a designer is to write of a cell, and until when."""

    cell = models.ForeignKey(PlanCell, on_delete=models.CASCADE, related_name="shares")
    designer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="plan_shares"
    )
    n = models.PositiveIntegerField(_("questions"))
    due_on = models.DateField(_("due on"), null=True, blank=True)

    class Meta:
        ordering = ["due_on", "pk"]
        constraints = [
            unique("a_designer_has_one_share_of_a_cell", "cell", "designer"),
            holds("a_share_is_one_question_or_more", models.Q(n__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.designer_id}: {self.n} of {self.cell_id}"
