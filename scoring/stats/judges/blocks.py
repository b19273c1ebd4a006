"""One judge beside one column of people's values at one level: coefficients and their resamples.

* How well one person agrees with the others: what a judge can be asked to reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges import levels
from scoring.stats.judges.levels import Level, LevelRows, Pairs
from scoring.stats.judges.said import Against, Correlation, Drawn, RatersCeiling, Resampled
from scoring.stats.plain import Reason
from scoring.stats.resampled import exact
from scoring.stats.resampled.exact import Label, Values
from scoring.stats.resampled.linear import FloatArray
from scoring.stats.resampled.weighted import Found
from scoring.stats.told import COEFFICIENTS, Coefficient


@dataclass(frozen=True, slots=True)
class BlockSettings:
    """What is asked of every block alike; `resamples` 0 means no intervals."""

    names: tuple[Coefficient, ...]
    drawn: Drawn
    resamples: int
    confidence: float
    seed: int


@dataclass(frozen=True, slots=True)
class CoefficientBlock:
    """`points` are in the order of the coefficients; `found` is empty where `reason` says why."""

    of: Pairs
    level: Level
    points: tuple[Correlation, ...]
    found: Found
    reason: Reason | None

    @property
    def parts(self) -> tuple[object, object]:
        """Return what its resamples speak of: equal parts meet the same draws."""
        return self.of.systems, self.of.groups


def block(of: Pairs, level: Level, settings: BlockSettings) -> CoefficientBlock:
    """Correlate two columns, and in every resample.

    Raises:
        ValueError: a setting is improper.
    """
    points = correlation.correlations(
        of, level, names=settings.names, confidence=settings.confidence
    )
    reason = correlation_intervals.too_few(of, settings.drawn)
    found: Found = {}
    if settings.resamples and reason is None:
        chance = correlation_intervals.draws(
            of, drawn=settings.drawn, resamples=settings.resamples, seed=settings.seed
        )
        found = correlation_intervals.values(of, level, chance, settings.names)
    return CoefficientBlock(of, level, points, found, reason)


def intervals(one: CoefficientBlock, settings: BlockSettings) -> Sequence[Resampled | None]:
    """Return the interval of each coefficient; None where none was asked for."""
    if not settings.resamples:
        return [None] * len(settings.names)
    return [interval_of(one, name, one.found.get(name), settings) for name in settings.names]


def interval_of(
    one: CoefficientBlock, name: Coefficient, found: FloatArray | None, settings: BlockSettings
) -> Resampled:
    """Return the interval of a figure from its values in the resamples of a block."""
    return correlation_intervals.interval(
        one.of,
        one.level,
        name,
        found,
        one.reason,
        drawn=settings.drawn,
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
    )


FEWEST = 3  # values a rater must share with the others: two always correlate perfectly
METHOD = (
    "each rater against the mean of the others, on what both marked; mean, lowest and highest "
    "over raters"
)


def ceilings(
    table: LevelRows,
    marks: FloatArray,
    level: Level,
    *,
    raters: Sequence[Label] | None = None,
    names: Sequence[Coefficient] = COEFFICIENTS,
) -> tuple[RatersCeiling, ...]:
    """Return the ceiling by each coefficient.

    Args:
        table: the responses.
        marks: raters × responses; NaN where a rater did not mark.
        level: of the correlation.
        raters: their labels; by default their numbers.
        names: the coefficients.

    Raises:
        ValueError: marks are not raters × responses.
    """
    given = np.asarray(marks, dtype=np.float64)
    labels = list(range(len(given))) if raters is None else list(raters)
    if given.ndim != 2 or given.shape != (len(labels), len(table.response)):
        raise ValueError("Marks come as raters × responses.")
    of_rater = [
        correlation.correlations(levels.pairs(table, own, others), level, names=names)
        for own, others in left_out_one_by_one(given)
    ]
    return tuple(
        _ceiling(name, level, [found[i] for found in of_rater], labels)
        for i, name in enumerate(names)
    )


def left_out_one_by_one(marks: FloatArray) -> list[tuple[Values, Values]]:
    """Return for each rater their own marks and the exact mean of all others."""
    whole = exact.values(marks.ravel())
    each = whole.numerators.reshape(marks.shape)
    there = ~np.isnan(each)
    total, count = np.nansum(each, axis=0), there.sum(axis=0)
    made = []
    for own, mine in zip(each, there, strict=True):
        rest = exact.means(total - np.where(mine, own, 0), count - mine)
        others = Values(rest.numerators, rest.unit * whole.unit, rest.exact and whole.exact)
        made.append((Values(own, whole.unit, whole.exact), others))
    return made


def _ceiling(
    name: Coefficient,
    level: Level,
    found: Sequence[Correlation],
    labels: Sequence[Label],
) -> RatersCeiling:
    each = tuple(map(_against, labels, found))
    known = [one.value for one in each if one.value is not None]
    reason = None
    if not known:
        reason = Reason.ONE_RATER if len(labels) < 2 else Reason.NO_OVERLAP
    return RatersCeiling(
        coefficient=name,
        level=level,
        value=float(np.mean(known)) if known else None,
        low=min(known, default=None),
        high=max(known, default=None),
        reason=reason,
        n_raters=len(known),
        n_left_out=len(each) - len(known),
        raters=each,
        method=METHOD,
    )


def _against(label: Label, one: Correlation) -> Against:
    if one.n < FEWEST:
        return Against(label, None, one.n, one.n_rows, Reason.FEW_PAIRS)
    return Against(label, one.value, one.n, one.n_rows, one.reason)
