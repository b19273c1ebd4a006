"""How steady raters are: the same again, over time, by position, in pace.

All marks are shares of their scale, centred on the mean that the other raters gave the same unit,
so that what was hard or bad does not count against who graded it.

References:
    Page (1954), Continuous inspection schemes (CUSUM).
    Benjamini and Hochberg (1995), Controlling the false discovery rate.
    Kolmogorov (1933), Sulla determinazione empirica di una legge di distribuzione (the limit).
    Cameron and Miller (2015), A practitioner's guide to cluster-robust inference (Wald test).
    Hotelling (1931), The generalization of Student's ratio.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd
from scipy import special, stats

from scoring.stats import multiple
from scoring.stats.people.said import (
    AtPosition,
    DisputesFigure,
    Drift,
    Pace,
    Position,
    Retest,
    Tempo,
)
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray, of_units

UNIT = ["response", "criterion"]
FAST = 1 / 3
LEAST = 8  # questions before drift is spoken of
MANY = 1_000  # questions from which on a CUSUM is told by its limit
SURER = 10  # so many times more permutations for a p that might come to something
COURSE = 240  # points of a course that are kept, for it is only drawn


def tempo(
    ratings: pd.DataFrame, found: DisputesFigure, *, times: pd.DataFrame | None = None
) -> tuple[Tempo, ...]:
    """Return each rater's usual time of a question beside their disputes.

    A quick annotator who never stands alone has no need to go slower: one alone says nothing.

    Args:
        ratings: in the columns of the frame.
        found: the disputes of the same ratings.
        times: what `seats` says of them, where it was asked before.
    """
    times = seats(ratings) if times is None else times
    alone = {one.rater: one for one in found.raters if one.capability is None}
    made = []
    for rater, mine in times.groupby("rater", observed=True):
        low, middle, high = np.quantile(mine["active_ms"].to_numpy(), [0.25, 0.5, 0.75])
        own = alone.get(rater)
        share = None if own is None or own.value is None else float(own.value)
        n = own.n_graded if own else 0
        made.append(Tempo(rater, float(middle), float(low), float(high), len(mine), share, n))
    return tuple(made)


def retest(ratings: pd.DataFrame, *, drawn: bool = False) -> tuple[Retest, ...]:
    """Compare occasion 2 with occasion 1 of the same rater, response and criterion.

    Args:
        ratings: the ratings frame with every occasion, valid rows with a value.
        drawn: whether repeats were drawn into the round at all.
    """
    none = Reason.NOT_MET_AGAIN if drawn else Reason.NO_REPEATS
    rows = _shares(ratings)
    again = rows["occasion"].to_numpy() == 2
    key = _together(rows, ["rater", *UNIT])
    twice = again | ((rows["occasion"].to_numpy() == 1) & np.isin(key, key[again]))
    table = pd.DataFrame({"key": key[twice], "second": again[twice]})
    table["share"] = rows["share"].to_numpy()[twice]
    table["rater"] = rows["rater"].cat.codes.to_numpy()[twice]
    first, second = (table[table["second"] == n].set_index("key") for n in (False, True))
    both = second.join(first["share"].rename("before"), how="inner")
    made = []
    for code, rater in _people(rows):
        mine = both[both["rater"] == code]
        if not len(mine):
            made.append(Retest(rater, None, None, None, 0, none))
            continue
        apart = (mine["share"] - mine["before"]).to_numpy(np.float64)
        same = float((np.abs(apart) < 1e-12).mean())
        far, shift = float(np.abs(apart).mean()), float(apart.mean())
        made.append(Retest(rater, same, far, shift, len(mine), None))
    return tuple(made)


def drift(
    ratings: pd.DataFrame, *, level: float = 0.95, permutations: int = 500, seed: int = 0
) -> tuple[Drift, ...]:
    """Follow every rater's deviation from the others through their own grades in time.

    Grades of one question rise and fall together, and questions of one time have no order: they are one
    block. Up to 1,000 blocks the p value is by permuting them, beyond by the limit of Kolmogorov; then
    those of all raters are corrected for their number.

    Args:
        ratings: in the columns of the frame.
        level: of the interval of the slope.
        permutations: of blocks; ten times as many where they come out below .1.
        seed: of the permutations.
    """
    rows = _shares(ratings)
    off = _off(rows)
    of, at = rows["rater"].cat.codes.to_numpy(), rows["at"].to_numpy(dtype="datetime64[us]")
    known = np.flatnonzero(~np.isnan(off) & ~np.isnat(at))
    of, off, begun = of[known], off[known], _begun(rows.iloc[known], at[known].astype(np.int64))
    order = np.lexsort([begun, of])
    ends = np.searchsorted(of[order], np.arange(len(rows["rater"].cat.categories) + 1))
    courses: dict[Label, tuple[FloatArray, IntArray]] = {}
    for code, rater in _people(rows):
        mine = order[ends[code] : ends[code + 1]]
        courses[rater] = off[mine], begun[mine]
    return drifts(courses, level=level, permutations=permutations, seed=seed)


def drifts(
    courses: Mapping[Label, tuple[FloatArray, IntArray]],
    *,
    level: float = 0.95,
    permutations: int = 500,
    seed: int = 0,
) -> tuple[Drift, ...]:
    """Return the drift of every rater, as one of all of them.

    Args:
        courses: by rater the deviation of each grade from the others, and the time of its question:
            grades of one time are a block.
        level: of the interval of the slope.
        permutations: of blocks; ten times as many where they come out below .1.
        seed: of the permutations.
    """
    rng = np.random.default_rng(seed)
    made = []
    for rater, (off, at) in courses.items():
        block = np.unique(at, return_inverse=True)[1].ravel()
        made.append(_drift(rater, off, block, level, permutations, rng))
    return _corrected(made)


def turn(off: FloatArray, at: IntArray) -> tuple[int, bool]:
    """Return with which block, from 1, a rater's later marks begin, and whether they are higher.

    It is where the sum of deviations from their own mean lies farthest out.
    """
    block = np.unique(at, return_inverse=True)[1].ravel()
    course = np.cumsum(np.bincount(block, off - off.mean()))
    place = int(np.abs(course).argmax())
    return place + 2, bool(course[place] < 0)


def _begun(rows: pd.DataFrame, at: IntArray) -> IntArray:
    """Return for each grade when its rater gave the first one of the question on the occasion."""
    occasion = rows["occasion"].to_numpy(np.int64)
    seat = _together(rows, ["group", "rater"]) * (int(occasion.max(initial=0)) + 1) + occasion
    number, first = _numbered(seat)
    begun = at[first]
    np.minimum.at(begun, number, at)
    return begun[number]


def _corrected(found: Sequence[Drift]) -> tuple[Drift, ...]:
    ps = multiple.false_discoveries([one.p for one in found], under="independence")
    return tuple(replace(one, p_bh=p) for one, p in zip(found, ps, strict=True))


def position_effect(ratings: pd.DataFrame, *, level: float = 0.95, seed: int = 0) -> Position:
    """Test whether marks depend on where on the page a response stood.

    Marks are centred on the rater's mean over the page and on the release's mean; questions are
    resampled; the Wald test asks whether all positions have one mean.
    """
    rows = _shares(ratings)
    there = rows["position"].notna()
    rows = rows if there.all() else rows[there]
    codes = rows["position"].cat.codes.to_numpy()
    labels = rows["position"].cat.categories
    used = np.flatnonzero(np.bincount(codes, minlength=1)) if len(codes) else codes
    used = np.array(sorted(used.tolist(), key=lambda code: str(labels[code])), dtype=np.int64)
    names = labels[used].tolist()
    groups = _together(rows, ["group"])
    n_questions = int(groups.max(initial=-1)) + 1
    if len(names) < 2 or n_questions < 3:
        return Position((), None, n_questions, Reason.NO_POSITIONS)
    plain_off = _less_mean(rows["share"].to_numpy(np.float64), _together(rows, ["release"]))
    off = _less_mean(plain_off, _together(rows, ["group", "rater"]))
    k = len(names)
    cell = groups * k + np.argsort(np.argsort(used))[np.searchsorted(np.sort(used), codes)]
    sums = np.bincount(cell, weights=off, minlength=n_questions * k).reshape(-1, k)
    counts = np.bincount(cell, minlength=n_questions * k).reshape(-1, k)
    pieces = of_units(np.hstack([sums, counts]), np.arange(n_questions))
    drawn = pieces.resampled(resamples=2_000, rng=np.random.default_rng(seed))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn[:, :k] / drawn[:, k:]
        value = sums.sum(axis=0) / counts.sum(axis=0)
    positions = tuple(
        _position(names[i], float(value[i]), means[:, i], int(counts[:, i].sum()), pieces.n, level)
        for i in range(k)
    )
    return Position(positions, _wald(value, means, pieces.n), n_questions, None)


def pace(ratings: pd.DataFrame, *, times: pd.DataFrame | None = None) -> tuple[Pace, ...]:
    """Return how long raters took a question, by capability.

    A flag for a closer look, never a reason by itself.

    Args:
        ratings: in the columns of the frame.
        times: what `seats` says of them, where it was asked before.
    """
    times = seats(ratings) if times is None else times
    if not len(times):
        return ()
    usual = times.groupby("capability", observed=True, dropna=False)["active_ms"].transform(
        "median"
    )
    times = times.assign(fast=times["active_ms"] < FAST * usual)
    made = []
    for (rater, capability), mine in times.groupby(
        ["rater", "capability"], observed=True, dropna=False
    ):
        low, median, high = np.quantile(mine["active_ms"].to_numpy(), [0.25, 0.5, 0.75])
        name = None if capability != capability else capability  # NaN
        made.append(
            Pace(
                rater,
                name,
                float(median),
                float(low),
                float(high),
                int(mine["fast"].sum()),
                len(mine),
            )
        )
    return tuple(made)


def seats(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each item that a rater did on an occasion, with its active seconds."""
    names = ["rater", "item", "occasion", "capability", "active_ms"]
    there = ratings["active_ms"].notna()
    rows = ratings[names] if there.all() else ratings.loc[there, names]
    occasion = rows["occasion"].to_numpy(np.int64)
    seat = _together(rows, ["item", "rater"]) * (int(occasion.max(initial=0)) + 1) + occasion
    number, first = _numbered(seat)
    longest = np.zeros(len(first))
    np.maximum.at(longest, number, rows["active_ms"].to_numpy(np.float64))
    return rows[["rater", "capability"]].iloc[first].assign(active_ms=longest / 1000)


