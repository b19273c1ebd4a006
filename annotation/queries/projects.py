"""Reads about projects and the people in them."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotation.models import AuditEvent, Membership, Project, Role, User


@dataclass(frozen=True)
class Mine:
    """A project somebody belongs to, and as what."""

    project: Project
    roles: list[Role]


@dataclass(frozen=True)
class Member:
    """Somebody who belongs to a project, or did."""

    user: User
    name: str
    roles: list[Role]
    ended: list[Role]
    since: datetime


def list_of(user: User) -> list[Mine]:
    """Return the projects of a person by name, with the roles they have there.

    With a token for one project that is the only one.
    """
    only = {} if user.confined_to is None else {"project": user.confined_to}
    rows = (
        Membership.objects.active()
        .filter(user=user, **only)
        .select_related("project")
        .order_by("project__name", "project__slug")
    )
    found: dict[int, Mine] = {}
    for row in rows:
        found.setdefault(row.project_id, Mine(row.project, [])).roles.append(Role(row.role))
    return [Mine(one.project, in_order(one.roles)) for one in found.values()]


def list_members(project: Project) -> list[Member]:
    """Return everybody who ever belonged to a project: those who still do first, by name."""
    rows = Membership.objects.filter(project=project).select_related("user__person")
    by_user: dict[int, list[Membership]] = {}
    for row in rows:
        by_user.setdefault(row.user_id, []).append(row)
    members = [
        Member(
            user=held[0].user,
            name=str(held[0].user.display_name),
            roles=in_order(Role(row.role) for row in held if row.ended_at is None),
            ended=in_order(Role(row.role) for row in held if row.ended_at is not None),
            since=min(row.created_at for row in held),
        )
        for held in by_user.values()
    ]
    return sorted(members, key=lambda one: (not one.roles, one.name.lower(), one.user.username))


def members_of(project: Project) -> "QuerySet[User]":
    """Return the accounts that belong to a project, or did."""
    return User.objects.filter(memberships__project=project).distinct()


def names_of(public_ids: Iterable[uuid.UUID | None]) -> dict[uuid.UUID, str]:
    """Return what the people behind these public ids are called now."""
    wanted = {one for one in public_ids if one is not None}
    users = User.objects.filter(public_id__in=wanted).select_related("person")
    return {user.public_id: user.display_name for user in users}


def in_order(roles: Iterable[Role]) -> list[Role]:
    """Return roles as they are listed everywhere."""
    held = set(roles)
    return [role for role in Role if role in held]


def made_account_of(*, by: User, user: User) -> bool:
    """Return whether this account was made by that person, who may then give it a new password."""
    return AuditEvent.objects.filter(
        project=None,
        verb="account.created",
        subject=f"user:{user.public_id}",
        actor=by.public_id,
    ).exists()
