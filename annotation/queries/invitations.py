"""Reads about links that invite people."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Invitation, Project, Role
from annotation.queries import projects

SHOWN = 50


@dataclass(frozen=True)
class Line:
    """A link, and what became of it: "open", "used", "revoked" or "over"."""

    invitation: Invitation
    roles: list[Role]
    state: str
    used_by: str


def open_one(token: str, now: datetime) -> Invitation | None:
    """Return the invitation of a link that still works."""
    sha = hashlib.sha256(token.encode()).hexdigest()
    rows = Invitation.objects.filter(token_sha=sha, used_at=None, revoked_at=None)
    return rows.filter(expires_at__gt=now).select_related("project", "created_by__person").first()


def list_of(project: Project, now: datetime) -> list[Line]:
    """Return the newest links of a project."""
    rows = Invitation.objects.filter(project=project).select_related("used_by__person")
    return [_line(one, now) for one in rows[:SHOWN]]


def line_of(project: Project, pk: int, now: datetime) -> Line:
    """Return one link of a project."""
    rows = Invitation.objects.filter(project=project).select_related("used_by__person")
    return _line(rows.get(pk=pk), now)


def _line(one: Invitation, now: datetime) -> Line:
    return Line(
        one,
        projects.in_order(Role(role) for role in one.roles),
        _state(one, now),
        one.used_by.display_name if one.used_by else "",
    )


def _state(one: Invitation, now: datetime) -> str:
    if one.used_at is not None:
        return "used"
    if one.revoked_at is not None:
        return "revoked"
    return "open" if one.expires_at > now else "over"
