"""Intervals of correlations by drawing systems, groups of responses, or both with replacement.

BOOT-SYSTEMS speaks of other systems on these groups, BOOT-ITEMS of other groups from these systems,
BOOT-BOTH of other systems on other groups (the default: it claims least). Groups are drawn whole.
The interval is the percentile interval; resamples in which the coefficient is undefined are left
out and counted. Two judges on the same rows meet the same draws.

A draw is a number of times for each system and group; a response counts as often as the product.
No data are copied, which is what makes it fast; results equal those of copying.

References:
    Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics
    using resampling methods, section 3. Efron and Tibshirani (1993), chapter 13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scoring.stats import levels, resampling, weighted, weighted_long
from scoring.stats.levels import Level, Pairs
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.weighted import COEFFICIENTS, Coefficient, Found

Drawn = Literal["systems", "items", "both"]
DRAWN: tuple[Drawn, ...] = ("systems", "items", "both")
NAMES: dict[Drawn, str] = {
    "systems": "BOOT-SYSTEMS: systems drawn with replacement",
    "items": "BOOT-ITEMS: groups of responses drawn with replacement",
    "both": "BOOT-BOTH: systems and groups of responses drawn with replacement",
}
#: Sets of draws that are kept for the next pairs, and numbers in each at most.
KEPT, KEPT_NUMBERS = 8, 1 << 20
ENOUGH = 0.5  # share of resamples that must be defined
SAME = 1e-12  # resamples that lie no further apart came out the same, but for rounding
DOUBT = 1e-9  # share of the whole spread below which a resample may have none


@dataclass(frozen=True, slots=True)
class Draws:
    """How often each was drawn: resamples × systems, resamples × groups."""

    systems: FloatArray
    groups: FloatArray


@dataclass(frozen=True, slots=True)
class Resampled:
    """The interval of one coefficient; `n_undefined` of the `resamples` had none."""

    coefficient: Coefficient
    level: Level
    drawn: Drawn
    low: float | None
    high: float | None
    reason: Reason | None
    confidence: float
    resamples: int
    n_undefined: int
    n_systems: int
    n_groups: int
    seed: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


def resampled(
    of: Pairs,
    level: Level,
    *,
    drawn: Drawn = "both",
    names: Sequence[Coefficient] = COEFFICIENTS,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[Resampled, ...]:
    """Return the interval of each coefficient.

    Args:
        of: both sides.
        level: of the correlation.
        drawn: what is drawn with replacement.
        names: the coefficients.
        resamples: how many.
        confidence: of the intervals.
        seed: where chance comes from.

    Raises:
        ValueError: no such level or way of drawing, no resamples, or no proper confidence.
    """
    if level not in levels.LEVELS or drawn not in DRAWN:
        raise ValueError(f"There is no level {level!r} or no way of drawing {drawn!r}.")
    if resamples < 1 or not 0 < confidence < 1:
        raise ValueError("Resamples are at least one, and a confidence lies between 0 and 1.")
    reason = too_few(of, drawn)
    found: Found = {}
    if reason is None:
        chance = draws(of, drawn=drawn, resamples=resamples, seed=seed)
        found = values(of, level, chance, names)
    return tuple(
        interval(
            of,
            level,
            name,
            found.get(name),
            reason,
            drawn=drawn,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        )
        for name in names
    )


def draws(of: Pairs, *, drawn: Drawn, resamples: int, seed: int) -> Draws:
    """Return how often each system and group is drawn: the same for pairs of the same size."""
    n_systems, n_groups = len(of.systems), len(of.groups)
    small = resamples * (n_systems + n_groups) <= KEPT_NUMBERS
    lots = (_drawn_before if small else _drawn)(n_systems, n_groups, resamples, seed)
    return Draws(
        np.ones(lots.systems.shape) if drawn == "items" else lots.systems.astype(np.float64),
        np.ones(lots.groups.shape) if drawn == "systems" else lots.groups.astype(np.float64),
    )


@dataclass(frozen=True, slots=True)
class _Lots:
    """As `Draws`, in the smallest whole numbers that hold them."""

    systems: npt.NDArray[np.unsignedinteger[Any]]
    groups: npt.NDArray[np.unsignedinteger[Any]]


def _drawn(n_systems: int, n_groups: int, resamples: int, seed: int) -> _Lots:
    rng = np.random.default_rng([seed, n_systems, n_groups])
    return _Lots(
        *(
            rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.min_scalar_type(n))
            for n in (n_systems, n_groups)
        )
    )


#: Every judge, criterion, level and coefficient on the same rows meets the same lots again.
_drawn_before = lru_cache(maxsize=KEPT)(_drawn)


def values(of: Pairs, level: Level, chance: Draws, names: Sequence[Coefficient]) -> Found:
    """Return each coefficient in each resample; NaN where it is undefined."""
    if level == "system":
        return _system(of, chance, names)
    if level == "item":
        return _item(of, chance, names)
    return _pooled(of, chance, names)


def _system(of: Pairs, chance: Draws, names: Sequence[Coefficient]) -> Found:
    made = levels.sums(of)
    count = chance.groups @ made.count.T
    some = np.maximum(count, 1)
    judge, human = (chance.groups @ side.T / some for side in (made.judge, made.human))
    # A system none of whose groups was drawn has no mean in that resample: it does not count.
    return weighted.of_rows(judge, human, chance.systems * (count > 0), names)


def _item(of: Pairs, chance: Draws, names: Sequence[Coefficient]) -> Found:
    laid = levels.grid(of)
    times = chance.groups.T
    if (chance.systems == 1).all():
        ones = np.ones((laid.judge.shape[1], 1))
        each = weighted.of_groups(laid.judge, laid.human, laid.valid, ones, names)
    else:
        slots = weighted.expanded(chance.systems, laid.slot_system)
        each = weighted.of_groups(laid.judge, laid.human, laid.valid, slots, names)
    return weighted.mean_over_groups(each, times)


def _pooled(of: Pairs, chance: Draws, names: Sequence[Coefficient]) -> Found:
    made: Found = {name: np.empty(len(chance.systems)) for name in names}
    ranked = [name for name in names if name != "pearson"]
    if "pearson" in names:
        made["pearson"] = _pooled_pearson(of, chance)
    if not ranked:
        return made
    columns = weighted_long.Columns(of.judge, of.human)
    system, group = of.system[columns.order], of.group[columns.order]
    for part in columns.parts(len(chance.systems)):
        # How often a response was drawn is a small whole number, and half the memory takes half the time.
        w = weighted.expanded(chance.systems[part].astype(np.float32), system)
        w *= weighted.expanded(chance.groups[part].astype(np.float32), group)
        for name, found in columns.ranked(w, ranked).items():
            made[name][part] = found
    return made


def _pooled_pearson(of: Pairs, chance: Draws) -> FloatArray:
    """Correlate from sums over the rows of each system in each group: no weight a row is needed."""
    shape = (len(of.systems), len(of.groups))
    cell = of.system * shape[1] + of.group
    dx, dy = of.judge - of.judge.mean(), of.human - of.human.mean()
    sums = [
        ((chance.systems @ table.reshape(shape)) * chance.groups).sum(axis=1)
        for table in (
            np.bincount(cell, weights=weights, minlength=shape[0] * shape[1]).astype(np.float64)
            for weights in (None, dx, dy, dx * dx, dy * dy, dx * dy)
        )
    ]
    n = np.maximum(sums[0], 1)
    mx, my = sums[1] / n, sums[2] / n
    left, right = sums[3] - n * mx * mx, sums[4] - n * my * my
    made = weighted.ratio(sums[5] - n * mx * my, left, right)
    # Next to no spread may be rounding alone: look at the values themselves.
    doubtful = (left <= DOUBT * (dx @ dx)) | (right <= DOUBT * (dy @ dy))
    if doubtful.any():
        w = weighted.expanded(chance.systems[doubtful], of.system)
        w *= weighted.expanded(chance.groups[doubtful], of.group)
        made[doubtful] = weighted_long.of_long(of.judge, of.human, w, ["pearson"])["pearson"]
    return made


def too_few(of: Pairs, drawn: Drawn) -> Reason | None:
    """Say why nothing can be drawn anew, if so."""
    if drawn != "items" and len(of.systems) < 2:
        return Reason.FEW_PAIRS
    few = drawn != "systems" and len(of.groups) < resampling.FEWEST
    return Reason.FEW_QUESTIONS if few else None


def interval(
    of: Pairs,
    level: Level,
    name: Coefficient,
    found: FloatArray | None,
    reason: Reason | None,
    *,
    drawn: Drawn,
    resamples: int,
    confidence: float,
    seed: int,
) -> Resampled:
    """Return the percentile interval of what was found in the resamples, NaN where undefined."""
    low = high = None
    n_undefined = 0
    if found is not None:
        kept = found[np.isfinite(found)]
        n_undefined = resamples - len(kept)
        if level == "system" and len(of.systems) == 2:
            reason = Reason.TWO_SYSTEMS
        elif len(kept) < ENOUGH * resamples:
            reason = Reason.EMPTY_RESAMPLES
        elif np.ptp(kept) <= SAME:
            reason = Reason.NO_SPREAD
        else:
            tail = (1 - confidence) / 2
            low, high = np.quantile(kept, [tail, 1 - tail]).tolist()
    return Resampled(
        coefficient=name,
        level=level,
        drawn=drawn,
        low=low,
        high=high,
        reason=reason,
        confidence=confidence,
        resamples=resamples,
        n_undefined=n_undefined,
        n_systems=len(of.systems),
        n_groups=len(of.groups),
        seed=seed,
        method=f"{confidence:.0%} percentile interval, {NAMES[drawn]}, {resamples} resamples",
    )
