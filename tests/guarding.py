"""Guards of the database, put on and taken off by tests."""

from collections.abc import Sequence
from typing import Any

from evalsite.db.guards import Guard


def install(guards: Sequence[Guard], connection: Any) -> None:
    """Put guards into a database whose tables were made without migrations."""
    with connection.cursor() as cursor:
        for guard in guards:
            for statement in guard.put_on(connection.vendor):
                cursor.execute(statement)


def lift(guards: Sequence[Guard], connection: Any) -> None:
    """Take guards off the tables."""
    with connection.cursor() as cursor:
        for guard in guards:
            for statement in guard.take_off(connection.vendor):
                cursor.execute(statement)
