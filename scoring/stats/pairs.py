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
    raters = np.flatnonzero(np.bincount(units.rater, minlength=1)).tolist() if units.n_marks else []
    marks = units.rows
    marked = {rater: np.flatnonzero(marks[rater] >= 0) for rater in raters}
    both = {
        (left, right): _both(units, marks[left], marks[right], marked[left])
        for left, right in itertools.combinations(raters, 2)
    }
    # Those of as many questions one after another, for they are drawn by the same lots.
    found = {
        (left, right): _pair(one, left, right, matrix, weights, resamples, level, seed)
        for (left, right), one in sorted(both.items(), key=lambda item: item[1].n_clusters)
    }
    return tuple(found[names] for names in both)


@dataclass(frozen=True, slots=True)
class _Both:
    """What two raters marked: of each such unit its square of the table, and its question."""

    cell: IntArray
    cluster: IntArray
    q: int

    @property
    def n_clusters(self) -> int:
        return int(self.cluster.max(initial=-1)) + 1


def _both(units: Units, a: Marks, b: Marks, marked: IntArray) -> _Both:
    """Return what two raters marked, of whom one marked these units."""
    both = marked[b[marked] >= 0]
    cell = a[both].astype(np.int64) * len(units.levels) + b[both]
    of = units.cluster[both]
    there = np.bincount(of, minlength=1) > 0
    return _Both(cell, (np.cumsum(there) - 1)[of], len(units.levels))


def _pair(
    both: _Both,
    left: int,
    right: int,
    weights: FloatArray,
    name: str,
    resamples: int,
    level: float,
    seed: int | np.random.Generator,
) -> Pair:
    q, n = both.q, len(both.cell)
    if n == 0:
        gone = Reason.NO_OVERLAP
        return Pair(left, right, 0, 0, None, None, None, None, gone, gone, name)
    pieces = linear.of_clusters(np.eye(q * q), both.cell, both.cluster)
    total = pieces.total.reshape(1, q, q)
    raw = float(np.trace(total[0]) / n)
    reason = _undefined(total[0])
    if reason is not None:
        return Pair(left, right, n, pieces.n, raw, None, None, None, reason, reason, name)
    value = float(_kappa(total, weights)[0])
    if resamples == 0 or pieces.n < 2:
        why = Reason.NOT_RESAMPLED if resamples == 0 else Reason.FEW_QUESTIONS
        return Pair(left, right, n, pieces.n, raw, value, None, None, None, why, name)
    drawn = pieces.resampled(resamples=resamples, rng=seed).reshape(-1, q, q)
    part = resampling.Part(_kappa(drawn, weights), pieces.n)
    found = resampling.interval([part], scheme=pieces.scheme, level=level)
    return Pair(
        left, right, n, pieces.n, raw, value, found.low, found.high, None, found.reason, name
    )


def _undefined(table: FloatArray) -> Reason | None:
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    return Reason.ONE_LEVEL if used.sum() < 2 else None


def _kappa(tables: FloatArray, weights: FloatArray) -> FloatArray:
    n = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (tables * weights).sum(axis=(1, 2)) / n
        rows, columns = tables.sum(axis=2), tables.sum(axis=1)
        expected = np.einsum("rk,kl,rl->r", rows, weights, columns) / n**2
        return (observed - expected) / (1 - expected)  # type: ignore[no-any-return]


def heatmap(found: tuple[Pair, ...]) -> Iterator[tuple[int, int, float | None, int]]:
    """Yield left, right, κ and n of every pair, as a lower triangle is drawn."""
    for one in found:
        yield one.left, one.right, one.value, one.n_units
