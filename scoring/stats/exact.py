"""Values as whole numerators over one unit, so that sums of them are exact and ties stay ties.

Means of people's marks are fractions with small denominators; sums of floats would break exact
ties between systems and depend on the order of rows. Values of judges are exact as far as nine
decimals go; a column with more is kept as floats and says so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.stats.linear import FloatArray, IntArray

MAX_DECIMALS = 9
EXACT_SUM = 2.0**53  # from here on a float no longer holds every whole number


@dataclass(frozen=True, slots=True)
class Values:
    """One value a row as `numerators / unit`; NaN is missing.

    Where `exact`, the numerators are whole and so are all their sums.
    """

    numerators: FloatArray
    unit: float
    exact: bool

    @property
    def floats(self) -> FloatArray:
        return self.numerators / self.unit


def values(column: Sequence[Any] | FloatArray) -> Values:
    """Return a column of numbers as exact values, as far as nine decimals go; NaN is missing.

    Raises:
        ValueError: a number is infinite.
    """
    made = np.asarray(column, dtype=np.float64)
    if np.isinf(made).any():
        raise ValueError("A value is infinite.")
    return _whole(made)


def means(total: Sequence[Any] | FloatArray, count: Sequence[int] | IntArray) -> Values:
    """Return the mean of each row from the exact sum of its marks and their number; 0 is missing.

    Raises:
        ValueError: a number of marks is negative, or a sum is not a number where there are marks.
    """
    n = np.asarray(count, dtype=np.int64)
    there = n > 0
    if (n < 0).any() or not np.isfinite(np.asarray(total, dtype=np.float64)[there]).all():
        raise ValueError("A row of marks has no proper sum or number.")
    sums = _whole(np.where(there, np.asarray(total, dtype=np.float64), np.nan))
    common = math.lcm(*np.unique(n[there]).tolist())
    if sums.exact and common < EXACT_SUM:
        spread = sums.numerators * np.where(there, common // np.where(there, n, 1), 1)
        if _fits(spread):
            return Values(spread, sums.unit * common, True)
    return Values(sums.numerators / np.where(there, n, 1) / sums.unit, 1.0, False)


def of_marks(marks: FloatArray) -> Values:
    """Return the mean over raters of a table of marks, raters × rows; NaN is missing."""
    each = _whole(np.asarray(marks, dtype=np.float64))
    count = (~np.isnan(each.numerators)).sum(axis=0)
    made = means(np.nansum(each.numerators, axis=0), count)
    return Values(made.numerators, made.unit * each.unit, made.exact and each.exact)


def mean_of(columns: Sequence[Values]) -> Values:
    """Return the mean of several columns, row by row; missing where one of them is missing."""
    if len(columns) == 1:
        return columns[0]
    if all(one.exact for one in columns):
        common = math.lcm(*(int(one.unit) for one in columns))
        parts = [one.numerators * (common // int(one.unit)) for one in columns]
        total: FloatArray = np.sum(parts, axis=0)
        if common < EXACT_SUM and _fits(total) and all(_fits(part) for part in parts):
            return Values(total, float(common * len(columns)), True)
    return Values(np.mean([one.floats for one in columns], axis=0), 1.0, False)


def rescaled(column: Values, low: float, high: float) -> Values:
    """Return values as shares of their range.

    Raises:
        ValueError: the range is open or has no width.
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        raise ValueError(f"A range from {low} to {high} has no width.")
    bottom, width = low * column.unit, (high - low) * column.unit
    if column.exact and bottom == round(bottom) and width == round(width):
        made = column.numerators - bottom
        if _fits(made):
            return Values(made, width, True)
    return Values((column.floats - low) / (high - low), 1.0, False)


def _whole(column: FloatArray) -> Values:
    present = column[~np.isnan(column)]
    for decimals in range(MAX_DECIMALS + 1):
        unit = 10.0**decimals
        if np.array_equal(np.rint(present * unit) / unit, present):
            made = np.rint(column * unit)
            return Values(made, unit, True) if _fits(made) else Values(column, 1.0, False)
    return Values(column, 1.0, False)


def _fits(numerators: FloatArray) -> bool:
    """Say whether every sum over rows, drawn anew or not, is a whole number that a float holds."""
    return bool(np.nanmax(np.abs(numerators), initial=0) * numerators.size < EXACT_SUM)
