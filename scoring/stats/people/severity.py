"""The cumulative logit model of marks, fitted by Newton's method however many marks there are.

* How severe each rater is, and what scores would be if everybody were as severe as the average.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse, special

from scoring.stats.people.said import AnnotatorSeverity, FairScore, GroupSeverity, Severity
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray

#: Units from which on a part of them is fitted first, so that few steps need all of them.
MANY, FEW_OF_MANY, SEEN = 40_000, 10_000, 50
#: Steps shrink quadratically: after one so small what is left is its square.
MAX_STEPS, CLOSE = 100, 1e-4
#: Marks that are worked out together: what is made of them meanwhile stays near the processor.
AT_ONCE = 1 << 14


@dataclass(frozen=True)
class SeverityMarks:
    """Marks in order of their units; units in order of their criteria; all numbered from 0.

    Attributes:
        unit: of each mark, rising without gaps.
        rater: of each mark.
        level: of each mark, its place among the levels of its criterion that are used.
        criterion: of each unit, rising without gaps.
        n_levels: of each criterion.
        times: of each unit, how many like it there are.
    """

    unit: IntArray
    rater: IntArray
    level: IntArray
    criterion: IntArray
    n_levels: IntArray
    n_raters: int
    times: FloatArray

    @cached_property
    def start(self) -> IntArray:
        """Return where the marks of each unit begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.unit))])

    @cached_property
    def width(self) -> int:
        """Return how many edges of levels a criterion has at most: the outer two and thresholds."""
        return int(self.n_levels.max()) + 1

    @cached_property
    def below(self) -> IntArray:
        """Return the edge below each mark, criterion by criterion."""
        return self.criterion[self.unit] * self.width + self.level

    @cached_property
    def cell(self) -> IntArray:
        """Return the edge below each mark, unit by unit."""
        return self.unit * self.width + self.level

    @cached_property
    def weight(self) -> FloatArray:
        return self.times[self.unit]

    @cached_property
    def counts(self) -> FloatArray:
        """Return how many marks stand above each edge."""
        n = len(self.n_levels) * self.width
        return _sums(self.below, self.weight, n)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Return the first unit of each criterion, and the one after its last."""
        n = len(self.n_levels)
        ends = np.searchsorted(self.criterion, np.arange(n + 1)).tolist()
        return list(itertools.pairwise(ends))

    @cached_property
    def free(self) -> IntArray:
        """Return the edges that are thresholds."""
        edge = np.arange(self.width)
        inner = (edge > 0) & (edge < self.n_levels[:, None])
        return np.flatnonzero(inner.ravel())


@dataclass(frozen=True)
class Fit:
    """Worth of each unit, severity of each rater, edges of each criterion (−∞, thresholds, ∞)."""

    worth: FloatArray
    severity: FloatArray
    edges: FloatArray


def fitted(marks: SeverityMarks, *, worth: float, severity: float) -> Fit:
    """Return the one fit of highest penalised likelihood.

    Args:
        marks: at least one of them.
        worth: variance of the penalty on worths.
        severity: variance of the penalty on severities.
    """
    kinds, of = kinds_of(marks)
    found = _Newton(kinds, worth, severity).climbed(_start(kinds, worth, severity))
    return Fit(found.worth[of], found.severity, found.edges)


def kinds_of(marks: SeverityMarks) -> tuple[SeverityMarks, IntArray]:
    """Return units with equal marks by the same raters as one, and the new number of each unit."""
    code = marks.rater * int(marks.n_levels.max()) + marks.level
    lots = np.random.default_rng(0).integers(0, 2**42, (2, int(code.max()) + 1))
    # Sums of whole numbers below 2**53 are exact, whatever the order of a unit's marks.
    prints = [np.add.reduceat(lot[code], marks.start[:-1]) for lot in lots]
    order = np.lexsort([*prints, marks.criterion])
    ordered = np.stack([*prints, marks.criterion])[:, order]
    new = np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    of = np.empty(len(order), dtype=np.int64)
    of[order] = np.cumsum(new) - 1
    if new.all():
        return marks, np.arange(len(order))
    return _chosen(marks, order[new], _sums(of, marks.times, int(of.max()) + 1)), of


def _chosen(marks: SeverityMarks, units: IntArray, times: FloatArray) -> SeverityMarks:
    """Return the marks of some units, which come in order of their criteria."""
    size = np.diff(marks.start)[units]
    unit = np.repeat(np.arange(len(units)), size)
    row = np.repeat(marks.start[units] - np.cumsum(size) + size, size) + np.arange(len(unit))
    return SeverityMarks(
        unit,
        marks.rater[row],
        marks.level[row],
        marks.criterion[units],
        marks.n_levels,
        marks.n_raters,
        times,
    )


def _start(marks: SeverityMarks, worth: float, severity: float) -> Fit:
    """Return where to begin: for many units, at the fit of a part of them."""
    n = len(marks.criterion)
    if n >= MANY:
        units = np.arange(0, n, n // FEW_OF_MANY)
        part = _chosen(marks, units, marks.times[units])
        counted = part.counts.reshape(-1, part.width)
        inner = np.arange(part.width) < marks.n_levels[:, None]
        if (counted[inner] >= SEEN).all():
            newton = _Newton(part, worth, severity)
            found = newton.climbed(_blank(part), close=1e-4)
            return Fit(np.zeros(n), found.severity, found.edges)
    return _blank(marks)


def _blank(marks: SeverityMarks) -> Fit:
    """Return thresholds that fit the shares of levels where everybody is alike."""
    counts = marks.counts.reshape(-1, marks.width)[:, :-1]
    above = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    total = counts.sum(axis=1, keepdims=True)
    edges = np.full((len(counts), marks.width), np.inf)
    edges[:, 0] = -np.inf
    share = above[:, 1:] / total
    with np.errstate(divide="ignore"):
        edges[:, 1:-1] = np.log((1 - share) / share)
    return Fit(np.zeros(len(marks.criterion)), np.zeros(marks.n_raters), edges.ravel())


def _rough(marks: SeverityMarks, at: Fit, worth: float) -> FloatArray:
    """Return worths near the middle of what each unit's marks stand for, drawn towards 0."""
    edges = at.edges.reshape(-1, marks.width)
    low, high = edges[:, :-1], edges[:, 1:]
    with np.errstate(invalid="ignore"):
        middle = np.where(
            np.isinf(low), high - 1, np.where(np.isinf(high), low + 1, (low + high) / 2)
        )
    middle = np.where(np.isfinite(middle), middle, 0.0)
    stands = middle[marks.criterion[marks.unit], marks.level] + at.severity[marks.rater]
    known = 0.25 * np.diff(marks.start)  # about what a mark tells of its place
    rough: FloatArray = 0.25 * np.add.reduceat(stands, marks.start[:-1]) / (known + 1 / worth)
    return rough


