"""How many questions are wanted of each kind, and who is to write them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Project
from annotation.models.taxonomy import Capability, Difficulty, Domain


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
            models.UniqueConstraint(
                fields=["project", "capability", "difficulty", "domain"],
                name="plan_cell_is_unique_in_its_domain",
            ),
            models.UniqueConstraint(
                fields=["project", "capability", "difficulty"],
                condition=models.Q(domain__isnull=True),
                name="plan_cell_is_unique_over_all_domains",
            ),
            models.CheckConstraint(
                condition=models.Q(wanted__gte=1), name="a_plan_cell_wants_something"
            ),
            models.CheckConstraint(
                condition=models.Q(difficulty__in=Difficulty.values),
                name="a_plan_cell_has_a_difficulty",
            ),
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
            models.UniqueConstraint(
                fields=["cell", "designer"], name="a_designer_has_one_share_of_a_cell"
            ),
            models.CheckConstraint(
                condition=models.Q(n__gte=1), name="a_share_is_one_question_or_more"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.designer_id}: {self.n} of {self.cell_id}"
