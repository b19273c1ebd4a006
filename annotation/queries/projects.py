"""Reads about projects and the people in them."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

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
            name=held[0].user.display_name,
            roles=in_order(Role(row.role) for row in held if row.ended_at is None),
            ended=in_order(Role(row.role) for row in held if row.ended_at is not None),
            since=min(row.created_at for row in held),
        )
        for held in by_user.values()
    ]
    return sorted(members, key=lambda one: (not one.roles, one.name.lower(), one.user.username))


def may_start(user: User) -> bool:
    """Return whether somebody may start a project: what they could do with one is the operator's risk."""
    return starters().filter(pk=user.pk).exists()


def starters() -> "QuerySet[User]":
    """Return who may start a project."""
    everybody = User.objects.filter(is_active=True)
    if settings.PROJECT_STARTERS == "everybody":
        return everybody
    if settings.PROJECT_STARTERS == "operators":
        return everybody.filter(is_superuser=True)
    owned = Membership.objects.active().filter(user=OuterRef("pk"), role=Role.OWNER)
    return everybody.filter(Q(is_superuser=True) | Q(may_start_projects=True) | Exists(owned))


def how_to_start() -> str:
    """Say how somebody comes to a project of their own who may not start one."""
    if settings.PROJECT_STARTERS == "operators":
        return _(
            "Only operators of this site start projects. Ask them for one; they make you its owner."
        )
    return _(
        "Projects are started by owners of a project and by operators of this site. Ask an owner to "
        "start one and make you its owner, or ask an operator to allow you to start projects."
    )


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


#: Deeds after which an account is the person's own: the password is one that its maker never knew.
OWN_PASSWORD = ("password.changed", "password.set_by_link")


def keeps_account(*, by: User, user: User) -> bool:
    """Return whether an account is still in the hands of whoever made it, and that is this owner.

    It is until the person sets a password of their own or belongs to a second project.
    """
    if not user.is_active or user.is_superuser or not _owns_all_of(by, user):
        return False
    deeds = AuditEvent.objects.filter(project=None, subject=f"user:{user.public_id}")
    made = deeds.filter(verb="account.created", actor=by.public_id).exists()
    by_operator = Q(verb="password.reset", actor=None)
    return made and not deeds.filter(Q(verb__in=OWN_PASSWORD) | by_operator).exists()


def is_in_other_hands(user: User) -> bool:
    """Return whether somebody else made this account, and its person has set no password of their own yet."""
    deeds = AuditEvent.objects.filter(project=None, subject=f"user:{user.public_id}")
    made = deeds.filter(verb="account.created").exclude(actor=None)
    return made.exists() and not deeds.filter(verb__in=OWN_PASSWORD).exists()


def _owns_all_of(by: User, user: User) -> bool:
    """Return whether somebody ever belonged to one project only, which this person owns."""
    homes = set(Membership.objects.filter(user=user).values_list("project", flat=True))
    owned = Membership.objects.active().filter(user=by, role=Role.OWNER, project__in=homes)
    return len(homes) == 1 and owned.exists()


def who_keeps() -> str:
    """Say who may set a password for somebody, or erase them."""
    return _(
        "Only whoever made this account can set a new password or erase the person: as an owner of "
        "this project, and until the person sets a password of their own or joins a second project. "
        "The person can do both on their own page, whoever runs the server on the command line."
    )
