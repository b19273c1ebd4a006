"""Tries to get in, and passwords.

* Tries to get in: each is written down before anything is looked at, and taken back if it was right.
* Passwords: a new one by mail for whoever has forgotten theirs, and what is asked for one's own.
"""

import hashlib
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import translation

from annotation.common.sentences import gettext as _
from annotation.people import audit, rights
from annotation.people import operations as people
from annotation.people import queries as projects
from annotation.people import tokens as personal_tokens
from annotation.people.models import (
    AuditEvent,
    FailedTry,
    LinkAsked,
    PasswordLink,
    Person,
    Project,
    User,
)
from evalsite import errors, queue
from evalsite.db import locks
from evalsite.web import addresses

WITHIN: Final = timedelta(minutes=15)
KEPT: Final = timedelta(days=1)
#: So many tokens, or links of one sort, from one network address may be wrong within this time.
TOKENS: Final = 20
#: So many passwords of one user name may be wrong, from one network address or one known device.
PASSWORDS: Final = 10
#: From so many wrong ones of one name everywhere, an address gets fewer; none is kept out by the others.
PASSWORDS_ANYWHERE: Final = 100
PASSWORDS_UNDER_ATTACK: Final = 3
#: So many passwords from one network address may be wrong, whosever they are: people share one.
PASSWORDS_FROM_ONE: Final = 50
#: So many of one name from the wide network (/48) that one customer of a provider may have in IPv6.
PASSWORDS_FROM_WIDE: Final = 100
WIDE: Final = 48


class TooManyTries(errors.Refusal):
    """So much was wrong that nothing is looked at for a while, right or wrong."""

    code = "too_many"
    status = 429


@dataclass(frozen=True)
class Door:
    """What tries are counted under, and how many are borne; without a number they are only counted."""

    what: str
    most: int | None

    @property
    def sha(self) -> str:
        """Return a hash that says nothing without the site's secret key."""
        return hashlib.sha256(f"{settings.SECRET_KEY}/tried/{self.what}".encode()).hexdigest()


@dataclass(frozen=True)
class SignInTry:
    """A try that was written down; how it ends is not known yet."""

    doors: Sequence[Door]
    keys: Sequence[int]


def begin(*, doors: Sequence[Door], now: datetime) -> SignInTry:
    """Write a try down, before what was given is looked at.

    Raises:
        TooManyTries: at one of these doors too many were wrong; nothing is written then.
    """
    with transaction.atomic():
        locks.take(door.sha for door in doors)
        if any(door.most is not None and _recent(door, now) >= door.most for door in doors):
            raise TooManyTries(_wait())
        rows = FailedTry.objects.bulk_create(FailedTry(from_sha=one.sha, at=now) for one in doors)
    return SignInTry(doors, [row.pk for row in rows])


def succeed(tried: SignInTry) -> None:
    """Take back a try that was right, and what its first door counted before; others gain nothing by it."""
    FailedTry.objects.filter(pk__in=tried.keys).delete()
    FailedTry.objects.filter(from_sha=tried.doors[0].sha).delete()


def sign_in_doors(*, name: str, address: str, device: str, now: datetime) -> list[Door]:
    """Return what a password given at the sign-in counts under.

    Args:
        name: the user name as typed; whether there is somebody of this name does not matter.
        address: the network address that asks.
        device: where this account has signed in on it before, its name; it is then counted alone.
    """
    name = name.strip().casefold()
    if device:
        return [Door(f"device/{device}/name/{name}", PASSWORDS)]
    line, wide = addresses.line_of(address), addresses.line_of(address, bits=WIDE)
    anywhere = Door(f"name/{name}", None)
    attacked = _recent(anywhere, now) >= PASSWORDS_ANYWHERE
    most = PASSWORDS_UNDER_ATTACK if attacked else PASSWORDS
    doors = [
        Door(f"{line}/name/{name}", most),
        Door(f"{line}/names", PASSWORDS_FROM_ONE),
        anywhere,
    ]
    return [*doors, Door(f"{wide}/name/{name}", PASSWORDS_FROM_WIDE)] if wide != line else doors


def prompt_doors(*, user_id: int, address: str) -> list[Door]:
    """Return what a password counts under that is asked for once more of somebody who is signed in."""
    line = addresses.line_of(address)
    return [Door(f"prompt/{user_id}/{line}", PASSWORDS), Door(f"prompt/{user_id}", TOKENS)]


def token_doors(*, address: str) -> list[Door]:
    """Return what a token counts under that lets nobody in."""
    return [Door(addresses.line_of(address), TOKENS)]


def set_up_doors(*, address: str) -> list[Door]:
    """Return what a set-up link counts under that is not the one."""
    return [Door(f"set-up/{addresses.line_of(address)}", TOKENS)]


