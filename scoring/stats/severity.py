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

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from scoring.stats import ordinal
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
    """Marks as level numbers on the scale of their criterion, unit by unit."""

    def __init__(self, ratings: pd.DataFrame) -> None:
        marked = _narrow(ratings)
        low, high, value = (
            marked[name].to_numpy(np.float64) for name in ("scale_min", "scale_max", "value")
        )
        width = high - low
        usable = np.isfinite(width) & (width > 0) & _few_levels(marked, value)
        self.n_left_out = int((~usable).sum())
        if self.n_left_out:
            marked = marked[usable]
            value, low, width = value[usable], low[usable], width[usable]
        codes = {
            name: np.asarray(marked[name].cat.codes, dtype=np.int64)
            for name in ("criterion", "response", "rater", "release")
        }
        scale = _together(codes["criterion"], _numbers(low), _numbers(low + width))
        unit = _together(scale, codes["response"])  # so that units are in order of their scales
        order = np.argsort(unit, kind="stable")
        self.unit, scale = unit[order], scale[order]
        self.value, self.low, self.width = value[order], low[order], width[order]
        self.share = (self.value - self.low) / self.width
        self.rater, self.raters = _labelled(marked["rater"], codes["rater"][order])
        self.release, self.releases = _labelled(marked["release"], codes["release"][order])
        self.reason = self._undefined()
        self.criterion = scale
        self.levels, self.level = _levels(scale, self.value)

    @property
    def marks(self) -> ordinal.Marks:
        first = np.flatnonzero(np.diff(self.unit, prepend=-1))
        return ordinal.Marks(
            self.unit,
            self.rater,
            self.level,
            self.criterion[first],
            np.array([len(levels) for levels in self.levels]),
            len(self.raters),
            np.ones(len(first)),
        )

    def _undefined(self) -> Reason | None:
        if not len(self.unit):
            return Reason.NO_GRADES
        if len(self.raters) < 2:
            return Reason.ONE_RATER
        start = np.flatnonzero(np.diff(self.unit, prepend=-1))
        last = np.maximum.reduceat(self.rater, start)
        return Reason.NO_OVERLAP if (last == np.minimum.reduceat(self.rater, start)).all() else None


