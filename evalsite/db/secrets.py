"""Seals short secrets for the database, with keys made from SECRET_KEY.

What was sealed under an older SECRET_KEY opens as long as that one stands in SECRET_KEY_FALLBACKS.
"""

import base64
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _

from evalsite import errors

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet

PURPOSE = b"evalsite: secrets in the database, 1"


class SealBroken(errors.Refusal):
    """What was sealed does not open with any of this installation's keys."""

    status = 500


def seal(text: str) -> str:
    """Return a text that only this installation can open again."""
    return _fernet().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Open what `seal` made.

    Raises:
        SealBroken: it was sealed under a SECRET_KEY that is not known any more.
    """
    from cryptography.fernet import InvalidToken

    try:
        return _fernet().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise SealBroken(
            _(
                "The stored key cannot be opened: it was sealed under another SECRET_KEY. Set the "
                "key again, or have the operator name the old SECRET_KEY in SECRET_KEY_FALLBACKS."
            )
        ) from None


def is_current(sealed: str) -> bool:
    """Say whether a text was sealed under the SECRET_KEY of today, not under one of its fallbacks."""
    from cryptography.fernet import InvalidToken

    try:
        _one(settings.SECRET_KEY).decrypt(sealed.encode())
    except InvalidToken:
        return False
    return True


# cryptography is loaded by whoever opens or seals: most processes never do.
def _fernet() -> "MultiFernet":
    from cryptography.fernet import MultiFernet

    return MultiFernet([_one(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _one(secret: str) -> "Fernet":
    from cryptography.fernet import Fernet
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
