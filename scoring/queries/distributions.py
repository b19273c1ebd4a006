"""How scores are distributed: few numbers that say it, and how many lie in each part of the range."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles

#: Parts of a range that scores are counted in.
PARTS = 10


@dataclass(frozen=True, slots=True)
class Part:
    """How many scores lie from `low` up to `high`, the last part with its end."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """Quartiles are those of the method "inclusive": the scores are all there are, and no sample."""

    n: int
    mean: float
    lowest: float
    lower: float
    middle: float
    upper: float
    highest: float


def of(values: Sequence[float]) -> Distribution | None:
    """Return how scores are distributed; None where there is none."""
    if not values:
        return None
    # Quartiles want two numbers; one stands for all of them.
    several = values if len(values) > 1 else [*values, *values]
    lower, middle, upper = quantiles(several, n=4, method="inclusive")
    return Distribution(len(values), fmean(values), min(values), lower, middle, upper, max(values))


def parts(values: Sequence[float], low: float | None, high: float | None) -> list[Part]:
    """Return how many scores lie in each tenth of a range; an open end is where the scores end."""
    if not values:
        return []
    start = min(values) if low is None else low
    end = max(values) if high is None else high
    if end <= start:
        return [Part(start, end, len(values))]
    wide = (end - start) / PARTS
    counts = [0] * PARTS
    for value in values:
        counts[min(max(int((value - start) / wide), 0), PARTS - 1)] += 1
    return [
        Part(start + place * wide, start + (place + 1) * wide, n) for place, n in enumerate(counts)
    ]
