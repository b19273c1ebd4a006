"""How somebody stands with the first steps of a project: what the guide opened, and whether it is shown."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.people.models import Project
from evalsite.db.rules import unique


class FirstSteps(models.Model):
    """A person's guide in a project. What they have done there is counted, not kept; only this is kept."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="first_steps")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="first_steps"
    )
    #: Keys of the steps whose page was opened from the guide, each once.
    opened = models.JSONField(default=list)
    #: Asked for, put away, or neither: then it stands until every step is done.
    shown = models.BooleanField(null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("first steps")
        constraints = [unique("a_person_has_one_guide_in_a_project", "project", "user")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.project_id}"
