"""A table as it is downloaded: columns, rows, and the convention that its figures follow."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.queries import exports
from scoring.queries.wording import why


@dataclass(frozen=True)
class Sheet:
    """`columns` are names for programs; `rows` is read once, so that a long table may stream."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[object, ...]]
    convention: str

    def lines(self) -> Iterator[str]:
        """Yield the table as CSV; its last column is the convention."""
        yield exports.as_csv([(*self.columns, "convention")])
        said = exports.safe(self.convention)
        for rows in exports.chunks(self.rows, exports.LINES):
            yield exports.as_csv((*map(cell, row), said) for row in rows)

    def records(self) -> Iterator[dict[str, object]]:
        """Yield the rows by column."""
        for row in self.rows:
            yield dict(zip(self.columns, row, strict=True))


def cell(value: object) -> object:
    """Return a value as a place of CSV: texts made safe, nothing for none, yes and no as words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return exports.safe(value) if isinstance(value, str) else value


def bounds(row: Mapping[str, Any]) -> tuple[object, object, object, str]:
    """Return value, low, high and the reason why one of them is not there."""
    reason = row.get("reason") or row.get("interval_reason")
    return row["value"], row["low"], row["high"], why(reason)


def share(exact: Mapping[str, Any] | None) -> object:
    """Return an exact fraction as its nearest number."""
    return None if exact is None else exact["value"]


def percent(value: float | None) -> object:
    """Return a share in points of percent."""
    return None if value is None else 100 * value
