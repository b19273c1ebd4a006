"""Correlations of one long column of pairs under many weightings at once.

The values are fixed, only how often each was drawn differs. So values are sorted once; mid-ranks
come from cumulative weights; and concordance is counted along one side block by block, each block
against the sums of all before it for each value of the other side, which people's marks have few of.

Rank coefficients are ratios of whole numbers. Where the largest of them is small enough for single
precision to hold it exactly, half the memory does: what takes time here is moving numbers.

References:
    Kendall (1948), Rank correlation methods, chapters 1 to 3.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.weighted import (
    CHUNK_CELLS,
    COEFFICIENTS,
    Coefficient,
    Counts,
    Found,
    ratio,
    tau_c,
)

FEW_KINDS = 64
BLOCK = 32  # values compared pair by pair
AT_ONCE = 250_000  # weights that stay in the processor's cache
FEW_TIES = 16  # so many equal values are added one after the other
#: Up to here single precision holds every whole number.
SINGLE = 2**24


def of_long(
    x: FloatArray, y: FloatArray, w: FloatArray, names: Sequence[Coefficient] = COEFFICIENTS
) -> Found:
    """Correlate two long columns of fixed values under each weighting.

    Args:
        x: values; in ascending order it goes fastest.
        y: values.
        w: values × resamples.
        names: the coefficients wanted.

    Returns:
        for each coefficient one number a resample.
    """
    made: Found = {name: np.empty(w.shape[1]) for name in names}
    columns = Columns(x, y)
    step = max(1, AT_ONCE // max(1, len(x)))
    for start in range(0, w.shape[1], step):
        part = slice(start, start + step)
        for name, found in columns.ranked(w[:, part], names).items():
            made[name][part] = found
    if "pearson" in names:
        made["pearson"] = columns.pearson(w)
    return made


class Columns:
    """Two long columns of fixed values, looked at once for all weightings."""

    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        self._x, self._y = x, y
        self._left, self._right = Kinds(x), Kinds(y)

    def ranked(self, w: Counts, names: Sequence[Coefficient]) -> Found:
        """Return the rank coefficients among the names under a few weightings.

        Args:
            w: values × resamples, whole numbers.
            names: the coefficients wanted.
        """
        made: Found = {}
        if not set(names) - {"pearson"}:
            return made
        n = w.sum(axis=0, dtype=np.float64)
        w = w.astype(_precision(n), copy=False)
        at_left, at_right = self._left.counts(w), self._right.counts(w)
        if "spearman" in names:
            made["spearman"] = ratio(
                self._above(w, n, at_left, at_right), _spread(n, at_left), _spread(n, at_right)
            )
        if {"kendall_b", "kendall_c"} & set(names):
            net = self._net(w)
            if "kendall_b" in names:
                untied = (n**2 - _product(one, one) for one in (at_left, at_right))
                made["kendall_b"] = ratio(net, *untied)
            if "kendall_c" in names:
                kinds = np.minimum(*((one > 0).sum(axis=0) for one in (at_left, at_right)))
                made["kendall_c"] = tau_c(net, n, kinds.astype(np.float64))
        return made

    def pearson(self, w: FloatArray) -> FloatArray:
        x, y = self._x, self._y
        n = np.maximum(w.sum(axis=0), 1)
        dx, dy = x - x.mean(), y - y.mean()
        sums = np.stack([dx, dy, dx * dx, dy * dy, dx * dy]) @ w
        mx, my = sums[0] / n, sums[1] / n
        made = ratio(sums[4] - n * mx * my, sums[2] - n * mx * mx, sums[3] - n * my * my)
        counted = (one.counts(w) for one in (self._left, self._right))
        varies = np.minimum(*((one > 0).sum(axis=0) for one in counted)) > 1
        return np.where(varies, made, np.nan)

    def _above(self, w: Counts, n: FloatArray, at_left: Counts, at_right: Counts) -> FloatArray:
        """Return the sum of the products of both sides' centred mid-ranks, each taken twice."""
        weighted = self._left.spread(_centred(at_left, n), w)
        return _product(self._right.sums(weighted), _centred(at_right, n))

    def _net(self, w: Counts) -> FloatArray:
        """Return twice C − D, going along the side with more kinds."""
        along, other = self._sides
        if not along.sorted:
            w = w[along.order]
        kind = other.of[along.order]
        if other.n > FEW_KINDS:
            return _all_pairs(along.of[along.order], kind, w)
        signs = np.sign(np.subtract.outer(np.arange(other.n), np.arange(other.n))).astype(w.dtype)
        before = np.zeros((other.n, w.shape[1]), dtype=w.dtype)
        made = np.zeros(w.shape[1])
        for one in self._blocks:
            here = w[one.start : one.end]
            both = one.looks.astype(w.dtype, copy=False) @ here
            block, own = both[: other.n], both[other.n :]
            made += np.einsum("kr,kr->r", block, signs @ before)
            if len(own):
                made += np.einsum("ir,ir->r", here, own) / 2
            before += block
        return 2 * made

    @cached_property
    def _sides(self) -> "tuple[Kinds, Kinds]":
        left, right = self._left, self._right
        return (left, right) if left.n >= right.n else (right, left)

    @cached_property
    def _blocks(self) -> "list[Block]":
        along, other = self._sides
        return list(_cut(along, other.of[along.order], other.n))


