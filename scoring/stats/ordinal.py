"""The cumulative logit model of marks, fitted by Newton's method however many marks there are.

The chance that a mark is at least level k is logistic in the worth of its unit, less the severity
of its rater, less threshold k of its criterion. The log likelihood of one mark is
−log(1 + e^(τ_lo − η)) − log(1 + e^(η − τ_hi)) + log(1 − e^(τ_lo − τ_hi)), η worth less severity, with
τ_lo and τ_hi the thresholds below and above it; so it is concave, and all sums over marks are those
of two logistic terms. Worths and severities have normal penalties. A worth touches the marks of its
own unit alone, so worths are eliminated from each step and what is solved is a system over raters
and thresholds. Units with equal marks by the same raters have equal worths and are counted once.

References:
    McCullagh (1980), Regression models for ordinal data.
    Pratt (1981), Concavity of the log likelihood.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from scoring.stats.linear import FloatArray, IntArray

#: Units from which on a part of them is fitted first, so that few steps need all of them.
MANY, FEW_OF_MANY, SEEN = 40_000, 10_000, 50
#: Steps shrink quadratically: after one so small what is left is its square.
MAX_STEPS, CLOSE = 100, 1e-4
#: Marks that are worked out together: what is made of them meanwhile stays near the processor.
AT_ONCE = 1 << 14


@dataclass(frozen=True)
class Marks:
    """Marks in order of their units; units in order of their criteria; all numbered from 0.

    Attributes:
        unit: of each mark, rising without gaps.
        rater: of each mark.
        level: of each mark, its place among the levels of its criterion that are used.
        criterion: of each unit, rising without gaps.
        n_levels: of each criterion.
        times: of each unit, how many like it there are.
    """

    unit: IntArray
    rater: IntArray
    level: IntArray
    criterion: IntArray
    n_levels: IntArray
    n_raters: int
    times: FloatArray

    @cached_property
    def start(self) -> IntArray:
        """Return where the marks of each unit begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.unit))])

    @cached_property
    def width(self) -> int:
        """Return how many edges of levels a criterion has at most: the outer two and thresholds."""
        return int(self.n_levels.max()) + 1

    @cached_property
    def below(self) -> IntArray:
        """Return the edge below each mark, criterion by criterion."""
        return self.criterion[self.unit] * self.width + self.level

    @cached_property
    def cell(self) -> IntArray:
        """Return the edge below each mark, unit by unit."""
        return self.unit * self.width + self.level

    @cached_property
    def weight(self) -> FloatArray:
        return self.times[self.unit]

    @cached_property
    def counts(self) -> FloatArray:
        """Return how many marks stand above each edge."""
        n = len(self.n_levels) * self.width
        return _sums(self.below, self.weight, n)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Return the first unit of each criterion, and the one after its last."""
        n = len(self.n_levels)
        ends = np.searchsorted(self.criterion, np.arange(n + 1)).tolist()
        return list(itertools.pairwise(ends))

    @cached_property
    def free(self) -> IntArray:
        """Return the edges that are thresholds."""
        edge = np.arange(self.width)
        inner = (edge > 0) & (edge < self.n_levels[:, None])
        return np.flatnonzero(inner.ravel())


@dataclass(frozen=True)
class Fit:
    """Worth of each unit, severity of each rater, edges of each criterion (−∞, thresholds, ∞)."""

    worth: FloatArray
    severity: FloatArray
    edges: FloatArray


def fitted(marks: Marks, *, worth: float, severity: float) -> Fit:
    """Return the one fit of highest penalised likelihood.

    Args:
        marks: at least one of them.
        worth: variance of the penalty on worths.
        severity: variance of the penalty on severities.
    """
    kinds, of = kinds_of(marks)
    found = _Newton(kinds, worth, severity).climbed(_start(kinds, worth, severity))
    return Fit(found.worth[of], found.severity, found.edges)


def kinds_of(marks: Marks) -> tuple[Marks, IntArray]:
    """Return units with equal marks by the same raters as one, and the new number of each unit."""
    code = marks.rater * int(marks.n_levels.max()) + marks.level
    lots = np.random.default_rng(0).integers(0, 2**42, (2, int(code.max()) + 1))
    # Sums of whole numbers below 2**53 are exact, whatever the order of a unit's marks.
    prints = [np.add.reduceat(lot[code], marks.start[:-1]) for lot in lots]
    order = np.lexsort([*prints, marks.criterion])
    ordered = np.stack([*prints, marks.criterion])[:, order]
    new = np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    of = np.empty(len(order), dtype=np.int64)
    of[order] = np.cumsum(new) - 1
    if new.all():
        return marks, np.arange(len(order))
    return _chosen(marks, order[new], _sums(of, marks.times, int(of.max()) + 1)), of


def _chosen(marks: Marks, units: IntArray, times: FloatArray) -> Marks:
    """Return the marks of some units, which come in order of their criteria."""
    size = np.diff(marks.start)[units]
    unit = np.repeat(np.arange(len(units)), size)
    row = np.repeat(marks.start[units] - np.cumsum(size) + size, size) + np.arange(len(unit))
    return Marks(
        unit,
        marks.rater[row],
        marks.level[row],
        marks.criterion[units],
        marks.n_levels,
        marks.n_raters,
        times,
    )


def _start(marks: Marks, worth: float, severity: float) -> Fit:
    """Return where to begin: for many units, at the fit of a part of them."""
    n = len(marks.criterion)
    if n >= MANY:
        units = np.arange(0, n, n // FEW_OF_MANY)
        part = _chosen(marks, units, marks.times[units])
        counted = part.counts.reshape(-1, part.width)
        inner = np.arange(part.width) < marks.n_levels[:, None]
        if (counted[inner] >= SEEN).all():
            newton = _Newton(part, worth, severity)
            found = newton.climbed(_blank(part), close=1e-4)
            return Fit(np.zeros(n), found.severity, found.edges)
    return _blank(marks)


def _blank(marks: Marks) -> Fit:
    """Return thresholds that fit the shares of levels where everybody is alike."""
    counts = marks.counts.reshape(-1, marks.width)[:, :-1]
    above = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    total = counts.sum(axis=1, keepdims=True)
    edges = np.full((len(counts), marks.width), np.inf)
    edges[:, 0] = -np.inf
    share = above[:, 1:] / total
    with np.errstate(divide="ignore"):
        edges[:, 1:-1] = np.log((1 - share) / share)
    return Fit(np.zeros(len(marks.criterion)), np.zeros(marks.n_raters), edges.ravel())


def _rough(marks: Marks, at: Fit, worth: float) -> FloatArray:
    """Return worths near the middle of what each unit's marks stand for, drawn towards 0."""
    edges = at.edges.reshape(-1, marks.width)
    low, high = edges[:, :-1], edges[:, 1:]
    with np.errstate(invalid="ignore"):
        middle = np.where(
            np.isinf(low), high - 1, np.where(np.isinf(high), low + 1, (low + high) / 2)
        )
    middle = np.where(np.isfinite(middle), middle, 0.0)
    stands = middle[marks.criterion[marks.unit], marks.level] + at.severity[marks.rater]
    known = 0.25 * np.diff(marks.start)  # about what a mark tells of its place
    rough: FloatArray = 0.25 * np.add.reduceat(stands, marks.start[:-1]) / (known + 1 / worth)
    return rough


