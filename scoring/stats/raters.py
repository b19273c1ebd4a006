"""How steady raters are: the same again, over time, by position, in pace.

All marks are shares of their scale, centred on the mean that the other raters gave the same unit,
so that what was hard or bad does not count against who graded it.

References:
    Page (1954), Continuous inspection schemes (CUSUM).
    Cameron and Miller (2015), A practitioner's guide to cluster-robust inference (Wald test).
    Hotelling (1931), The generalization of Student's ratio.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from scoring.stats import resampling
from scoring.stats.linear import FloatArray, of_units
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.sums import Label

UNIT = ["response", "criterion"]
FAST = 1 / 3
LEAST = 8  # grades before drift or pace is spoken of


@dataclass(frozen=True, slots=True)
class Retest:
    """Grades of one rater on the same thing twice: equal shares of them, and mean |difference|."""

    rater: Label
    n_pairs: int
    same: float | None
    apart: float | None
    shift: float | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Drift:
    """How a rater's marks move against the others' over their grades, in time order.

    `slope` is the change from the first to the last grade by a straight line; `cusum` the largest
    excursion of the summed deviations over its size by chance, with its p by permutation.
    """

    rater: Label
    n_grades: int
    slope: float | None
    low: float | None
    high: float | None
    cusum: float | None
    p: float | None
    course: tuple[float, ...]
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Position:
    """The mean centred mark at a position, with its interval."""

    position: Label
    mean: float
    low: float | None
    high: float | None
    n_grades: int


@dataclass(frozen=True, slots=True)
class PositionEffect:
    """Means by position, and the test that they are all the same."""

    positions: tuple[Position, ...]
    p: float | None
    n_questions: int
    reason: Reason | None

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class Pace:
    """Active time a question of one rater, in seconds; `n_fast` took under a third of the median."""

    rater: Label
    capability: Label
    n_seats: int
    median: float
    low: float
    high: float
    n_fast: int


def retest(ratings: pd.DataFrame) -> tuple[Retest, ...]:
    """Compare occasion 2 with occasion 1 of the same rater, response and criterion.

    Args:
        ratings: the ratings frame with every occasion, valid rows with a value.
    """
    rows = _shares(ratings)
    keys = ["rater", *UNIT]
    first, second = (rows[rows["occasion"] == n].set_index(keys)["share"] for n in (1, 2))
    both = pd.concat([first, second], axis=1, join="inner", keys=["first", "second"])
    made = []
    for rater in sorted(rows["rater"].unique(), key=str):
        mine = both[both.index.get_level_values("rater") == rater]
        if not len(mine):
            made.append(Retest(rater, 0, None, None, None, Reason.NO_REPEATS))
            continue
        apart = (mine["second"] - mine["first"]).to_numpy(np.float64)
        same = float((np.abs(apart) < 1e-12).mean())
        made.append(
            Retest(rater, len(mine), same, float(np.abs(apart).mean()), float(apart.mean()), None)
        )
    return tuple(made)


def drift(
    ratings: pd.DataFrame, *, level: float = 0.95, permutations: int = 500, seed: int = 0
) -> tuple[Drift, ...]:
    """Follow every rater's deviation from the others through their own grades in time."""
    rows = _centred(_shares(ratings))
    rng = np.random.default_rng(seed)
    made = []
    for rater in sorted(rows["rater"].unique(), key=str):
        mine = rows[(rows["rater"] == rater) & rows["off"].notna() & rows["at"].notna()]
        mine = mine.sort_values(["at", *UNIT], kind="stable")
        off = mine["off"].to_numpy(np.float64)
        if len(off) < LEAST:
            made.append(Drift(rater, len(off), None, None, None, None, None, (), Reason.FEW_GRADES))
        else:
            made.append(_drift(rater, off, level, permutations, rng))
    return tuple(made)


