"""Projects, who belongs to them in which role, and whoever rates in them."""

import uuid
from collections.abc import Iterable
from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.names import NameField


class Project(models.Model):
    """One evaluation programme. Everything belongs to one."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = NameField(_("name"), max_length=200)
    subtitle = NameField(_("subtitle"), max_length=200, blank=True)
    #: What the owners tell everybody who grades, on their list; and since when.
    note = models.TextField(_("note to the annotators"), blank=True)
    noted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    OWNER = "OWNER", _("owner")
    CURATOR = "CURATOR", _("curator")
    DESIGNER = "DESIGNER", _("designer")
    INSPECTOR = "INSPECTOR", _("inspector")
    ANNOTATOR = "ANNOTATOR", _("annotator")
    ANALYST = "ANALYST", _("analyst")


#: Roles whose holders can see which system gave which answer.
UNBLINDED = frozenset({Role.OWNER, Role.CURATOR, Role.ANALYST})


class MembershipQuerySet(models.QuerySet["Membership"]):
    def active(self) -> Self:
        return self.filter(ended_at__isnull=True)

    def with_role(self, roles: Iterable[str]) -> Self:
        return self.active().filter(role__in=list(roles))


class Membership(models.Model):
    """A role that somebody has in a project. Ended, never deleted."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user", "role"], name="one_membership_per_project_user_and_role"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} {self.project_id}"


class RaterKind(models.TextChoices):
    PERSON = "PERSON", _("person")
    IMPORTED = "IMPORTED", _("imported")
    JUDGE = "JUDGE", _("judge")
    METRIC = "METRIC", _("metric")
    DERIVED = "DERIVED", _("derived")


class Rater(models.Model):
    """Whoever rates in a project: a person, somebody in an imported file, a machine.

    `ref` is opaque: a user's public id, the name in the file, a judge's configuration.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="raters")
    kind = models.CharField(max_length=8, choices=RaterKind)
    ref = models.CharField(max_length=200)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "kind", "ref"], name="one_rater_per_project_kind_and_ref"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="PERSON", user__isnull=False)
                | (~models.Q(kind="PERSON") & models.Q(user__isnull=True)),
                name="a_person_rater_has_a_user",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"