class _Newton:
    def __init__(self, marks: SeverityMarks, worth: float, severity: float) -> None:
        self.marks = marks
        self.worth, self.severity = worth, severity

    def climbed(self, at: Fit, *, close: float = CLOSE) -> Fit:
        """Return the top, or where the steps got smaller than `close`."""
        at = Fit(_rough(self.marks, at, self.worth), at.severity, at.edges)
        terms = _Terms(self.marks, at)
        slope, curvature = self._of_worths(at, terms)  # each worth is a problem of its own first
        at = Fit(at.worth + np.clip(slope / curvature, -1, 1), at.severity, at.edges)
        terms = _Terms(self.marks, at)
        for _ in range(MAX_STEPS):
            step = self._step(at, terms)
            at, terms, length = self._moved(at, terms, step)
            if length * _size(step) < close:
                break
        return at

    def cost(self, at: Fit, terms: "_Terms") -> float:
        """Return the penalised likelihood's logarithm, turned so that less is better."""
        penalty = (self.marks.times * at.worth**2).sum() / self.worth
        penalty += (at.severity**2).sum() / self.severity
        return float(penalty / 2 - terms.likelihood)

    def _moved(self, at: Fit, terms: "_Terms", step: Fit) -> tuple[Fit, "_Terms", float]:
        """Go as much of a step as makes things better; whole steps near the top."""
        before, length = self.cost(at, terms), 1.0
        while length > 1e-6:
            there = Fit(
                at.worth + length * step.worth,
                at.severity + length * step.severity,
                at.edges + length * step.edges,
            )
            if _is_rising(there.edges, self.marks):
                found = _Terms(self.marks, there)
                if self.cost(there, found) <= before + 1e-9 * abs(before):
                    return there, found, length
            length /= 2
        return at, terms, 0.0

    def _of_worths(self, at: Fit, terms: "_Terms") -> tuple[FloatArray, FloatArray]:
        """Return slope and curvature of each unit's worth, of one unit of its kind."""
        slope = np.add.reduceat(terms.slope, self.marks.start[:-1]) - at.worth / self.worth
        return slope, terms.table.sum(axis=1) + 1 / self.worth

    def _step(self, at: Fit, terms: "_Terms") -> Fit:
        """Solve for the step, worths eliminated."""
        marks = self.marks
        slope, curvature = self._of_worths(at, terms)
        scale = marks.times / curvature
        met = sparse.csr_array(
            (terms.curvature, marks.rater, marks.start),
            shape=(len(marks.criterion), marks.n_raters),
        )
        left, right = self._whole(at, terms)
        n = marks.n_raters
        scaled = sparse.csr_array(
            (terms.curvature * scale[marks.unit], marks.rater, marks.start), shape=met.shape
        )
        left[:n, :n] -= (met.T @ scaled).toarray()
        right[:n] += met.T @ (scale * slope)
        for c, (first, last) in enumerate(marks.blocks):
            mine = slice(n + c * marks.width, n + (c + 1) * marks.width)
            table = terms.table[first:last]
            weighed = scale[first:last, None] * table
            across = met[first:last].T @ weighed
            left[:n, mine] -= across
            left[mine, :n] -= across.T
            left[mine, mine] -= table.T @ weighed
            right[mine] += table.T @ (scale * slope)[first:last]
        kept = np.concatenate([np.arange(n), n + marks.free])
        found = np.zeros(len(right))
        found[kept] = np.linalg.solve(left[np.ix_(kept, kept)], right[kept])
        severity, edges = found[:n], found[n:]
        moved = met @ severity
        moved += (terms.table * edges.reshape(-1, marks.width)[marks.criterion]).sum(axis=1)
        return Fit((slope + moved) / curvature, severity, edges)

    def _whole(self, at: Fit, terms: "_Terms") -> tuple[FloatArray, FloatArray]:
        """Return curvature and slope of severities and edges as if worths stood still."""
        marks = self.marks
        n, n_edges = marks.n_raters, len(at.edges)
        cell = marks.rater * n_edges + marks.below
        met = _sums(cell, marks.weight * terms.b_lo, n * n_edges)
        met += _sums(cell + 1, marks.weight * terms.b_hi, n * n_edges)
        met = met.reshape(n, n_edges)
        left = np.zeros((n + n_edges, n + n_edges))
        left[:n, :n] = np.diag(met.sum(axis=1) + 1 / self.severity)
        left[:n, n:] = met
        left[n:, :n] = met.T
        edge = n + np.arange(n_edges)
        left[edge, edge] = met.sum(axis=0)
        gap, bent = terms.gap * marks.counts[:-1], terms.gap * (1 + terms.gap) * marks.counts[:-1]
        left[edge[:-1], edge[:-1]] += bent
        left[edge[1:], edge[1:]] += bent
        left[edge[:-1], edge[1:]] -= bent
        left[edge[1:], edge[:-1]] -= bent
        right = np.zeros(n + n_edges)
        of_rater = _sums(marks.rater, marks.weight * terms.slope, n)
        right[:n] = -of_rater - at.severity / self.severity
        right[n:] -= _sums(marks.below, marks.weight * terms.a_lo, n_edges)
        right[n:] += _sums(marks.below + 1, marks.weight * terms.a_hi, n_edges)
        right[n:-1] -= gap
        right[n + 1 :] += gap
        return left, right


