"""An index over the words of one text column, beside its table: FTS5 on SQLite, tsvector on PostgreSQL.

The column holds words that are written alike already, between single spaces, and nothing but
letters, digits and their marks (annotation/search/rules.py); neither database has to know a
language. The database itself keeps the index true with every write of the column.

Adding or changing a column of the table on SQLite makes the table anew and loses the triggers: a
migration that does so adds the index once more (tests/evalsite/test_fulltext.py).

Names of tables are put into statements as they are: they come from migrations and modules, never
from a person. What a person seeks is passed beside the statement.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connections, models, transaction

from evalsite.db.guards import Statements

# ruff: noqa: S608, S610


T = TypeVar("T", bound=models.Model)
#: Beginnings of so many letters are found from an index of their own on SQLite.
BEGINNINGS = 3


class WordIndex(Statements):
    """An index over the words of a column.

    Args:
        table: whose rows are found, with a whole number called `id` as its key.
        column: that holds the words.
    """

    def __init__(self, table: str, *, column: str) -> None:
        self.table, self.column = table, column
        self.name = f"{table}_index"

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return type(self).__name__, [self.table], {"column": self.column}

    def describe(self) -> str:
        return f"Index of the words in {self.table}.{self.column}"

    @property
    def triggers(self) -> tuple[str, ...]:
        return tuple(f"{self.name}_{one}" for one in ("added", "changed", "removed"))

    def put_on(self, vendor: str) -> list[str]:
        """Return the statements that make the index, over what the table holds now."""
        if vendor != "sqlite":
            return [
                *self.take_off(vendor),
                f"ALTER TABLE {self.table} ADD COLUMN {self.name} tsvector "
                f"GENERATED ALWAYS AS (to_tsvector('simple', {self.column})) STORED",
                f"CREATE INDEX {self.name} ON {self.table} USING gin ({self.name})",
            ]
        added, changed, removed = self.triggers
        forget = (
            f"INSERT INTO {self.name} ({self.name}, rowid, {self.column}) "
            f"VALUES ('delete', OLD.id, OLD.{self.column});"
        )
        learn = (
            f"INSERT INTO {self.name} (rowid, {self.column}) VALUES (NEW.id, NEW.{self.column});"
        )
        return [
            *self.take_off(vendor),
            f"CREATE VIRTUAL TABLE {self.name} USING fts5({self.column}, content='{self.table}', "
            f"content_rowid='id', tokenize='ascii', prefix='{BEGINNINGS}')",
            f"CREATE TRIGGER {added} AFTER INSERT ON {self.table} BEGIN {learn} END",
            f"CREATE TRIGGER {changed} AFTER UPDATE OF id, {self.column} ON {self.table} "
            f"BEGIN {forget} {learn} END",
            f"CREATE TRIGGER {removed} AFTER DELETE ON {self.table} BEGIN {forget} END",
            f"INSERT INTO {self.name} ({self.name}) VALUES ('rebuild')",
        ]

    def take_off(self, vendor: str) -> list[str]:
        if vendor != "sqlite":
            return [
                f"DROP INDEX IF EXISTS {self.name}",
                f"ALTER TABLE {self.table} DROP COLUMN IF EXISTS {self.name}",
            ]
        drops = [f"DROP TRIGGER IF EXISTS {one}" for one in self.triggers]
        return [*drops, f"DROP TABLE IF EXISTS {self.name}"]

    def is_sound(self, connection: Any) -> bool:
        """Say whether the index is there and says what the table says."""
        with connection.cursor() as cursor:
            if connection.vendor != "sqlite":
                cursor.execute("SELECT 1 FROM pg_indexes WHERE indexname = %s", [self.name])
                return cursor.fetchone() is not None
            cursor.execute("SELECT name FROM sqlite_master WHERE name LIKE %s", [f"{self.name}%"])
            if not {self.name, *self.triggers} <= {name for (name,) in cursor.fetchall()}:
                return False
            try:
                cursor.execute(
                    f"INSERT INTO {self.name} ({self.name}, rank) VALUES ('integrity-check', 1)"
                )
            except connection.Database.DatabaseError:
                return False
            return True

    def install(self, connection: Any) -> None:
        """Make the index, or make it anew."""
        with connection.cursor() as cursor:
            for statement in self.put_on(connection.vendor):
                cursor.execute(statement)

    def best(
        self, rows: "models.QuerySet[T]", words: Iterable[tuple[str, bool]], *, most: int
    ) -> "models.QuerySet[T]":
        """Return the rows that have all these words, the best first, each with a number `score`.

        Where more than `most` have them, PostgreSQL weighs those of them that were written last:
        weighing them all would take it seconds. On both, how often a text has the words weighs,
        against its length, and not how near they are to each other.

        Args:
            rows: of the table of this index.
            words: each as the column writes it, and whether its beginning is enough. At least one.
            most: that are returned.
        """
        terms = list(words)
        have = self.having(rows, terms)
        if connections[rows.db].vendor == "sqlite":
            score = f"CAST(-1000000 * bm25({self.name}) AS INTEGER)"
            return have.extra(select={"score": score}).order_by("-score", "-pk")[:most]
        # Any of the words, as those that are weighed have them all: weighing how near they are to
        # each other takes the longer the more often they occur, squared.
        asked = " | ".join(_term(*one) for one in terms)
        rank = f"ts_rank({self.table}.{self.name}, to_tsquery('simple', %s), 1)"
        weighed = rows.model._default_manager.using(rows.db).extra(
            select={"score": f"CAST(1e9 * {rank} AS bigint)"}, select_params=[asked]
        )
        # Read first: inside another statement the table would go by another name than it has here.
        with from_indexes(rows.db):
            keys = list(have.order_by("-pk").values_list("pk", flat=True)[:most])
        return weighed.filter(pk__in=keys).order_by("-score", "-pk")

    def having(
        self, rows: "models.QuerySet[T]", words: Iterable[tuple[str, bool]]
    ) -> "models.QuerySet[T]":
        """Return the rows that have all these words, in no order; to be read `from_indexes`."""
        if connections[rows.db].vendor == "sqlite":
            asked = " AND ".join(f'"{word}"{"*" if begins else ""}' for word, begins in words)
            return rows.extra(
                tables=[self.name],
                where=[f"{self.name}.rowid = {self.table}.id", f"{self.name} MATCH %s"],
                params=[asked],
            )
        asked = " & ".join(_term(*one) for one in words)
        found = f"{self.table}.{self.name} @@ to_tsquery('simple', %s)"
        return rows.extra(where=[found], params=[asked])

    def together(self, rows: "models.QuerySet[T]", run: str) -> "models.QuerySet[T]":
        """Return the rows in which words stand together.

        PostgreSQL's index knows the first 255 places of a word, and only places among the first
        16,382. Texts so short that there can be no others are not looked into: unpacking them is
        what takes the time.

        Args:
            run: the words as the column writes them, a single space before, between and after.
        """
        if connections[rows.db].vendor == "sqlite":
            # From the index, as a phrase: reading all that a text says takes ten times as long.
            phrase = f"SELECT rowid FROM {self.name} WHERE {self.name} MATCH %s"
            where = f"{self.table}.id IN ({phrase})"
            return rows.extra(where=[where], params=[f'"{run.strip()}"'])
        words = run.split()
        least = min(256 * min(len(word.encode()) + 1 for word in words), 2 * 16_383)
        places = f"{self.table}.{self.name} @@ to_tsquery('simple', %s)"
        text = f"{self.table}.{self.column}"
        where = f"({places} OR (octet_length({text}) >= %s AND strpos({text}, %s) > 0))"
        asked = " <-> ".join(_term(word, begins=False) for word in words)
        return rows.extra(where=[where], params=[asked, least, run])


def _term(word: str, begins: bool) -> str:
    return f"'{word}'{':*' if begins else ''}"


@contextmanager
def from_indexes(alias: str) -> Iterator[None]:
    """Have PostgreSQL read whole tables only where it must.

    It does not reckon that a row's words lie apart and are packed: reading them all seems cheap to
    it where half of the rows have a word, and takes five times as long as the index.
    """
    connection = connections[alias]
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(using=alias), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        cursor.execute("SET LOCAL enable_seqscan TO DEFAULT")
