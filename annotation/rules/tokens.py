"""Addresses that tell nothing: tokens of seats and letters of slots."""

import hashlib
import hmac

LETTERS = "ABCDEFGH"
SECRET_LENGTH = 16  # bytes, at least
TOKEN_LENGTH = 26  # × 5 bits = 130 bits

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: nobody misreads a token


def seat_token(secret: bytes, ordinal: int, claim: int) -> str:
    """Return the address of a seat for one claim of it; another claim gets another address.

    Raises:
        ValueError: the secret is too short to keep a secret.
    """
    if len(secret) < SECRET_LENGTH:
        raise ValueError(f"The secret of a round has at least {SECRET_LENGTH} bytes.")
    digest = hmac.digest(secret, f"seat 1 {ordinal} {claim}".encode(), hashlib.sha256)
    number = int.from_bytes(digest)
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in range(TOKEN_LENGTH))


def letter(position: int) -> str:
    """Return the letter of a display position, 0 being A.

    Raises:
        ValueError: there is no such position.
    """
    if not 0 <= position < len(LETTERS):
        raise ValueError(f"Positions run from 0 to {len(LETTERS) - 1}.")
    return LETTERS[position]


def position(letter: str) -> int:
    """Return the display position of a letter.

    Raises:
        ValueError: not one of the letters.
    """
    if len(letter) != 1 or letter not in LETTERS:
        raise ValueError(f"A response is called by one letter from {LETTERS[0]} to {LETTERS[-1]}.")
    return LETTERS.index(letter)
