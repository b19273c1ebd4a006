"""One operation of a migration that makes many tables at once."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation, OperationCategory


class CreateTables(Operation):
    """Make the tables of many models that may refer to each other.

    Django draws every model anew that is linked with one that is made, after each of them: with a
    hundred linked models that takes longer than everything else. Here they are drawn once.
    """

    reduces_to_sql = True
    reversible = True
    category = OperationCategory.ADDITION
    serialization_expand_args = ["models"]

    def __init__(self, models: Sequence[CreateModel]) -> None:
        self.models = list(models)

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return type(self).__name__, [], {"models": self.models}

    def state_forwards(self, app_label: str, state: Any) -> None:
        state.clear_delayed_apps_cache()
        drawn = state.__dict__.pop("apps", None)
        for one in self.models:
            one.state_forwards(app_label, state)
        if drawn is not None:
            state.apps  # noqa: B018 - draws all of them

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        for one in self.models:
            one.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        for one in reversed(self.models):
            one.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Make the tables of {len(self.models)} models"
