"""What is made once in a process and copied into each later test that begins with it.

Many tests begin with the same round. It is made as a person would make it the first time; later its
rows are put in as they were then, with the same keys. That is so only

* on SQLite, where keys begin anew in every test (on PostgreSQL all is made each time: `make nightly`);
* inside the transaction of a test, among the very rows that were there when it was made, if any;
* where the test changes neither settings nor code nor the clock: another thing might be made then.
"""
# ruff: noqa: S608 -- names of our own tables

import functools
import hashlib
import pickle
from collections.abc import Callable, Iterator, Set
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
#: What only says that somebody signed in.
SIGNED_IN = frozenset({"annotation_signin", "django_session"})
#: Tables of which no world changes a row: signing in does, and words are looked for by an index beside.
WATCHED = ("annotation_user", "annotation_searchtext")


#: A test that asks for one of these fixtures, or in whose file such a word stands, may make another thing.
#: (`monkeypatch` is a word alone: pytest-django asks for that fixture with every test.)
FIXTURES = frozenset({"settings", "time_machine"})
WORDS = ("monkeypatch", "override_settings", "time_machine")


Row = list[Any]
#: What stands in the tables that are not empty: by table and number of the row.
Rows = dict[str, dict[int, Row]]
#: More rows than these in a table are not looked through, nor more than those kept.
MOST_BEFORE, MOST_KEPT = 2_000, 300_000
#: What the tests of a page leave before a world is made, and no world asks for: who is signed in since when.
NEVER_ASKED = {"annotation_user": ("password", "last_login", "date_joined")}


@dataclass(frozen=True)
class World:
    """All that a maker leaves: rows, numbers that are used up, what a commit would ring for."""

    new: dict[str, list[Row]]
    changed: dict[str, list[Row]]
    numbers: list[tuple[int, str]]
    rings: list[tuple[Any, bool]]
    made: bytes


@functools.cache
def _source(path: Path) -> str:
    return path.read_text()


@dataclass
class _Kept:
    worlds: dict[bytes, World] = field(default_factory=dict)
    n_rows: int = 0
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
    """Decorate a maker of rows in the database that begins with an empty one."""
    return _once(make, lambda: None if _raw().execute(_anything()).fetchone()[0] else {})


def made_once_among(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a maker of rows that may begin with some: of who is signed in, of another world.

    Whoever calls it goes on with what it returns: what is given in stays as it was.
    """
    return _once(make, _rows)


def _once(make: Callable[P, T], looked: Callable[[], Rows | None]) -> Callable[P, T]:
    @functools.wraps(make)
    def maker(*given: P.args, **named: P.kwargs) -> T:
        before = looked() if _may_copy() else None
        key = None if before is None else _key(make, given, named, before)
        if before is None or key is None:
            return make(*given, **named)
        if world := _kept.worlds.get(key):
            return _put_in(world)
        rung, mails = len(connection.run_on_commit), _mails()
        made = make(*given, **named)
        if _mails() == mails and (world := _taken_up(made, rung, before)):
            _kept.worlds[key] = world
        return made

    return maker


def _may_copy() -> bool:
    return _kept.in_a_test and connection.vendor == "sqlite" and connection.in_atomic_block


def _key(make: Callable[..., Any], given: Any, named: Any, before: Rows) -> bytes | None:
    """Return what a call is known by; None where it is given what has no name, such as a lambda."""
    there = before and {
        table: [
            (number, *(None if place in _unasked(table) else one for place, one in enumerate(row)))
            for number, row in rows.items()
        ]
        for table, rows in before.items()
    }
    numbers = there and sorted(_raw().execute("SELECT name, seq FROM sqlite_sequence"))
    try:
        whole = pickle.dumps((make.__module__, make.__name__, given, named, repr((there, numbers))))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return hashlib.sha256(whole).digest()


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
        for table in sorted(set(tables) - ALWAYS_FULL - SIGNED_IN)
    }


@functools.cache
def _unasked(table: str) -> Set[int]:
    named = NEVER_ASKED.get(table, ())
    return {place for place, name in enumerate(_columns()[table]) if name.strip('"') in named}


@functools.cache
def _anything() -> str:
    each = [f'EXISTS (SELECT 1 FROM "{table}")' for table in _columns()]
    return f"SELECT {' OR '.join(each)}"


@functools.cache
def _full() -> str:
    each = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in _columns()]
    return " UNION ALL ".join(each)


def _rows(most: int = MOST_BEFORE) -> Rows | None:
    """Return all that there is; None where it is too much."""
    found: Rows = {}
    for (table,) in _raw().execute(_full()).fetchall():
        # With a sign before it a column has no type: a value is read as it is stored.
        asked = ", ".join(f"+{column}" for column in _columns()[table])
        question = f'SELECT rowid, {asked} FROM "{table}" ORDER BY rowid LIMIT {most + 1}'
        found[table] = {number: row for number, *row in _raw().execute(question)}
        if len(found[table]) > most:
            return None
    return found


def _taken_up(made: Any, rung: int, before: Rows) -> World | None:
    """Return what was made; None where a row is gone, or another one than was looked for."""
    after = _rows(MOST_KEPT)
    if after is None or any(rows.keys() - after.get(table, {}) for table, rows in before.items()):
        return None
    new: dict[str, list[Row]] = {}
    changed: dict[str, list[Row]] = {}
    for table, rows in after.items():
        were = before.get(table, {})
        new[table] = [row for number, row in rows.items() if number not in were]
        changed[table] = [row for number, row in rows.items() if were.get(number, row) != row]
    n_rows = sum(map(len, new.values()))
    if any(changed.get(table) for table in WATCHED) or _kept.n_rows + n_rows > MOST_KEPT:
        return None
    _kept.n_rows += n_rows
    numbers = _raw().execute("SELECT seq, name FROM sqlite_sequence").fetchall()
    rings = [(function, robust) for _sids, function, robust in connection.run_on_commit[rung:]]
    return World(new, changed, numbers, rings, pickle.dumps(made))


def _put_in(world: World) -> Any:
    raw = _raw()
    for verb, tables in (("REPLACE", world.changed), ("INSERT", world.new)):
        for table, rows in tables.items():
            places = ", ".join("?" * len(_columns()[table]))
            raw.executemany(f'{verb} INTO "{table}" VALUES ({places})', rows)
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
