"""Indexes of large tables, made while the site goes on writing to them."""

from typing import Any

from django.db import migrations


class AddIndexBeside(migrations.AddIndex):
    """On PostgreSQL no write waits while the index is made; elsewhere it is made as usual.

    The migration is not atomic. One that was broken off is begun anew.
    """

    atomic = False

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            schema_editor.execute(
                self._drop(schema_editor)
            )  # what was broken off is there, unfinished
            schema_editor.add_index(model, self.index, concurrently=True)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
            return
        schema_editor.execute(self._drop(schema_editor))

    def _drop(self, schema_editor: Any) -> str:
        return f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}"
