"""A database whose disk is full: every write fails as the databases themselves fail then."""

import contextlib
import sqlite3
from collections.abc import Iterator

import psycopg
import pytest
from django.db import OperationalError, connection

WRITES = ("INSERT", "UPDATE", "DELETE")


def of_sqlite() -> sqlite3.OperationalError:
    """Return what SQLite itself raises: of a database that may grow no further."""
    with contextlib.closing(sqlite3.connect(":memory:")) as small:
        small.execute("CREATE TABLE t (x)")
        small.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError, match="database or disk is full") as met:
            small.execute("INSERT INTO t VALUES (zeroblob(1000000))")
    return met.value


def of_postgres() -> psycopg.OperationalError:
    return psycopg.errors.DiskFull("could not extend file: No space left on device")


@contextlib.contextmanager
def full() -> Iterator[None]:
    """Let every write fail."""

    def execute(ask, sql, params, many, context):  # type: ignore[no-untyped-def]
        if sql.lstrip().upper().startswith(WRITES):
            cause = of_sqlite() if connection.vendor == "sqlite" else of_postgres()
            raise OperationalError(*cause.args) from cause
        return ask(sql, params, many, context)

    with connection.execute_wrapper(execute):
        yield
