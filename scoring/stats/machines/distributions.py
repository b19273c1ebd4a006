"""Distributions of a metric over parts of conversations, and of one release less another.

Parts of one conversation are alike, so intervals resample whole conversations. Percentiles interpolate
linearly between order statistics (type 7 of Hyndman and Fan, 1996).

References:
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 6 and 13; Hyndman and Fan
    (1996), Sample quantiles in statistical packages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import DrawnPart

FloatArray = npt.NDArray[np.float64]
RESAMPLES: Final = 2000
PERCENTILES: Final = (5.0, 25.0, 50.0, 75.0, 95.0, 98.0)
#: Bars of a drawing of a distribution.
BINS: Final = 12


@dataclass(frozen=True, slots=True)
class PartDistribution:
    """`n` parts of `n_clusters` conversations; `sd` is a sample's (n - 1), None for one part.

    `percentiles` are in the order of PERCENTILES; `low` and `high` bound the mean, or are None for the
    `reason`. `counts` are the parts in bins of equal width from `minimum` to `maximum`.
    """

    n: int
    n_clusters: int
    mean: float
    sd: float | None
    minimum: float
    maximum: float
    percentiles: tuple[float, ...]
    counts: tuple[int, ...]
    low: float | None
    high: float | None
    level: float
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Less:
    """The mean of one side less that of the other, over the `n` conversations that both have."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class PartGroup:
    """The mean of some of the parts: `n` of them, in `n_clusters` conversations."""

    n: int
    n_clusters: int
    mean: float
    low: float | None
    high: float | None
    level: float
    reason: Reason | None


def describe(
    values: Sequence[float], clusters: Sequence[int], *, seed: int, level: float = 0.95
) -> PartDistribution:
    """Return how values lie, with the interval of their mean.

    Args:
        values: one for each part, none missing.
        clusters: the conversation of each part.
        seed: of the resamples.
        level: of the interval.

    Raises:
        ValueError: there are no values, or not as many conversations.
    """
    found = np.asarray(values, dtype=np.float64)
    if found.size == 0 or len(clusters) != found.size:
        raise ValueError("A distribution needs values, and the conversation of each.")
    sums = _sums(values, clusters)
    low, high, reason = _interval([np.array(list(sums.values()))], [1.0], seed, level)
    counts, _edges = np.histogram(found, bins=BINS)
    return PartDistribution(
        n=int(found.size),
        n_clusters=len(sums),
        mean=float(found.mean()),
        sd=float(found.std(ddof=1)) if found.size > 1 else None,
        minimum=float(found.min()),
        maximum=float(found.max()),
        percentiles=tuple(float(one) for one in np.percentile(found, PERCENTILES)),
        counts=tuple(int(one) for one in counts),
        low=low,
        high=high,
        level=level,
        reason=reason,
    )


def by_group(
    values: Sequence[float],
    clusters: Sequence[int],
    groups: Sequence[int],
    *,
    seed: int,
    level: float = 0.95,
) -> dict[int, PartGroup]:
    """Return the mean of each group of parts, all from the same resamples of conversations.

    Args:
        values: one for each part, none missing.
        clusters: the conversation of each part.
        groups: the group of each part, such as its turn number.
        seed: of the resamples.
        level: of the interval.

    Raises:
        ValueError: the three differ in length.
    """
    if not len(values) == len(clusters) == len(groups):
        raise ValueError("Each value needs its conversation and its group.")
    if not len(values):
        return {}
    keys, of = np.unique(np.asarray(groups), return_inverse=True)
    _talks, at = np.unique(np.asarray(clusters), return_inverse=True)
    n_talks, n_keys = int(at.max()) + 1, len(keys)
    totals, counts = np.zeros((n_talks, n_keys)), np.zeros((n_talks, n_keys))
    np.add.at(totals, (at, of), np.asarray(values, dtype=np.float64))
    np.add.at(counts, (at, of), 1)
    scheme = resampling.scheme_for(n_talks)
    drawn = resampling.resampled_sums(
        np.hstack([totals, counts]),
        resamples=RESAMPLES,
        rng=np.random.default_rng(seed),
        scheme=scheme,
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn[:, :n_keys] / drawn[:, n_keys:]
    made = {}
    for place, key in enumerate(keys):
        n, held = int(counts[:, place].sum()), int((counts[:, place] > 0).sum())
        found = resampling.interval([DrawnPart(means[:, place], held)], scheme=scheme, level=level)
        mean = float(totals[:, place].sum() / n)
        made[int(key)] = PartGroup(n, held, mean, found.low, found.high, level, found.reason)
    return made


def percentile(values: Sequence[float], at: float) -> float:
    """Return one percentile.

    Raises:
        ValueError: there are no values, or there is no such percentile.
    """
    if not len(values):
        raise ValueError("There are no values.")
    return float(np.percentile(np.asarray(values, dtype=np.float64), at))


def less(
    left: Mapping[int, Sequence[float]],
    right: Mapping[int, Sequence[float]],
    *,
    seed: int,
    level: float = 0.95,
) -> Less:
    """Return left less right, paired by the conversations that both have values of.

    Args:
        left: the values of each conversation.
        right: the values of the same conversations on the other side.
        seed: of the resamples.
        level: of the interval.
    """
    shared = sorted(key for key in left if len(left[key]) and len(right.get(key, ())))
    if not shared:
        return Less(None, None, None, 0, level, Reason.NO_OVERLAP)
    sides = [
        np.array([(float(np.sum(side[key])), float(len(side[key]))) for key in shared])
        for side in (left, right)
    ]
    value = sum(
        sign * float(side[:, 0].sum() / side[:, 1].sum())
        for sign, side in zip((1.0, -1.0), sides, strict=True)
    )
    low, high, reason = _interval(sides, [1.0, -1.0], seed, level)
    return Less(value, low, high, len(shared), level, reason)


def _sums(values: Sequence[float], clusters: Sequence[int]) -> dict[int, tuple[float, float]]:
    found: dict[int, tuple[float, float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        total, n = found.get(cluster, (0.0, 0.0))
        found[cluster] = (total + value, n + 1)
    return dict(sorted(found.items()))


def _interval(
    sides: Sequence[FloatArray], signs: Sequence[float], seed: int, level: float
) -> tuple[float | None, float | None, Reason | None]:
    """Return the ends of a sum of means, every side resampled by the same conversations."""
    n = len(sides[0])
    if n < 2:
        return None, None, Reason.FEW_QUESTIONS
    scheme = resampling.scheme_for(n)
    drawn = resampling.resampled_sums(
        np.hstack(sides), resamples=RESAMPLES, rng=np.random.default_rng(seed), scheme=scheme
    )
    means = sum(sign * drawn[:, 2 * at] / drawn[:, 2 * at + 1] for at, sign in enumerate(signs))
    found = resampling.interval([DrawnPart(np.asarray(means), n)], scheme=scheme, level=level)
    return found.low, found.high, found.reason
