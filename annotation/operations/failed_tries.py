"""Who tried to get in and could not: counted for a while by hashes, to slow down guessing."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from annotation.models import FailedTry

WITHIN: Final = timedelta(minutes=15)
KEPT: Final = timedelta(days=1)
#: So many tokens from one network address may be wrong within this time.
TOKENS: Final = 20
#: So many passwords of one user name may be wrong, from one network address and from everywhere.
PASSWORDS: Final = 10
PASSWORDS_ANYWHERE: Final = 100
#: So often somebody who is signed in may give a wrong password where theirs is asked for again.
CONFIRMED: Final = 10
#: So many passwords from one network address may be wrong, whosever they are: people share one.
PASSWORDS_FROM_ONE: Final = 50


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
        FailedTry(from_sha=where, at=now) for where, _most in _doors(name, address)
    )


def forgive(*, name: str, address: str) -> None:
    """Begin to count anew for somebody who has signed in; others at this address gain nothing by it."""
    (where, _most), *_rest = _doors(name, address)
    FailedTry.objects.filter(from_sha=where).delete()


def begin_confirming(*, person: str, now: datetime) -> FailedTry | None:
    """Count a try to confirm something by one's password; None: there were too many."""
    where = _hidden(f"confirming/{person}")
    made = FailedTry.objects.create(from_sha=where, at=now)
    return made if _recent(where, now) <= CONFIRMED else None


def undo(one: FailedTry) -> None:
    """Take back a try that was none that failed."""
    FailedTry.objects.filter(pk=one.pk).delete()


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
