"""Reads about links that invite people."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Invitation, Membership, Project, Role, User
from annotation.queries import projects

SHOWN = 50


@dataclass(frozen=True)
class Line:
    """A link, and what became of it: "open", "used", "revoked" (also with the right of its maker) or "over"."""

    invitation: Invitation
    roles: list[Role]
    state: str
    used_by: str
    made_by: str


def open_one(token: str, now: datetime) -> Invitation | None:
    """Return the invitation of a link that still works."""
    sha = hashlib.sha256(token.encode()).hexdigest()
    rows = open_ones(now).filter(token_sha=sha)
    return rows.select_related("project", "created_by__person").first()


def open_ones(now: datetime) -> "QuerySet[Invitation]":
    """Return the links that let somebody in: as long as whoever made one may make links."""
    rows = Invitation.objects.filter(used_at=None, revoked_at=None, expires_at__gt=now)
    return rows.filter(_made_by_an_owner())


def has_left_since(invitation: Invitation, user: User) -> bool:
    """Return whether somebody lost what a link gives after it was made: it does not bring that back."""
    rows = Membership.objects.filter(project=invitation.project_id, user=user)
    lost = set(rows.filter(ended_at__gte=invitation.created_at).values_list("role", flat=True))
    return not lost.isdisjoint(invitation.roles) or bool(lost and not rows.active().exists())


def list_of(project: Project, now: datetime) -> list[Line]:
    """Return every link of a project that works, and then the newest of those that do not."""
    rows = Invitation.objects.filter(project=project).annotate(is_backed=_made_by_an_owner())
    rows = rows.select_related("used_by__person", "created_by__person")
    works = Q(pk__in=open_ones(now).filter(project=project).values("pk"))
    return [_line(one, now) for one in [*rows.filter(works), *rows.exclude(works)[:SHOWN]]]


def line_of(project: Project, pk: int, now: datetime) -> Line:
    """Return one link of a project."""
    rows = Invitation.objects.filter(project=project).annotate(is_backed=_made_by_an_owner())
    rows = rows.select_related("used_by__person", "created_by__person")
    return _line(rows.get(pk=pk), now)


def _line(one: Any, now: datetime) -> Line:
    return Line(
        one,
        projects.in_order(Role(role) for role in one.roles),
        _state(one, now),
        one.used_by.display_name if one.used_by else "",
        one.created_by.display_name,
    )


def _made_by_an_owner() -> Exists:
    owners = Membership.objects.active().filter(
        project=OuterRef("project"), user=OuterRef("created_by"), role=Role.OWNER
    )
    return Exists(owners.filter(user__is_active=True))


def _state(one: Any, now: datetime) -> str:
    if one.used_at is not None:
        return "used"
    if one.revoked_at is not None or (one.expires_at > now and not one.is_backed):
        return "revoked"
    return "open" if one.expires_at > now else "over"
