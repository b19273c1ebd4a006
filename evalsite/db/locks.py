"""Deeds of one kind, one after the other: whoever counts and then writes must not count together with others."""

import hashlib
from collections.abc import Iterable

from django.db import connection


def take(names: Iterable[str]) -> None:
    """Wait until no other transaction has taken one of these names; they are ours until this one ends.

    SQLite lets one transaction write at a time anyway.
    """
    assert connection.in_atomic_block, "Outside a transaction a turn would be over at once."
    if connection.vendor != "postgresql":
        return
    keys = {_key(name) for name in names}
    with connection.cursor() as cursor:
        for key in sorted(keys):  # everybody in the same order: nobody waits in a circle
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
