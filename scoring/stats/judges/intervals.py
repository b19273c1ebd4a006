"""Intervals of correlations by drawing systems, groups of responses, or both with replacement.

* Differences between two judges' correlations when their values are swapped at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from scoring.stats.judges import levels
from scoring.stats.judges.levels import Level, LevelGrid, Pairs
from scoring.stats.judges.said import Drawn, Resampled
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled import weighted
from scoring.stats.resampled.linear import FloatArray
from scoring.stats.resampled.weighted import CHUNK_CELLS, Found
from scoring.stats.told import COEFFICIENTS, Coefficient

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
class _PackedDraws:
    """As `Draws`, in the smallest whole numbers that hold them."""

    systems: npt.NDArray[np.unsignedinteger[Any]]
    groups: npt.NDArray[np.unsignedinteger[Any]]


def _drawn(n_systems: int, n_groups: int, resamples: int, seed: int) -> _PackedDraws:
    rng = np.random.default_rng([seed, n_systems, n_groups])
    return _PackedDraws(
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
    columns = weighted.WeightedColumns(of.judge, of.human)
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
        made[doubtful] = weighted.of_long(of.judge, of.human, w, ["pearson"])["pearson"]
    return made


def too_few(of: Pairs, drawn: Drawn) -> Reason | None:
    """Say why nothing can be drawn anew, if so."""
    if drawn == "systems" and len(of.systems) < 2:
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


BoolArray = npt.NDArray[np.bool_]
Swapped = Literal["systems", "items", "both"]
SWAPPED: tuple[Swapped, ...] = ("systems", "items", "both")
SWAP_NAMES: dict[Swapped, str] = {
    "systems": "PERM-SYSTEMS: all values of a system swapped together",
    "items": "PERM-ITEMS: all values of a group swapped together",
    "both": "PERM-BOTH: values swapped by a coin for each system and one for each group",
}
DIGITS = 10  # standardised means are compared to so many decimals: equal ones stay equal


@dataclass(frozen=True, slots=True)
class Coins:
    """Which systems and groups are swapped: resamples × systems, resamples × groups."""

    systems: BoolArray
    groups: BoolArray


@dataclass(frozen=True, slots=True)
class ResampledDifferences:
    """The difference as observed, and in each resample; NaN where it is undefined."""

    observed: float
    others: FloatArray


def differences(
    left: Pairs,
    right: Pairs,
    level: Level,
    coefficient: Coefficient,
    *,
    swapped: Swapped,
    resamples: int,
    seed: int,
) -> ResampledDifferences:
    """Return correlation of left less correlation of right, observed and under random swaps.

    Args:
        left: one judge and the people.
        right: the other judge and the people, over the same rows; each judge must vary.
        level: of the correlation.
        coefficient: which.
        swapped: what is swapped together.
        resamples: how many.
        seed: where chance comes from.
    """
    rng = np.random.default_rng([seed, len(left.systems), len(left.groups)])
    chance = coins(left, swapped, resamples, rng)
    x, y = _standardised(left.judge), _standardised(right.judge)
    one = {"system": _swapped_system, "item": _swapped_item, "pooled": _swapped_pooled}[level]
    made = one(left, x, y, chance, coefficient)
    return ResampledDifferences(float(made[0]), made[1:])


def coins(of: Pairs, swapped: Swapped, resamples: int, rng: np.random.Generator) -> Coins:
    """Toss the coins; the first toss of each moves nothing, which is what was observed."""
    systems = rng.random((resamples + 1, len(of.systems))) < 0.5
    groups = rng.random((resamples + 1, len(of.groups))) < 0.5
    systems[0] = groups[0] = False
    if swapped == "items":
        systems[:] = False
    if swapped == "systems":
        groups[:] = False
    return Coins(systems, groups)


def _standardised(x: FloatArray) -> FloatArray:
    made: FloatArray = (x - x.mean()) / x.std()
    return made


def _swapped_system(
    of: Pairs, x: FloatArray, y: FloatArray, chance: Coins, coefficient: Coefficient
) -> FloatArray:
    shape = (len(of.systems), len(of.groups))
    cell = of.system * shape[1] + of.group
    tx, ty, count = (
        np.bincount(cell, weights=weights, minlength=shape[0] * shape[1]).reshape(shape)
        for weights in (x, y, None)
    )
    n = count.sum(axis=1)
    moved = chance.groups.astype(np.float64) @ (ty - tx).T
    first, second = (tx.sum(axis=1) + moved) / n, (ty.sum(axis=1) - moved) / n
    a = np.where(chance.systems, second, first)
    b = np.where(chance.systems, first, second)
    if coefficient != "pearson":
        a, b = np.round(a, DIGITS), np.round(b, DIGITS)
    human = levels.system_means(of)[1][None, :]
    ones = np.ones((1, shape[0]))
    of_a, of_b = (weighted.of_rows(one, human, ones, [coefficient]) for one in (a, b))
    return of_a[coefficient] - of_b[coefficient]


def _swapped_item(
    of: Pairs, x: FloatArray, y: FloatArray, chance: Coins, coefficient: Coefficient
) -> FloatArray:
    laid = levels.grid(of)
    gx, gy = _laid(of, laid, x), _laid(of, laid, y)
    n_groups, q = laid.valid.shape
    made = np.empty(len(chance.groups))
    step = max(1, CHUNK_CELLS // (n_groups * q * q))
    for start in range(0, len(made), step):
        part = slice(start, start + step)
        bit = chance.groups[part, :, None] ^ chance.systems[part][:, None, laid.slot_system]
        found = []
        for first, second in ((gx, gy), (gy, gx)):
            values = np.where(bit, second, first).reshape(-1, q)
            times = len(bit)
            each = weighted.of_rows(
                values,
                np.tile(laid.human, (times, 1)),
                np.tile(laid.valid, (times, 1)),
                [coefficient],
            )[coefficient].reshape(times, n_groups)
            there = np.isfinite(each)
            n = there.sum(axis=1)
            total = np.where(there, each, 0).sum(axis=1)
            found.append(np.where(n > 0, total / np.maximum(n, 1), np.nan))
        made[part] = found[0] - found[1]
    return made


def _laid(of: Pairs, laid: LevelGrid, x: FloatArray) -> FloatArray:
    made = np.zeros(laid.valid.shape)
    # Rows are sorted by system, then group; slots by system: each group's rows fill its slots.
    order = np.argsort(of.group, kind="stable")
    made[laid.valid > 0] = x[order]
    return made


def _swapped_pooled(
    of: Pairs, x: FloatArray, y: FloatArray, chance: Coins, coefficient: Coefficient
) -> FloatArray:
    made = np.empty(len(chance.groups))
    step = max(1, CHUNK_CELLS // max(1, of.n))
    for start in range(0, len(made), step):
        part = slice(start, start + step)
        bit = chance.groups[part][:, of.group] ^ chance.systems[part][:, of.system]
        if coefficient in ("kendall_b", "kendall_c"):
            found = _pooled_kendall(x, y, of.human, bit, coefficient)
        else:
            found = _pooled_product(x, y, of.human, bit, coefficient)
        made[part] = found
    return made


def _pooled_product(
    x: FloatArray, y: FloatArray, human: FloatArray, bit: BoolArray, coefficient: Coefficient
) -> FloatArray:
    a, b = np.where(bit, y, x), np.where(bit, x, y)
    if coefficient == "spearman":
        a, b, human = (scipy_stats.rankdata(one, axis=-1) for one in (a, b, human))
    dh = human - human.mean()
    found = []
    for one in (a, b):
        off = one - one.mean(axis=1, keepdims=True)
        found.append(weighted.ratio(off @ dh, (off * off).sum(axis=1), np.full(len(off), dh @ dh)))
    return found[0] - found[1]


def _pooled_kendall(
    x: FloatArray, y: FloatArray, human: FloatArray, bit: BoolArray, coefficient: Coefficient
) -> FloatArray:
    """Sum products of signs: whether a pair compares x or y with x or y is said by its coins."""
    n = len(x)
    swap = bit.T.astype(np.float32)
    stay = 1 - swap
    above_a, above_b = np.zeros(len(bit)), np.zeros(len(bit))
    step = max(1, CHUNK_CELLS // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        signs = np.sign(np.subtract.outer(human[rows], human))
        sums = {}
        for left in "xy":
            for right in "xy":
                one = np.sign(
                    np.subtract.outer({"x": x, "y": y}[left][rows], {"x": x, "y": y}[right])
                )
                product = (one * signs).astype(np.float32)
                sums[left, right] = (product @ stay, product @ swap)
        still, moved = stay[rows].astype(np.float64), swap[rows].astype(np.float64)
        above_a += (still * (sums["x", "x"][0] + sums["x", "y"][1])).sum(axis=0)
        above_a += (moved * (sums["y", "x"][0] + sums["y", "y"][1])).sum(axis=0)
        above_b += (still * (sums["y", "y"][0] + sums["y", "x"][1])).sum(axis=0)
        above_b += (moved * (sums["x", "y"][0] + sums["x", "x"][1])).sum(axis=0)
    found = []
    for first, second, above in ((x, y, above_a), (y, x, above_b)):
        found.append(_kendall(np.where(bit, second, first), human, above, coefficient))
    return found[0] - found[1]


def _kendall(
    values: FloatArray, human: FloatArray, above: FloatArray, coefficient: Coefficient
) -> FloatArray:
    n = values.shape[1]
    kinds = np.empty(len(values))
    untied = np.empty(len(values))
    for i, row in enumerate(np.sort(values, axis=1)):
        starts = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        count = np.diff(starts, append=n)
        kinds[i], untied[i] = len(count), n**2 - (count.astype(np.float64) ** 2).sum()
    count = np.unique(human, return_counts=True)[1].astype(np.float64)
    if coefficient == "kendall_b":
        return weighted.ratio(above, untied, np.full(len(values), n**2 - (count**2).sum()))
    return weighted.tau_c(above, np.full(len(values), float(n)), np.minimum(kinds, len(count)))