def note_wrong_link(*, address: str, now: datetime) -> bool:
    """Write down that an invitation, or a link to a new password, was none; return whether too many were.

    A link that works is opened nonetheless: nobody can guess one, and others may share the address.
    """
    try:
        begin(doors=[Door(f"link/{addresses.line_of(address)}", TOKENS)], now=now)
    except TooManyTries:
        return True
    return False


def forget(*, now: datetime) -> int:
    """Forget tries of more than a day ago; return how many."""
    return FailedTry.objects.filter(at__lt=now - KEPT).delete()[0]


def _recent(door: Door, now: datetime) -> int:
    return FailedTry.objects.filter(from_sha=door.sha, at__gt=now - WITHIN).count()


def _wait() -> str:
    minutes = int(WITHIN.total_seconds() // 60)
    return _("Too many tries were wrong. Wait %(n)d minutes and try again.") % {"n": minutes}


logger = logging.getLogger(__name__)

#: So often within an hour a link is sent for the same name: asked from one address, and from everywhere,
#: where the mails of before still let its person in; and for any names from one address.
MOST_FOR_ONE, MOST_FOR_ONE_ANYWHERE, MOST_FROM_ONE = 3, 10, 20
#: So many links an hour are mailed to one address, whosever they are.
MOST_TO_ONE = 10
#: So often within a day somebody changes their address: the old one is told each time.
ADDRESSES_A_DAY = 5
LINK_WITHIN = timedelta(hours=1)
JOB, TELL_JOB = "annotation.jobs.send_password_links", "annotation.jobs.tell_of_change"
#: Signed with the password's hash and the last sign-in: used once, or outlived by either.
tokens = PasswordResetTokenGenerator()


#: What somebody is told of: that their password, or their address, is another one now.
PASSWORD, ADDRESS = "password", "address"


class TooManyAddresses(errors.Conflict): ...


class PasswordLinkIsOver(errors.Conflict):
    """The link was used or taken back, its time is over, or it never was one."""

    code = "link_is_over"


@transaction.atomic
def ask(*, given: str, from_address: str, site: str, now: datetime) -> bool:
    """Have a link sent to whoever is called so, or has this e-mail; return whether it is not too often.

    Args:
        given: a user name or an e-mail address, as typed.
        from_address: the network address that asks.
        site: the address of the site, for the link.
    """
    whom = _sha("whom", given.strip().casefold())
    where = _sha("from", addresses.line_of(from_address))
    locks.take([whom, where])
    recent = LinkAsked.objects.filter(at__gt=now - LINK_WITHIN)
    too_often = (
        recent.filter(whom_sha=whom, from_sha=where).count() >= MOST_FOR_ONE
        or recent.filter(whom_sha=whom).count() >= MOST_FOR_ONE_ANYWHERE
        or recent.filter(from_sha=where).count() >= MOST_FROM_ONE
    )
    if too_often:
        return False
    LinkAsked.objects.create(whom_sha=whom, from_sha=where, at=now)
    queue.enqueue(JOB, given=given.strip(), address=site)
    return True


def send_links(*, given: str, address: str, now: datetime) -> int:
    """Send a link to everybody who is called so, or has this e-mail; return how many went out."""
    people_meant = (
        Person.objects.filter(
            Q(user__username__iexact=given) | Q(email__iexact=given), user__is_active=True
        )
        .exclude(email="")
        .select_related("user")
        .order_by("pk")
    )
    return sum(_send(person, address, now) for person in people_meant[:MOST_FROM_ONE])


@transaction.atomic
def make_link(*, user: User, now: datetime) -> str:
    """Return the token of a link with which somebody sets a new password; a hash of it is kept."""
    token = tokens.make_token(user)
    PasswordLink.objects.get_or_create(
        token_sha=hashlib.sha256(token.encode()).hexdigest(),
        defaults={
            "user": user,
            "made_at": now,
            "expires_at": now + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
        },
    )
    return token


def _send(person: Person, address: str, now: datetime) -> int:
    theirs = PasswordLink.objects.filter(user__person__email__iexact=person.email)
    if theirs.filter(made_at__gt=now - LINK_WITHIN).count() >= MOST_TO_ONE:
        return 0  # many accounts may give one address, and not all of them their own
    token = make_link(user=person.user, now=now)
    path = reverse("password_link", args=[person.user.public_id, token])
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    with translation.override(projects.language_of(person.user)):
        lines = [
            _("Hello %(name)s,") % {"name": person.name},
            "",
            _("somebody, probably you, asked for a new password for %(username)s.")
            % {"username": person.user.username},
            _("Set one here; the link works once, within %(hours)d h:") % {"hours": hours},
            "",
            f"{address}{path}",
            "",
            _("If you did not ask, do nothing."),
        ]
        return _mail(person.email, _("New password"), lines)


@transaction.atomic
def take_back(*, link: PasswordLink, project: Project, by: User, now: datetime) -> None:
    """Let a link to a new password work no more: by an owner of the only project of its person.

    Raises:
        PasswordLinkIsOver: it was used or taken back, its time is over, or its person has signed in since.
    """
    mine = projects.live(project, now).filter(pk=link.pk)
    if not PasswordLink.objects.filter(pk__in=mine.values("pk")).update(ended_at=now):
        raise PasswordLinkIsOver(_("This link does not work any more. Nothing was changed."))
    audit.record(
        project=project,
        actor=by,
        verb="password.link_taken_back",
        subject=f"user:{link.user.public_id}",
        at=now,
    )


def user_of(public_id: uuid.UUID, token: str, now: datetime) -> User | None:
    """Return whose link this is, while it works."""
    user = User.objects.filter(public_id=public_id, is_active=True).first()
    return user if user is not None and _works(user, token, now) else None


def _works(user: User, token: str, now: datetime) -> bool:
    kept = PasswordLink.objects.filter(
        user=user,
        token_sha=hashlib.sha256(token.encode()).hexdigest(),
        ended_at=None,
        expires_at__gt=now,
    )
    return bool(tokens.check_token(user, token)) and kept.exists()


@transaction.atomic
def set_by_link(*, public_id: uuid.UUID, token: str, new: str, now: datetime) -> User:
    """Set a new password with a link; every device is signed out, and tokens are revoked.

    Raises:
        PasswordLinkIsOver: the link was used or taken back, or its time is over.
        people.WeakPassword: the password is too easy to guess.
    """
    user = User.objects.select_for_update().filter(public_id=public_id, is_active=True).first()
    if user is None or not _works(user, token, now):
        raise PasswordLinkIsOver(_("This link does not work any more. Ask for a new one."))
    people.set_password(user=user, new=new, field="new", by=user, now=now)
    audit.record(
        project=None,
        actor=user,
        verb="password.set_by_link",
        subject=f"user:{user.public_id}",
        at=now,
    )
    tell_later(user=user, what=PASSWORD)
    return user


def change_own(
    *, user: User, old: str, new: str, address: str, now: datetime, but: str = ""
) -> bool:
    """Replace one's own password, and be told so by mail; devices but one and all tokens are out.

    With the first password of one's own an e-mail goes that was given before: whoever made the account
    knew its password, and could have given theirs, to be sent a link to a new one.

    Args:
        but: the session that stays signed in.

    Returns:
        whether an e-mail was taken out.

    Raises:
        people.WrongPassword: the old password is not the one in use.
        failed_tries.TooManyTries: too many were wrong lately.
        people.WeakPassword: the new one is too easy to guess.
    """
    confirm(user=user, given=old, address=address, now=now, field="old")
    return _replace_own(user, new, now, but)


class NotAsked(errors.Conflict):
    """The password is the person's own already."""

    code = "own_password_set"


def set_first_own(*, user: User, new: str, now: datetime, but: str = "") -> bool:
    """Replace a password that somebody else gave, at the first sign-in with it; else as `change_own`.

    Raises:
        NotAsked: nobody else knows the password in use.
        people.WeakPassword: the new one is the one in use, or too easy to guess.
    """
    if not user.must_set_password:
        raise NotAsked(_("You have set your own password already. Change it on your account page."))
    if user.check_password(new):
        message = _("You were given this one. Choose another.")
        raise people.WeakPassword(message, fields={"new": [message]})
    return _replace_own(user, new, now, but)


@transaction.atomic
def _replace_own(user: User, new: str, now: datetime, but: str) -> bool:
    takes_out = projects.is_in_other_hands(user)
    people.set_password(user=user, new=new, field="new", by=user, now=now, but=but)
    audit.record(
        project=None,
        actor=user,
        verb="password.changed",
        subject=f"user:{user.public_id}",
        at=now,
    )
    tell_later(user=user, what=PASSWORD)
    return takes_out and _take_address_out(user, now)


def _take_address_out(user: User, now: datetime) -> bool:
    given = Person.objects.filter(user=user).exclude(email="")
    taken = given.update(email="", daily_mail=False)
    if taken:
        subject = f"user:{user.public_id}"
        audit.record(
            project=None, actor=user, verb="person.address_changed", subject=subject, at=now
        )
    return bool(taken)


def reset_kept(
    *, user: User, new: str, by: User, password: str, address: str, now: datetime
) -> None:
    """Give a new password to somebody whose account one made, after one's own; they are told by mail.

    Raises:
        people.WrongPassword, failed_tries.TooManyTries: the own password is wrong.
        people.NotYourAccount: it is the person's own by now.
        people.WeakPassword: the new one is too easy to guess.
    """
    confirm(user=by, given=password, address=address, now=now, field="own")
    with transaction.atomic():
        people.reset_password(user=user, new=new, by=by, now=now)
        tell_later(user=user, what=PASSWORD)


def edit_own(
    *,
    user: User,
    name: str,
    email: str,
    daily_mail: bool,
    address: str,
    now: datetime,
    password: str = "",
) -> None:
    """Change one's own name, and one's address after one's password; the old address is told.

    Whoever reads the mails of an account can set its password: so another address asks for it.

    Raises:
        people.WrongPassword, failed_tries.TooManyTries: the address changes, and the password is wrong.
        TooManyAddresses: it was changed often within a day.
    """
    before = Person.objects.filter(user=user).values_list("email", flat=True).first() or ""
    changes = before.casefold() != email.casefold()
    if changes:
        confirm(user=user, given=password, address=address, now=now, field="password")
    with transaction.atomic():
        people.edit_person(user=user, name=name, email=email, daily_mail=daily_mail, now=now)
        if changes:
            _note_address(user, now)
            rights.end_password_links(user=user, now=now)
        if before and changes:
            tell_later(user=user, what=ADDRESS, to=before)


def _note_address(user: User, now: datetime) -> None:
    """Write down that an address changes. Each change mails somebody: there are few a day."""
    verb, subject = "person.address_changed", f"user:{user.public_id}"
    rows = AuditEvent.objects.filter(project=None, verb=verb, subject=subject)
    if rows.filter(at__gt=now - timedelta(days=1)).count() >= ADDRESSES_A_DAY:
        message = _("The address was changed %(n)d times since yesterday. Go on tomorrow.")
        said = message % {"n": ADDRESSES_A_DAY}
        raise TooManyAddresses(said, fields={"email": [said]})
    audit.record(project=None, actor=user, verb=verb, subject=subject, at=now)


def make_token(
    *, user: User, password: str, address: str, now: datetime, **given: Any
) -> personal_tokens.NewToken:
    """Make a token for oneself, after one's password: it lets in for longer than a device stays.

    Raises:
        people.WrongPassword, failed_tries.TooManyTries: the password is wrong.
        errors.Refusal: as personal_tokens.make says.
    """
    confirm(user=user, given=password, address=address, now=now, field="password")
    return personal_tokens.make(user=user, now=now, **given)


def confirm(*, user: User, given: str, address: str, now: datetime, field: str) -> None:
    """Have somebody who is signed in show that it is them. To be asked outside of a transaction.

    A refusal undoes the transaction around it, and would undo with it that the try was counted.

    Args:
        given: the password as typed.
        address: the network address that asks.
        field: under which a refusal is shown.

    Raises:
        people.WrongPassword: it is not the one in use.
        failed_tries.TooManyTries: too many were wrong lately.
    """
    if not given:
        message = _("Type your password here. Nothing was changed yet.")
        raise people.WrongPassword(message, fields={field: [message]})
    doors = prompt_doors(user_id=user.pk, address=address)
    tried = begin(doors=doors, now=now)
    if not user.check_password(given):
        message = _("This is not your password. Nothing was changed; try again.")
        raise people.WrongPassword(message, fields={field: [message]})
    succeed(tried)


def tell_later(*, user: User, what: str, to: str = "") -> None:
    """Have somebody told by mail, at this address or the one they gave."""
    to = to or Person.objects.filter(user=user).values_list("email", flat=True).first() or ""
    if to:
        queue.enqueue(TELL_JOB, user_id=user.pk, to=to, what=what)


def tell(*, user_id: int, to: str, what: str) -> int:
    """Tell somebody that their password or address was changed, in case it was not them."""
    person = Person.objects.filter(user=user_id).select_related("user").first()
    if person is None:
        return 0
    with translation.override(projects.language_of(person.user)):
        said = (
            _("the password of %(username)s was changed; other devices are signed out.")
            if what == PASSWORD
            else _("the e-mail address of %(username)s was changed.")
        )
        lines = [
            _("Hello %(name)s,") % {"name": person.name},
            "",
            said % {"username": person.user.username},
            _("If that was not you, tell whoever runs this site."),
        ]
        return _mail(to, _("Your account was changed"), lines)


def _mail(to: str, subject: str, lines: list[str]) -> int:
    try:
        return send_mail(subject, "\n".join(lines) + "\n", None, [to])
    except (OSError, SMTPException) as problem:
        logger.warning("The mail server did not take a mail: %s.", type(problem).__name__)
        return 0


def _sha(kind: str, text: str) -> str:
    """Return a hash that says nothing without the site's secret key."""
    return hashlib.sha256(f"{settings.SECRET_KEY}/{kind}/{text}".encode()).hexdigest()
