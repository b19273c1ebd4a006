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

import numpy as np
import numpy.typing as npt

from scoring.stats import resampling
from scoring.stats.resampling import Scheme

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEW_KINDS = 1_000


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

    def resampled(self, *, resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return the sums over resampled pieces, shaped resamples × columns."""
        if self.scheme is Scheme.MULTINOMIAL:
            return self._multinomial(resamples, rng)
        return self._multiplied(resamples, rng)

    def _multinomial(self, resamples: int, rng: np.random.Generator) -> FloatArray:
        drawn = rng.multinomial(self.n, self.times / self.n, size=resamples)
        return drawn.astype(np.float64) @ self.features

    def _multiplied(self, resamples: int, rng: np.random.Generator) -> FloatArray:
        total = self.total
        off = self.features - total / self.n
        many = self.times.max() > 1
        spread = (off * self.times[:, None] if many else off).T @ off
        values, vectors = np.linalg.eigh(spread)
        root = vectors * np.sqrt(np.clip(values, 0, None))
        drawn: FloatArray = total + rng.standard_normal((resamples, len(total))) @ root.T
        return drawn


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
    counts = np.bincount(cluster * kinds + kind, minlength=n * kinds).reshape(n, kinds)
    return Pieces(counts.astype(np.float64) @ features, np.ones(n, dtype=np.int64))
