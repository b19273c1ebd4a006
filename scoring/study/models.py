"""What people say of their study: of all rounds of a project, and otherwise of one of them."""

from django.conf import settings
from django.db import models

from annotation.people.models import Project
from annotation.rounds.models import Round
from evalsite.db.rules import unique


class StudyAnswers(models.Model):
    """Answers for a project or, with a round, what is otherwise there. The last number holds."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="study_answers")
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="study_answers"
    )
    number = models.PositiveIntegerField()
    body = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("study_answers_of_a_round_are_numbered", "project", "round", "number"),
            unique(
                "study_answers_of_a_project_are_numbered",
                "project",
                "number",
                where=models.Q(round__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.round_id} {self.number}"
