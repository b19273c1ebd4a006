"""Question-cluster bootstrap: resample whole questions, never single grades.

* Resampling of statistics that are functions of sums over independent pieces.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from scoring.stats.plain import Reason

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
class DrawnPart:
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
    parts: Sequence[DrawnPart],
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


def too_few(parts: Sequence[DrawnPart]) -> bool:
    """Return whether nothing can be said of how sure a statistic of these parts is."""
    return sum(part.n_clusters - 1 for part in parts) < FEWEST - 1


def _shared_variance(
    draws: list[FloatArray], parts: Sequence[DrawnPart], scheme: Scheme
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


IntArray = npt.NDArray[np.int64]

FEW_KINDS = 1_000
#: Pieces of a kind from which on a draw for each kind costs less than one for each piece.
PICKS = 10
#: Pieces drawn before they are counted: so many fit into a processor's cache.
DRAWN_AT_ONCE = 1 << 16
#: Lots kept for the next set of as many pieces; each is a few megabytes at most.
KEPT = 16
#: Whole numbers below this are exact in single precision.
EXACT_IN_SINGLE = 1 << 24
#: Draws up to which the last lots are kept as floats too, 8 MB.
FEW_DRAWS = 1 << 20


@dataclass(frozen=True, slots=True)
class Pieces:
    """Kinds of pieces: `features` kinds × columns, `times` how often each kind occurs."""

    features: FloatArray
    times: IntArray

    @property
    def n(self) -> int:
        return int(self.times.sum())

    @property
    def total(self) -> FloatArray:
        return self.times.astype(np.float64) @ self.features

    @property
    def scheme(self) -> Scheme:
        exact = self.n < EXACT_BELOW or len(self.times) <= FEW_KINDS
        return Scheme.MULTINOMIAL if exact else Scheme.MULTIPLIER

    def resampled(self, *, resamples: int, rng: int | np.random.Generator) -> FloatArray:
        """Return the sums over resampled pieces, shaped resamples × columns.

        A number instead of a generator draws the same lots for every set of as many pieces.
        """
        if self.scheme is Scheme.MULTIPLIER:
            return self._multiplied(resamples, np.random.default_rng(rng))
        if self.n > PICKS * len(self.times):
            chance = self.times / self.n
            drawn = np.random.default_rng(rng).multinomial(self.n, chance, size=resamples)
            return drawn.astype(np.float64) @ self.features
        whole = self.times.max(initial=0) == 1 == self.times.min(initial=1)
        features = self.features if whole else np.repeat(self.features, self.times, axis=0)
        if _is_exact_in_single(features):
            lots = _lots(self.n, resamples, rng).astype(np.float32)
            return (lots @ features.astype(np.float32)).astype(np.float64)
        return _floats(self.n, resamples, rng) @ features

    def _multiplied(self, resamples: int, rng: np.random.Generator) -> FloatArray:
        total = self.total
        off = self.features - total / self.n
        many = self.times.max() > 1
        spread = (off * self.times[:, None] if many else off).T @ off
        values, vectors = np.linalg.eigh(spread)
        root = vectors * np.sqrt(np.clip(values, 0, None))
        drawn: FloatArray = total + rng.standard_normal((resamples, len(total))) @ root.T
        return drawn


def _is_exact_in_single(features: FloatArray) -> bool:
    """Return whether sums over as many draws as there are pieces are exact in single precision.

    They are whole numbers below 2**24 then, whatever is drawn and in whatever order it is added.
    """
    most = float(np.abs(features).max(initial=0))
    return most * len(features) < EXACT_IN_SINGLE and bool((features == np.rint(features)).all())


def _lots(n: int, resamples: int, rng: int | np.random.Generator) -> npt.NDArray[np.uint16]:
    """Return resamples × pieces: how often each of n pieces is drawn in n draws."""
    if isinstance(rng, np.random.Generator):
        return _drawn(n, resamples, rng)
    return _drawn_before(n, resamples, rng)


def _floats(n: int, resamples: int, rng: int | np.random.Generator) -> FloatArray:
    """Return lots as what they are multiplied as; those of the set before are kept."""
    if isinstance(rng, np.random.Generator) or n * resamples > FEW_DRAWS:
        return _lots(n, resamples, rng).astype(np.float64)
    return _floats_before(n, resamples, rng)


@lru_cache(maxsize=KEPT)
def _drawn_before(n: int, resamples: int, seed: int) -> npt.NDArray[np.uint16]:
    return _drawn(n, resamples, np.random.default_rng(seed))


@lru_cache(maxsize=1)
def _floats_before(n: int, resamples: int, seed: int) -> FloatArray:
    return _drawn_before(n, resamples, seed).astype(np.float64)


def _drawn(n: int, resamples: int, rng: np.random.Generator) -> npt.NDArray[np.uint16]:
    times = np.empty((resamples, n), dtype=np.uint16)
    at_once = max(1, DRAWN_AT_ONCE // n)
    start = np.arange(at_once)[:, None] * n
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        picks = rng.integers(0, n, (rows, n))
        picks += start[:rows]
        counts = np.bincount(picks.ravel(), minlength=rows * n)
        times[first : first + rows] = counts.reshape(rows, n)
    return times


def of_units(features: FloatArray, kind: IntArray) -> Pieces:
    """Return units as pieces, each of its kind.

    Args:
        features: kinds × columns.
        kind: of each unit.
    """
    return Pieces(features, np.bincount(kind, minlength=len(features)))


def of_clusters(features: FloatArray, kind: IntArray, cluster: IntArray) -> Pieces:
    """Return clusters of units as pieces: a cluster brings the sum of its units' features.

    Args:
        features: kinds × columns.
        kind: of each unit.
        cluster: of each unit, numbered from 0 without gaps.
    """
    n, kinds = int(cluster.max(initial=-1)) + 1, len(features)
    if n * kinds > len(kind) * features.shape[1]:  # most kinds come once: a table would be empty
        columns = [np.bincount(cluster, column[kind], minlength=n) for column in features.T]
        return Pieces(np.stack(columns, axis=1), np.ones(n, dtype=np.int64))
    counts = np.bincount(cluster * kinds + kind, minlength=n * kinds).reshape(n, kinds)
    return Pieces(counts.astype(np.float64) @ features, np.ones(n, dtype=np.int64))
