"""Values as whole numerators over one unit, so that sums of them are exact and ties stay ties.

* Exact sums of grades for each release × capability × criterion, question by question.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array, csgraph

from scoring.stats.resampled.linear import FloatArray as ExactFloatArray
from scoring.stats.resampled.linear import IntArray as ExactIntArray

MAX_DECIMALS = 9
EXACT_SUM = 2.0**53  # from here on a float no longer holds every whole number


@dataclass(frozen=True, slots=True)
class Values:
    """One value a row as `numerators / unit`; NaN is missing.

    Where `exact`, the numerators are whole and so are all their sums.
    """

    numerators: ExactFloatArray
    unit: float
    exact: bool

    @property
    def floats(self) -> ExactFloatArray:
        return self.numerators / self.unit


def values(column: Sequence[Any] | ExactFloatArray) -> Values:
    """Return a column of numbers as exact values, as far as nine decimals go; NaN is missing.

    Raises:
        ValueError: a number is infinite.
    """
    made = np.asarray(column, dtype=np.float64)
    if np.isinf(made).any():
        raise ValueError("A value is infinite.")
    return _whole(made)


def means(total: Sequence[Any] | ExactFloatArray, count: Sequence[int] | ExactIntArray) -> Values:
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


def of_marks(marks: ExactFloatArray) -> Values:
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
        total: ExactFloatArray = np.sum(parts, axis=0)
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


def _whole(column: ExactFloatArray) -> Values:
    present = column[~np.isnan(column)]
    for decimals in range(MAX_DECIMALS + 1):
        unit = 10.0**decimals
        if np.array_equal(np.rint(present * unit) / unit, present):
            made = np.rint(column * unit)
            return Values(made, unit, True) if _fits(made) else Values(column, 1.0, False)
    return Values(column, 1.0, False)


def _fits(numerators: ExactFloatArray) -> bool:
    """Say whether every sum over rows, drawn anew or not, is a whole number that a float holds."""
    return bool(np.nanmax(np.abs(numerators), initial=0) * numerators.size < EXACT_SUM)


IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Label = Hashable
Convention = Literal["above_minimum", "of_top"]

MAX_SUM_DECIMALS = 6
EXACT_SUM_LIMIT = 2**53


@dataclass(frozen=True, slots=True)
class Cell:
    """One release × capability × criterion that has grades; labels, and where its sums are."""

    release: Label
    capability: Label
    criterion: Label
    block: int
    row: int
    open_scale: bool
    no_pass_at: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Sums of the cells (rows) over the questions (columns) that are resampled together."""

    num: FloatArray
    den: FloatArray
    passed: FloatArray
    count: FloatArray


@dataclass(frozen=True, slots=True)
class Sums:
    cells: tuple[Cell, ...]
    blocks: tuple[Block, ...]
    releases: tuple[Label, ...]
    expected: tuple[tuple[Label, Label], ...]  # (capability, criterion) seen for any release
    raters: BoolArray  # cells × raters: who graded in it
    unit: int  # sums are in 1/unit
    exact: bool
    n_questions: int


