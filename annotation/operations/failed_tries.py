"""Who tried to get in and could not: counted for a while by hashes, to slow down guessing."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import FailedTry
from evalsite import errors

WITHIN: Final = timedelta(minutes=15)
KEPT: Final = timedelta(days=1)
#: So many tokens from one network address may be wrong within this time.
TOKENS: Final = 20
#: So many passwords of one user name may be wrong, from one network address and from everywhere.
PASSWORDS: Final = 10
PASSWORDS_ANYWHERE: Final = 100
#: So many passwords from one network address may be wrong, whosever they are: people share one.
PASSWORDS_FROM_ONE: Final = 50


class TooManyTries(errors.Refusal):
    """So much was wrong that nothing is looked at for a while, right or wrong."""

    code = "too_many"
    status = 429


@dataclass(frozen=True)
class Door:
    """What tries are counted under, and how many are borne."""

    what: str
    most: int


@dataclass(frozen=True)
class Try:
    """A try that was written down; how it ends is not known yet."""

    doors: Sequence[Door]
    keys: Sequence[int]


def note_token(*, address: str, now: datetime) -> bool:
    """Write down that a token was wrong; return whether there were too many from this address."""
    where = _hidden(address)
    if _recent(where, now) >= TOKENS:
        return True
    FailedTry.objects.create(from_sha=where, at=now)
    return False


def is_barred(*, name: str, address: str, now: datetime) -> bool:
    """Say whether nobody may sign in by this user name from this network address for a while."""
    return any(_recent(where, now) >= most for where, most in _doors(name, address))


@transaction.atomic
def note_password(*, name: str, address: str, now: datetime) -> None:
    """Write down that a password was wrong; whether there is somebody of this name does not matter."""
    FailedTry.objects.bulk_create(
        FailedTry(from_sha=where, at=now) for where, _n in _doors(name, address)
    )


def forgive(*, name: str, address: str) -> None:
    """Begin to count anew for somebody who has signed in; others at this address gain nothing by it."""
    (where, _n), *_rest = _doors(name, address)
    FailedTry.objects.filter(from_sha=where).delete()


def prompt_doors(*, user_id: int, address: str) -> list[Door]:
    """Return what a password counts under that is asked for once more of somebody who is signed in."""
    return [Door(f"prompt/{user_id}/{address}", PASSWORDS), Door(f"prompt/{user_id}", TOKENS)]


def begin(*, doors: Sequence[Door], now: datetime) -> Try:
    """Write a try down, before what was given is looked at: those that come at once count too.

    Raises:
        TooManyTries: at one of these doors too many were wrong; nothing is left of this one.
    """
    rows = [FailedTry.objects.create(from_sha=_hidden(one.what), at=now) for one in doors]
    tried = Try(doors, [row.pk for row in rows])
    if any(_recent(_hidden(one.what), now) > one.most for one in doors):
        succeed(tried)
        raise TooManyTries(_("Too many were wrong. Wait a quarter of an hour."))
    return tried


def succeed(tried: Try) -> None:
    """Take back a try that was right."""
    FailedTry.objects.filter(pk__in=tried.keys).delete()


def forget(*, now: datetime) -> int:
    """Forget tries of more than a day ago; return how many."""
    return FailedTry.objects.filter(at__lt=now - KEPT).delete()[0]


def _doors(name: str, address: str) -> list[tuple[str, int]]:
    """Return the hashes that a wrong password counts under, with how many are borne."""
    name = name.strip().casefold()
    return [
        (_hidden(f"{address}/name/{name}"), PASSWORDS),
        (_hidden(f"name/{name}"), PASSWORDS_ANYWHERE),
        (_hidden(f"{address}/names"), PASSWORDS_FROM_ONE),
    ]


def _recent(where: str, now: datetime) -> int:
    return FailedTry.objects.filter(from_sha=where, at__gt=now - WITHIN).count()


def _hidden(what: str) -> str:
    """Return a hash that says nothing without the site's secret key."""
    return hashlib.sha256(f"{settings.SECRET_KEY}/tried/{what}".encode()).hexdigest()
