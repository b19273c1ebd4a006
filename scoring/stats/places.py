"""Grades sorted by what was graded: a place is one response on one criterion of one question."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.sums import Label

BoolArray = npt.NDArray[np.bool_]
PLACE = ("group", "release", "response", "criterion")
COLUMNS = (*PLACE, "capability", "rater")


@dataclass(frozen=True)
class Places:
    """Grades in order of their places; `start` and `size` are of each place's run.

    Attributes:
        code: per column, the number of each grade's label, −1 where it has none.
        labels: per column, what the numbers stand for.
        value: of each grade.
        passes: 1 where a grade passes, 0 where not, −1 where its criterion has no pass mark.
    """

    code: dict[str, IntArray]
    labels: dict[str, list[Label]]
    value: FloatArray
    passes: IntArray
    start: IntArray
    size: IntArray

    @property
    def n(self) -> int:
        return len(self.start)

    def label(self, column: str, row: int) -> Label:
        """Return the label of one grade."""
        code = int(self.code[column][row])
        return None if code < 0 else self.labels[column][code]

    def of_places(self, column: str) -> IntArray:
        """Return the number of a column's label for each place."""
        return self.code[column][self.start]

    @cached_property
    def place(self) -> IntArray:
        """Return the place of each grade."""
        return np.repeat(np.arange(self.n), self.size)

    def highest(self, values: FloatArray) -> FloatArray:
        found: FloatArray = np.maximum.reduceat(values, self.start)
        return found

    def lowest(self, values: FloatArray) -> FloatArray:
        found: FloatArray = np.minimum.reduceat(values, self.start)
        return found

    def total(self, values: IntArray) -> IntArray:
        found: IntArray = np.add.reduceat(values, self.start)
        return found


def places(ratings: pd.DataFrame) -> Places:
    """Return the grades of a ratings frame that have a value, sorted by place."""
    narrow = ratings[[*COLUMNS, "value", "pass_at", "scale_min"]]
    there = narrow["value"].notna()
    marked = narrow if there.all() else narrow[there]
    code: dict[str, IntArray] = {
        name: np.asarray(marked[name].cat.codes, dtype=np.int64) for name in COLUMNS
    }
    labels = {name: marked[name].cat.categories.tolist() for name in COLUMNS}
    order, new = _in_order(code, {name: len(some) + 1 for name, some in labels.items()})
    code = {name: codes[order] for name, codes in code.items()}
    start = np.flatnonzero(new)
    value = marked["value"].to_numpy(np.float64)[order]
    mark, low = (marked[name].to_numpy(np.float64)[order] for name in ("pass_at", "scale_min"))
    return Places(
        code,
        labels,
        value,
        _passes(value, mark, low),
        start,
        np.diff(np.append(start, len(order))),
    )


def _in_order(
    code: Mapping[str, IntArray], widths: Mapping[str, int]
) -> tuple[IntArray, BoolArray]:
    """Return the order of grades by place and rater, and where in it a place begins."""
    new = np.ones(len(code["rater"]), dtype=np.bool_)
    if math.prod(widths[name] for name in (*PLACE, "rater")) < 1 << 62:
        place = np.zeros(len(new), dtype=np.int64)  # one number sorts faster than five
        for name in PLACE:
            place = place * widths[name] + code[name] + 1
        order = np.argsort(place * widths["rater"] + code["rater"] + 1, kind="stable")
        there = place[order]
        new[1:] = there[1:] != there[:-1]
        return order, new
    order = np.lexsort([code[name] for name in ("rater", *reversed(PLACE))])
    parts = [code[name][order] for name in PLACE]
    new[1:] = np.logical_or.reduce([part[1:] != part[:-1] for part in parts])
    return order, new


def _passes(value: FloatArray, mark: FloatArray, low: FloatArray) -> IntArray:
    from_zero = np.isnan(mark) & (low == 0)
    passed = np.where(from_zero, value > 0, value >= mark).astype(np.int64)
    passed[np.isnan(mark) & ~from_zero] = -1
    return passed
