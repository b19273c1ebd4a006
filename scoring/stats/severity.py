"""How severe each rater is, and what scores would be if everybody were as severe as the average.

A cumulative logit model: the chance that a mark is at least level k is logistic in the worth of
what was marked, less the severity of the rater, less a threshold of the criterion. Worths and
severities are drawn towards their mean (a normal penalty), so that it has one solution whatever was
graded by whom; severities are centred. A fair score is the raw one and what the model expects it to
change by if every grade had come from a rater of severity 0.

References:
    Linacre (1989), Many-facet Rasch measurement.
    McCullagh (1980), Regression models for ordinal data.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import optimize, special

from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.sums import Label

#: Variances of the normal penalties, on the logit scale.
WORTH, SEVERITY = 4.0, 1.0
MAX_LEVELS = 25


@dataclass(frozen=True, slots=True)
class RaterSeverity:
    """`severity` in logits, above 0 severe; `points` by how much the rater lowers a share.

    `misfit` is the mean square of standardised residuals against that of all raters together (above
    1 less predictable than the others, below it muted).
    """

    rater: Label
    severity: float
    low: float
    high: float
    points: float
    misfit: float
    n_grades: int


@dataclass(frozen=True, slots=True)
class FairScore:
    release: Label
    raw: float
    fair: float
    n_grades: int


@dataclass(frozen=True, slots=True)
class Severities:
    raters: tuple[RaterSeverity, ...]
    releases: tuple[FairScore, ...]
    n_left_out: int
    reason: Reason | None
    method: str

    def plain(self) -> Plain:
        return plain(self)


def severities(ratings: pd.DataFrame, *, level: float = 0.95) -> Severities:
    """Fit the model to the rows of a ratings frame, usually after the default filter.

    Criteria of more than 25 levels or without a top are left out and counted.

    Args:
        ratings: the ratings frame.
        level: of the intervals, which are those of the normal approximation.
    """
    data = _Data(ratings)
    if data.reason is not None:
        return Severities((), (), data.n_left_out, data.reason, METHOD)
    fit = _Fit(data)
    return Severities(
        tuple(fit.rater(i, level) for i in range(len(data.raters))),
        tuple(fit.release(i) for i in range(len(data.releases))),
        data.n_left_out,
        None,
        METHOD,
    )


METHOD = "cumulative logit of worth less severity less threshold, normal penalties, centred"


class _Data:
    """Marks as level numbers on the scale of their criterion."""

    def __init__(self, ratings: pd.DataFrame) -> None:
        marked = ratings[ratings["value"].notna()]
        usable = self._usable(marked)
        self.n_left_out = int((~usable).sum())
        rows = marked[usable]
        self.reason = self._undefined(rows)
        self.criterion, criteria = _codes(rows, ["criterion", "scale_min", "scale_max"])
        self.unit, _units = _codes(rows, ["response", "criterion"])
        self.rater, self.raters = _codes(rows, ["rater"])
        self.release, self.releases = _codes(rows, ["release"])
        value = rows["value"].to_numpy(np.float64)
        self.levels = [np.unique(value[self.criterion == c]) for c in range(len(criteria))]
        self.mark = np.zeros(len(rows), dtype=np.int64)
        for c, levels in enumerate(self.levels):
            mine = self.criterion == c
            self.mark[mine] = np.searchsorted(levels, value[mine])
        low, high = (rows[name].to_numpy(np.float64) for name in ("scale_min", "scale_max"))
        self.low, self.width = low, high - low
        self.share = (value - low) / self.width

    @staticmethod
    def _usable(marked: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        width = marked["scale_max"].to_numpy(np.float64) - marked["scale_min"].to_numpy(np.float64)
        many = marked.groupby("criterion", observed=True)["value"].transform("nunique")
        usable: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
            np.isfinite(width) & (width > 0) & (many.to_numpy() <= MAX_LEVELS)
        )
        return usable

    @staticmethod
    def _undefined(rows: pd.DataFrame) -> Reason | None:
        if not len(rows):
            return Reason.NO_GRADES
        if rows["rater"].nunique() < 2:
            return Reason.ONE_RATER
        together = rows.groupby(["response", "criterion"], observed=True)["rater"].nunique()
        return Reason.NO_OVERLAP if together.max() < 2 else None


class _Fit:
    def __init__(self, data: _Data) -> None:
        self.data = data
        self.n_units = int(data.unit.max()) + 1
        self.n_raters = len(data.raters)
        self.starts = np.cumsum([0, *(max(0, len(levels) - 1) for levels in data.levels)])
        start = np.zeros(self.n_units + self.n_raters + int(self.starts[-1]))
        for c, levels in enumerate(data.levels):
            steps = len(levels) - 1
            if steps > 0:
                at = self.n_units + self.n_raters + int(self.starts[c])
                start[at] = -steps / 2
        done = optimize.minimize(
            self._cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}
        )
        self.worth, self.severity, found = self._parts(done.x)
        self.thresholds = self._thresholds(found)
        shift = float(self.severity.mean())
        self.severity, self.worth = self.severity - shift, self.worth - shift
        self.expected, self.variance, self.curvature = self._moments(self._place())
        off = float(((data.share - self.expected) ** 2).sum())
        # Worths are fitted to few grades each, so residuals are small for everybody alike.
        self.usual_misfit = max(1e-12, off) / max(1e-12, float(self.variance.sum()))

    def _parts(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        a, b = self.n_units, self.n_units + self.n_raters
        return x[:a], x[a:b], x[b:]

    def _thresholds(self, steps: FloatArray) -> list[FloatArray]:
        """Return rising thresholds a criterion: the first as it is, then exponential steps."""
        made = []
        for c in range(len(self.data.levels)):
            mine = steps[self.starts[c] : self.starts[c + 1]]
            made.append(np.cumsum(np.concatenate([mine[:1], np.exp(mine[1:])])))
        return made

    def _place(self) -> FloatArray:
        place: FloatArray = self.worth[self.data.unit] - self.severity[self.data.rater]
        return place

    def _cost(self, x: FloatArray) -> tuple[float, FloatArray]:
        worth, severity, steps = self._parts(x)
        place = worth[self.data.unit] - severity[self.data.rater]
        thresholds = self._thresholds(steps)
        cost = float((worth**2).sum() / (2 * WORTH) + (severity**2).sum() / (2 * SEVERITY))
        slope = np.zeros(len(place))
        of_steps = np.zeros(len(steps))
        for c, tau in enumerate(thresholds):
            if not len(tau):
                continue
            mine = np.flatnonzero(self.data.criterion == c)
            more, by_place, by_tau = _log_chance(place[mine], self.data.mark[mine], tau)
            cost -= more
            slope[mine] = -by_place
            first, last = int(self.starts[c]), int(self.starts[c + 1])
            tail = np.cumsum(by_tau[::-1])[::-1]  # a step moves every later threshold
            scale = np.concatenate([[1.0], np.exp(steps[first + 1 : last])])
            of_steps[first:last] = -tail * scale
        of_worth = (
            np.bincount(self.data.unit, weights=slope, minlength=self.n_units) + worth / WORTH
        )
        of_rater = (
            -np.bincount(self.data.rater, weights=slope, minlength=self.n_raters)
            + severity / SEVERITY
        )
        return cost, np.concatenate([of_worth, of_rater, of_steps])

    def _moments(self, place: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return expected share, its variance and the information about `place`, grade by grade."""
        mean, variance, information = (np.zeros(len(place)) for _ in range(3))
        for c, (tau, levels) in enumerate(zip(self.thresholds, self.data.levels, strict=True)):
            mine = np.flatnonzero(self.data.criterion == c)
            chance = _chances(place[mine], tau)
            share = (levels[None, :] - self.data.low[mine, None]) / self.data.width[mine, None]
            mean[mine] = (chance * share).sum(axis=1)
            variance[mine] = (chance * share**2).sum(axis=1) - mean[mine] ** 2
            if len(tau):
                above = special.expit(place[mine, None] - tau)
                density = above * (1 - above)
                edges = np.pad(density, ((0, 0), (1, 1)))
                change = edges[:, :-1] - edges[:, 1:]
                information[mine] = (change**2 / np.maximum(chance, 1e-12)).sum(axis=1)
        return mean, variance, information

    def rater(self, i: int, level: float) -> RaterSeverity:
        mine = self.data.rater == i
        severity = float(self.severity[i])
        se = 1 / np.sqrt(self.curvature[mine].sum() + 1 / SEVERITY)
        z = float(special.ndtri(0.5 + level / 2))
        fair = self._moments(self.worth[self.data.unit])[0]
        off = (self.data.share[mine] - self.expected[mine]) ** 2
        return RaterSeverity(
            self.data.raters[i],
            severity,
            severity - z * float(se),
            severity + z * float(se),
            float((fair[mine] - self.expected[mine]).mean()),
            float(off.sum() / max(1e-12, float(self.variance[mine].sum()))) / self.usual_misfit,
            int(mine.sum()),
        )

    def release(self, i: int) -> FairScore:
        mine = self.data.release == i
        fair = self._moments(self.worth[self.data.unit])[0]
        weight = self.data.width[mine]
        raw = float(np.average(self.data.share[mine], weights=weight))
        # The change that the model expects, added to what was given: the penalty that draws
        # worths towards their mean falls out.
        change = float(np.average(fair[mine] - self.expected[mine], weights=weight))
        return FairScore(self.data.releases[i], raw, raw + change, int(mine.sum()))


