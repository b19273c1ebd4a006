"""Invite people to a project by a link; let in whoever comes with it."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Invitation, Project, Role, User
from annotation.operations import audit, people
from annotation.queries import invitations
from evalsite import errors

TOKEN_BYTES = 24
DAYS = range(1, 91)
#: So many links of one project work at a time.
MOST = 500


class RolesMissing(errors.Invalid):
    code = "roles_missing"


class BadPeriod(errors.Invalid):
    code = "bad_period"


class TooMany(errors.Conflict):
    code = "too_many_invitations"


class NotOpen(errors.Conflict):
    """The link was used, taken back, or its time is over."""

    code = "invitation_not_open"


@transaction.atomic
def invite(
    *, project: Project, whom: str, roles: Iterable[Role], days: int, by: User, now: datetime
) -> tuple[Invitation, str]:
    """Make a link for one person; return it with its secret, which is kept nowhere.

    Raises:
        RolesMissing: it would give no role.
        BadPeriod: it is to work for no day, or for too many.
        TooMany: the project has many links that work.
    """
    given = sorted(Role(one).value for one in set(roles))
    if not given:
        message = _("Tick at least one role.")
        raise RolesMissing(message, fields={"roles": [message]})
    if days not in DAYS:
        message = _("A link works for 1 to %(most)d days.") % {"most": DAYS[-1]}
        raise BadPeriod(message, fields={"days": [message]})
    if invitations.open_ones(now).filter(project=project).count() >= MOST:
        said = _("This project has %(n)d links that work. Take back those that nobody needs.")
        raise TooMany(said % {"n": MOST})
    token = secrets.token_urlsafe(TOKEN_BYTES)
    made = Invitation.objects.create(
        project=project,
        whom=whom,
        roles=given,
        token_sha=hashlib.sha256(token.encode()).hexdigest(),
        created_by=by,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    audit.record(
        project=project,
        actor=by,
        verb="invitation.made",
        subject=f"invitation:{made.pk}",
        at=now,
        note=whom,
        roles=given,
        days=days,
    )
    return made, token


@transaction.atomic
def revoke(*, invitation: Invitation, by: User, now: datetime) -> None:
    """Take a link back.

    Raises:
        NotOpen: somebody has used it already.
    """
    changed = Invitation.objects.filter(pk=invitation.pk, used_at__isnull=True).update(
        revoked_at=now
    )
    if not changed:
        raise NotOpen(_("Somebody has come in with this link. End their roles instead."))
    audit.record(
        project=invitation.project,
        actor=by,
        verb="invitation.revoked",
        subject=f"invitation:{invitation.pk}",
        at=now,
    )


@transaction.atomic
def accept(*, token: str, user: User, now: datetime) -> Project:
    """Give somebody who has an account the roles of a link; it is used up by that.

    Raises:
        NotOpen: the link was used, taken back, its time or the right of its maker is over, or the
            person lost since what it gives.
    """
    found = _take(token, user, now)
    for role in found.roles:
        people.grant(project=found.project, user=user, role=Role(role), by=user, now=now)
    audit.record(
        project=found.project,
        actor=user,
        verb="invitation.used",
        subject=f"invitation:{found.pk}",
        at=now,
    )
    return found.project


@transaction.atomic
def accept_as_new(*, token: str, username: str, name: str, password: str, now: datetime) -> User:
    """Make an account for whoever comes with a link, and give it the roles.

    Raises:
        NotOpen: the link was used, taken back, or its time is over.
        people.NameTaken: somebody has this user name.
        people.WeakPassword: the password is too easy to guess.
    """
    if invitations.open_one(token, now) is None:
        raise NotOpen(closed())
    user = people.create_account(username=username, name=name, password=password, by=None, now=now)
    accept(token=token, user=user, now=now)
    return user


def closed() -> str:
    return _("This link does not work any more. Ask whoever sent it for a new one.")


def _take(token: str, user: User, now: datetime) -> Invitation:
    found = invitations.open_one(token, now)
    if found is not None and invitations.has_left_since(found, user):
        raise NotOpen(
            _("Your role has ended since this link was made. Ask an owner for a new one.")
        )
    if found is not None:
        taken = Invitation.objects.filter(
            pk=found.pk, used_at__isnull=True, revoked_at__isnull=True
        ).update(used_at=now, used_by=user)
        if taken:
            return found
    raise NotOpen(closed())
