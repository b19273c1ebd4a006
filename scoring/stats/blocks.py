"""One judge beside one column of people's values at one level: coefficients and their resamples.

The resamples are kept until everything that is built from several columns, such as the mean of
coefficients over criteria, has been computed within each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.stats import correlation, correlation_intervals
from scoring.stats.correlation import Correlation
from scoring.stats.correlation_intervals import Drawn, Resampled
from scoring.stats.levels import Level, Pairs
from scoring.stats.linear import FloatArray
from scoring.stats.reasons import Reason
from scoring.stats.weighted import Coefficient, Found


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked of every block alike; `resamples` 0 means no intervals."""

    names: tuple[Coefficient, ...]
    drawn: Drawn
    resamples: int
    confidence: float
    seed: int


@dataclass(frozen=True, slots=True)
class Block:
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


def block(of: Pairs, level: Level, settings: Settings) -> Block:
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
    return Block(of, level, points, found, reason)


def intervals(one: Block, settings: Settings) -> Sequence[Resampled | None]:
    """Return the interval of each coefficient; None where none was asked for."""
    if not settings.resamples:
        return [None] * len(settings.names)
    return [interval_of(one, name, one.found.get(name), settings) for name in settings.names]


def interval_of(
    one: Block, name: Coefficient, found: FloatArray | None, settings: Settings
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