class _Newton:
    def __init__(self, marks: Marks, worth: float, severity: float) -> None:
        self.marks = marks
        self.worth, self.severity = worth, severity

    def climbed(self, at: Fit, *, close: float = CLOSE) -> Fit:
        """Return the top, or where the steps got smaller than `close`."""
        at = Fit(_rough(self.marks, at, self.worth), at.severity, at.edges)
        terms = _Terms(self.marks, at)
        slope, curvature = self._of_worths(at, terms)  # each worth is a problem of its own first
        at = Fit(at.worth + np.clip(slope / curvature, -1, 1), at.severity, at.edges)
        terms = _Terms(self.marks, at)
        for _ in range(MAX_STEPS):
            step = self._step(at, terms)
            at, terms, length = self._moved(at, terms, step)
            if length * _size(step) < close:
                break
        return at

    def cost(self, at: Fit, terms: "_Terms") -> float:
        """Return the penalised likelihood's logarithm, turned so that less is better."""
        penalty = (self.marks.times * at.worth**2).sum() / self.worth
        penalty += (at.severity**2).sum() / self.severity
        return float(penalty / 2 - terms.likelihood)

    def _moved(self, at: Fit, terms: "_Terms", step: Fit) -> tuple[Fit, "_Terms", float]:
        """Go as much of a step as makes things better; whole steps near the top."""
        before, length = self.cost(at, terms), 1.0
        while length > 1e-6:
            there = Fit(
                at.worth + length * step.worth,
                at.severity + length * step.severity,
                at.edges + length * step.edges,
            )
            if _is_rising(there.edges, self.marks):
                found = _Terms(self.marks, there)
                if self.cost(there, found) <= before + 1e-9 * abs(before):
                    return there, found, length
            length /= 2
        return at, terms, 0.0

    def _of_worths(self, at: Fit, terms: "_Terms") -> tuple[FloatArray, FloatArray]:
        """Return slope and curvature of each unit's worth, of one unit of its kind."""
        slope = np.add.reduceat(terms.slope, self.marks.start[:-1]) - at.worth / self.worth
        return slope, terms.table.sum(axis=1) + 1 / self.worth

    def _step(self, at: Fit, terms: "_Terms") -> Fit:
        """Solve for the step, worths eliminated."""
        marks = self.marks
        slope, curvature = self._of_worths(at, terms)
        scale = marks.times / curvature
        met = sparse.csr_array(
            (terms.curvature, marks.rater, marks.start),
            shape=(len(marks.criterion), marks.n_raters),
        )
        left, right = self._whole(at, terms)
        n = marks.n_raters
        scaled = sparse.csr_array(
            (terms.curvature * scale[marks.unit], marks.rater, marks.start), shape=met.shape
        )
        left[:n, :n] -= (met.T @ scaled).toarray()
        right[:n] += met.T @ (scale * slope)
        for c, (first, last) in enumerate(marks.blocks):
            mine = slice(n + c * marks.width, n + (c + 1) * marks.width)
            table = terms.table[first:last]
            weighed = scale[first:last, None] * table
            across = met[first:last].T @ weighed
            left[:n, mine] -= across
            left[mine, :n] -= across.T
            left[mine, mine] -= table.T @ weighed
            right[mine] += table.T @ (scale * slope)[first:last]
        kept = np.concatenate([np.arange(n), n + marks.free])
        found = np.zeros(len(right))
        found[kept] = np.linalg.solve(left[np.ix_(kept, kept)], right[kept])
        severity, edges = found[:n], found[n:]
        moved = met @ severity
        moved += (terms.table * edges.reshape(-1, marks.width)[marks.criterion]).sum(axis=1)
        return Fit((slope + moved) / curvature, severity, edges)

    def _whole(self, at: Fit, terms: "_Terms") -> tuple[FloatArray, FloatArray]:
        """Return curvature and slope of severities and edges as if worths stood still."""
        marks = self.marks
        n, n_edges = marks.n_raters, len(at.edges)
        cell = marks.rater * n_edges + marks.below
        met = _sums(cell, marks.weight * terms.b_lo, n * n_edges)
        met += _sums(cell + 1, marks.weight * terms.b_hi, n * n_edges)
        met = met.reshape(n, n_edges)
        left = np.zeros((n + n_edges, n + n_edges))
        left[:n, :n] = np.diag(met.sum(axis=1) + 1 / self.severity)
        left[:n, n:] = met
        left[n:, :n] = met.T
        edge = n + np.arange(n_edges)
        left[edge, edge] = met.sum(axis=0)
        gap, bent = terms.gap * marks.counts[:-1], terms.gap * (1 + terms.gap) * marks.counts[:-1]
        left[edge[:-1], edge[:-1]] += bent
        left[edge[1:], edge[1:]] += bent
        left[edge[:-1], edge[1:]] -= bent
        left[edge[1:], edge[:-1]] -= bent
        right = np.zeros(n + n_edges)
        of_rater = _sums(marks.rater, marks.weight * terms.slope, n)
        right[:n] = -of_rater - at.severity / self.severity
        right[n:] -= _sums(marks.below, marks.weight * terms.a_lo, n_edges)
        right[n:] += _sums(marks.below + 1, marks.weight * terms.a_hi, n_edges)
        right[n:-1] -= gap
        right[n + 1 :] += gap
        return left, right


