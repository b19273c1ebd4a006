"""A new password by mail, for somebody who has forgotten theirs.

Whoever asks is told the same, whether or not somebody is called so: the looking up is done by a
worker, so that not even the time of the answer says more.
"""

import hashlib
import logging
import uuid
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import LinkAsked, Person, User
from annotation.operations import audit, failed_tries, people, personal_tokens, sign_ins
from evalsite import addresses, errors, queue, turns

logger = logging.getLogger(__name__)

#: So often within an hour a link is sent for the same name: asked from one address, and from everywhere,
#: where the mails of before still let its person in; and for any names from one address.
MOST_FOR_ONE, MOST_FOR_ONE_ANYWHERE, MOST_FROM_ONE = 3, 10, 20
WITHIN = timedelta(hours=1)
JOB, TELL_JOB = "annotation.jobs.send_password_links", "annotation.jobs.tell_of_change"
#: Signed with the password's hash and the last sign-in: used once, or outlived by either.
tokens = PasswordResetTokenGenerator()


#: What somebody is told of: that their password, or their address, is another one now.
PASSWORD, ADDRESS = "password", "address"


class LinkIsOver(errors.Conflict):
    """The link was used, its time is over, or it never was one."""

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
    turns.take([whom, where])
    recent = LinkAsked.objects.filter(at__gt=now - WITHIN)
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


def send_links(*, given: str, address: str) -> int:
    """Send a link to everybody who is called so, or has this e-mail; return how many went out."""
    people_meant = (
        Person.objects.filter(
            Q(user__username__iexact=given) | Q(email__iexact=given), user__is_active=True
        )
        .exclude(email="")
        .select_related("user")
        .order_by("pk")
    )
    return sum(_send(person, address) for person in people_meant[:MOST_FROM_ONE])


def _send(person: Person, address: str) -> int:
    path = reverse("password_link", args=[person.user.public_id, tokens.make_token(person.user)])
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    lines = [
        _("Hello %(name)s,") % {"name": person.name},
        "",
        _("somebody, probably you, asked for a new password for %(username)s.")
        % {"username": person.user.username},
        _("Set one here; the link works once, within %(hours)d h:") % {"hours": hours},
        "",
        f"{address}{path}",
        "",
        _("If you did not ask, do nothing: your password stays as it is."),
    ]
    return _mail(person.email, _("A new password"), lines)


def user_of(public_id: uuid.UUID, token: str) -> User | None:
    """Return whose link this is, while it works."""
    user = User.objects.filter(public_id=public_id, is_active=True).first()
    return user if user is not None and tokens.check_token(user, token) else None


@transaction.atomic
def set_by_link(*, public_id: uuid.UUID, token: str, new: str, now: datetime) -> User:
    """Set a new password with a link; every device is signed out.

    Raises:
        LinkIsOver: the link was used, or its time is over.
        people.WeakPassword: the password is too easy to guess.
    """
    user = User.objects.select_for_update().filter(public_id=public_id, is_active=True).first()
    if user is None or not tokens.check_token(user, token):
        raise LinkIsOver(_("This link does not work any more. Ask for a new one."))
    people.set_password(user=user, new=new, field="new")
    sign_ins.end_others(user=user, but="")
    audit.record(
        project=None,
        actor=user,
        verb="password.set_by_link",
        subject=f"user:{user.public_id}",
        at=now,
    )
    tell_later(user=user, what=PASSWORD)
    return user


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
    doors = failed_tries.prompt_doors(user_id=user.pk, address=address)
    tried = failed_tries.begin(doors=doors, now=now)
    if not user.check_password(given):
        message = _("This is not your password. Nothing was changed; try again.")
        raise people.WrongPassword(message, fields={field: [message]})
    failed_tries.succeed(tried)


def change_own(
    *, user: User, old: str, new: str, address: str, now: datetime, revoke_tokens: bool = False
) -> None:
    """Replace one's own password, and be told so by mail; the tokens of programs go where it is asked.

    Raises:
        people.WrongPassword: the old password is not the one in use.
        failed_tries.TooManyTries: too many were wrong lately.
        people.WeakPassword: the new one is too easy to guess.
    """
    confirm(user=user, given=old, address=address, now=now, field="old")
    with transaction.atomic():
        people.set_password(user=user, new=new, field="new")
        audit.record(
            project=None,
            actor=user,
            verb="password.changed",
            subject=f"user:{user.public_id}",
            at=now,
        )
        if revoke_tokens:
            personal_tokens.revoke_all(user=user, by=user, now=now)
        tell_later(user=user, what=PASSWORD)


@transaction.atomic
def edit_own(*, user: User, name: str, email: str, daily_mail: bool, now: datetime) -> None:
    """Change one's own name and address; the old address is told where mails go from now on."""
    before = Person.objects.filter(user=user).values_list("email", flat=True).first() or ""
    people.edit_person(user=user, name=name, email=email, daily_mail=daily_mail, now=now)
    if before and before.casefold() != email.casefold():
        tell_later(user=user, what=ADDRESS, to=before)


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
    said = (
        _("the password of %(username)s was changed; other devices are signed out.")
        if what == PASSWORD
        else _("the e-mail address of %(username)s was changed; mails go to the new one.")
    )
    lines = [
        _("Hello %(name)s,") % {"name": person.name},
        "",
        said % {"username": person.user.username},
        _("If that was not you, tell whoever runs this site at once."),
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
