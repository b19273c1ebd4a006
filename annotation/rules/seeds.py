"""Everything drawn by lot comes from a seed by name, so that a draw can be made again.

A scope names what is drawn ("orders", "4"); the same seed gives unrelated streams to
different scopes, and a new draw never disturbs an old one.
"""

import hashlib
import hmac
import json

import numpy as np


def generator(seed: int | str, *scope: str) -> np.random.Generator:
    """Return a generator of its own for this seed and scope."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(_digest(seed, scope))))


def integer(seed: int | str, *scope: str, below: int) -> int:
    """Return one number from 0 to below − 1.

    Raises:
        ValueError: below is not positive.
    """
    if below < 1:
        raise ValueError("There is no number to draw below 1.")
    return int.from_bytes(_digest(seed, scope)) % below


def rank_key(seed: str, value: str) -> str:
    """Return a key to sort by: an order by lot that depends on content, never on ids."""
    return _digest(seed, ("rank", value)).hex()


def _digest(seed: int | str, scope: tuple[str, ...]) -> bytes:
    # JSON keeps ("a", "bc") apart from ("ab", "c"), and the seed 5 from the seed "5".
    message = json.dumps([seed, *scope]).encode()
    return hmac.digest(b"evalsite seed 1", message, hashlib.sha256)
