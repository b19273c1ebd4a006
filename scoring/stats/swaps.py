"""Differences between two judges' correlations when their values are swapped at random.

Each judge is standardised over all responses first, so that swapped values are comparable. Swaps
are coins for systems and for groups; nothing is sorted or copied more often than needed.

References:
    Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics
    using resampling methods, section 4.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from scoring.stats import levels, weighted
from scoring.stats.levels import Grid, Level, Pairs
from scoring.stats.linear import FloatArray
from scoring.stats.weighted import CHUNK_CELLS, Coefficient

BoolArray = npt.NDArray[np.bool_]
Swapped = Literal["systems", "items", "both"]
SWAPPED: tuple[Swapped, ...] = ("systems", "items", "both")
NAMES: dict[Swapped, str] = {
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
class Differences:
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
) -> Differences:
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
    one = {"system": _system, "item": _item, "pooled": _pooled}[level]
    made = one(left, x, y, chance, coefficient)
    return Differences(float(made[0]), made[1:])


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


def _system(
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


def _item(
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


def _laid(of: Pairs, laid: Grid, x: FloatArray) -> FloatArray:
    made = np.zeros(laid.valid.shape)
    # Rows are sorted by system, then group; slots by system: each group's rows fill its slots.
    order = np.argsort(of.group, kind="stable")
    made[laid.valid > 0] = x[order]
    return made


def _pooled(
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
