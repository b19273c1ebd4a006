"""Rules of the database that outlive any programming mistake: what may not change, cannot.

A migration adds a guard; SQLite and PostgreSQL keep it as a trigger. Adding or changing a column of
a guarded table on SQLite makes the table anew and loses its triggers: the migration that does so
adds the guard once more with `again=True`, after that and, for the way back, before it
(tests/evalsite/test_guards.py finds a lost one).
"""

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation


class Statements(Operation):
    """Statements for which Django has no operation of its own; its models know nothing of them."""

    reversible = True
    reduces_to_sql = True

    def put_on(self, vendor: str) -> list[str]:
        raise NotImplementedError

    def take_off(self, vendor: str) -> list[str]:
        raise NotImplementedError

    def undone(self, vendor: str) -> list[str]:
        """Return the statements for the way back."""
        return self.take_off(vendor)

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Change nothing that Django's models know of."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        for statement in self.put_on(schema_editor.connection.vendor):
            schema_editor.execute(statement, None)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        for statement in self.undone(schema_editor.connection.vendor):
            schema_editor.execute(statement, None)


class Guard(Statements):
    """A trigger that refuses a write with a message.

    Args:
        name: of the trigger; the same on both databases.
        table: that is watched.
        before: "INSERT", "UPDATE" or "DELETE".
        when: an SQL condition over OLD and NEW that both databases understand.
        message: what the database says.
        columns: refuse only where one of these gets another value.
        again: it stood before, so going back puts it on too.
    """

    def __init__(
        self,
        name: str,
        *,
        table: str,
        before: str,
        message: str,
        when: str = "",
        columns: Sequence[str] = (),
        again: bool = False,
    ) -> None:
        self.name, self.table, self.before = name, table, before
        self.when, self.message, self.columns = when, message, tuple(columns)
        self.again = again

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        names = ("table", "before", "message", "when", "columns", "again")
        given = {key: getattr(self, key) for key in names}
        return type(self).__name__, [self.name], given

    def undone(self, vendor: str) -> list[str]:
        return self.put_on(vendor) if self.again else self.take_off(vendor)

    def describe(self) -> str:
        return f"Guard {self.table}: {self.message}"

    def _condition(self, differs: str) -> str:
        parts = [self.when] if self.when else []
        if self.columns:
            parts.append(" OR ".join(f"OLD.{one} {differs} NEW.{one}" for one in self.columns))
        return " AND ".join(f"({one})" for one in parts)

    def put_on(self, vendor: str) -> list[str]:
        """Return the statements that make the trigger, in place of one that is there."""
        if vendor == "sqlite":
            return [
                *self.take_off(vendor),
                f"CREATE TRIGGER {self.name} BEFORE {self.before} ON {self.table} "
                f"FOR EACH ROW WHEN {self._condition('IS NOT')} "
                f"BEGIN SELECT RAISE(ABORT, '{self.message}'); END",
            ]
        row = "OLD" if self.before == "DELETE" else "NEW"  # what the write goes on with
        return [
            *self.take_off(vendor),
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN IF {self._condition('IS DISTINCT FROM')} THEN RAISE EXCEPTION '{self.message}' "
            f"USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {row}; END $$",
            f"CREATE TRIGGER {self.name} BEFORE {self.before} ON {self.table} "
            f"FOR EACH ROW EXECUTE FUNCTION {self.name}()",
        ]

    def take_off(self, vendor: str) -> list[str]:
        if vendor == "sqlite":
            return [f"DROP TRIGGER IF EXISTS {self.name}"]
        return [
            f"DROP TRIGGER IF EXISTS {self.name} ON {self.table}",
            f"DROP FUNCTION IF EXISTS {self.name}()",
        ]


def declared(package: str) -> list[Guard]:
    """Return the guards that the migrations of a package leave in place, by name."""
    modules = sorted(
        one.name for one in pkgutil.iter_modules(importlib.import_module(package).__path__)
    )
    found: dict[str, Guard] = {}
    for name in modules:
        migration = getattr(importlib.import_module(f"{package}.{name}"), "Migration", None)
        for operation in getattr(migration, "operations", []):
            if isinstance(operation, Guard):
                found[operation.name] = operation
    return list(found.values())


def present(connection: Any) -> set[str]:
    """Return the names of the triggers a database has."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == "sqlite"
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return {name for (name,) in cursor.fetchall()}