class _Terms:
    """The two logistic terms of every mark at a place, and what follows from them."""

    def __init__(self, marks: Marks, at: Fit) -> None:
        with np.errstate(invalid="ignore"):
            apart = np.diff(at.edges)
        apart[marks.width - 1 :: marks.width] = np.inf  # from one criterion to the next
        apart[np.isnan(apart)] = np.inf  # beyond the last level of a criterion
        self.gap: FloatArray = 1 / np.expm1(apart)
        between = (marks.counts[:-1] * np.log(-np.expm1(-apart))).sum()
        n = len(marks.unit)
        self.a_lo, self.a_hi, self.b_lo, self.b_hi = (np.empty(n) for _ in range(4))
        logs = np.empty(n)
        for start in range(0, n, AT_ONCE):
            self._fill(marks, at, logs, slice(start, start + AT_ONCE))
        self.likelihood = float(between - marks.weight @ logs)
        size = len(marks.criterion) * marks.width
        table = _sums(marks.cell, self.b_lo, size)
        table[1:] += _sums(marks.cell, self.b_hi, size)[:-1]
        #: Units × edges of their criterion: curvature that an edge and a worth share.
        self.table: FloatArray = table.reshape(-1, marks.width)

    def _fill(self, marks: Marks, at: Fit, logs: FloatArray, part: slice) -> None:
        """Work out some of the marks."""
        eta = at.worth[marks.unit[part]] - at.severity[marks.rater[part]]
        below = marks.below[part]
        e_lo, e_hi = np.exp(at.edges[below] - eta), np.exp(eta - at.edges[below + 1])
        all_lo, all_hi = 1 + e_lo, 1 + e_hi
        # One logarithm of a product that is finite, for its terms are not large together.
        np.log(all_lo * all_hi, out=logs[part])
        a_lo = np.divide(e_lo, all_lo, out=self.a_lo[part])
        a_hi = np.divide(e_hi, all_hi, out=self.a_hi[part])
        np.divide(a_lo, all_lo, out=self.b_lo[part])
        np.divide(a_hi, all_hi, out=self.b_hi[part])

    @property
    def slope(self) -> FloatArray:
        return self.a_lo - self.a_hi

    @property
    def curvature(self) -> FloatArray:
        return self.b_lo + self.b_hi


def _sums(cell: IntArray, values: FloatArray, size: int) -> FloatArray:
    made: FloatArray = np.bincount(cell, values, minlength=size).astype(np.float64, copy=False)
    return made


def _is_rising(edges: FloatArray, marks: Marks) -> bool:
    table = edges.reshape(-1, marks.width)
    below, above = table[:, 1:-1], table[:, 2:]
    return bool((np.isinf(above) | (above > below)).all())


def _size(step: Fit) -> float:
    return float(
        max(np.abs(part).max(initial=0) for part in (step.worth, step.severity, step.edges))
    )
