"""Question-cluster bootstrap: resample whole questions, never single grades.

Several grades, and often several responses, share a question; resampling single grades makes
intervals too narrow. The statistics here are built from one sum per question, so a resample is
a vector of weights over questions: every system sees the same weights, and differences between
systems stay paired.

References:
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 6 and 13.
    Rubin (1981), The Bayesian bootstrap (the multiplier with exponential weights).
    Hesterberg (2015), What teachers should know about the bootstrap, section 3.3 (expanded
    percentile interval: the percentile interval is too narrow in small samples).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from scipy import special

from scoring.stats.reasons import Reason

FloatArray = npt.NDArray[np.float64]

#: Questions below which nothing is said of how sure a figure is: at two and three an interval at 95 %
#: held the truth in 59 and 76 % of simulated rounds.
FEWEST = 4
EXACT_BELOW = 2_000  # questions; from here on weights are drawn instead of counts
CHUNK_CELLS = 2_000_000  # weights held in memory at once


class Scheme(StrEnum):
    MULTINOMIAL = "multinomial"
    MULTIPLIER = "multiplier"

    @property
    def drawn(self) -> str:
        return {
            Scheme.MULTINOMIAL: "questions drawn with replacement (exact multinomial)",
            Scheme.MULTIPLIER: "questions weighted by exponential multipliers",
        }[self]

    @property
    def sentence(self) -> str:
        return f"expanded percentile bootstrap, {self.drawn}"

    @property
    def pooled(self) -> str:
        """Say how an interval comes about where a capability has fewer than four questions."""
        return f"Student's t with one variance for all capabilities, {self.drawn}"


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` and `high` are None when the interval is undefined, for the `reason` given."""

    low: float | None
    high: float | None
    level: float
    n_clusters: int
    reason: Reason | None
    #: Whether parts of few questions made all of them share one variance.
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One independently resampled share of a statistic: its draws, resting on n clusters.

    `weight` is what its mean counts for in the statistic.
    """

    draws: FloatArray
    n_clusters: int
    weight: float = 1.0


def scheme_for(n_clusters: int) -> Scheme:
    return Scheme.MULTINOMIAL if n_clusters < EXACT_BELOW else Scheme.MULTIPLIER


def resampled_sums(
    sums: FloatArray, *, resamples: int, rng: np.random.Generator, scheme: Scheme
) -> FloatArray:
    """Return the sums over resampled clusters, shaped resamples × columns.

    Args:
        sums: clusters × columns, one row for each question.
        resamples: how many resamples to draw.
        rng: where chance comes from.
        scheme: how clusters are weighted.
    """
    out = np.empty((resamples, sums.shape[1]))
    start = 0
    for weights in _weights(len(sums), resamples, rng, scheme):
        np.matmul(weights, sums, out=out[start : start + len(weights)])
        start += len(weights)
    return out


def interval(
    parts: Sequence[Part],
    *,
    scheme: Scheme,
    level: float = 0.95,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Return the expanded percentile interval of a sum of independently resampled parts.

    The percentile levels are those of Student's t with Welch and Satterthwaite's degrees of
    freedom over the parts, widened by what each bootstrap variance lacks in a small sample.

    Where a part has fewer than four clusters its own variance says too little: then all parts share
    one variance a cluster, and the interval is that of Student's t with as many degrees of freedom as
    there are clusters less parts. With fewer than three there is none.

    Args:
        parts: of the statistic.
        scheme: how they were resampled.
        level: of the interval.
        within: the least and the greatest value that the statistic can have.
    """
    n = sum(part.n_clusters for part in parts)
    if too_few(parts):
        return Interval(None, None, level, n, Reason.FEW_QUESTIONS)
    kept = np.logical_and.reduce([np.isfinite(part.draws) for part in parts])
    if kept.mean() < 0.5:
        return Interval(None, None, level, n, Reason.EMPTY_RESAMPLES)
    draws = [part.draws[kept] for part in parts]
    total = np.sum(draws, axis=0)
    if np.ptp(total) <= 1e-12 * max(1.0, float(np.abs(total).max())):
        return Interval(None, None, level, n, Reason.NO_SPREAD)
    if any(part.n_clusters < FEWEST for part in parts):
        variance, freedom = _shared_variance(draws, parts, scheme)
        half = float(special.stdtrit(freedom, 0.5 + level / 2)) * math.sqrt(variance)
        centre = float(total.mean())
        low, high = max(centre - half, within[0]), min(centre + half, within[1])
        return Interval(low, high, level, n, None, pooled=True)
    tail = _tail(draws, [part.n_clusters for part in parts], scheme, level)
    low, high = _quantiles(total, tail, 1 - tail)
    return Interval(low, high, level, n, None)