def _shares(ratings: pd.DataFrame) -> pd.DataFrame:
    names = ["group", "release", "rater", "occasion", "position", "at", *UNIT]
    width = ratings["scale_max"] - ratings["scale_min"]
    share = (ratings["value"] - ratings["scale_min"]) / width
    there = ratings["value"].notna() & (width > 0) & np.isfinite(width)
    made = ratings[names].assign(share=share)
    return made if there.all() else made[there]


def _off(rows: pd.DataFrame) -> FloatArray:
    """Return the share less the mean of the other raters of the unit; NaN where there are none."""
    unit, share = _together(rows, UNIT), rows["share"].to_numpy(np.float64)
    n = np.bincount(unit)[unit].astype(np.float64)
    total = np.bincount(unit, weights=share)[unit]
    n[n < 2] = np.nan
    off: FloatArray = share - (total - share) / (n - 1)
    return off


def _less_mean(values: FloatArray, of: IntArray) -> FloatArray:
    means = np.bincount(of, weights=values) / np.maximum(1, np.bincount(of))
    off: FloatArray = values - means[of]
    return off


def _together(rows: pd.DataFrame, names: list[str]) -> IntArray:
    """Return one number, without gaps, for each combination of code columns."""
    made = np.zeros(len(rows), dtype=np.int64)
    for name in names:
        codes = rows[name].cat.codes.to_numpy()
        made = made * (len(rows[name].cat.categories) + 1) + codes + 1
    return _numbered(made)[0]


