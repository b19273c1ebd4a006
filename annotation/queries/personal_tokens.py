"""The tokens of a person, as their page lists them, and those that open a project, as its owner sees them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.models import Membership, PersonalToken, Project, User

#: So many that work no more are listed.
SHOWN_OVER = 20
#: And so many that open a project.
SHOWN_REACHING = 200


@dataclass(frozen=True)
class Line:
    """A token, and whether it works."""

    token: PersonalToken
    works: bool

    @property
    def is_revoked(self) -> bool:
        return self.token.revoked_at is not None


def list_of(user: User, now: datetime) -> list[Line]:
    """Return those that work, the newest first, then the last ones that do not any more."""
    rows = PersonalToken.objects.filter(user=user).select_related("project").order_by("-pk")
    working = [Line(one, True) for one in rows.working(now)]
    over = rows.exclude(pk__in=[one.token.pk for one in working])[:SHOWN_OVER]
    return [*working, *(Line(one, False) for one in over)]


def reaching(project: Project, now: datetime) -> "QuerySet[PersonalToken]":
    """Return the working tokens with which programs get into a project, the last used first.

    A token opens what its person may see: it ends to reach a project when their last role there ends.
    """
    held = Membership.objects.active().filter(project=project, user=OuterRef("user"))
    rows = PersonalToken.objects.working(now).filter(
        Q(project=None) | Q(project=project), Exists(held), user__is_active=True
    )
    return rows.select_related("user__person").order_by(
        F("last_used_at").desc(nulls_last=True), "-pk"
    )
