"""Invite people to a project by links, one or many at once; let in whoever comes with one."""

import hashlib
import logging
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from smtplib import SMTPException
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db import transaction
from django.utils import formats, translation

from annotation.common.sentences import gettext as _
from annotation.people import audit, rules
from annotation.people import operations as people
from annotation.people import queries as projects
from annotation.people.models import Invitation, Project, Role, User
from evalsite import errors

logger = logging.getLogger(__name__)

TOKEN_BYTES: Final = 24
#: So many links of one project work at a time.
MOST: Final = 500
#: To so many addresses one person has links mailed within a day.
MAILS_A_DAY: Final = 200
_ADDRESS: Final = re.compile(r"[^\s<>,;:\"()]+@[^\s<>,;:\"()]+")


class RolesMissing(errors.Invalid): ...


class TooManyInvitations(errors.Conflict): ...


class TooManyMails(errors.Conflict):
    code = "too_many_mails"


class NobodyToMail(errors.Invalid): ...


@dataclass(frozen=True)
class Invited:
    """An invitation with its link, which is kept nowhere."""

    invitation: Invitation
    link: str

    @property
    def email(self) -> str:
        return address_in(self.invitation.whom)


class InvitationNotOpen(errors.Conflict):
    """The link was used, taken back, or its time is over."""


@transaction.atomic
def invite(
    *, project: Project, whom: str, roles: Iterable[Role], days: int, by: User, now: datetime
) -> tuple[Invitation, str]:
    """Make a link for one person; return it with its secret, which is kept nowhere.

    Raises:
        RolesMissing: it would give no role.
        BadPeriod: it is to work for no day, or for too many.
        TooManyInvitations: the project has many links that work.
    """
    given = sorted(Role(one).value for one in set(roles))
    if not given:
        message = _("Tick at least one role.")
        raise RolesMissing(message, fields={"roles": [message]})
    if days not in rules.INVITED_FOR:
        message = _("A link works for 1 to %(most)d days.") % {"most": rules.INVITED_FOR[-1]}
        raise errors.BadPeriod(message, fields={"days": [message]})
    if projects.open_ones(now).filter(project=project).count() >= MOST:
        said = _("This project has %(n)d links that work. Take back those that nobody needs.")
        raise TooManyInvitations(said % {"n": MOST})
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
    audit.done(made, "invitation.made", by, now, note=whom, roles=given, days=days)
    return made, token


@transaction.atomic
def invite_all(
    *,
    project: Project,
    whom: Collection[str],
    roles: Collection[Role],
    days: int,
    by: User,
    now: datetime,
    mail: bool = False,
) -> list[tuple[Invitation, str]]:
    """Make a link for each of several people, or for none; each with its secret.

    Args:
        mail: whether they are to be mailed, as `send` does afterwards.

    Raises:
        RolesMissing, BadPeriod, TooMany: as for one.
        NobodyToMail: no line holds an address.
        TooManyMails: it would be too many within a day.
    """
    if mail:
        _check_mails(whom, by, now)
    given: dict[str, Any] = {"project": project, "roles": roles, "days": days, "by": by, "now": now}
    return [invite(whom=one, **given) for one in whom]


def _check_mails(whom: Collection[str], by: User, now: datetime) -> None:
    n = sum(1 for one in whom if address_in(one))
    if not n:
        message = _("No line holds an e-mail address. Add one, or send the links yourself.")
        raise NobodyToMail(message, fields={"whom": [message]})
    today = Invitation.objects.filter(created_by=by, created_at__gt=now - timedelta(days=1))
    if today.filter(whom__contains="@").count() + n > MAILS_A_DAY:
        said = _(
            "You may mail %(n)d invitations a day. Send the links yourself, or go on tomorrow."
        )
        raise TooManyMails(said % {"n": MAILS_A_DAY})


def send(*, invited: Sequence[Invited], by: User) -> list[Invited]:
    """Mail each link to the address its line holds; return those that were not taken.

    To be asked outside of a transaction: it speaks to the mail server.
    """
    addressed = [one for one in invited if one.email]
    connection = get_connection()
    try:
        connection.open()
        taken = [one for one in addressed if _is_taken(one, by, connection)]
        connection.close()
    except (OSError, SMTPException) as problem:
        logger.warning("The mail server does not answer: %s.", type(problem).__name__)
        return list(invited)
    return [one for one in invited if one not in taken]