def _chances(place: FloatArray, tau: FloatArray) -> FloatArray:
    """Return rows × levels: the chance of each level."""
    above = special.expit(place[:, None] - tau)
    edges = np.concatenate([np.ones((len(place), 1)), above, np.zeros((len(place), 1))], axis=1)
    made: FloatArray = edges[:, :-1] - edges[:, 1:]
    return made


def _log_chance(
    place: FloatArray, mark: IntArray, tau: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the log likelihood with its slopes in the places and in the thresholds."""
    above = special.expit(place[:, None] - tau)
    n = len(place)
    edges = np.concatenate([np.ones((n, 1)), above, np.zeros((n, 1))], axis=1)
    density = np.concatenate([np.zeros((n, 1)), above * (1 - above), np.zeros((n, 1))], axis=1)
    rows = np.arange(n)
    chance = np.maximum(edges[rows, mark] - edges[rows, mark + 1], 1e-12)
    lower, upper = density[rows, mark] / chance, density[rows, mark + 1] / chance
    by_tau = np.zeros(len(tau) + 2)
    np.add.at(by_tau, mark, -lower)
    np.add.at(by_tau, mark + 1, upper)
    return float(np.log(chance).sum()), lower - upper, by_tau[1:-1]


def _codes(rows: pd.DataFrame, names: Sequence[str]) -> tuple[IntArray, list[Label]]:
    if len(names) == 1:
        codes, labels = pd.factorize(rows[names[0]].astype(object), sort=True)
        return np.asarray(codes, dtype=np.int64), list(labels)
    groups = rows.groupby(list(names), observed=True, sort=True)
    numbers = np.asarray(groups.ngroup(), dtype=np.int64)
    return numbers, list(range(int(numbers.max(initial=-1)) + 1))
