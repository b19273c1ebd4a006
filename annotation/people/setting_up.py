"""Whether a site waits for its first account.

* The first account of a site: made by whoever can read its log, never by whoever comes first.
"""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.people import audit
from annotation.people import operations as people
from annotation.people.models import SetUpLink, User
from evalsite import errors
from evalsite.db import locks


def is_needed() -> bool:
    """Say whether nobody has an account yet."""
    return not User.objects.exists()


TOKEN_BYTES: Final = 24
#: A link in a log is found long after; a new one is printed at every start.
WORKS_FOR: Final = timedelta(days=7)


class AlreadySetUp(errors.Conflict):
    """Somebody has an account here."""


class SetupLinkIsOver(errors.Conflict):
    """It is not the newest link, its time is over, or it never was one."""

    code = "link_is_over"


@transaction.atomic
def make_link(*, now: datetime) -> str:
    """Make the secret of a new set-up link, which is kept nowhere; the one before works no more.

    Raises:
        AlreadySetUp: the site has an account.
    """
    if not is_needed():
        raise AlreadySetUp(_("This site has accounts already. An owner can invite more people."))
    token = secrets.token_urlsafe(TOKEN_BYTES)
    SetUpLink.objects.all().delete()
    SetUpLink.objects.create(token_sha=sha(token), made_at=now, expires_at=now + WORKS_FOR)
    return token


@transaction.atomic
def make_first_owner(*, token: str, username: str, name: str, password: str, now: datetime) -> User:
    """Make the first account of the site for whoever comes with the set-up link, which is used up by it.

    Raises:
        SetupLinkIsOver: the link does not work, or somebody was faster.
        people.WeakPassword: the password is too easy to guess.
    """
    locks.take(["set-up"])
    if not works(token=token, now=now):
        raise SetupLinkIsOver(
            _("This link does not work any more. Sign in, or ask for a new link.")
        )
    user = people.create_account(
        username=username,
        name=name,
        password=password,
        by=None,
        now=now,
        may_start_projects=True,
    )
    SetUpLink.objects.all().delete()
    audit.record(
        project=None, actor=user, verb="site.set_up", subject=f"user:{user.public_id}", at=now
    )
    return user


def works(*, token: str, now: datetime) -> bool:
    """Say whether this is the link, while nobody has an account."""
    links = SetUpLink.objects.filter(token_sha=sha(token), expires_at__gt=now)
    return is_needed() and links.exists()


def sha(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
