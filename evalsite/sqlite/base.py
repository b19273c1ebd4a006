"""Django's SQLite, with its writers in a queue.

A writer who finds SQLite locked looks again every now and then, up to ten times a second, and
gives up in the end ("database is locked"); of sixty who wait at once, some look in vain for longer
than that. Here a transaction first waits for a lock of the operating system beside the file,
which wakes them one after the other in the order they came (docs/decisions/sqlite-writers.md).
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from typing import Any

from django.db.backends.sqlite3 import base, schema

#: Statements no longer than this are kept in SQLite's own writing, so many of them; longer ones are lists of rows.
LONGEST_KEPT, MOST_KEPT = 8_000, 512
#: How statements begin that write.
WRITING = ("INSERT", "UPDATE", "DELETE", "REPLAC")
_written: dict[str, str] = {}


class Cursor(base.SQLiteCursorWrapper):
    """Django's cursor, which does not write the same statement anew each time it is asked.

    A statement that writes outside a transaction is one by itself, and waits for its turn as well.
    """

    line: "DatabaseWrapper"

    def execute(self, query: str, params: Any = None) -> Any:
        if self.connection.in_transaction or not query.lstrip()[:6].upper().startswith(WRITING):
            return super().execute(query, params)
        with self.line.one_turn():
            return super().execute(query, params)

    def convert_query(self, query: str, *, param_names: Any = None) -> str:
        if param_names is not None or len(query) > LONGEST_KEPT:
            return super().convert_query(query, param_names=param_names)
        found = _written.get(query)
        if found is None:
            if len(_written) >= MOST_KEPT:
                _written.clear()
            found = _written[query] = super().convert_query(query)
        return found


class SchemaEditor(schema.DatabaseSchemaEditor):
    """Django's schema editor, which a trigger of another table does not stop.

    A table that is made anew has for a moment another name; SQLite then refuses to rename it as long as
    a trigger elsewhere asks for it by the name it is to get.
    """

    def _remake_table(self, model: Any, *args: Any, **kwargs: Any) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
            asking = [
                (name, sql)
                for name, table, sql in cursor.fetchall()
                if table != model._meta.db_table and model._meta.db_table in sql
            ]
        for name, _sql in asking:
            self.execute(f"DROP TRIGGER {self.quote_name(name)}")
        super()._remake_table(model, *args, **kwargs)  # type: ignore[misc]
        for _name, sql in asking:
            self.execute(sql, None)


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = SchemaEditor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: int | None = None

    def create_cursor(self, name: str | None = None) -> Cursor:
        made: Cursor = self.connection.cursor(factory=Cursor)
        made.line = self
        return made

    @contextlib.contextmanager
    def one_turn(self) -> Iterator[None]:
        """Have the turn for one statement; where it is had already, it is kept."""
        is_mine = self._turn is not None
        self._queue_up()
        try:
            yield
        finally:
            if not is_mine:
                self._leave()

    def _start_transaction_under_autocommit(self) -> None:
        self._queue_up()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._leave()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _queue_up(self) -> None:
        if self._turn is not None or self.is_in_memory_db():
            return
        path = f"{self.settings_dict['NAME']}-queue"
        turn = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(turn, fcntl.LOCK_EX)
        except BaseException:
            os.close(turn)
            raise
        self._turn = turn

    def _leave(self) -> None:
        if self._turn is not None:
            turn, self._turn = self._turn, None
            os.close(turn)
