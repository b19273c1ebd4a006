"""LalaEval's four-dimensional table: evaluator × question × system × dimension, long and wide.

Long has one row a grade. Wide has one row for each question × criterion × rater and one column
for each release, as its Table 1 is filled in. Neither loses anything the other holds: a mark is
a number, a grade that could not be given is its outcome as text, an absent grade is None.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scoring.stats.resampled.exact import Label

KEY = (
    "question",
    "item",
    "capability",
    "criterion",
    "scale_min",
    "scale_max",
    "rater",
    "occasion",
)
LONG = (*KEY, "release", "value", "outcome")
VALUE = "VALUE"


@dataclass(frozen=True, slots=True)
class LongTable:
    """Plain columns by name, all of one length."""

    columns: Mapping[str, list[Any]]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns.values(), strict=True)


@dataclass(frozen=True, slots=True)
class WideTable:
    """Plain key columns, and for each release the cells beside them."""

    keys: Mapping[str, list[Any]]
    cells: Mapping[Label, list[Any]]

    @property
    def header(self) -> tuple[Label, ...]:
        return (*self.keys, *self.cells)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.keys.values(), *self.cells.values(), strict=True)


def long_table(ratings: pd.DataFrame) -> LongTable:
    """Return the grades of a ratings frame as plain columns, sorted by key, then release.

    The question is the frame's `group` where the `question` column is empty.
    """
    shown = ratings.reindex(columns=list(LONG))
    shown["question"] = ratings["question"].astype(object).fillna(ratings["group"].astype(object))
    ordered = shown.sort_values([*KEY, "release"], kind="stable")
    return LongTable({name: _plain_column(ordered[name]) for name in LONG})


def widened(table: LongTable, *, releases: Sequence[Label] | None = None) -> WideTable:
    """Return the wide form; `releases` fixes the columns and their order, else sorted labels.

    Raises:
        ValueError: a rater has two grades for one cell, a grade has neither mark nor outcome,
            or a release of the table is not among those named.
    """
    names = sorted(set(table.columns["release"])) if releases is None else list(releases)
    if strange := set(table.columns["release"]) - set(names):
        raise ValueError(f"The table has other releases too: {sorted(map(str, strange))}.")
    column = {name: i for i, name in enumerate(names)}
    place: dict[tuple[Any, ...], int] = {}
    grid: list[list[Any]] = [[] for _ in names]
    keys = zip(*(table.columns[name] for name in KEY), strict=True)
    marks = (table.columns[name] for name in ("release", "value", "outcome"))
    for key, release, value, outcome in zip(keys, *marks, strict=True):
        row = place.setdefault(key, len(place))
        cells = grid[column[release]]
        cells.extend([None] * (row + 1 - len(cells)))
        if cells[row] is not None:
            raise ValueError(f"Rater {key[6]} graded {release} twice on question {key[0]}.")
        cells[row] = _cell(value, outcome)
    for cells in grid:
        cells.extend([None] * (len(place) - len(cells)))
    columns = {name: [key[i] for key in place] for i, name in enumerate(KEY)}
    return WideTable(columns, dict(zip(names, grid, strict=True)))


def lengthened(table: WideTable) -> LongTable:
    """Return the long form again, in the order of the wide rows, then of its releases."""
    columns: dict[str, list[Any]] = {name: [] for name in LONG}
    keys = zip(*(table.keys[name] for name in KEY), strict=True)
    for row, key in enumerate(keys):
        for release, cells in table.cells.items():
            if (cell := cells[row]) is None:
                continue
            is_mark = not isinstance(cell, str)
            full = (*key, release, cell if is_mark else None, VALUE if is_mark else cell)
            for name, part in zip(LONG, full, strict=True):
                columns[name].append(part)
    return LongTable(columns)


def _cell(value: float | None, outcome: str | None) -> float | str:
    if value is not None:
        return value
    if outcome is None or outcome == VALUE:
        raise ValueError("A grade has neither a mark nor a reason for having none.")
    return outcome


def _plain_column(column: "pd.Series") -> list[Any]:
    values: list[Any] = column.astype(object).tolist()
    return [None if gone else value for value, gone in zip(values, column.isna(), strict=True)]
