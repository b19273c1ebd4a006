"""Reads about projects and the people in them.

* Reads about links that invite people.
* Where somebody is signed in, in words.
* The tokens of a person, as their page lists them, and those that open a project, as its owner sees them.
* What a project has set: the section that holds, and those that held before.
* Links to a new password that were mailed and still work, as an owner sees them.
* Where a question stands and how a person stands to it: what the rules of the bank decide by.
"""

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.common import identity
from annotation.people.models import (
    AuditEvent,
    Invitation,
    Membership,
    PasswordLink,
    PersonalToken,
    Project,
    Role,
    SettingsVersion,
    SignIn,
    User,
)
from annotation.people.rules import Bank, Masks, Retention, Section, Verdicts
from evalsite.web import languages


@dataclass(frozen=True)
class Mine:
    """A project somebody belongs to, and as what."""

    project: Project
    roles: list[Role]


@dataclass(frozen=True)
class ProjectMember:
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


def list_members(project: Project) -> list[ProjectMember]:
    """Return everybody who ever belonged to a project: those who still do first, by name."""
    rows = Membership.objects.filter(project=project).select_related("user__person")
    by_user: dict[int, list[Membership]] = {}
    for row in rows:
        by_user.setdefault(row.user_id, []).append(row)
    members = [
        ProjectMember(
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
        return _("Only operators start projects. Ask them for one.")
    return _("Ask an owner of a project or an operator to start one for you.")


def members_of(project: Project) -> "QuerySet[User]":
    """Return the accounts that belong to a project, or did."""
    return User.objects.filter(memberships__project=project).distinct()


def names_of(public_ids: Iterable[uuid.UUID | None]) -> dict[uuid.UUID, str]:
    """Return what the people behind these public ids are called now."""
    wanted = {one for one in public_ids if one is not None}
    users = User.objects.filter(public_id__in=wanted).select_related("person")
    return {user.public_id: user.display_name for user in users}


def language_of(user: User) -> str:
    """Return the language of mails to somebody: their own, else that of a project of theirs, else English."""
    mine = Membership.objects.active().filter(user=user).exclude(project__language="")
    of_project = mine.order_by("pk").values_list("project__language", flat=True)
    known = [one for one in (user.language, *of_project) if one in languages.offered()]
    return known[0] if known else settings.LANGUAGE_CODE


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
        "Only the person sets a new password or erases the account, or the operator on the "
        "command line."
    )


SHOWN = 50


@dataclass(frozen=True)
class InvitationLine:
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


def live_invitations(project: Project, now: datetime) -> list[InvitationLine]:
    """Return every link of a project that works, and then the newest of those that do not."""
    rows = Invitation.objects.filter(project=project).annotate(is_backed=_made_by_an_owner())
    rows = rows.select_related("used_by__person", "created_by__person")
    works = Q(pk__in=open_ones(now).filter(project=project).values("pk"))
    return [_line(one, now) for one in [*rows.filter(works), *rows.exclude(works)[:SHOWN]]]


def line_of(project: Project, pk: int, now: datetime) -> InvitationLine:
    """Return one link of a project."""
    rows = Invitation.objects.filter(project=project).annotate(is_backed=_made_by_an_owner())
    rows = rows.select_related("used_by__person", "created_by__person")
    return _line(rows.get(pk=pk), now)


def _line(one: Any, now: datetime) -> InvitationLine:
    return InvitationLine(
        one,
        in_order(Role(role) for role in one.roles),
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


#: A sign in what a browser says of itself, and what it is called; the first that fits.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True)
class Device:
    pk: int
    name: str
    since: datetime
    is_this: bool


def devices_of(user: User, this: str | None, now: datetime) -> list[Device]:
    """Return the devices of somebody that are signed in, this one first.

    Args:
        this: the key of the session that asks.
    """
    there = Session.objects.filter(expire_date__gt=now).values("session_key")
    rows = SignIn.objects.filter(user=user, session_key__in=there)
    found = [Device(one.pk, name_of(one.agent), one.at, one.session_key == this) for one in rows]
    return sorted(found, key=lambda one: not one.is_this)


def name_of(agent: str) -> str:
    """Return a browser and its system as people call them."""
    browser = next((name for sign, name in BROWSERS if sign in agent), "")
    system = next((name for sign, name in SYSTEMS if sign in agent), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("An unnamed device")


#: So many that work no more are listed.
SHOWN_OVER = 20
#: And so many that open a project.
SHOWN_REACHING = 200


@dataclass(frozen=True)
class TokenLine:
    """A token, and whether it works."""

    token: PersonalToken
    works: bool

    @property
    def is_revoked(self) -> bool:
        return self.token.revoked_at is not None


def tokens_of(user: User, now: datetime) -> list[TokenLine]:
    """Return those that work, the newest first, then the last ones that do not any more."""
    rows = PersonalToken.objects.filter(user=user).select_related("project").order_by("-pk")
    working = [TokenLine(one, True) for one in rows.working(now)]
    over = rows.exclude(pk__in=[one.token.pk for one in working])[:SHOWN_OVER]
    return [*working, *(TokenLine(one, False) for one in over)]


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


MOST_VERSIONS = 20


def newest(project: Project, section: Section) -> SettingsVersion | None:
    rows = SettingsVersion.objects.filter(project=project, section=section)
    return rows.select_related("by__person").order_by("-number").first()


def body_of(project: Project, section: Section) -> dict[str, Any]:
    rows = SettingsVersion.objects.filter(project=project, section=section)
    return rows.order_by("-number").values_list("body", flat=True).first() or {}


def bank_of(project: Project) -> Bank:
    return Bank.read(body_of(project, Section.BANK))


def masks_of(project: Project) -> Masks:
    return Masks.read(body_of(project, Section.MASKS))


def retention_of(project: Project) -> Retention:
    return Retention.read(body_of(project, Section.RETENTION))


def verdicts_of(project: Project) -> Verdicts:
    return Verdicts.read(body_of(project, Section.VERDICTS))


def lexicon(project: Project, terms: Sequence[str]) -> identity.Lexicon:
    """Return what gives a system away in a project, where these are the names of its systems."""
    return masks_of(project).lexicon(terms)


def history(project: Project, section: Section) -> list[SettingsVersion]:
    """Return the versions of a section, the newest first."""
    rows = SettingsVersion.objects.filter(project=project, section=section)
    return list(rows.select_related("by__person").order_by("-number")[:MOST_VERSIONS])


def live(project: Project, now: datetime) -> "QuerySet[PasswordLink]":
    """Return those of people who belong to this project and to no other, the newest first."""
    here = Membership.objects.active().filter(project=project).values("user")
    elsewhere = Membership.objects.active().exclude(project=project).values("user")
    unused = Q(user__last_login=None) | Q(user__last_login__lt=F("made_at"))
    rows = PasswordLink.objects.filter(unused, ended_at=None, expires_at__gt=now)
    mine = rows.filter(user__in=here, user__is_active=True).exclude(user__in=elsewhere)
    return mine.select_related("user__person").order_by("-pk")


def roles(project_id: int, user: User) -> frozenset[str]:
    rows = Membership.objects.active().filter(project_id=project_id, user=user)
    return frozenset(rows.values_list("role", flat=True))
