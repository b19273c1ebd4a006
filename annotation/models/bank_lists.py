"""How people look at the list of the bank: filters with a name, and the columns each has chosen."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.names import NameField
from annotation.models.projects import Project


class SavedFilter(models.Model):
    """Filters, order and columns of the list under a name; shared ones are there for all readers.

    `query` holds the filters as they stand in the address, by name. It may name what is gone since.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="saved_filters")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="saved_filters"
    )
    name = NameField(_("name"), max_length=80)
    is_shared = models.BooleanField(_("shared with the project"), default=False)
    query = models.JSONField(default=dict)
    order = models.CharField(max_length=12, blank=True)
    columns = models.JSONField(default=list)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "name"],
                name="a_saved_filter_has_a_name_of_its_own",
            ),
            models.UniqueConstraint(
                fields=["project", "name"],
                condition=models.Q(is_shared=True),
                name="a_shared_filter_has_a_name_of_its_own",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ChosenColumns(models.Model):
    """The columns of the list that somebody has chosen in a project."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    columns = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user"], name="columns_are_chosen_once_a_project_and_person"
            ),
        ]

    def __str__(self) -> str:
        return ", ".join(self.columns)
