"""Correlations of many resamples at once: each a weighting of the same values.

* Correlations of one long column of pairs under many weightings at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from scoring.stats import told
from scoring.stats.resampled.linear import FloatArray, IntArray

Coefficient: TypeAlias = told.Coefficient
COEFFICIENTS = told.COEFFICIENTS
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Signs: TypeAlias = npt.NDArray[np.int8]
#: Whole numbers in either precision.
Counts: TypeAlias = npt.NDArray[np.floating[Any]]
F = TypeVar("F", bound=np.floating[Any])
Found: TypeAlias = dict[Coefficient, FloatArray]

CHUNK_CELLS = 4_000_000  # numbers held in memory at once, a few times over
NEAR_CELLS = 250_000  # signs that stay near the processor
#: Up to here single precision holds every whole number.
SINGLE = 2**24


def of_rows(
    x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[Coefficient] = COEFFICIENTS
) -> Found:
    """Correlate row by row values that differ from row to row.

    Args:
        x: rows × values; one row stands for all.
        y: likewise.
        w: likewise, how often each value counts.
        names: the coefficients wanted.

    Returns:
        for each coefficient one number a row.
    """
    n, q = np.broadcast_shapes(x.shape, y.shape, w.shape)
    x, y, w = (np.broadcast_to(one, (n, q)) for one in (x, y, w))
    made: Found = {name: np.empty(n) for name in names}
    step = max(1, NEAR_CELLS // max(1, q * q))
    for start in range(0, n, step):
        part = slice(start, start + step)
        for name, found in _few(x[part], y[part], w[part], names).items():
            made[name][part] = found
    return made


def of_groups(
    x: FloatArray,
    y: FloatArray,
    valid: FloatArray,
    w: FloatArray,
    names: Sequence[Coefficient] = COEFFICIENTS,
) -> Found:
    """Correlate within each of many short groups of fixed values, under each weighting.

    Args:
        x: groups × slots.
        y: groups × slots.
        valid: groups × slots, 1 where there is a value, else 0.
        w: slots × resamples.
        names: the coefficients wanted.

    Returns:
        for each coefficient groups × resamples.
    """
    both = valid[:, :, None] * valid[:, None, :]
    sx, sy = _signs(x) * both, _signs(y) * both
    n_groups, q = x.shape
    made: Found = {name: np.empty((n_groups, w.shape[1])) for name in names}
    step = max(1, CHUNK_CELLS // max(1, n_groups * q, q * q))
    for start in range(0, w.shape[1], step):
        part = slice(start, start + step)
        for name in names:
            made[name][:, part] = _grouped(name, x, y, valid, sx, sy, w[:, part])
    return made


def ratio(above: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return above ÷ √(left · right), between −1 and 1; NaN where a side does not vary."""
    below = np.sqrt(np.maximum(left, 0) * np.maximum(right, 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        made = np.where(below > 0, above / below, np.nan)
    return np.clip(made, -1, 1)


def tau_c(above: FloatArray, n: FloatArray, kinds: FloatArray) -> FloatArray:
    """Return Stuart's τ-c from twice C − D, n and the smaller number of different values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        made = above * kinds / (n**2 * (kinds - 1))
    return np.where(kinds > 1, made, np.nan)


def precision(n: Counts) -> type[np.floating[Any]]:
    """Return what holds sums of weights, n in each resample, exactly: none of them exceeds n²."""
    return np.float32 if float(n.max(initial=0)) ** 2 < SINGLE else np.float64


def _few(x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[Coefficient]) -> Found:
    """Correlate rows × values; signs are laid out with rows last, where they lie side by side."""
    made: Found = {}
    if "pearson" in names:
        made["pearson"] = _pearson(x, y, w)
    if set(names) - {"pearson"}:
        n = w.sum(axis=1)
        times: Counts = np.ascontiguousarray(w.T, dtype=precision(n))
        sx, sy = (_pair_signs(np.ascontiguousarray(one.T)) for one in (x, y))
        if "spearman" in names:
            made["spearman"] = _spearman(sx, sy, times)
        above = _quadratic(sx * sy, times)
        if "kendall_b" in names:
            made["kendall_b"] = ratio(above, _quadratic(sx * sx, times), _quadratic(sy * sy, times))
        if "kendall_c" in names:
            kinds = np.minimum(_kinds(sx, times), _kinds(sy, times))
            made["kendall_c"] = tau_c(above, n, kinds)
    return made


def _pearson(x: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    n = w.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        dx = x - (w * x).sum(axis=1, keepdims=True) / n
        dy = y - (w * y).sum(axis=1, keepdims=True) / n
    made = ratio((w * dx * dy).sum(axis=1), (w * dx * dx).sum(axis=1), (w * dy * dy).sum(axis=1))
    return np.where(_varies(x, w) & _varies(y, w), made, np.nan)


def _varies(x: FloatArray, w: FloatArray) -> BoolArray:
    high = np.where(w > 0, x, -np.inf).max(axis=1)
    low = np.where(w > 0, x, np.inf).min(axis=1)
    made: BoolArray = high > low
    return made


def _signs(x: FloatArray) -> FloatArray:
    made: FloatArray = np.sign(x[:, :, None] - x[:, None, :])
    return made


def _pair_signs(x: FloatArray) -> Signs:
    """Return values × values × rows from values × rows: whether the first is above the second."""
    above = (x[:, None] > x).view(np.int8)
    return above - above.swapaxes(0, 1)


def _spearman(sx: Signs, sy: Signs, w: Counts) -> FloatArray:
    dx, dy = (_against(s, w).astype(np.float64) for s in (sx, sy))
    return ratio(*((w * a * b).sum(axis=0) for a, b in ((dx, dy), (dx, dx), (dy, dy))))


def _against(s: Signs, w: Counts) -> Counts:
    """Return for each value the sum over all others, as often as they count: values × rows."""
    made: Counts = np.einsum("ijr,jr->ir", s.astype(w.dtype), w)
    return made


def _quadratic(s: Signs, w: Counts) -> FloatArray:
    made: FloatArray = np.einsum("ir,ir->r", w, _against(s, w)).astype(np.float64)
    return made


def _kinds(s: Signs, w: Counts) -> FloatArray:
    """Count different values: each of k equal ones that were drawn counts for 1 ÷ k."""
    drawn = (w > 0).astype(np.float64)
    equal = _against((s == 0).view(np.int8), drawn)
    made: FloatArray = np.rint((drawn / np.maximum(equal, 1)).sum(axis=0))
    return made


def _grouped(
    name: Coefficient,
    x: FloatArray,
    y: FloatArray,
    valid: FloatArray,
    sx: FloatArray,
    sy: FloatArray,
    w: FloatArray,
) -> FloatArray:
    n_groups, q = x.shape
    if name == "spearman":
        dx, dy = (
            (s.reshape(n_groups * q, q) @ w).reshape(n_groups, q, w.shape[1]) for s in (sx, sy)
        )
        wx, wy = w * dx, w * dy
        return ratio(
            np.einsum("gqr,gqr->gr", wx, dy),
            np.einsum("gqr,gqr->gr", wx, dx),
            np.einsum("gqr,gqr->gr", wy, dy),
        )
    twice = (w[:, None, :] * w[None, :, :]).reshape(q * q, w.shape[1])

    def paired(s: FloatArray) -> FloatArray:
        made: FloatArray = s.reshape(n_groups, q * q) @ twice
        return made

    if name == "pearson":
        varies = (paired(sx * sx) > 0) & (paired(sy * sy) > 0)
        return np.where(varies, _grouped_pearson(x, y, valid, w), np.nan)
    if name == "kendall_b":
        return ratio(paired(sx * sy), paired(sx * sx), paired(sy * sy))
    kinds = np.minimum(_grouped_kinds(sx, valid, w), _grouped_kinds(sy, valid, w))
    return tau_c(paired(sx * sy), valid @ w, kinds)


def _grouped_pearson(x: FloatArray, y: FloatArray, valid: FloatArray, w: FloatArray) -> FloatArray:
    count = np.maximum(valid.sum(axis=1, keepdims=True), 1)
    dx = (x - (x * valid).sum(axis=1, keepdims=True) / count) * valid
    dy = (y - (y * valid).sum(axis=1, keepdims=True) / count) * valid
    n = np.maximum(valid @ w, 1)
    mx, my = dx @ w / n, dy @ w / n
    return ratio(
        (dx * dy) @ w - n * mx * my, (dx * dx) @ w - n * mx * mx, (dy * dy) @ w - n * my * my
    )


def _grouped_kinds(s: FloatArray, valid: FloatArray, w: FloatArray) -> FloatArray:
    n_groups, q = valid.shape
    both = valid[:, :, None] * valid[:, None, :]
    drawn = (w > 0).astype(np.float64)
    equal = (((s == 0) * both).reshape(n_groups * q, q) @ drawn).reshape(n_groups, q, w.shape[1])
    made: FloatArray = np.rint((drawn * valid[:, :, None] / np.maximum(equal, 1)).sum(axis=1))
    return made


def expanded(counts: npt.NDArray[F], of: IntArray) -> npt.NDArray[F]:
    """Return the weights of values from how often each of their clusters was drawn.

    Args:
        counts: resamples × clusters.
        of: the cluster of each value.

    Returns:
        values × resamples.
    """
    return rows(np.ascontiguousarray(counts.T), of)


def rows(a: npt.NDArray[F], at: IntArray) -> npt.NDArray[F]:
    """Return these rows, copied whole, which indexing by an array does number by number."""
    made = np.empty((len(at), a.shape[1]), dtype=a.dtype)
    return np.take(a, at, axis=0, out=made, mode="clip")


def mean_over_groups(each: Mapping[Coefficient, FloatArray], times: FloatArray) -> Found:
    """Return the mean over the groups that vary, each counted as often as it was drawn.

    Args:
        each: groups × resamples, NaN where a group does not vary.
        times: groups × resamples, how often each group was drawn.
    """
    made: Found = {}
    for name, found in each.items():
        there = np.isfinite(found)
        n = (there * times).sum(axis=0)
        total = (np.where(there, found, 0) * times).sum(axis=0)
        made[name] = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return made


FEW_KINDS = 64
BLOCK = 32  # values compared pair by pair
#: Weights looked at together. Arrays of many more go back to the system and are fetched anew each
#: time, which takes longer than what is done with them.
AT_ONCE = 160_000
FEW_TIES = 16  # so many equal values are added one after the other


def of_long(
    x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[Coefficient] = COEFFICIENTS
) -> Found:
    """Correlate two long columns of fixed values under each weighting.

    Args:
        x: values.
        y: values.
        w: values × resamples.
        names: the coefficients wanted.

    Returns:
        for each coefficient one number a resample.
    """
    made: Found = {name: np.empty(w.shape[1]) for name in names}
    columns = WeightedColumns(x, y)
    w = rows(w, columns.order)
    for part in columns.parts(w.shape[1]):
        for name, found in columns.ranked(w[:, part], names).items():
            made[name][part] = found
    if "pearson" in names:
        made["pearson"] = columns.pearson(w)
    return made


class WeightedColumns:
    """Two long columns of fixed values, looked at once for all weightings.

    `order` is that in which weights are given: ascending along the side with more kinds.
    """

    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        if len(np.unique(x)) < len(np.unique(y)):  # every coefficient is the same either way round
            x, y = y, x
        self.order: IntArray = np.lexsort((y, x)).astype(np.int64)
        self._x, self._y = x[self.order], y[self.order]
        self._left, self._right = Kinds(self._x), Kinds(self._y)

    def parts(self, resamples: int) -> Iterator[slice]:
        """Yield which of the resamples to look at together."""
        step = max(1, AT_ONCE // max(1, len(self.order)))
        return (slice(start, start + step) for start in range(0, resamples, step))

    def ranked(self, w: Counts, names: Sequence[Coefficient]) -> Found:
        """Return the rank coefficients among the names under a few weightings.

        Args:
            w: values × resamples, whole numbers, the values in `order`.
            names: the coefficients wanted.
        """
        made: Found = {}
        if not set(names) - {"pearson"}:
            return made
        at_right = self._right.sums(w)
        n = at_right.sum(axis=0, dtype=np.float64)
        if w.dtype != precision(n):
            w = w.astype(precision(n))
            at_right = self._right.sums(w)
        at_left = self._left.sums(w)
        if "spearman" in names:
            made["spearman"] = ratio(
                self._above(w, n, at_right), _spread(n, at_left), _spread(n, at_right)
            )
        if {"kendall_b", "kendall_c"} & set(names):
            net = self._net(w)
            if "kendall_b" in names:
                untied = (n**2 - _squares(one) for one in (at_left, at_right))
                made["kendall_b"] = ratio(net, *untied)
            if "kendall_c" in names:
                kinds = np.minimum(*((one > 0).sum(axis=0) for one in (at_left, at_right)))
                made["kendall_c"] = tau_c(net, n, kinds.astype(np.float64))
        return made

    def pearson(self, w: FloatArray) -> FloatArray:
        """Return Pearson's coefficient under each weighting: values × resamples, in `order`."""
        x, y = self._x, self._y
        n = np.maximum(w.sum(axis=0), 1)
        dx, dy = x - x.mean(), y - y.mean()
        sums = np.stack([dx, dy, dx * dx, dy * dy, dx * dy]) @ w
        mx, my = sums[0] / n, sums[1] / n
        made = ratio(sums[4] - n * mx * my, sums[2] - n * mx * mx, sums[3] - n * my * my)
        counted = (one.sums(w) for one in (self._left, self._right))
        varies = np.minimum(*((one > 0).sum(axis=0) for one in counted)) > 1
        return np.where(varies, made, np.nan)

    def _above(self, w: Counts, n: FloatArray, at_right: Counts) -> FloatArray:
        """Return the sum of the products of both sides' centred mid-ranks, each taken twice.

        The left side's need not be centred, since the right side's add up to nothing.
        """
        twice = self._left.midranks(w)
        twice *= w
        return _product(self._right.sums(twice), _centred(at_right, n))

    def _net(self, w: Counts) -> FloatArray:
        """Return twice C − D."""
        if self._right.n > FEW_KINDS:
            return _all_pairs(self._left.of, self._right.of, w)
        return 2 * self._rising(w) - self._tied_on_the_left(w)

    def _rising(self, w: Counts) -> FloatArray:
        """Return how many pairs rise on the right side along the order, less how many fall."""
        n, blocks = self._right.n, _blocks(w)
        looked = self._looks.astype(w.dtype, copy=False) @ blocks
        within: Counts = np.einsum("bir,bir->r", looked[:, n:], blocks)
        here = looked[:, :n]
        before = running(here.reshape(len(here), -1)).reshape(here.shape)[:-1]
        signs = _long_signs(np.arange(n), np.arange(n)).astype(w.dtype, copy=False)
        between: Counts = np.einsum("bkr,bkr->r", here[1:], signs @ before)
        return within.astype(np.float64) + between

    @cached_property
    def _looks(self) -> Counts:
        """What is counted in each block: blocks × (kinds, then values) × values.

        For a kind of the right side, 1 where a value is of it; for a value, the signs of its pairs with
        those before it.
        """
        kinds = np.arange(self._right.n)[:, None]
        of = np.concatenate([self._right.of, np.zeros(-len(self.order) % BLOCK, dtype=np.int64)])
        of = of.reshape(-1, 1, BLOCK)
        before = np.tril(np.sign(of.swapaxes(1, 2) - of), -1)
        return np.concatenate([kinds == of, before], axis=1).astype(np.float32)

    def _tied_on_the_left(self, w: Counts) -> FloatArray:
        """Return twice how many pairs are tied on the left side and not on the right."""
        tied, left, both = self._ties
        w = rows(w, tied)
        return _squares(left.sums(w)) - _squares(both.sums(w))

    @cached_property
    def _ties(self) -> "tuple[IntArray, Kinds, Kinds]":
        """The places whose left value comes more than once, and the kinds of left and both there."""
        tied = self._left.tied
        left, right = self._left.of[tied], self._right.of[tied]
        return tied, Kinds(left), Kinds(left * self._right.n + right)


class Kinds:
    """The different values of a column: which value each place has, and sums over them."""

    def __init__(self, x: FloatArray | IntArray) -> None:
        known, of = np.unique(x, return_inverse=True)
        self.n = len(known)
        self.of: IntArray = of.astype(np.int64)
        self._order: IntArray = np.argsort(self.of, kind="stable")
        self._times = np.bincount(self.of, minlength=self.n)
        self._starts = np.cumsum(self._times) - self._times
        self._alone = bool((self.of == np.arange(len(self.of))).all())
        self._member: Counts | None = None
        if self.n <= FEW_KINDS:
            self._member = (np.arange(self.n)[:, None] == self.of).astype(np.float32)

    @cached_property
    def tied(self) -> IntArray:
        """The places whose value comes more than once."""
        return np.flatnonzero(self._times[self.of] > 1)

    @cached_property
    def _later(self) -> list[tuple[IntArray, IntArray]]:
        """Which kinds come a second time and where, a third time, and so on."""
        times = np.arange(len(self._order)) - self._starts[self.of[self._order]]
        return [
            (self.of[places], places)
            for nth in range(1, min(int(times.max(initial=0)), FEW_TIES) + 1)
            for places in (self._order[times == nth],)
        ]

    def sums(self, a: Counts) -> Counts:
        """Return kinds × resamples from whole values × resamples."""
        if self._member is not None:
            made: Counts = self._member.astype(a.dtype, copy=False) @ a
            return made
        if self._alone:
            return a
        if len(self._later) >= FEW_TIES:
            summed: Counts = np.add.reduceat(rows(a, self._order), self._starts)
            return summed
        summed = rows(a, self._order[self._starts])
        for kinds, places in self._later:
            summed[kinds] += rows(a, places)
        return summed

    def midranks(self, w: Counts) -> Counts:
        """Return twice the mid-rank of each value less one, from the weights of an ascending column.

        That is what lies below it and what lies no higher.
        """
        up_to = running(w)
        made = np.empty_like(up_to)
        made[:1] = up_to[:1]
        np.add(up_to[1:], up_to[:-1], out=made[1:])
        first = self._starts[self.of[self.tied]]
        last = first + self._times[self.of[self.tied]] - 1
        made[self.tied] = rows(up_to, last) + rows(up_to, first) - rows(w, first)
        return made


def running(a: Counts) -> Counts:
    """Return the sums of each row of whole numbers and all above it.

    Within blocks by a product of matrices, then what lies above each block: numpy's own cumulative
    sum goes down a column number by number.
    """
    if len(a) <= BLOCK:
        return np.tri(len(a), dtype=a.dtype) @ a
    made = np.tri(BLOCK, dtype=a.dtype) @ _blocks(a)
    made[1:] += running(made[:-1, -1])[:, None]
    return made.reshape(-1, a.shape[1])[: len(a)]


def _blocks(a: Counts) -> Counts:
    """Return rows as blocks × rows × columns, the last block filled with noughts."""
    if missing := -len(a) % BLOCK:
        a = np.concatenate([a, np.zeros((missing, a.shape[1]), dtype=a.dtype)])
    return a.reshape(-1, BLOCK, a.shape[1])


def _centred(at: Counts, n: FloatArray) -> Counts:
    """Return twice the centred mid-rank of each kind: what lies below less what lies above."""
    made = running(at)
    made *= 2
    made -= at
    made -= n.astype(at.dtype)
    return made


def _spread(n: FloatArray, at: Counts) -> FloatArray:
    """Return the sum of the squares of twice the centred mid-ranks, from the counts of each kind.

    Kendall (1948), section 3.6: a third of n³ − n less the same of each set of ties.
    """
    largest = float(at.max(initial=0)) ** 2 * n.max(initial=0)
    exact = at.dtype if largest < SINGLE else np.dtype(np.float64)
    made: FloatArray = (n * n * n - np.einsum("kr,kr,kr->r", at, at, at, dtype=exact)) / 3
    return made


def _product(a: Counts, b: Counts) -> FloatArray:
    made: FloatArray = np.einsum("kr,kr->r", a, b, dtype=np.float64)
    return made


def _squares(at: Counts) -> FloatArray:
    made: FloatArray = np.einsum("kr,kr->r", at, at).astype(np.float64)
    return made


def _long_signs(a: IntArray, b: IntArray) -> Counts:
    made: Counts = np.sign(np.subtract.outer(a, b)).astype(np.float32)
    return made


def _all_pairs(a: IntArray, b: IntArray, w: Counts) -> FloatArray:
    """Return twice C − D as the quadratic form of the products of signs."""
    made = np.zeros(w.shape[1])
    step = max(1, CHUNK_CELLS // max(1, len(a)))
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        signs = _long_signs(a[part], a) * _long_signs(b[part], b)
        if signs.any():
            looked = signs.astype(w.dtype, copy=False) @ w
            made += _product(w[part], looked)
    return made