class _Terms:
    """The two logistic terms of every mark at a place, and what follows from them."""

    def __init__(self, marks: SeverityMarks, at: Fit) -> None:
        with np.errstate(invalid="ignore"):
            apart = np.diff(at.edges)
        apart[marks.width - 1 :: marks.width] = np.inf  # from one criterion to the next
        apart[np.isnan(apart)] = np.inf  # beyond the last level of a criterion
        self.gap: FloatArray = 1 / np.expm1(apart)
        between = (marks.counts[:-1] * np.log(-np.expm1(-apart))).sum()
        n = len(marks.unit)
        self.a_lo, self.a_hi, self.b_lo, self.b_hi = (np.empty(n) for _ in range(4))
        logs = np.empty(n)
        for start in range(0, n, AT_ONCE):
            self._fill(marks, at, logs, slice(start, start + AT_ONCE))
        self.likelihood = float(between - marks.weight @ logs)
        size = len(marks.criterion) * marks.width
        table = _sums(marks.cell, self.b_lo, size)
        table[1:] += _sums(marks.cell, self.b_hi, size)[:-1]
        #: Units × edges of their criterion: curvature that an edge and a worth share.
        self.table: FloatArray = table.reshape(-1, marks.width)

    def _fill(self, marks: SeverityMarks, at: Fit, logs: FloatArray, part: slice) -> None:
        """Work out some of the marks."""
        eta = at.worth[marks.unit[part]] - at.severity[marks.rater[part]]
        below = marks.below[part]
        e_lo, e_hi = np.exp(at.edges[below] - eta), np.exp(eta - at.edges[below + 1])
        all_lo, all_hi = 1 + e_lo, 1 + e_hi
        # One logarithm of a product that is finite, for its terms are not large together.
        np.log(all_lo * all_hi, out=logs[part])
        a_lo = np.divide(e_lo, all_lo, out=self.a_lo[part])
        a_hi = np.divide(e_hi, all_hi, out=self.a_hi[part])
        np.divide(a_lo, all_lo, out=self.b_lo[part])
        np.divide(a_hi, all_hi, out=self.b_hi[part])

    @property
    def slope(self) -> FloatArray:
        return self.a_lo - self.a_hi

    @property
    def curvature(self) -> FloatArray:
        return self.b_lo + self.b_hi


