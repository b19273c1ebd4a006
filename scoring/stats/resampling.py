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

EXACT_BELOW = 2_000  # questions; from here on weights are drawn instead of counts
CHUNK_CELLS = 2_000_000  # weights held in memory at once


class Scheme(StrEnum):
    MULTINOMIAL = "multinomial"
    MULTIPLIER = "multiplier"

    @property
    def sentence(self) -> str:
        drawn = {
            Scheme.MULTINOMIAL: "questions drawn with replacement (exact multinomial)",
            Scheme.MULTIPLIER: "questions weighted by exponential multipliers",
        }
        return f"expanded percentile bootstrap, {drawn[self]}"


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` and `high` are None when the interval is undefined, for the `reason` given."""

    low: float | None
    high: float | None
    level: float
    n_clusters: int
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Part:
    """One independently resampled share of a statistic: its draws, resting on n clusters."""

    draws: FloatArray
    n_clusters: int


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


def interval(parts: Sequence[Part], *, scheme: Scheme, level: float = 0.95) -> Interval:
    """Return the expanded percentile interval of a sum of independently resampled parts.

    The percentile levels are those of Student's t with Welch and Satterthwaite's degrees of
    freedom over the parts, widened by what each bootstrap variance lacks in a small sample.
    With very few questions the levels reach the smallest and largest draw.
    """
    n = sum(part.n_clusters for part in parts)
    if not parts or min(part.n_clusters for part in parts) < 2:
        return Interval(None, None, level, n, Reason.FEW_QUESTIONS)
    kept = np.logical_and.reduce([np.isfinite(part.draws) for part in parts])
    if kept.mean() < 0.5:
        return Interval(None, None, level, n, Reason.EMPTY_RESAMPLES)
    draws = [part.draws[kept] for part in parts]
    total = np.sum(draws, axis=0)
    if np.ptp(total) <= 1e-12 * max(1.0, float(np.abs(total).max())):
        return Interval(None, None, level, n, Reason.NO_SPREAD)
    tail = _tail(draws, [part.n_clusters for part in parts], scheme, level)
    low, high = _quantiles(total, tail, 1 - tail)
    return Interval(low, high, level, n, None)


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
    if not parts or min(part.n_clusters for part in parts) < 2:
        return None
    kept = np.logical_and.reduce([np.isfinite(part.draws) for part in parts])
    if kept.mean() < 0.5:
        return None
    draws = [part.draws[kept] for part in parts]
    raw, fair, freedom = _spread(draws, [part.n_clusters for part in parts], scheme)
    if raw.sum() <= 1e-24 * max(1.0, value * value):
        return None
    return float(2 * special.stdtr(freedom, -abs(value) / np.sqrt(fair.sum())))


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
