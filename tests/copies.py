"""What is made once in a process and copied into each later test that begins with it.

Many tests begin with the same round in an empty database. It is made as a person would make it the
first time; later its rows are put in as they were then, with the same keys. That is so only

* on SQLite, where keys begin anew in every test (on PostgreSQL all is made each time: `make nightly`);
* inside the transaction of a test, into tables that are all empty;
* where the test changes neither settings nor code nor the clock: another thing might be made then.
"""
# ruff: noqa: S608 -- names of our own tables

import functools
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pytest
from django.core import mail
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")
#: Tables that are full before the first test.
ALWAYS_FULL = frozenset({"auth_permission", "django_content_type", "django_migrations"})


#: A test that asks for one of these fixtures, or in whose file such a word stands, may make another thing.
FIXTURES = frozenset({"settings", "monkeypatch", "time_machine"})
WORDS = ("monkeypatch", "override_settings", "time_machine")


@dataclass(frozen=True)
class World:
    """All that a maker leaves: rows, numbers that are used up, what a commit would ring for."""

    rows: dict[str, list[tuple[Any, ...]]]
    numbers: list[tuple[int, str]]
    rings: list[tuple[Any, bool]]
    made: bytes


@functools.cache
def _source(path: Path) -> str:
    return path.read_text()


@dataclass
class _Kept:
    worlds: dict[bytes, World] = field(default_factory=dict)
    in_a_test: bool = False


_kept = _Kept()


@contextmanager
def in_a_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let copies be made for the length of a test."""
    source = _source(request.path)
    _kept.in_a_test = not (
        FIXTURES & set(request.fixturenames) or any(word in source for word in WORDS)
    )
    try:
        yield
    finally:
        _kept.in_a_test = False


def made_once(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a maker of rows in the database."""

    @functools.wraps(make)
    def maker(*given: P.args, **named: P.kwargs) -> T:
        key = _key(make, given, named) if _may_copy() else None
        if key is None:
            return make(*given, **named)
        if world := _kept.worlds.get(key):
            return _put_in(world)
        rung, mails = len(connection.run_on_commit), _mails()
        made = make(*given, **named)
        if _mails() == mails:
            _kept.worlds[key] = _taken_up(made, rung)
        return made

    return maker


def _may_copy() -> bool:
    return (
        _kept.in_a_test
        and connection.vendor == "sqlite"
        and connection.in_atomic_block
        and not _raw().execute(_anything()).fetchone()[0]
    )


def _key(make: Callable[..., Any], *arguments: Any) -> bytes | None:
    """Return what a call is known by; None where it is given what has no name, such as a lambda."""
    try:
        return pickle.dumps((make.__module__, make.__name__, arguments))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _mails() -> int:
    return len(getattr(mail, "outbox", ()))


def _raw() -> Any:
    connection.ensure_connection()
    return connection.connection


@functools.cache
def _columns() -> dict[str, list[str]]:
    """Return the tables of the models with their columns, quoted."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return {
        table: [f'"{row[1]}"' for row in _raw().execute(f'PRAGMA table_info("{table}")')]
        for table in sorted(set(tables) - ALWAYS_FULL)
    }


@functools.cache
def _anything() -> str:
    each = [f'EXISTS (SELECT 1 FROM "{table}")' for table in _columns()]
    return f"SELECT {' OR '.join(each)}"


def _taken_up(made: Any, rung: int) -> World:
    rows = {}
    for table, columns in _columns().items():
        # With a sign before it a column has no type: a value is read as it is stored.
        asked = ", ".join(f"+{column}" for column in columns)
        if found := _raw().execute(f'SELECT {asked} FROM "{table}" ORDER BY rowid').fetchall():
            rows[table] = found
    numbers = _raw().execute("SELECT seq, name FROM sqlite_sequence").fetchall()
    rings = [(function, robust) for _sids, function, robust in connection.run_on_commit[rung:]]
    return World(rows, numbers, rings, pickle.dumps(made))


def _put_in(world: World) -> Any:
    raw = _raw()
    for table, rows in world.rows.items():
        places = ", ".join("?" * len(rows[0]))
        raw.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)
    raw.executemany("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", world.numbers)
    # A table whose rows were all taken away again has a number as well, and no row that would bring it.
    raw.executemany(
        "INSERT INTO sqlite_sequence (seq, name) SELECT ?1, ?2"
        " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?2)",
        world.numbers,
    )
    connection.run_on_commit += [
        (set(connection.savepoint_ids), function, robust) for function, robust in world.rings
    ]
    return pickle.loads(world.made)  # noqa: S301 -- pickled by this process
