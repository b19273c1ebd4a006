"""The bars that show how values lie: choices, few values as they are, or round ranges.

All sides of a comparison are counted in the same bars, so that their drawings can be read side by side.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

#: More different values than this are put into ranges, more labels than this are put together.
MOST: Final = 12
#: Ranges are not cut finer than this.
TINY: Final = 1e-300


@dataclass(frozen=True, slots=True)
class Bar:
    """What is counted: a `label`, a value (`low` and `high` are it), or low ≤ value < high.

    A bar without any of them counts all labels that have no bar of their own. A range without `high`
    has no end.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None


def scale(values: Sequence[float], labels: Sequence[str]) -> list[Bar]:
    """Return the bars for values and their labels ("" for none).

    Labels are taken where every value has one, by their mean value; of very many only the frequent ones.

    Args:
        values: finite numbers.
        labels: one for each value.

    Raises:
        ValueError: a number is not finite, or the sides differ in length.
    """
    if len(values) != len(labels) or not all(math.isfinite(one) for one in values):
        raise ValueError("Bars need finite values, and a label or none for each.")
    if not values:
        return []
    if all(labels):
        return _of_labels(values, labels)
    found = sorted(set(values))
    if len(found) <= MOST:
        return [Bar(low=one, high=one) for one in found]
    return _ranges(found)


def count(bars: Sequence[Bar], values: Sequence[float], labels: Sequence[str]) -> list[int]:
    """Return how many values each bar holds; every value is in one."""
    if not bars:
        return []
    if all(one.low is None for one in bars):
        place = {one.label: at for at, one in enumerate(bars)}
        rest = len(bars) - 1
        found = Counter(place.get(one, rest) for one in labels)
        return [found[at] for at in range(len(bars))]
    starts = np.array([one.low for one in bars], dtype=np.float64)
    at = np.searchsorted(starts, np.asarray(values, dtype=np.float64), side="right") - 1
    return [int(one) for one in np.bincount(np.clip(at, 0, None), minlength=len(bars))]


def _of_labels(values: Sequence[float], labels: Sequence[str]) -> list[Bar]:
    worth: dict[str, list[float]] = defaultdict(list)
    for value, label in zip(values, labels, strict=True):
        worth[label].append(value)
    ordered = sorted(worth, key=lambda one: (sum(worth[one]) / len(worth[one]), one))
    if len(ordered) <= MOST:
        return [Bar(one) for one in ordered]
    frequent = sorted(worth, key=lambda one: (-len(worth[one]), one))[:MOST]
    return [*(Bar(one) for one in ordered if one in frequent), Bar()]


def _ranges(found: Sequence[float]) -> list[Bar]:
    """Return ranges between round numbers, from the least value to beyond the greatest."""
    rough = found[-1] / MOST - found[0] / MOST
    if rough < TINY:
        return [Bar(low=found[0])]
    step = _step(rough, whole=all(one.is_integer() for one in found))
    first, last = math.floor(found[0] / step), math.floor(found[-1] / step)
    edges = [float(f"{n * step:.12g}") for n in range(first, last + 2)]
    made = [Bar(low=low, high=high) for low, high in itertools.pairwise(edges)]
    if not math.isfinite(edges[-1]):
        made[-1] = Bar(low=made[-1].low)
    return made


def _step(rough: float, *, whole: bool) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    sizes = [power, 2 * power, *([] if whole else [2.5 * power]), 5 * power, 10 * power]
    step = next(size for size in sizes if size >= rough * (1 - 1e-9))
    return max(step, 1.0) if whole else step