def _sums(cell: IntArray, values: FloatArray, size: int) -> FloatArray:
    made: FloatArray = np.bincount(cell, values, minlength=size).astype(np.float64, copy=False)
    return made


def _is_rising(edges: FloatArray, marks: SeverityMarks) -> bool:
    table = edges.reshape(-1, marks.width)
    below, above = table[:, 1:-1], table[:, 2:]
    return bool((np.isinf(above) | (above > below)).all())


def _size(step: Fit) -> float:
    return float(
        max(np.abs(part).max(initial=0) for part in (step.worth, step.severity, step.edges))
    )


#: Variances of the normal penalties, on the logit scale.
WORTH, SEVERITY = 4.0, 1.0
#: Raters up to whose number the mean that severities are centred on is allowed for: beyond it is known.
MOST_CENTRED = 1_000
MAX_LEVELS = 25


def severities(
    ratings: pd.DataFrame,
    *,
    groups: Mapping[str, Sequence[Label]] | None = None,
    level: float = 0.95,
) -> Severity:
    """Fit the model to the rows of a ratings frame, usually after the default filter.

    Criteria of more than 25 levels or without a top are left out and counted.

    Args:
        ratings: the ratings frame.
        groups: of raters by name, whose mean severity is told; raters without marks do not count.
        level: of the intervals, which are those of the normal approximation.
    """
    data = _Data(ratings)
    if data.reason is not None:
        return Severity(data.n_left_out, data.reason, METHOD, (), ())
    fit = _SeverityFit(data)
    return Severity(
        data.n_left_out,
        None,
        METHOD,
        tuple(fit.rater(i, level) for i in range(len(data.raters))),
        tuple(fit.release(i) for i in range(len(data.releases))),
        tuple(fit.groups(groups or {}, level)),
    )


