"""Agreement of several raters on a scale: raw, Fleiss' κ, Krippendorff's α, Gwet's AC.

* Agreement of two raters: Cohen's κ, unweighted, linear and quadratic, for every pair.
* Intraclass correlations: how much of the spread of marks is that of what was marked. By analysis of
  variance on the units that every rater marked; others are left out and counted.

References:
    Shrout and Fleiss (1979), Intraclass correlations: uses in assessing rater reliability.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from scoring.stats.people.said import (
    AgreementFigures,
    AnnotatorPair,
    Coefficient,
    IccForm,
    IntraclassCorrelation,
)
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear
from scoring.stats.resampled.linear import FloatArray, IntArray, Pieces
from scoring.stats.resampled.units import Units

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["nominal", "ordinal", "linear", "quadratic"]
Sampling = Literal["cluster", "unit"]

METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS: tuple[Weights, ...] = ("nominal", "ordinal", "linear", "quadratic")


def agreement(
    units: Units,
    *,
    names: tuple[str, ...] | None = None,
    sampling: Sampling = "cluster",
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> AgreementFigures:
    """Measure agreement with intervals.

    Args:
        units: the marks.
        names: of the coefficients: "raw", "fleiss", "alpha_" with a metric, "ac1", or "ac2_"
            with weights; by default raw, fleiss, ac1, ac2_ordinal and α in all metrics.
        sampling: what is resampled: questions with all their units (they share one), or units.
        resamples: how many; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.

    Raises:
        KeyError: there is no coefficient of such a name.
    """
    chosen = names or DEFAULT
    for name in chosen:
        _check(name)
    rows, kind = units.kinds
    features = _features(rows.astype(np.float64))
    pieces = (
        linear.of_clusters(features, kind, units.cluster)
        if sampling == "cluster"
        else linear.of_units(features, kind)
    )
    sums = _Sums(pieces.total[None, :], units.levels)
    times = np.bincount(kind, minlength=len(rows))
    reason = undefined(units.n_marks, units.n_raters, rows)
    drawn = _drawn(pieces, units, resamples, seed) if reason is not Reason.NO_OVERLAP else None
    made = tuple(_coefficient(name, sums, drawn, pieces, reason, level) for name in chosen)
    counts = times @ rows
    return AgreementFigures(
        n_units=units.n_units,
        n_pairable=int(times[rows.sum(axis=1) > 1].sum()),
        n_marks=units.n_marks,
        n_raters=units.n_raters,
        n_clusters=pieces.n,
        levels=tuple(units.levels.tolist()),
        marginals=tuple((counts / max(1, counts.sum())).tolist()),
        coefficients=made,
        sampling=sampling,
        method=_method(sampling, pieces, resamples, level),
    )


DEFAULT = (
    "raw",
    "fleiss",
    "ac1",
    "ac2_ordinal",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
)


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """A coefficient as it would be without one rater, by their number in the units."""

    rater: int
    value: float | None
    change: float | None
    reason: Reason | None


def leave_one_out(units: Units, name: str = "alpha_ordinal") -> tuple[LeaveOut, ...]:
    """Return a coefficient without each rater in turn, and by how much leaving them out raises it.

    Raises:
        KeyError: there is no coefficient of such a name.
    """
    _check(name)
    rows, kind = units.kinds
    times = np.bincount(kind, minlength=len(rows))
    n = units.n_raters
    whole = _point(name, rows, times, units.levels, n)
    made = []
    for rater in np.flatnonzero(np.bincount(units.rater, minlength=1)).tolist():
        rest = _point(name, *_without(units, rater, rows, times), units.levels, n - 1)
        known = whole.value is not None and rest.value is not None
        change = rest.value - whole.value if known else None  # type: ignore[operator]
        made.append(LeaveOut(rater, rest.value, change, rest.reason))
    return tuple(made)


def _without(
    units: Units, rater: int, rows: IntArray, times: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the kinds of units and how often each occurs when a rater's marks are taken away."""
    q = len(units.levels)
    mine = units.rater == rater
    moved = np.bincount(units.kinds[1][units.unit[mine]] * q + units.level[mine])
    place = np.flatnonzero(moved)
    fewer = rows[place // q].copy()
    fewer[np.arange(len(place)), place % q] -= 1
    left = times - np.bincount(place // q, weights=moved[place], minlength=len(rows)).astype(int)
    return np.concatenate([rows, fewer]), np.concatenate([left, moved[place]])


def _point(
    name: str, rows: IntArray, times: IntArray, levels: FloatArray, n_raters: int
) -> Coefficient:
    """Return a coefficient of kinds of units, without an interval."""
    pieces = Pieces(_features(rows.astype(np.float64)), times)
    n_marks = int(times @ rows.sum(axis=1))
    reason = undefined(n_marks, n_raters, rows[times > 0])
    return _coefficient(name, _Sums(pieces.total[None, :], levels), None, pieces, reason, 0.0)


def of_questions(units: Units) -> FloatArray:
    """Return what coefficients are read off, a row for each question; sums of rows may be resampled."""
    rows, kind = units.kinds
    return linear.of_clusters(_features(rows.astype(np.float64)), kind, units.cluster).features


def of_sums(sums: FloatArray, levels: FloatArray, name: str) -> FloatArray:
    """Return a coefficient of sums over questions: a number for each row, NaN where undefined.

    Raises:
        KeyError: there is no coefficient of such a name.
    """
    _check(name)
    return _Sums(sums, levels).read(name)


def weight_matrix(levels: FloatArray, weights: Weights) -> FloatArray:
    """Return how much of an agreement each pair of levels counts for, 1 on the diagonal.

    Linear and quadratic weights go by the values of the levels, ordinal ones by their ranks.
    """
    q = len(levels)
    if weights == "nominal" or q < 2:
        return np.eye(q)
    apart = np.abs(np.subtract.outer(levels, levels))
    if weights == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
        apart = (steps + 1.0) * steps / 2
    elif weights == "quadratic":
        apart = apart**2
    made: FloatArray = 1 - apart / apart.max()
    return made


def _check(name: str) -> None:
    stem, _sign, kind = name.partition("_")
    known = {"alpha": METRICS, "ac2": WEIGHTS}.get(stem)
    if name not in {"raw", "fleiss", "ac1"} and (known is None or kind not in known):
        raise KeyError(name)


def _features(counts: FloatArray) -> FloatArray:
    """Return per kind of unit: pairs over (m − 1), pairs over m(m − 1), shares, and two counts."""
    q = counts.shape[1]
    m = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(q)
    pairs[:, diagonal, diagonal] -= counts
    several = m > 1
    of_alpha = np.divide(
        pairs, (m - 1)[:, None, None], out=np.zeros_like(pairs), where=several[:, None, None]
    )
    of_pairs = np.divide(
        pairs, (m * (m - 1))[:, None, None], out=np.zeros_like(pairs), where=several[:, None, None]
    )
    shares = np.divide(counts, m[:, None], out=np.zeros_like(counts), where=m[:, None] > 0)
    upper = _upper(q)
    return np.column_stack(
        [
            of_alpha[:, upper[0], upper[1]],
            of_pairs[:, upper[0], upper[1]],
            shares,
            several,
            m > 0,
        ]
    )


@lru_cache(maxsize=32)
def _upper(q: int) -> tuple[IntArray, IntArray]:
    """Return rows and columns of a square's upper half, with its diagonal."""
    i, j = np.triu_indices(q)
    return i, j


class _Sums:
    """Reads coefficients off sums of features: rows are resamples."""

    def __init__(self, sums: FloatArray, levels: FloatArray) -> None:
        q = len(levels)
        self.levels = levels
        size = q * (q + 1) // 2
        self._alpha = self._square(sums[:, :size], q)
        self._pairs = self._square(sums[:, size : 2 * size], q)
        self._shares = sums[:, 2 * size : 2 * size + q]
        self._several = sums[:, -2]
        self._any = sums[:, -1]

    @staticmethod
    def _square(upper: FloatArray, q: int) -> FloatArray:
        made = np.zeros((len(upper), q, q))
        i, j = _upper(q)
        made[:, i, j] = upper
        made[:, j, i] = upper
        return made

    def read(self, name: str) -> FloatArray:
        stem, _sign, kind = name.partition("_")
        if stem == "alpha":
            return self._krippendorff(kind)  # type: ignore[arg-type]
        weights = weight_matrix(self.levels, kind or "nominal")  # type: ignore[arg-type]
        with np.errstate(invalid="ignore", divide="ignore"):
            observed: FloatArray = (self._pairs * weights).sum(axis=(1, 2)) / self._several
            if stem == "raw":
                return observed
            shares = self._shares / self._any[:, None]
            if stem == "fleiss":
                expected = np.einsum("rk,kl,rl->r", shares, weights, shares)
            else:
                q = len(self.levels)
                spread = (shares * (1 - shares)).sum(axis=1)
                expected = weights.sum() / (q * (q - 1)) * spread if q > 1 else np.ones(len(shares))
            made: FloatArray = (observed - expected) / (1 - expected)
            return made

    def _krippendorff(self, metric: Metric) -> FloatArray:
        n_level = self._alpha.sum(axis=2)
        n = n_level.sum(axis=1)
        apart = distances(metric, self.levels, n_level)
        observed = (self._alpha * apart).sum(axis=(1, 2))
        expected = np.einsum(
            "rk,rkl,rl->r", n_level, np.broadcast_to(apart, self._alpha.shape), n_level
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            made: FloatArray = 1 - (n - 1) * observed / expected
            return made


def distances(metric: Metric, levels: FloatArray, n_level: FloatArray) -> FloatArray:
    """Return the squared distances of levels; the ordinal ones go by how often each was used, a row each."""
    if metric == "nominal":
        return (1 - np.eye(len(levels)))[None]
    if metric == "ordinal":
        rank = np.cumsum(n_level, axis=1) - n_level / 2
        return (rank[:, :, None] - rank[:, None, :]) ** 2
    apart = np.subtract.outer(levels, levels)
    if metric == "ratio":
        total = np.add.outer(levels, levels)
        apart = np.divide(apart, total, out=np.zeros_like(apart), where=total != 0)
    return (apart**2)[None]


def undefined(n_marks: int, n_raters: int, kinds: IntArray) -> Reason | None:
    """Return why there is no agreement to measure, of kinds of units × levels; None where there is."""
    if n_marks == 0:
        return Reason.NO_GRADES
    if n_raters < 2:
        return Reason.ONE_RATER
    pairable = kinds[kinds.sum(axis=1) > 1]
    if not len(pairable):
        return Reason.NO_OVERLAP
    return Reason.ONE_LEVEL if (pairable.sum(axis=0) > 0).sum() < 2 else None


def _drawn(
    pieces: Pieces, units: Units, resamples: int, seed: int | np.random.Generator
) -> _Sums | None:
    if not resamples or pieces.n < 2:
        return None
    return _Sums(pieces.resampled(resamples=resamples, rng=seed), units.levels)


def _coefficient(
    name: str,
    sums: _Sums,
    drawn: _Sums | None,
    pieces: Pieces,
    reason: Reason | None,
    level: float,
) -> Coefficient:
    if reason is Reason.ONE_LEVEL and name == "raw":
        reason = None
    if reason is None and name == "alpha_ratio" and sums.levels.min() < 0:
        reason = Reason.NEGATIVE_LEVELS
    if reason is not None:
        return Coefficient(name, None, None, None, reason, reason)
    value = float(sums.read(name)[0])
    if drawn is None:
        why = Reason.FEW_QUESTIONS if pieces.n < 2 else Reason.NOT_RESAMPLED
        return Coefficient(name, value, None, None, None, why)
    part = linear.DrawnPart(drawn.read(name), pieces.n)
    found = linear.interval([part], scheme=pieces.scheme, level=level)
    return Coefficient(name, value, found.low, found.high, None, found.reason)


def _method(sampling: Sampling, pieces: Pieces, resamples: int, level: float) -> str:
    if not resamples:
        return "no interval was asked for"
    what = "questions" if sampling == "cluster" else "units"
    how = (
        f"{what} drawn with replacement (exact multinomial)"
        if pieces.scheme is linear.Scheme.MULTINOMIAL
        else f"{what} weighted by normal multipliers"
    )
    return f"{level:.0%} expanded percentile bootstrap, {how}, {resamples} resamples"


Marks = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Both:
    """What two raters marked: of each such unit its square of the table, and its question.

    `question` numbers the questions as the units do; `cluster` those that occur, from 0.
    """

    cell: IntArray
    cluster: IntArray
    question: IntArray
    q: int

    @property
    def n_clusters(self) -> int:
        return len(self.question)

    def tables(self) -> FloatArray:
        """Return the table of levels by levels of each question."""
        size = self.q * self.q
        flat = np.bincount(self.cluster * size + self.cell, minlength=self.n_clusters * size)
        return flat.reshape(self.n_clusters, self.q, self.q).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Kappa:
    value: float | None
    reason: Reason | None


def pairs(
    units: Units,
    *,
    weights: Weights = "quadratic",
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> tuple[AnnotatorPair, ...]:
    """Return Cohen's κ of every pair of raters over the units both marked.

    Args:
        units: the marks.
        weights: "nominal" for the unweighted κ.
        resamples: of questions; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.
    """
    matrix = weight_matrix(units.levels, weights)
    found = {
        (left, right): _pair(both, left, right, matrix, weights, resamples, level, seed)
        # Those of as many questions one after another, for they are drawn by the same lots.
        for left, right, both in sorted(met(units), key=lambda one: one[2].n_clusters)
    }
    raters = _raters(units)
    return tuple(
        found.get(names) or nothing(*names, weights) for names in itertools.combinations(raters, 2)
    )


def met(units: Units) -> Iterator[tuple[int, int, Both]]:
    """Yield every pair of raters that marked the same units, with those."""
    raters = _raters(units)
    marks = units.rows
    marked = {rater: np.flatnonzero(marks[rater] >= 0) for rater in raters}
    for left, right in itertools.combinations(raters, 2):
        both = _both(units, marks[left], marks[right], marked[left])
        if len(both.cell):
            yield left, right, both


def nothing(left: int, right: int, weights: str) -> AnnotatorPair:
    """Return a pair that marked nothing together."""
    gone = Reason.NO_OVERLAP
    return AnnotatorPair(left, right, None, None, None, gone, gone, None, 0, 0, weights)


def kappa(table: FloatArray, weights: FloatArray) -> Kappa:
    """Return κ of a table of levels by levels, or why it is undefined."""
    reason = _undefined_pairs(table)
    return Kappa(None if reason else float(kappas(table[None], weights)[0]), reason)


def kappas(tables: FloatArray, weights: FloatArray) -> FloatArray:
    """Return κ of each of several tables; NaN where it is undefined."""
    n = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (tables * weights).sum(axis=(1, 2)) / n
        rows, columns = tables.sum(axis=2), tables.sum(axis=1)
        expected = np.einsum("rk,kl,rl->r", rows, weights, columns) / n**2
        made = (observed - expected) / (1 - expected)
        return np.where(expected < 1 - 1e-12, made, np.nan)


def _raters(units: Units) -> list[int]:
    return np.flatnonzero(np.bincount(units.rater, minlength=1)).tolist() if units.n_marks else []


def _both(units: Units, a: Marks, b: Marks, marked: IntArray) -> Both:
    """Return what two raters marked, of whom one marked these units."""
    both = marked[b[marked] >= 0]
    cell = a[both].astype(np.int64) * len(units.levels) + b[both]
    of = units.cluster[both]
    there = np.bincount(of, minlength=1) > 0
    question = np.flatnonzero(there) if len(both) else np.zeros(0, dtype=np.int64)
    return Both(cell, (np.cumsum(there) - 1)[of], question, len(units.levels))


def _pair(
    both: Both,
    left: int,
    right: int,
    weights: FloatArray,
    name: str,
    resamples: int,
    level: float,
    seed: int | np.random.Generator,
) -> AnnotatorPair:
    q, n = both.q, len(both.cell)
    pieces = linear.of_clusters(np.eye(q * q), both.cell, both.cluster)
    total = pieces.total.reshape(q, q)
    raw = float(np.trace(total) / n)
    found = kappa(total, weights)
    if found.value is None:
        why = found.reason
        return AnnotatorPair(left, right, None, None, None, why, why, raw, n, pieces.n, name)
    if resamples == 0 or pieces.n < 2:
        why = Reason.NOT_RESAMPLED if resamples == 0 else Reason.FEW_QUESTIONS
        return AnnotatorPair(
            left, right, found.value, None, None, None, why, raw, n, pieces.n, name
        )
    drawn = pieces.resampled(resamples=resamples, rng=seed).reshape(-1, q, q)
    part = linear.DrawnPart(kappas(drawn, weights), pieces.n)
    bounds = linear.interval([part], scheme=pieces.scheme, level=level)
    ends = (bounds.low, bounds.high, None, bounds.reason)
    return AnnotatorPair(left, right, found.value, *ends, raw, n, pieces.n, name)


def _undefined_pairs(table: FloatArray) -> Reason | None:
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    return Reason.ONE_LEVEL if used.sum() < 2 else None


Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")

#: A part of all squares that is rounding and no spread.
ROUNDING = 1e-12


def intraclass(
    units: Units,
    *,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> IntraclassCorrelation:
    """Return the six intraclass correlations with intervals by resampling questions."""
    used = np.flatnonzero(np.bincount(units.rater, minlength=1)) if units.n_marks else np.arange(0)
    matrix = units.matrix[:, used] if len(used) else np.zeros((0, 0), dtype=np.int64)
    complete = (matrix >= 0).all(axis=1) & (matrix.shape[1] > 0)
    marks = units.levels[matrix[complete]] if complete.any() else np.zeros((0, len(used)))
    n, k = marks.shape
    reason = _no_correlation(marks)
    left_out = units.n_units - n
    if reason is not None:
        forms = tuple(IccForm(form, None, None, None, reason, reason) for form in FORMS)
        return IntraclassCorrelation(n, left_out, k, 0, forms)
    cluster = np.unique(units.cluster[complete], return_inverse=True)[1].ravel().astype(np.int64)
    centred = marks - marks.mean()  # keeps the sums of squares well conditioned
    pieces = linear.of_clusters(_squares(centred), np.arange(n), cluster)
    values = _correlations(pieces.total[None, :], k)
    drawn = None
    if resamples and pieces.n > 1:
        drawn = _correlations(pieces.resampled(resamples=resamples, rng=seed), k)
    forms = tuple(_of_form(i, values, drawn, pieces, level) for i in range(len(FORMS)))
    return IntraclassCorrelation(n, left_out, k, pieces.n, forms)


def _no_correlation(marks: FloatArray) -> Reason | None:
    n, k = marks.shape
    if k < 2:
        return Reason.ONE_RATER if k else Reason.NO_GRADES
    if n < 2:
        return Reason.FEW_UNITS
    return Reason.ONE_LEVEL if np.ptp(marks) == 0 else None


def _squares(marks: FloatArray) -> FloatArray:
    """Per unit: 1, its marks, the sum of their squares, the square of their sum."""
    total = marks.sum(axis=1)
    return np.column_stack([np.ones(len(marks)), marks, (marks**2).sum(axis=1), total**2])


def _correlations(sums: FloatArray, k: int) -> FloatArray:
    """Return resamples × forms."""
    n, columns, squares, rows = sums[:, 0], sums[:, 1 : k + 1], sums[:, -2], sums[:, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        grand = columns.sum(axis=1) ** 2 / (n * k)
        between = rows / k - grand
        raters = (columns**2).sum(axis=1) / n - grand
        within = squares - rows / k
        between, raters, within, error = (
            _cleared(one, squares) for one in (between, raters, within, within - raters)
        )
        bms, wms = between / (n - 1), within / (n * (k - 1))
        jms, ems = raters / (k - 1), error / ((n - 1) * (k - 1))
        return np.column_stack(
            [
                (bms - wms) / _cleared(bms + (k - 1) * wms, squares),
                (bms - ems) / _cleared(bms + (k - 1) * ems + k * (jms - ems) / n, squares),
                (bms - ems) / _cleared(bms + (k - 1) * ems, squares),
                (bms - wms) / bms,
                (bms - ems) / _cleared(bms + (jms - ems) / n, squares),
                (bms - ems) / bms,
            ]
        )


def _cleared(sums: FloatArray, squares: FloatArray) -> FloatArray:
    """Return sums of squares with 0 where there is rounding alone: what is divided by it is undefined."""
    return np.where(np.abs(sums) <= ROUNDING * squares, 0.0, sums)


def _of_form(
    i: int, values: FloatArray, drawn: FloatArray | None, pieces: linear.Pieces, level: float
) -> IccForm:
    value = float(values[0, i])
    if not np.isfinite(value):
        return IccForm(FORMS[i], None, None, None, Reason.NO_SPREAD, Reason.NO_SPREAD)
    if drawn is None:
        why = Reason.FEW_QUESTIONS if pieces.n < 2 else Reason.NOT_RESAMPLED
        return IccForm(FORMS[i], value, None, None, None, why)
    part = linear.DrawnPart(drawn[:, i], pieces.n)
    found = linear.interval([part], scheme=pieces.scheme, level=level)
    return IccForm(FORMS[i], value, found.low, found.high, None, found.reason)
