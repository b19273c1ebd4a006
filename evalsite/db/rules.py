"""What a table holds its rows to, in a line each."""

from typing import Any

from django.db.models import CheckConstraint, Index, Q, UniqueConstraint


def unique(name: str, *fields: str, where: Q | None = None) -> UniqueConstraint:
    """Return the rule that no two rows (of those `where` it holds) are the same in these fields."""
    return UniqueConstraint(fields=fields, name=name, condition=where)


def holds(name: str, condition: Any) -> CheckConstraint:
    """Return the rule that a condition is true of every row."""
    return CheckConstraint(condition=condition, name=name)


def index(name: str, *fields: str, where: Q | None = None) -> Index:
    """Return an index over these fields, of all rows or those `where` it holds."""
    return Index(fields=fields, name=name, condition=where)