class _Fit:
    """What the fitted model says of raters and releases."""

    def __init__(self, data: _Data) -> None:
        self.data = data
        marks = data.marks
        found = ordinal.fitted(marks, worth=WORTH, severity=SEVERITY)
        shift = float(found.severity.mean())
        self.severity, worth = found.severity - shift, found.worth - shift
        self._edges = found.edges.reshape(-1, marks.width)
        self._values = np.zeros((len(data.levels), marks.width - 1))
        for c, levels in enumerate(data.levels):
            self._values[c, : len(levels)] = levels
            self._values[c, len(levels) :] = levels[-1]
        mean, variance, information = self._moments(
            worth[data.unit] - self.severity[data.rater], data.criterion
        )
        expected = (mean - data.low) / data.width
        fair = (self._moments(worth, marks.criterion)[0][data.unit] - data.low) / data.width
        self._off = self._by_rater((data.share - expected) ** 2)
        self._variance = self._by_rater(variance / data.width**2)
        self._curvature = self._by_rater(information)
        self._n = self._by_rater(np.ones(len(mean)))
        self._points = self._by_rater(fair - expected) / self._n
        n = len(data.releases)
        self._n_release = np.bincount(data.release, minlength=n)
        weights = np.bincount(data.release, data.width, minlength=n)
        self._raw = np.bincount(data.release, data.width * data.share, minlength=n) / weights
        # The change that the model expects, added to what was given: the penalty that draws
        # worths towards their mean falls out.
        change = np.bincount(data.release, data.width * (fair - expected), minlength=n)
        self._fair = self._raw + change / weights
        # Worths are fitted to few grades each, so residuals are small for everybody alike.
        self._usual = max(1e-12, self._off.sum()) / max(1e-12, self._variance.sum())

    def _by_rater(self, of_mark: FloatArray) -> FloatArray:
        found: FloatArray = np.bincount(
            self.data.rater, of_mark, minlength=len(self.data.raters)
        ).astype(np.float64)
        return found

    def _moments(
        self, place: FloatArray, criterion: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the expected mark, its variance and the information about `place`, one by one."""
        mean, square, information = (np.zeros(len(place)) for _ in range(3))
        above = np.ones(len(place))
        for k in range(self._values.shape[1]):
            next_above = special.expit(place - self._edges[criterion, k + 1])
            chance, value = above - next_above, self._values[criterion, k]
            mean += chance * value
            square += chance * value**2
            information += chance * (1 - above - next_above) ** 2
            above = next_above
        return mean, np.maximum(0.0, square - mean**2), information

    def rater(self, i: int, level: float) -> RaterSeverity:
        severity = float(self.severity[i])
        se = 1 / float(np.sqrt(self._curvature[i] + 1 / SEVERITY))
        z = float(special.ndtri(0.5 + level / 2))
        misfit = float(self._off[i] / max(1e-12, float(self._variance[i])) / self._usual)
        return RaterSeverity(
            self.data.raters[i],
            severity,
            severity - z * se,
            severity + z * se,
            float(self._points[i]),
            misfit,
            int(self._n[i]),
        )

    def release(self, i: int) -> FairScore:
        return FairScore(
            self.data.releases[i],
            float(self._raw[i]),
            float(self._fair[i]),
            int(self._n_release[i]),
        )


def _narrow(ratings: pd.DataFrame) -> pd.DataFrame:
    names = ["criterion", "response", "rater", "release", "scale_min", "scale_max", "value"]
    there = ratings["value"].notna()
    return ratings[names] if there.all() else ratings.loc[there, names]


def _few_levels(marked: pd.DataFrame, value: FloatArray) -> "npt.NDArray[np.bool_]":
    """Return which marks are on a criterion of few used levels."""
    criterion = np.asarray(marked["criterion"].cat.codes, dtype=np.int64)
    number = _numbers(value)
    n = int(number.max(initial=0)) + 1
    used = np.unique(criterion * n + number) // n
    few: npt.NDArray[np.bool_] = (np.bincount(used, minlength=1) <= MAX_LEVELS)[criterion]
    return few


def _levels(criterion: IntArray, value: FloatArray) -> tuple[list[FloatArray], IntArray]:
    """Return the used levels of each criterion in rising order, and of each mark its place."""
    number, values = pd.factorize(value, sort=True)
    n, n_criteria = max(1, len(values)), int(criterion.max(initial=-1)) + 1
    used = np.bincount(criterion * n + number, minlength=n_criteria * n).reshape(-1, n) > 0
    place = np.cumsum(used, axis=1) - 1
    level: IntArray = place[criterion, number]
    return [np.asarray(values, dtype=np.float64)[row] for row in used], level


def _numbers(values: FloatArray) -> IntArray:
    return np.asarray(pd.factorize(values)[0], dtype=np.int64)


def _together(*codes: IntArray) -> IntArray:
    """Return one number, without gaps, for each combination; in order of the first, then next."""
    made = codes[0]
    for code in codes[1:]:
        made = _dense(made) * (int(code.max(initial=0)) + 1) + code
    return _dense(made)


def _dense(code: IntArray) -> IntArray:
    if not len(code):
        return code
    top = int(code.max())
    if top < 4 * len(code) + 64:
        return np.asarray((np.cumsum(np.bincount(code) > 0) - 1)[code], dtype=np.int64)
    return np.asarray(np.unique(code, return_inverse=True)[1].ravel(), dtype=np.int64)


def _labelled(column: "pd.Series", code: IntArray) -> tuple[IntArray, list[Label]]:
    """Return numbers without gaps, and what they stand for."""
    used = np.flatnonzero(np.bincount(code, minlength=1)) if len(code) else code
    return _dense(code), column.cat.categories[used].tolist()