def too_few(parts: Sequence[Part]) -> bool:
    """Return whether nothing can be said of how sure a statistic of these parts is."""
    return sum(part.n_clusters - 1 for part in parts) < FEWEST - 1


def _shared_variance(
    draws: list[FloatArray], parts: Sequence[Part], scheme: Scheme
) -> tuple[float, float]:
    """Return the variance of the sum, by one variance a cluster, and its degrees of freedom."""
    several = [n for n, part in enumerate(parts) if part.n_clusters > 1]
    counts = np.array([part.n_clusters for part in parts], dtype=np.float64)
    weights = np.array([part.weight for part in parts])
    _raw, fair, _freedom = _spread(
        [draws[n] for n in several], [parts[n].n_clusters for n in several], scheme
    )
    of_one = fair * counts[several] / weights[several] ** 2
    freedom = float((counts - 1).sum())
    shared = float((of_one * (counts[several] - 1)).sum()) / freedom
    return shared * float((weights**2 / counts).sum()), freedom


def _quantiles(values: FloatArray, *levels: float) -> list[float]:
    """Return quantiles of finite values as numpy's `quantile` interpolates them, with less ado."""
    ordered, found = np.sort(values), []
    for level in levels:
        place = (len(ordered) - 1) * level
        low = math.floor(place)
        share = place - low
        below, above = float(ordered[low]), float(ordered[min(low + 1, len(ordered) - 1)])
        apart = above - below
        found.append(above - apart * (1 - share) if share >= 0.5 else below + apart * share)
    return found


def _weights(
    n: int, resamples: int, rng: np.random.Generator, scheme: Scheme
) -> Iterator[FloatArray]:
    at_once = max(1, CHUNK_CELLS // n)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        if scheme is Scheme.MULTIPLIER:
            yield rng.standard_exponential((rows, n))
        else:
            picks = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
            counts = np.bincount(picks.ravel(), minlength=rows * n)
            yield counts.reshape(rows, n).astype(np.float64)


def p_value(value: float, parts: Sequence[Part], *, scheme: Scheme) -> float | None:
    """Return the two-sided p of a value being 0, by its resampled spread and Student's t.

    Degrees of freedom and variance are those of the interval. None where there is no spread or
    too few clusters.
    """
    if too_few(parts):
        return None
    kept = np.logical_and.reduce([np.isfinite(part.draws) for part in parts])
    if kept.mean() < 0.5:
        return None
    draws = [part.draws[kept] for part in parts]
    if any(part.n_clusters < FEWEST for part in parts):
        variance, freedom = _shared_variance(draws, parts, scheme)
    else:
        _raw, fair, freedom = _spread(draws, [part.n_clusters for part in parts], scheme)
        variance = float(fair.sum())
    if variance <= 1e-24 * max(1.0, value * value):
        return None
    return float(2 * special.stdtr(freedom, -abs(value) / math.sqrt(variance)))


def _spread(
    draws: list[FloatArray], n: list[int], scheme: Scheme
) -> tuple[FloatArray, FloatArray, float]:
    """Return the variances of the parts, what they are in fairness, and degrees of freedom."""
    counts = np.array(n, dtype=np.float64)
    shrunk = counts / (counts - 1) if scheme is Scheme.MULTINOMIAL else (counts + 1) / (counts - 1)
    raw = np.array([part.var() for part in draws])
    fair = raw * shrunk
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = fair.sum() ** 2 / (fair**2 / (counts - 1)).sum()
    return raw, fair, float(freedom)


def _tail(draws: list[FloatArray], n: list[int], scheme: Scheme, level: float) -> float:
    raw, fair, freedom = _spread(draws, n, scheme)
    t = float(special.stdtrit(freedom, 0.5 + level / 2))
    return float(special.ndtr(-np.sqrt(fair.sum() / raw.sum()) * t))