def _spread(unit: IntArray, rater: IntArray, information: FloatArray, n: int) -> FloatArray:
    """Return how severities less their mean vary together, worths being estimated too.

    Of very many raters it is the variance of each: their mean is known, and they vary apart.

    Args:
        unit: of each mark.
        rater: of each mark, below n.
        information: of each mark about where worth less severity lies.
        n: how many raters there are.
    """
    worth = np.bincount(unit, information) + 1 / WORTH
    own = np.bincount(rater, information, minlength=n) + 1 / SEVERITY
    if n > MOST_CENTRED:
        shared = np.bincount(rater, information**2 / worth[unit], minlength=n)
        return np.asarray(1 / (own - shared), dtype=np.float64)
    laid = sparse.csr_array(
        (information / np.sqrt(worth[unit]), (unit, rater)), shape=(len(worth), n)
    )
    spread = np.linalg.inv(np.diag(own) - (laid.T @ laid).toarray())
    known = spread - spread.mean(axis=0) - spread.mean(axis=0)[:, None] + spread.mean()
    return np.asarray(known, dtype=np.float64)


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
    def marks(self) -> SeverityMarks:
        first = np.flatnonzero(np.diff(self.unit, prepend=-1))
        return SeverityMarks(
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


class _SeverityFit:
    """What the fitted model says of raters and releases."""

    def __init__(self, data: _Data) -> None:
        self.data = data
        marks = data.marks
        found = fitted(marks, worth=WORTH, severity=SEVERITY)
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
        self._spread = _spread(data.unit, data.rater, information, len(data.raters))
        own = self._spread if self._spread.ndim == 1 else np.diag(self._spread)
        self._se = np.sqrt(np.maximum(0.0, own))
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

    def rater(self, i: int, level: float) -> AnnotatorSeverity:
        severity = float(self.severity[i])
        se = float(self._se[i])
        z = float(special.ndtri(0.5 + level / 2))
        misfit = float(self._off[i] / max(1e-12, float(self._variance[i])) / self._usual)
        return AnnotatorSeverity(
            self.data.raters[i],
            severity,
            severity - z * se,
            severity + z * se,
            float(self._points[i]),
            misfit,
            int(self._n[i]),
        )

    def groups(
        self, groups: Mapping[str, Sequence[Label]], level: float
    ) -> Iterator[GroupSeverity]:
        """Yield the mean severity of each group that has marks."""
        z = float(special.ndtri(0.5 + level / 2))
        place = {rater: i for i, rater in enumerate(self.data.raters)}
        for name, members in groups.items():
            mine = [place[one] for one in dict.fromkeys(members) if one in place]
            if not mine:
                continue
            if self._spread.ndim == 1:
                variance = self._spread[mine].sum() / len(mine) ** 2
            else:
                variance = self._spread[np.ix_(mine, mine)].mean()
            severity, se = float(self.severity[mine].mean()), float(np.sqrt(max(0.0, variance)))
            points = float(np.average(self._points[mine], weights=self._n[mine]))
            ends = severity - z * se, severity + z * se
            n_grades = int(self._n[mine].sum())
            yield GroupSeverity(name, severity, *ends, points, len(mine), n_grades)

    def release(self, i: int) -> FairScore:
        raw, fair = float(self._raw[i]), float(self._fair[i])
        return FairScore(self.data.releases[i], raw, fair, fair - raw, int(self._n_release[i]))


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
