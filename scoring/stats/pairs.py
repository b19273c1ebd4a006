"""Agreement of two raters: Cohen's κ, unweighted, linear and quadratic, for every pair.

References:
    Cohen (1960), A coefficient of agreement for nominal scales.
    Cohen (1968), Weighted kappa.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats import agreement, linear, resampling
from scoring.stats.agreement import Weights
from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.units import Units

Marks = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Pair:
    """κ of two raters, by their numbers in the units; `raw` is the share of equal marks."""

    left: int
    right: int
    n_units: int
    n_clusters: int
    raw: float | None
    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    interval_reason: Reason | None
    method: str

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class Both:
    """What two raters marked: of each such unit its square of the table, and its question.

    `question` numbers the questions as the units do; `cluster` those that occur, from 0.
    """

    cell: IntArray
    cluster: IntArray
    question: IntArray
    q: int

    @property
    def n_clusters(self) -> int:
        return len(self.question)

    def tables(self) -> FloatArray:
        """Return the table of levels by levels of each question."""
        size = self.q * self.q
        flat = np.bincount(self.cluster * size + self.cell, minlength=self.n_clusters * size)
        return flat.reshape(self.n_clusters, self.q, self.q).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Kappa:
    value: float | None
    reason: Reason | None


def pairs(
    units: Units,
    *,
    weights: Weights = "quadratic",
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> tuple[Pair, ...]:
    """Return Cohen's κ of every pair of raters over the units both marked.

    Args:
        units: the marks.
        weights: "nominal" for the unweighted κ.
        resamples: of questions; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.
    """
    matrix = agreement.weight_matrix(units.levels, weights)
    found = {
        (left, right): _pair(both, left, right, matrix, weights, resamples, level, seed)
        # Those of as many questions one after another, for they are drawn by the same lots.
        for left, right, both in sorted(met(units), key=lambda one: one[2].n_clusters)
    }
    raters = _raters(units)
    return tuple(
        found.get(names) or nothing(*names, weights) for names in itertools.combinations(raters, 2)
    )


def met(units: Units) -> Iterator[tuple[int, int, Both]]:
    """Yield every pair of raters that marked the same units, with those."""
    raters = _raters(units)
    marks = units.rows
    marked = {rater: np.flatnonzero(marks[rater] >= 0) for rater in raters}
    for left, right in itertools.combinations(raters, 2):
        both = _both(units, marks[left], marks[right], marked[left])
        if len(both.cell):
            yield left, right, both


def nothing(left: int, right: int, weights: str) -> Pair:
    """Return a pair that marked nothing together."""
    gone = Reason.NO_OVERLAP
    return Pair(left, right, 0, 0, None, None, None, None, gone, gone, weights)


def kappa(table: FloatArray, weights: FloatArray) -> Kappa:
    """Return κ of a table of levels by levels, or why it is undefined."""
    reason = _undefined(table)
    return Kappa(None if reason else float(kappas(table[None], weights)[0]), reason)


def kappas(tables: FloatArray, weights: FloatArray) -> FloatArray:
    """Return κ of each of several tables; NaN where it is undefined."""
    n = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (tables * weights).sum(axis=(1, 2)) / n
        rows, columns = tables.sum(axis=2), tables.sum(axis=1)
        expected = np.einsum("rk,kl,rl->r", rows, weights, columns) / n**2
        return (observed - expected) / (1 - expected)  # type: ignore[no-any-return]


def _raters(units: Units) -> list[int]:
    return np.flatnonzero(np.bincount(units.rater, minlength=1)).tolist() if units.n_marks else []


def _both(units: Units, a: Marks, b: Marks, marked: IntArray) -> Both:
    """Return what two raters marked, of whom one marked these units."""
    both = marked[b[marked] >= 0]
    cell = a[both].astype(np.int64) * len(units.levels) + b[both]
    of = units.cluster[both]
    there = np.bincount(of, minlength=1) > 0
    question = np.flatnonzero(there) if len(both) else np.zeros(0, dtype=np.int64)
    return Both(cell, (np.cumsum(there) - 1)[of], question, len(units.levels))


def _pair(
    both: Both,
    left: int,
    right: int,
    weights: FloatArray,
    name: str,
    resamples: int,
    level: float,
    seed: int | np.random.Generator,
) -> Pair:
    q, n = both.q, len(both.cell)
    pieces = linear.of_clusters(np.eye(q * q), both.cell, both.cluster)
    total = pieces.total.reshape(q, q)
    raw = float(np.trace(total) / n)
    found = kappa(total, weights)
    if found.value is None:
        why = found.reason
        return Pair(left, right, n, pieces.n, raw, None, None, None, why, why, name)
    if resamples == 0 or pieces.n < 2:
        why = Reason.NOT_RESAMPLED if resamples == 0 else Reason.FEW_QUESTIONS
        return Pair(left, right, n, pieces.n, raw, found.value, None, None, None, why, name)
    drawn = pieces.resampled(resamples=resamples, rng=seed).reshape(-1, q, q)
    part = resampling.Part(kappas(drawn, weights), pieces.n)
    bounds = resampling.interval([part], scheme=pieces.scheme, level=level)
    return Pair(
        left,
        right,
        n,
        pieces.n,
        raw,
        found.value,
        bounds.low,
        bounds.high,
        None,
        bounds.reason,
        name,
    )


def _undefined(table: FloatArray) -> Reason | None:
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    return Reason.ONE_LEVEL if used.sum() < 2 else None


def heatmap(found: tuple[Pair, ...]) -> Iterator[tuple[int, int, float | None, int]]:
    """Yield left, right, κ and n of every pair, as a lower triangle is drawn."""
    for one in found:
        yield one.left, one.right, one.value, one.n_units
