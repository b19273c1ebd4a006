"""Change what the database keeps, to see whether somebody notices."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from evalsite.db import guards
from tests import guarding


@contextmanager
def unguarded() -> Iterator[None]:
    """Take every guard off the tables for a while, as a hand at the database file could."""
    declared = [
        guard
        for package in ("annotation.migrations", "scoring.migrations")
        for guard in guards.declared(package)
    ]
    connection.check_constraints()  # nothing may wait for a table that is changed
    guarding.lift(declared, connection)
    yield
    connection.check_constraints()
    guarding.install(declared, connection)
