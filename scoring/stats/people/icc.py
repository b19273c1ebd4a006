"""Intraclass correlations: how much of the spread of marks is that of what was marked.

By analysis of variance on the units that every rater marked; others are left out and counted.

References:
    Shrout and Fleiss (1979), Intraclass correlations: uses in assessing rater reliability.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import linear
from scoring.stats.resampled.linear import FloatArray
from scoring.stats.resampled.units import Units

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")

#: A part of all squares that is rounding and no spread.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Intraclass:
    form: Form
    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    interval_reason: Reason | None


@dataclass(frozen=True, slots=True)
class Intraclasses:
    """The six forms on the complete units; `n_left_out` units lacked a mark."""

    n_units: int
    n_left_out: int
    n_raters: int
    n_clusters: int
    forms: tuple[Intraclass, ...]

    def find(self, form: Form) -> Intraclass:
        return next(one for one in self.forms if one.form == form)

    def plain(self) -> Plain:
        return plain(self)


def intraclass(
    units: Units,
    *,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Intraclasses:
    """Return the six intraclass correlations with intervals by resampling questions."""
    used = np.flatnonzero(np.bincount(units.rater, minlength=1)) if units.n_marks else np.arange(0)
    matrix = units.matrix[:, used] if len(used) else np.zeros((0, 0), dtype=np.int64)
    complete = (matrix >= 0).all(axis=1) & (matrix.shape[1] > 0)
    marks = units.levels[matrix[complete]] if complete.any() else np.zeros((0, len(used)))
    n, k = marks.shape
    reason = _undefined(marks)
    left_out = units.n_units - n
    if reason is not None:
        forms = tuple(Intraclass(form, None, None, None, reason, reason) for form in FORMS)
        return Intraclasses(n, left_out, k, 0, forms)
    cluster = np.unique(units.cluster[complete], return_inverse=True)[1].ravel().astype(np.int64)
    centred = marks - marks.mean()  # keeps the sums of squares well conditioned
    pieces = linear.of_clusters(_features(centred), np.arange(n), cluster)
    values = _read(pieces.total[None, :], k)
    drawn = None
    if resamples and pieces.n > 1:
        drawn = _read(pieces.resampled(resamples=resamples, rng=seed), k)
    forms = tuple(_form(i, values, drawn, pieces, level) for i in range(len(FORMS)))
    return Intraclasses(n, left_out, k, pieces.n, forms)


def _undefined(marks: FloatArray) -> Reason | None:
    n, k = marks.shape
    if k < 2:
        return Reason.ONE_RATER if k else Reason.NO_GRADES
    if n < 2:
        return Reason.FEW_UNITS
    return Reason.ONE_LEVEL if np.ptp(marks) == 0 else None


def _features(marks: FloatArray) -> FloatArray:
    """Per unit: 1, its marks, the sum of their squares, the square of their sum."""
    total = marks.sum(axis=1)
    return np.column_stack([np.ones(len(marks)), marks, (marks**2).sum(axis=1), total**2])


def _read(sums: FloatArray, k: int) -> FloatArray:
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


def _form(
    i: int, values: FloatArray, drawn: FloatArray | None, pieces: linear.Pieces, level: float
) -> Intraclass:
    value = float(values[0, i])
    if not np.isfinite(value):
        return Intraclass(FORMS[i], None, None, None, Reason.NO_SPREAD, Reason.NO_SPREAD)
    if drawn is None:
        why = Reason.FEW_QUESTIONS if pieces.n < 2 else Reason.NOT_RESAMPLED
        return Intraclass(FORMS[i], value, None, None, None, why)
    part = linear.Part(drawn[:, i], pieces.n)
    found = linear.interval([part], scheme=pieces.scheme, level=level)
    return Intraclass(FORMS[i], value, found.low, found.high, None, found.reason)