@dataclass(frozen=True, slots=True)
class Block:
    """Values side by side along one column.

    `looks` holds a row for each kind of the other column, 1 where a value is of it, and below a row
    for each value, how its pairs with the others go; none where all are tied along this column.
    """

    start: int
    end: int
    looks: Counts


class Kinds:
    """The different values of a column: which value each place has, and sums over them."""

    def __init__(self, x: FloatArray) -> None:
        known, of = np.unique(x, return_inverse=True)
        self.n = len(known)
        self.of: IntArray = of.astype(np.int64)
        self.order: IntArray = np.argsort(self.of, kind="stable")
        self.sorted = bool((self.of[1:] >= self.of[:-1]).all())
        self.starts: IntArray = np.flatnonzero(np.diff(self.of[self.order], prepend=-1)).astype(
            np.int64
        )
        few = self.n <= FEW_KINDS
        self._member: Counts | None = _member(self.of, self.n) if few else None

    @cached_property
    def _later(self) -> list[tuple[IntArray, IntArray]]:
        """Return which kinds come a second time and where, a third time, and so on."""
        times = np.arange(len(self.order)) - self.starts[self.of[self.order]]
        return [
            (self.of[places], places)
            for nth in range(1, min(int(times.max(initial=0)), FEW_TIES) + 1)
            for places in (self.order[times == nth],)
        ]

    @property
    def _alone(self) -> bool:
        """Whether the column is in ascending order and no value comes twice."""
        return self.sorted and self.n == len(self.of)

    def sums(self, a: Counts) -> Counts:
        """Return kinds × resamples from whole values × resamples."""
        if self._member is not None:
            made: Counts = self._member.astype(a.dtype, copy=False) @ a
            return made
        if self._alone:
            return a
        first = self.order[self.starts]
        if len(self._later) >= FEW_TIES:
            summed: Counts = np.add.reduceat(a if self.sorted else a[self.order], self.starts)
            return summed
        summed = a[first]
        for kinds, places in self._later:
            summed[kinds] += a[places]
        return summed

    counts = sums

    def spread(self, a: Counts, w: Counts) -> Counts:
        """Return the weights times what their kinds have; `a` (kinds × resamples) is used up."""
        a = a if self._alone else a[self.of]
        a *= w
        return a


def _precision(n: FloatArray) -> type[np.floating[Any]]:
    """Return what holds every sum exactly, weights of n in all: no one exceeds n²."""
    largest = n.max(initial=0) ** 2
    return np.float32 if largest < SINGLE else np.float64


def _centred(at: Counts, n: FloatArray) -> Counts:
    """Return twice the centred mid-rank of each kind: what lies below less what lies above."""
    made: Counts = np.cumsum(at, axis=0)
    made *= 2
    made -= at
    made -= n.astype(at.dtype)
    return made


def _spread(n: FloatArray, at: Counts) -> FloatArray:
    """Return the sum of the squares of twice the centred mid-ranks, from the counts of each kind.

    Kendall (1948), section 3.6: a third of n³ − n less the same of each set of ties.
    """
    whole = n * n * n
    made: FloatArray = (whole - np.einsum("kr,kr->r", at * at, at, dtype=np.float64)) / 3
    return made


def _product(a: Counts, b: Counts) -> FloatArray:
    made: FloatArray = np.einsum("kr,kr->r", a, b, dtype=np.float64)
    return made


def _member(of: IntArray, n: int) -> Counts:
    made: Counts = (np.arange(n)[:, None] == of).astype(np.float32)
    return made


def _cut(along: Kinds, kind: IntArray, n: int) -> Iterator[Block]:
    """Yield blocks that end where a kind of the side gone along ends; a large kind is one alone."""
    of, start = along.of[along.order], 0
    ends = [*along.starts[1:].tolist(), len(kind)]
    for first, end in zip(along.starts.tolist(), ends, strict=True):
        if end - first >= BLOCK and first > start:
            yield _block(of, kind, n, start, first)
            start = first
        if end - start >= BLOCK or end == len(kind):
            yield _block(of, kind, n, start, end)
            start = end


def _block(of: IntArray, kind: IntArray, n: int, start: int, end: int) -> Block:
    a, b = of[start:end], kind[start:end]
    looks = _member(b, n)
    if a[0] != a[-1]:
        looks = np.concatenate([looks, _signs(a, a) * _signs(b, b)])
    return Block(start, end, looks)


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
            made += _product(w[part], signs.astype(w.dtype, copy=False) @ w)
    return made