def _is_taken(one: Invited, by: User, connection: Any) -> bool:
    made = one.invitation
    with translation.override(made.project.language or settings.LANGUAGE_CODE):
        names = {"project": made.project.name, "by": by.display_name}
        lines = [
            _("Hello,"),
            "",
            _("%(by)s invites you to %(project)s. Open this link to join:") % names,
            "",
            one.link,
            "",
            _("It works once, until %(day)s.") % {"day": formats.date_format(made.expires_at)},
        ]
        subject = _("Invitation to %(project)s") % names
    text = "\n".join(lines) + "\n"
    try:
        EmailMessage(subject, text, None, [one.email], connection=connection).send()
    except (OSError, SMTPException) as problem:
        logger.warning("The mail server did not take a mail: %s.", type(problem).__name__)
        return False
    return True


def sends_mail() -> bool:
    """Say whether mails leave this site; without a mail server they are printed."""
    return not str(settings.EMAIL_BACKEND).endswith("console.EmailBackend")


def opens_only_here(link: str) -> bool:
    """Say whether a link leads to the machine it is opened on, whichever that is."""
    host = urlsplit(link).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def address_in(whom: str) -> str:
    """Return the e-mail address in a line such as “Anna Berg <anna@berg.example>”, or ""."""
    found = _ADDRESS.search(whom)
    try:
        validate_email(found[0] if found else "")
    except ValidationError:
        return ""
    return found[0] if found else ""


def name_in(whom: str) -> str:
    """Return what somebody is probably called: what stands beside the address, else what it begins with."""
    address = address_in(whom)
    beside = whom.replace(address, "").strip(" \t<>,;\"'()") if address else whom.strip()
    return beside or re.sub(r"[._+-]+", " ", address.partition("@")[0]).strip().title()


@transaction.atomic
def revoke(*, invitation: Invitation, by: User, now: datetime) -> None:
    """Take a link back.

    Raises:
        InvitationNotOpen: somebody has used it already.
    """
    changed = Invitation.objects.filter(pk=invitation.pk, used_at__isnull=True).update(
        revoked_at=now
    )
    if not changed:
        raise InvitationNotOpen(_("Somebody has come in with this link. End their roles instead."))
    audit.done(invitation, "invitation.revoked", by, now)


@transaction.atomic
def accept(*, token: str, user: User, now: datetime) -> Project:
    """Give somebody who has an account the roles of a link; it is used up by that.

    Raises:
        InvitationNotOpen: the link was used, taken back, its time or the right of its maker is over, or the
            person lost since what it gives.
    """
    found = _take(token, user, now)
    for role in found.roles:
        people.grant(project=found.project, user=user, role=Role(role), by=user, now=now)
    audit.done(found, "invitation.used", user, now)
    return found.project


@transaction.atomic
def accept_as_new(*, token: str, username: str, name: str, password: str, now: datetime) -> User:
    """Make an account for whoever comes with a link, and give it the roles.

    Raises:
        InvitationNotOpen: the link was used, taken back, or its time is over.
        people.NameTaken: somebody has this user name.
        people.WeakPassword: the password is too easy to guess.
    """
    if projects.open_one(token, now) is None:
        raise InvitationNotOpen(closed())
    user = people.create_account(username=username, name=name, password=password, by=None, now=now)
    accept(token=token, user=user, now=now)
    return user


def closed() -> str:
    return _("This link does not work any more. Ask whoever sent it for a new one.")


def _take(token: str, user: User, now: datetime) -> Invitation:
    found = projects.open_one(token, now)
    if found is not None and projects.has_left_since(found, user):
        raise InvitationNotOpen(
            _("Your role has ended since this link was made. Ask an owner for a new one.")
        )
    if found is not None:
        taken = Invitation.objects.filter(
            pk=found.pk, used_at__isnull=True, revoked_at__isnull=True
        ).update(used_at=now, used_by=user)
        if taken:
            return found
    raise InvitationNotOpen(closed())
