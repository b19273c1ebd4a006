"""Tries to get in: each is written down before anything is looked at, and taken back if it was right.

So those that come at once count too. Kept by hashes, and for a day: to slow down guessing.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import FailedTry
from evalsite import addresses, errors, locks

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
class Try:
    """A try that was written down; how it ends is not known yet."""

    doors: Sequence[Door]
    keys: Sequence[int]


def begin(*, doors: Sequence[Door], now: datetime) -> Try:
    """Write a try down, before what was given is looked at.

    Raises:
        TooManyTries: at one of these doors too many were wrong; nothing is written then.
    """
    with transaction.atomic():
        locks.take(door.sha for door in doors)
        if any(door.most is not None and _recent(door, now) >= door.most for door in doors):
            raise TooManyTries(_wait())
        rows = FailedTry.objects.bulk_create(FailedTry(from_sha=one.sha, at=now) for one in doors)
    return Try(doors, [row.pk for row in rows])


def succeed(tried: Try) -> None:
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