def _numbered(key: IntArray) -> tuple[IntArray, IntArray]:
    """Return the number of each key, in order of the keys, and where each first stands."""
    if len(key) and int(key.max()) < 8 * len(key) + 64:
        there = np.bincount(key) > 0
        number = (np.cumsum(there) - 1)[key]
        first = np.zeros(int(there.sum()), dtype=np.int64)
        first[number[::-1]] = np.arange(len(key))[::-1]
        return number, first
    _keys, at, which = np.unique(key, return_index=True, return_inverse=True)
    return which.ravel().astype(np.int64), at.astype(np.int64)


def _people(rows: pd.DataFrame) -> list[tuple[int, Label]]:
    """Return code and label of every rater there is, by label."""
    labels = rows["rater"].cat.categories.tolist()
    counted = np.bincount(rows["rater"].cat.codes, minlength=len(labels)).tolist()
    found = [(code, label) for code, label in enumerate(labels) if counted[code]]
    return sorted(found, key=lambda one: str(one[1]))


def _drift(
    rater: Label,
    off: FloatArray,
    block: IntArray,
    level: float,
    permutations: int,
    rng: np.random.Generator,
) -> Drift:
    """Return the drift of one rater; blocks are numbered from 0 in time, and stand in this order."""
    n, n_blocks = len(off), int(block.max(initial=-1)) + 1
    none = Drift(rater, *(None,) * 6, n, n_blocks, Reason.FEW_GRADES, ())
    if n_blocks < LEAST:
        return none
    centred = off - off.mean()
    sums: FloatArray = np.bincount(block, centred).astype(np.float64)
    size = np.sqrt((sums**2).sum())
    if size <= 1e-12 * n:
        flat = (0.0,) * min(n_blocks, COURSE)
        return replace(none, slope=0.0, cusum=0.0, course=flat, reason=Reason.NO_SPREAD)
    course = np.cumsum(sums)
    cusum = float(np.abs(course).max() / size)
    slope, half = _slope(centred, block, n_blocks, level)
    thin = np.unique(np.linspace(0, n_blocks - 1, min(n_blocks, COURSE)).round().astype(np.int64))
    return replace(
        none,
        slope=slope,
        low=slope - half,
        high=slope + half,
        cusum=cusum,
        p=_by_chance(sums, cusum, permutations, rng),
        course=tuple(course[thin].tolist()),
        reason=None,
    )


