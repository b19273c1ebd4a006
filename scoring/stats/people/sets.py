"""Agreement of raters who each give a set of labels: Krippendorff's α by Jaccard and MASI distances.

A mark is the number that stands for its set (`scales.one_number`). Two empty sets are the same set; an
empty one and another have nothing in common.

References:
    Passonneau (2006), Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation.
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.
"""

from typing import Literal

import numpy as np

from scoring.stats.people.agreement import undefined
from scoring.stats.people.said import AgreementFigures, Coefficient
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear
from scoring.stats.resampled.linear import FloatArray, Pieces
from scoring.stats.resampled.units import Units

Distance = Literal["jaccard", "masi"]
DISTANCES: tuple[Distance, ...] = ("masi", "jaccard")
#: By what a pair counts in MASI: the same set, one within the other, some in common.
SAME, WITHIN, ACROSS = 1.0, 2 / 3, 1 / 3


def distances(levels: FloatArray, distance: Distance) -> FloatArray:
    """Return how far apart every two sets are, from 0 to 1, shaped levels × levels.

    Args:
        levels: the number of each set.
        distance: "jaccard", 1 − |A ∩ B| / |A ∪ B|; or "masi", in which that share counts whole for
            the same set, by 2/3 where one lies within the other, and by 1/3 where neither does.

    Raises:
        ValueError: a number stands for no set.
    """
    bits = np.rint(levels).astype(np.int64)
    if (bits != levels).any() or (bits < 0).any():
        raise ValueError("A number that is negative or not whole stands for no set of labels.")
    common = np.bitwise_count(bits[:, None] & bits).astype(np.float64)
    either = np.bitwise_count(bits[:, None] | bits).astype(np.float64)
    share = np.divide(common, either, out=np.ones_like(common), where=either > 0)
    if distance == "masi":
        size = np.bitwise_count(bits)
        within = common == np.minimum(size[:, None], size)
        same = bits[:, None] == bits
        share = share * np.where(same, SAME, np.where(within, WITHIN, ACROSS))
    made: FloatArray = 1 - share
    return made


def agreement(
    units: Units,
    *,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> AgreementFigures:
    """Measure how far raters give the same sets: α by both distances, and the share of same sets.

    Args:
        units: the marks; a level is the number of a set.
        resamples: of questions with all their units; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.

    Raises:
        ValueError: a mark stands for no set.
    """
    rows, kind = units.kinds
    apart = [distances(units.levels, one) for one in DISTANCES]
    pieces = linear.of_clusters(_features(rows.astype(np.float64), apart), kind, units.cluster)
    times = np.bincount(kind, minlength=len(rows))
    drawn = pieces.resampled(resamples=resamples, rng=seed) if resamples and pieces.n > 1 else None
    reason = undefined(units.n_marks, units.n_raters, rows)
    names = [*(f"alpha_{one}" for one in DISTANCES), "raw"]
    made = tuple(
        _coefficient(name, n, apart, pieces, drawn, reason, level) for n, name in enumerate(names)
    )
    counts = times @ rows
    return AgreementFigures(
        n_units=units.n_units,
        n_pairable=int(times[rows.sum(axis=1) > 1].sum()),
        n_marks=units.n_marks,
        n_raters=units.n_raters,
        n_clusters=pieces.n,
        levels=tuple(units.levels.tolist()),
        marginals=tuple((counts / max(1, counts.sum())).tolist()),
        coefficients=made,
        sampling="cluster",
        method=f"{level:.0%} expanded percentile bootstrap of questions, {resamples} resamples",
    )


def _features(counts: FloatArray, apart: list[FloatArray]) -> FloatArray:
    """Return per kind of unit: for each distance its sum over pairs ÷ (m − 1), equal pairs, 1, and marks."""
    m = counts.sum(axis=1)
    several = (m > 1).astype(np.float64)
    less = np.maximum(m - 1, 1)
    sums = [several * ((counts @ one) * counts).sum(axis=1) / less for one in apart]
    equal = several * (counts * (counts - 1)).sum(axis=1) / (np.maximum(m, 1) * less)
    return np.column_stack([*sums, equal, several, counts * several[:, None]])


def _read(n: int, sums: FloatArray, apart: list[FloatArray]) -> FloatArray:
    """Return a coefficient of sums of features, one for each row."""
    k = len(apart)
    with np.errstate(invalid="ignore", divide="ignore"):
        if n == k:
            share: FloatArray = sums[:, k] / sums[:, k + 1]
            return share
        of_level = sums[:, k + 2 :]
        total = of_level.sum(axis=1)
        expected = ((of_level @ apart[n]) * of_level).sum(axis=1)
        made: FloatArray = 1 - (total - 1) * sums[:, n] / expected
        return made


def _coefficient(
    name: str,
    n: int,
    apart: list[FloatArray],
    pieces: Pieces,
    drawn: FloatArray | None,
    reason: Reason | None,
    level: float,
) -> Coefficient:
    if reason is Reason.ONE_LEVEL and name == "raw":
        reason = None
    if reason is not None:
        return Coefficient(name, None, None, None, reason, reason)
    value = float(_read(n, pieces.total[None, :], apart)[0])
    if drawn is None:
        why = Reason.FEW_QUESTIONS if pieces.n < 2 else Reason.NOT_RESAMPLED
        return Coefficient(name, value, None, None, None, why)
    part = linear.DrawnPart(_read(n, drawn, apart), pieces.n)
    found = linear.interval([part], scheme=pieces.scheme, level=level)
    return Coefficient(name, value, found.low, found.high, None, found.reason)
