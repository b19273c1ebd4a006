"""Correlations of one long column of pairs under many weightings at once.

The values are fixed, only how often each was drawn differs. So values are sorted once, along the side
with more different values; mid-ranks come from cumulative weights; and concordance is counted within
blocks, and between them by how often each value of the other side was drawn in them, which people's
marks have few of.

Rank coefficients are ratios of whole numbers. Where the largest of them is small enough for single
precision to hold it exactly, half the memory does: what takes time here is moving numbers.

References:
    Kendall (1948), Rank correlation methods, chapters 1 to 3.
    Knight (1966), A computer method for calculating Kendall's tau with ungrouped data (values sorted
    by both sides; pairs tied on the first are taken off afterwards).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.weighted import (
    CHUNK_CELLS,
    COEFFICIENTS,
    SINGLE,
    Coefficient,
    Counts,
    Found,
    precision,
    ratio,
    rows,
    tau_c,
)

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
    columns = Columns(x, y)
    w = rows(w, columns.order)
    for part in columns.parts(w.shape[1]):
        for name, found in columns.ranked(w[:, part], names).items():
            made[name][part] = found
    if "pearson" in names:
        made["pearson"] = columns.pearson(w)
    return made


class Columns:
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
        signs = _signs(np.arange(n), np.arange(n)).astype(w.dtype, copy=False)
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


def _signs(a: IntArray, b: IntArray) -> Counts:
    made: Counts = np.sign(np.subtract.outer(a, b)).astype(np.float32)
    return made


def _all_pairs(a: IntArray, b: IntArray, w: Counts) -> FloatArray:
    """Return twice C − D as the quadratic form of the products of signs."""
    made = np.zeros(w.shape[1])
    step = max(1, CHUNK_CELLS // max(1, len(a)))
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        signs = _signs(a[part], a) * _signs(b[part], b)
        if signs.any():
            looked = signs.astype(w.dtype, copy=False) @ w
            made += _product(w[part], looked)
    return made