def _slope(
    centred: FloatArray, block: IntArray, n_blocks: int, level: float
) -> tuple[float, float]:
    """Return the slope from the first block to the last, and half of its interval, by blocks."""
    place = block / (n_blocks - 1)
    place = place - place.mean()
    width = float(place @ place)
    slope = float(place @ centred) / width
    pieces = np.bincount(block, place * (centred - slope * place))
    se = np.sqrt((pieces**2).sum() * n_blocks / (n_blocks - 2)) / width
    return slope, float(stats.t.ppf(0.5 + level / 2, n_blocks - 2) * se)


def _by_chance(
    sums: FloatArray, cusum: float, permutations: int, rng: np.random.Generator
) -> float:
    """Return how often blocks in any order have so high a CUSUM.

    A p below .1 is found anew by more permutations, which leaves its level below .1 as it is.
    """
    if len(sums) > MANY:
        return float(special.kolmogorov(cusum))
    p = _permuted(sums, cusum, permutations, rng)
    if p >= 0.1:
        return p
    more = [_permuted(sums, cusum, permutations, rng) for _ in range(SURER)]
    hits = sum(round(one * (permutations + 1)) - 1 for one in more)
    return (1 + hits) / (1 + SURER * permutations)


def _permuted(sums: FloatArray, cusum: float, permutations: int, rng: np.random.Generator) -> float:
    shuffled = rng.permuted(np.tile(sums, (permutations, 1)), axis=1)
    highest = np.abs(np.cumsum(shuffled, axis=1)).max(axis=1) / np.sqrt((sums**2).sum())
    return float((1 + (highest >= cusum - 1e-12).sum()) / (1 + permutations))


def _position(
    name: Label, value: float, draws: FloatArray, n_grades: int, n: int, level: float
) -> AtPosition:
    found = resampling.interval(
        [resampling.DrawnPart(draws, n)], scheme=resampling.Scheme.MULTINOMIAL, level=level
    )
    return AtPosition(cast("int", name), value, found.low, found.high, n_grades)


def _wald(value: FloatArray, means: FloatArray, n: int) -> float | None:
    kept = means[np.isfinite(means).all(axis=1)]
    if len(kept) < 100:
        return None
    contrast = value[1:] - value[0]
    spread = np.cov((kept[:, 1:] - kept[:, :1]).T).reshape(len(contrast), len(contrast))
    rank = int(np.linalg.matrix_rank(spread, tol=1e-14))
    if rank < 1:
        return None
    size = float(contrast @ np.linalg.pinv(spread) @ contrast)
    if n <= rank or n < resampling.FEWEST:
        return None
    # As Hotelling's test does: few questions know their own spread poorly.
    return float(stats.f.sf(size * (n - rank) / (rank * (n - 1)), rank, n - rank))
