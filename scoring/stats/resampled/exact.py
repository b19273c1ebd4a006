"""Values as whole numerators over one unit, so that sums of them are exact and ties stay ties.

* Exact sums of grades for each release × capability × criterion, question by question.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
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
#: What makes a place beside the capability and the criterion, as far as a frame has it.
PLACE = ("item", "occasion", "rater")
#: Keys up to so many times as many as there are grades are looked up in a table.
DENSE = 8


@dataclass(frozen=True, slots=True)
class SumCell:
    """One release × capability × criterion that has grades; labels, and where its sums are."""

    release: Label
    capability: Label
    criterion: Label
    block: int
    row: int
    open_scale: bool
    no_pass_at: bool


@dataclass(frozen=True, slots=True)
class SumBlock:
    """Sums of the cells (rows) over places (columns) of capabilities that share questions.

    A place is one annotator before one item, who may grade several releases by several criteria
    there; `question` and `rater` say of each whose it is, `pair` numbers both in one.
    """

    num: FloatArray
    den: FloatArray
    passed: FloatArray
    count: FloatArray
    question: IntArray
    rater: IntArray
    pair: IntArray


@dataclass(frozen=True, slots=True)
class CellSums:
    cells: tuple[SumCell, ...]
    blocks: tuple[SumBlock, ...]
    releases: tuple[Label, ...]
    expected: tuple[tuple[Label, Label], ...]  # (capability, criterion) seen for any release
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


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the sums of each cell stand."""

    block: IntArray
    row: IntArray
    base: IntArray
    height: IntArray  # of each block
    width: IntArray


@dataclass(frozen=True, slots=True)
class _GradeBlocks:
    """Of each grade its place; of each place its question, annotator, block and column there."""

    of: IntArray
    question: IntArray
    rater: IntArray
    block: IntArray
    column: IntArray
    width: IntArray  # of each block


def grade_sums(
    ratings: pd.DataFrame,
    *,
    by: tuple[str, str] = ("release", "capability"),
    convention: Convention = "above_minimum",
) -> CellSums:
    """Sum the grades of a ratings frame; rows without a value do not exist.

    Raises:
        ValueError: a row has no question, release or criterion, or the sums grow beyond what
            can be added exactly.
    """
    release, criterion, question = (
        codes(ratings[name], name) for name in (by[0], "criterion", "group")
    )
    capability = codes(ratings[by[1]], by[1], missing_allowed=True)
    there = ratings["value"].notna().to_numpy()
    graded = ratings if there.all() else ratings[there]
    rel, cap, cri, que = (one.codes[there] for one in (release, capability, criterion, question))
    marks = _marks(graded[["value", "scale_min", "scale_max", "pass_at"]], convention)
    blocks = _blocks_of(cap, que, len(capability.labels), len(question.labels))
    places = _places(que, graded, blocks[1])
    shape = (len(release.labels), len(capability.labels), len(criterion.labels))
    joint = (rel * shape[1] + cap) * shape[2] + cri
    present = np.flatnonzero(np.bincount(joint, minlength=int(np.prod(shape))))
    index = np.full(int(np.prod(shape)), -1, dtype=np.int64)
    index[present] = np.arange(len(present))
    cell = index[joint]
    where = np.unravel_index(present, shape)
    layout = _layout(blocks[0][where[1]], places.width)
    labels = (release.labels, capability.labels, criterion.labels)
    return CellSums(
        _cells(where, labels, layout, cell, marks),
        _blocks(layout, cell, places, marks),
        release.labels,
        _seen_pairs(capability, criterion),
        marks.unit,
        marks.exact,
        len(np.unique(que)),
    )


def _cells(
    where: tuple[IntArray, ...],
    labels: tuple[tuple[Label, ...], ...],
    layout: _Layout,
    cell: IntArray,
    marks: _Marks,
) -> tuple[SumCell, ...]:
    n = len(where[0])
    flags = [
        np.bincount(cell, weights=flag, minlength=n) > 0
        for flag in (marks.open_scale, marks.no_pass_at)
    ]
    named = [[of[i] for i in at] for of, at in zip(labels, where, strict=True)]
    columns = [one.tolist() for one in (layout.block, layout.row, *flags)]
    return tuple(SumCell(*values) for values in zip(*named, *columns, strict=True))


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


def _blocks_of(
    cap: IntArray, que: IntArray, n_caps: int, n_questions: int
) -> tuple[IntArray, IntArray]:
    """Return the block of each capability and of each question: those that share any are one."""
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
    return number[joined[n_questions:]], number[joined[:n_questions]]


def _places(que: IntArray, graded: pd.DataFrame, block_of: IntArray) -> _GradeBlocks:
    columns = [_plain_codes(graded[name]) for name in PLACE]
    of = que
    for one in columns:
        width = int(one.max(initial=0)) + 1
        of = dense(of * width + one) if width > 1 else of
    of = dense(of)
    question, rater = np.empty((2, int(of.max(initial=-1)) + 1), dtype=np.int64)
    question[of], rater[of] = que, columns[-1]
    block = block_of[question]
    width_of = np.bincount(block, minlength=int(block_of.max(initial=-1)) + 1)
    return _GradeBlocks(of, question, rater, block, _rank_within(block), width_of)


def dense(keys: IntArray) -> IntArray:
    """Return keys numbered from 0 without gaps, in their order."""
    if int(keys.max(initial=0)) < DENSE * (len(keys) + 1):
        used = np.bincount(keys) > 0
        made: IntArray = (np.cumsum(used) - 1)[keys]
        return made
    codes, known = pd.factorize(keys)
    rank = np.empty(len(known), dtype=np.int64)
    rank[np.argsort(known)] = np.arange(len(known))
    found: IntArray = rank[codes]
    return found


def _plain_codes(column: "pd.Series[Any]") -> IntArray:
    if isinstance(column.dtype, pd.CategoricalDtype):
        # Nothing counts as a value of its own.
        made: IntArray = np.asarray(column.cat.codes, dtype=np.int64) + 1
        return made
    return column.to_numpy(np.int64)


def _layout(block: IntArray, width: IntArray) -> _Layout:
    height = np.bincount(block, minlength=len(width))
    row = _rank_within(block)
    sizes = width * height
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes
    base = starts[block] + row * width[block]
    return _Layout(block, row, base, height, width)


def _rank_within(labels: IntArray) -> IntArray:
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    first = np.searchsorted(ordered, ordered, side="left")
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels)) - first
    return rank


def _blocks(
    layout: _Layout, cell: IntArray, places: _GradeBlocks, marks: _Marks
) -> tuple[SumBlock, ...]:
    key = layout.base[cell] + places.column[places.of]
    size = int((layout.width * layout.height).sum())
    columns = [
        np.bincount(key, weights=weights, minlength=size).astype(np.float64)
        for weights in (marks.num, marks.den, marks.passed, None)
    ]
    ends = np.cumsum(layout.width * layout.height)
    made = []
    for n, (end, high, wide) in enumerate(zip(ends, layout.height, layout.width, strict=True)):
        num, den, passed, count = (
            column[end - high * wide : end].reshape(high, wide) for column in columns
        )
        mine = places.block == n
        question, rater = places.question[mine], places.rater[mine]
        both = question * (int(rater.max(initial=0)) + 1) + rater
        pair = np.unique(both, return_inverse=True)[1]
        made.append(SumBlock(num, den, passed, count, question, rater, pair))
    return tuple(made)