@dataclass(frozen=True, slots=True)
class Codes:
    codes: npt.NDArray[np.intp]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class _Marks:
    num: FloatArray
    den: FloatArray
    passed: BoolArray
    open_scale: BoolArray
    no_pass_at: BoolArray
    unit: int
    exact: bool

    def of(self, rows: "IntArray | slice") -> "_Marks":
        """Return the marks of some rows."""
        if isinstance(rows, slice):
            return self
        return replace(
            self,
            num=self.num[rows],
            den=self.den[rows],
            passed=self.passed[rows],
            open_scale=self.open_scale[rows],
            no_pass_at=self.no_pass_at[rows],
        )


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the sums of each cell stand."""

    block: IntArray
    row: IntArray
    base: IntArray
    height: IntArray  # of each block
    width: IntArray


@dataclass(frozen=True, slots=True)
class _Joined:
    """Which capabilities share questions: their block, and the place of a question within it."""

    block: IntArray  # of each capability
    place: IntArray  # of each question
    width: IntArray  # of each block


@dataclass(frozen=True, slots=True)
class Grades:
    """Every grade by itself: codes of what it belongs to, and what it adds to the sums."""

    release: IntArray
    capability: IntArray
    criterion: IntArray
    question: IntArray
    releases: tuple[Label, ...]
    capabilities: tuple[Label, ...]
    criteria: tuple[Label, ...]
    expected: tuple[tuple[Label, Label], ...]  # (capability, criterion) of any row
    n_questions: int
    _marks: _Marks
    _joined: _Joined


def grade_sums(
    ratings: pd.DataFrame,
    *,
    by: tuple[str, str] = ("release", "capability"),
    convention: Convention = "above_minimum",
) -> Sums:
    """Sum the grades of a ratings frame; rows without a value do not exist.

    Raises:
        ValueError: a row has no question, release or criterion, or the sums grow beyond what
            can be added exactly.
    """
    found = grades(ratings, by=by, convention=convention)
    made = _summed(found, found.release, found.releases, slice(None))
    raters = _raters(ratings["rater"][ratings["value"].notna()], made.cell, len(made.cells))
    return Sums(
        made.cells,
        made.blocks,
        found.releases,
        found.expected,
        raters,
        found._marks.unit,
        found._marks.exact,
        len(np.unique(found.question)),
    )


def grades(ratings: pd.DataFrame, *, by: tuple[str, str], convention: Convention) -> Grades:
    """Return the grades of a ratings frame, in the order of its rows that have a value.

    Raises:
        ValueError: as `grade_sums`.
    """
    release, criterion, question = (
        codes(ratings[name], name) for name in (by[0], "criterion", "group")
    )
    capability = codes(ratings[by[1]], by[1], missing_allowed=True)
    there = ratings["value"].notna().to_numpy()
    graded = ratings.loc[there, ["value", "scale_min", "scale_max", "pass_at"]]
    rel, cap, cri, que = (one.codes[there] for one in (release, capability, criterion, question))
    n_questions = len(question.labels)
    joined = _joined(cap, que, len(capability.labels), n_questions)
    labels = (release.labels, capability.labels, criterion.labels)
    seen = _seen_pairs(capability, criterion)
    return Grades(
        rel, cap, cri, que, *labels, seen, n_questions, _marks(graded, convention), joined
    )


def chosen(of: Grades, rows: IntArray, side: IntArray, n_sides: int, whole: Sums) -> Sums:
    """Sum some of the grades, with 0, 1, 2 … in the place of releases: what each row counts for.

    A row may be there several times. Blocks and places of questions are those of the `whole`;
    who graded is not told.
    """
    made = _summed(of, side, tuple(range(n_sides)), rows)
    nobody = np.zeros((len(made.cells), 0), dtype=np.bool_)
    return replace(
        whole, cells=made.cells, blocks=made.blocks, releases=tuple(range(n_sides)), raters=nobody
    )


@dataclass(frozen=True, slots=True)
class _Summed:
    cells: tuple[Cell, ...]
    blocks: tuple[Block, ...]
    cell: IntArray  # of each row


def _summed(
    of: Grades, release: IntArray, releases: tuple[Label, ...], rows: IntArray | slice
) -> _Summed:
    cap, cri, que, marks = (
        of.capability[rows],
        of.criterion[rows],
        of.question[rows],
        of._marks.of(rows),
    )
    shape = (len(releases), len(of.capabilities), len(of.criteria))
    joint = (release * shape[1] + cap) * shape[2] + cri
    present = np.flatnonzero(np.bincount(joint, minlength=int(np.prod(shape))))
    index = np.full(int(np.prod(shape)), -1, dtype=np.int64)
    index[present] = np.arange(len(present))
    cell = index[joint]
    cell_rel, cell_cap, cell_cri = np.unravel_index(present, shape)
    layout = _layout(of._joined, cell_cap)
    flags = [
        np.bincount(cell, weights=flag, minlength=len(present)) > 0
        for flag in (marks.open_scale, marks.no_pass_at)
    ]
    cells = tuple(
        Cell(
            releases[cell_rel[i]],
            of.capabilities[cell_cap[i]],
            of.criteria[cell_cri[i]],
            int(layout.block[i]),
            int(layout.row[i]),
            bool(flags[0][i]),
            bool(flags[1][i]),
        )
        for i in range(len(present))
    )
    return _Summed(cells, _blocks(layout, cell, of._joined.place[que], marks), cell)


def codes(column: "pd.Series", name: str, *, missing_allowed: bool = False) -> Codes:
    """Return codes into the sorted labels in use, so that no result depends on row order."""
    categorical = pd.Categorical(column)
    raw = categorical.codes.astype(np.intp)
    n = len(categorical.categories)
    if len(raw) and raw.min() < 0:
        if not missing_allowed:
            raise ValueError(f"Some rows of the ratings have no {name}.")
        raw = np.where(raw < 0, n, raw)
    used = np.flatnonzero(np.bincount(raw, minlength=n + 1))
    known = [*categorical.categories.tolist(), None]
    labels = [known[i] for i in used]
    order = sorted(range(len(labels)), key=lambda i: (labels[i] is not None, labels[i]))
    rank = np.zeros(n + 1, dtype=np.intp)
    rank[used[order]] = np.arange(len(order))
    return Codes(rank[raw], tuple(labels[i] for i in order))


def _seen_pairs(capability: Codes, criterion: Codes) -> tuple[tuple[Label, Label], ...]:
    width = len(criterion.labels)
    pairs = np.flatnonzero(np.bincount(capability.codes * width + criterion.codes))
    return tuple((capability.labels[i // width], criterion.labels[i % width]) for i in pairs)


def _marks(graded: pd.DataFrame, convention: Convention) -> _Marks:
    value, low, top, pass_at = (graded[name].to_numpy() for name in graded.columns)
    open_scale = ~(np.isfinite(low) & np.isfinite(top))
    bottom = np.where(open_scale, value, low)
    ceiling = np.where(open_scale, value, top)
    unit, exact = _unit(value, bottom, ceiling)
    floor = np.rint(bottom * unit) if convention == "above_minimum" else 0.0
    num = np.rint(value * unit) - floor
    den = np.rint(ceiling * unit) - floor
    if max(np.abs(num).sum(), np.abs(den).sum()) >= EXACT_SUM_LIMIT:
        raise ValueError("The grades add up to more than can be summed exactly.")
    unset = np.isnan(pass_at)
    passed = np.where(unset, value > 0, value >= pass_at)
    return _Marks(num, den, passed, open_scale, unset & (bottom != 0), unit, exact)


def _unit(*columns: FloatArray) -> tuple[int, bool]:
    for decimals in range(MAX_SUM_DECIMALS + 1):
        unit = 10**decimals
        if all(np.array_equal(np.rint(column * unit) / unit, column) for column in columns):
            return unit, True
    return 10**MAX_SUM_DECIMALS, False


def _joined(cap: IntArray, que: IntArray, n_caps: int, n_questions: int) -> _Joined:
    pairs = np.flatnonzero(np.bincount(que * n_caps + cap, minlength=n_questions * n_caps))
    met = coo_array(
        (
            np.ones(len(pairs), dtype=np.int8),
            (pairs // n_caps, n_questions + pairs % n_caps),
        ),
        shape=(n_questions + n_caps, n_questions + n_caps),
    )
    _, joined = csgraph.connected_components(met, directed=False)
    caps_used = np.unique(cap)
    _, first = np.unique(joined[n_questions + caps_used], return_index=True)
    order = joined[n_questions + caps_used[np.sort(first)]]
    number = np.full(joined.max(initial=0) + 1, -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    of_question = number[joined[:n_questions]]
    width = np.bincount(of_question[of_question >= 0], minlength=len(order))
    return _Joined(number[joined[n_questions:]], _rank_within(of_question), width)


def _layout(joined: _Joined, cell_cap: IntArray) -> _Layout:
    block = joined.block[cell_cap]
    height = np.bincount(block, minlength=len(joined.width))
    row = _rank_within(block)
    sizes = joined.width * height
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes
    base = starts[block] + row * joined.width[block]
    return _Layout(block, row, base, height, joined.width)


def _rank_within(labels: IntArray) -> IntArray:
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    first = np.searchsorted(ordered, ordered, side="left")
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels)) - first
    return rank


def _blocks(layout: _Layout, cell: IntArray, place: IntArray, marks: _Marks) -> tuple[Block, ...]:
    key = layout.base[cell] + place
    size = int((layout.width * layout.height).sum())
    columns = [
        np.bincount(key, weights=weights, minlength=size).astype(np.float64)
        for weights in (marks.num, marks.den, marks.passed, None)
    ]
    ends = np.cumsum(layout.width * layout.height)
    return tuple(
        Block(*(column[end - high * wide : end].reshape(high, wide) for column in columns))
        for end, high, wide in zip(ends, layout.height, layout.width, strict=True)
    )


def _raters(column: "pd.Series", cell: IntArray, n_cells: int) -> BoolArray:
    rater = codes(column, "rater", missing_allowed=True)
    n = max(1, len(rater.labels))
    met = np.bincount(cell * n + rater.codes, minlength=n_cells * n)
    return met.reshape(n_cells, n) > 0