def position_effect(ratings: pd.DataFrame, *, level: float = 0.95, seed: int = 0) -> PositionEffect:
    """Test whether marks depend on where on the page a response stood.

    Marks are centred on the rater's mean over the page and on the release's mean; questions are
    resampled; the Wald test asks whether all positions have one mean.
    """
    rows = _shares(ratings)
    rows = rows[rows["position"].notna()]
    names = sorted(rows["position"].unique(), key=str)
    groups, questions = pd.factorize(rows["group"].astype(object))
    if len(names) < 2 or len(questions) < 3:
        return PositionEffect((), None, len(questions), Reason.NO_POSITIONS)
    plain_off = rows["share"] - rows.groupby("release", observed=True)["share"].transform("mean")
    page = plain_off.groupby([rows["rater"], rows["group"]], observed=True)
    off: FloatArray = (plain_off - page.transform("mean")).to_numpy(np.float64)
    place = np.asarray(pd.Index(names).get_indexer(rows["position"].astype(object)), dtype=np.int64)
    k = len(names)
    cell = groups * k + place
    sums = np.bincount(cell, weights=off, minlength=len(questions) * k).reshape(-1, k)
    counts = np.bincount(cell, minlength=len(questions) * k).reshape(-1, k)
    pieces = of_units(np.hstack([sums, counts]), np.arange(len(questions)))
    drawn = pieces.resampled(resamples=2_000, rng=np.random.default_rng(seed))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn[:, :k] / drawn[:, k:]
        value = sums.sum(axis=0) / counts.sum(axis=0)
    positions = tuple(
        _position(names[i], float(value[i]), means[:, i], int(counts[:, i].sum()), pieces.n, level)
        for i in range(k)
    )
    return PositionEffect(positions, _wald(value, means, pieces.n), len(questions), None)


def pace(ratings: pd.DataFrame) -> tuple[Pace, ...]:
    """Return how long raters took a question, by capability.

    A flag for a closer look, never a reason by itself.
    """
    rows = ratings[ratings["active_ms"].notna()]
    seats = rows.groupby(["rater", "item", "occasion", "capability"], observed=True, dropna=False)
    times = (seats["active_ms"].max() / 1000).reset_index()
    if not len(times):
        return ()
    usual = times.groupby("capability", observed=True, dropna=False)["active_ms"].transform(
        "median"
    )
    times["fast"] = times["active_ms"] < FAST * usual
    made = []
    for (rater, capability), mine in times.groupby(
        ["rater", "capability"], observed=True, dropna=False
    ):
        low, median, high = mine["active_ms"].quantile([0.25, 0.5, 0.75])
        name = None if capability != capability else capability  # NaN
        made.append(
            Pace(
                rater,
                name,
                len(mine),
                float(median),
                float(low),
                float(high),
                int(mine["fast"].sum()),
            )
        )
    return tuple(made)


def _shares(ratings: pd.DataFrame) -> pd.DataFrame:
    width = ratings["scale_max"] - ratings["scale_min"]
    rows = ratings[ratings["value"].notna() & (width > 0) & np.isfinite(width)]
    names = ["group", "release", "rater", "occasion", "position", "at", *UNIT]
    made = rows[names].copy()
    made["share"] = (rows["value"] - rows["scale_min"]) / (rows["scale_max"] - rows["scale_min"])
    return made


def _centred(rows: pd.DataFrame) -> pd.DataFrame:
    """Add `off`: the share less the mean of the other raters of the unit; NaN where there are none."""
    units = rows.groupby(UNIT, observed=True)["share"]
    n, total = units.transform("size"), units.transform("sum")
    others = (total - rows["share"]) / (n - 1).where(n > 1)
    return rows.assign(off=rows["share"] - others)


def _drift(
    rater: Label, off: FloatArray, level: float, permutations: int, rng: np.random.Generator
) -> Drift:
    n = len(off)
    line = stats.linregress(np.linspace(0, 1, n), off)
    t = float(stats.t.ppf(0.5 + level / 2, n - 2))
    course = np.cumsum(off - off.mean())
    size = off.std() * np.sqrt(n)
    if size == 0:
        return Drift(rater, n, 0.0, None, None, 0.0, None, (0.0,) * n, Reason.NO_SPREAD)
    cusum = float(np.abs(course).max() / size)
    shuffled = rng.permuted(np.tile(off - off.mean(), (permutations, 1)), axis=1)
    by_chance = np.abs(np.cumsum(shuffled, axis=1)).max(axis=1) / size
    p = float((1 + (by_chance >= cusum - 1e-12).sum()) / (1 + permutations))
    slope, se = float(line.slope), float(line.stderr)
    return Drift(
        rater, n, slope, slope - t * se, slope + t * se, cusum, p, tuple(course.tolist()), None
    )


def _position(
    name: Label, value: float, draws: FloatArray, n_grades: int, n: int, level: float
) -> Position:
    found = resampling.interval(
        [resampling.Part(draws, n)], scheme=resampling.Scheme.MULTINOMIAL, level=level
    )
    return Position(name, value, found.low, found.high, n_grades)


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
    if n <= rank:
        return None
    # As Hotelling's test does: few questions know their own spread poorly.
    return float(stats.f.sf(size * (n - rank) / (rank * (n - 1)), rank, n - rank))
