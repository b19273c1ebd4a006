"""Chance that is none: a number from what is asked, the same on every machine and on every day."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Choice = TypeVar("Choice")


def number(*parts: object) -> float:
    """Return a number from 0 up to 1 that only these parts decide."""
    text = "\x1f".join(str(part) for part in parts)
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def pick(choices: Sequence[Choice], *parts: object) -> Choice:
    """Return one of the choices, each equally likely over many parts."""
    return choices[int(number(*parts) * len(choices))]


def happens(share: float, *parts: object) -> bool:
    """Say yes in this share of all cases."""
    return number(*parts) < share
