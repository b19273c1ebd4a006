"""Many rows of one table, written as they are: a model for each takes longer than the database does."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from django.db import connection, models

#: So many values stand in one statement: SQLite allows 32,766.
MOST_VALUES: Final = 2_000


def insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Insert rows and return how many, in the caller's transaction.

    No key is given back, and nothing is filled in: columns that are not named take what the database has for
    them, which is mostly nothing.

    Args:
        model: of the table.
        names: the fields; a foreign key as `item_id`.
        rows: the values of each row, in the order of the fields.
    """
    fields = [model._meta.get_field(name.removesuffix("_id")) for name in names]
    prepare = [_preparer(field) for field in fields]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(getattr(field, "column", ""))) for field in fields)
    into = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES "  # noqa: S608 - names of ours
    one = f"({', '.join(['%s'] * len(fields))})"
    source, n = iter(rows), 0
    with connection.cursor() as cursor:
        while some := list(islice(source, max(1, MOST_VALUES // len(fields)))):
            values = [
                prepared(value) if prepared else value
                for row in some
                for prepared, value in zip(prepare, row, strict=True)
            ]
            cursor.execute(into + ", ".join([one] * len(some)), values)
            n += len(some)
    return n


def _preparer(field: Any) -> Any:
    """Return what makes a value fit for the database; none where it does already."""
    if isinstance(field, models.JSONField | models.DateTimeField):
        return lambda value: field.get_db_prep_save(value, connection)
    return None
