"""Many rows of one table, written as they are: a model for each takes longer than the database does."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from django.db import connection, models

#: So many values stand in one statement: SQLite allows 32,766.
MOST_VALUES: Final = 2_000


def insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Insert rows and return how many, in the caller's transaction.

    Nothing is filled in: columns that are not named take what the database has for them, which is mostly
    nothing.

    Args:
        model: of the table.
        names: the fields; a foreign key as `item_id`.
        rows: the values of each row, in the order of the fields.
    """
    return sum(n for _cursor, n in _inserted(model, names, rows, ""))


def insert_with_keys(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> list[int]:
    """Insert rows as `insert` does, and return their keys in the order of the rows."""
    key = connection.ops.quote_name(str(getattr(model._meta.pk, "column", "")))
    steps = _inserted(model, names, rows, f" RETURNING {key}")
    return [pk for cursor, _n in steps for (pk,) in cursor.fetchall()]


def _inserted(
    model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]], returning: str
) -> Iterator[tuple[Any, int]]:
    """Yield the cursor and the number of rows after each statement."""
    fields = [model._meta.get_field(name) for name in names]
    prepare = [_preparer(field) for field in fields]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(getattr(field, "column", ""))) for field in fields)
    into = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES "  # noqa: S608 - names of ours
    one = f"({', '.join(['%s'] * len(fields))})"
    source = iter(rows)
    with connection.cursor() as cursor:
        while some := list(islice(source, max(1, MOST_VALUES // len(fields)))):
            values = [
                prepared(value) if prepared else value
                for row in some
                for prepared, value in zip(prepare, row, strict=True)
            ]
            cursor.execute(into + ", ".join([one] * len(some)) + returning, values)
            yield cursor, len(some)


def _preparer(field: Any) -> Any:
    """Return what makes a value fit for the database; none where it does already."""
    if isinstance(field, models.JSONField):
        adapted = connection.ops.adapt_json_value
        return lambda value: None if value is None else adapted(value, field.encoder)
    if isinstance(field, models.DateTimeField | models.DecimalField):  # many rows have the same
        return lru_cache(100)(lambda value: field.get_db_prep_save(value, connection))
    return None
