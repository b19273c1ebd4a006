"""Resampling of statistics that are functions of sums over independent pieces.

A piece is what is drawn: a unit, or a question with all of its units. Each piece brings a row of
features; a resample is a weighting of the pieces, and the statistic sees only the weighted sums of
their features. So equal pieces are exchangeable: they are counted once and drawn together.

Below `resampling.EXACT_BELOW` pieces, or where few pieces differ, resamples are exact multinomial
draws. From there on the sums are drawn from the joint normal distribution that multiplying every
piece by an independent normal weight of mean and variance 1 gives them.

References:
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 6.
    Mammen (1993), Bootstrap and wild bootstrap for high dimensional linear models (multipliers).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scoring.stats import resampling
from scoring.stats.resampling import Scheme

FloatArray = npt.NDArray[np.float64]
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
        exact = self.n < resampling.EXACT_BELOW or len(self.times) <= FEW_KINDS
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
