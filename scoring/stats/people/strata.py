"""Agreement over several criteria: the mean of their coefficients, weighted by what can be compared.

A stratum is the responses of one capability on one criterion and scale. Chance agreement is that of
its own levels. Marks of several criteria in one coefficient would take for agreement that some are
easier than others: everybody marks the easy ones high and the hard ones low.

The weight of a stratum is the number of its units that two or more raters marked. Strata in which a
coefficient is undefined are left out and counted. Strata that share questions are resampled together,
others apart.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csgraph

from scoring.stats.people import agreement
from scoring.stats.people.agreement import DEFAULT, LeaveOut
from scoring.stats.people.said import AgreementTogether, AnnotatorPair, MeanCoefficient
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear, units
from scoring.stats.resampled.linear import DrawnPart, FloatArray, IntArray, Interval
from scoring.stats.resampled.units import Units


@dataclass(frozen=True, slots=True)
class UnitStratum:
    """Units of one scale; `question` and `rater` say what their numbers stand for in all strata."""

    units: Units
    question: IntArray
    rater: IntArray


def from_ratings(ratings: pd.DataFrame, *, levels: Sequence[float] | None = None) -> UnitStratum:
    """Return rows of a ratings frame as one stratum: a unit is a response on a criterion."""
    there = ratings[ratings["value"].notna()]
    question, rater = (
        np.unique(there[name].cat.codes.to_numpy(np.int64)).astype(np.int64)
        for name in ("group", "rater")
    )
    return UnitStratum(units.from_ratings(ratings, levels=levels), question, rater)


def together(
    strata: Sequence[UnitStratum],
    *,
    names: tuple[str, ...] = DEFAULT,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> AgreementTogether:
    """Return the mean of every coefficient over strata, weighted by their pairable units.

    Args:
        strata: of all criteria.
        names: of the coefficients, as for `agreement.agreement`.
        resamples: of questions; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.

    Raises:
        KeyError: there is no coefficient of such a name.
    """
    found = [
        agreement.agreement(one.units, names=names, resamples=0, level=level) for one in strata
    ]
    features = [agreement.of_questions(one.units) for one in strata]
    lots = _QuestionLots(strata, features, resamples, seed)
    weights = np.array([one.n_pairable for one in found], dtype=np.float64)
    made = []
    for name in names:
        values = [one.find(name) for one in found]
        drawn = [
            agreement.of_sums(sums, one.units.levels, name)
            for one, sums in zip(strata, lots.sums, strict=True)
        ]
        points = [one.value for one in values]
        value, reason = _mean(points, weights), _why([one.reason for one in values], weights)
        bounds = lots.interval(drawn, points, weights, level, reason)
        n = sum(point is not None for point in points)
        made.append(
            MeanCoefficient(
                name, value, bounds.low, bounds.high, reason, bounds.reason, n, len(strata) - n
            )
        )
    return AgreementTogether(
        n_strata=len(strata),
        n_units=sum(one.n_units for one in found),
        n_pairable=int(weights.sum()),
        n_marks=sum(one.n_marks for one in found),
        n_raters=len(_union([one.rater for one in strata])),
        n_clusters=len(_union([one.question for one in strata])),
        coefficients=tuple(made),
        method=lots.method(level),
    )


def leave_one_out(
    strata: Sequence[UnitStratum], name: str = "alpha_ordinal"
) -> dict[int, LeaveOut]:
    """Return the mean coefficient without each rater in turn, by rater.

    Strata whose coefficient a rater's absence leaves undefined are left out of both sides, and
    weights stay: the change is one of agreement, and not of what is averaged.

    Raises:
        KeyError: there is no coefficient of such a name.
    """
    weights = [float((np.bincount(one.units.unit) > 1).sum()) for one in strata]
    each = [
        {int(one.rater[out.rater]): out for out in agreement.leave_one_out(one.units, name)}
        for one in strata
    ]
    whole = [
        agreement.agreement(one.units, names=(name,), resamples=0).coefficients[0].value
        for one in strata
    ]
    return {
        rater: _without(rater, each, whole, weights)
        for rater in _union([one.rater for one in strata]).tolist()
    }


def _without(
    rater: int,
    each: Sequence[Mapping[int, LeaveOut]],
    whole: Sequence[float | None],
    weights: Sequence[float],
) -> LeaveOut:
    rest, change, kept = [], [], []
    reason: Reason | None = None
    for found, value, weight in zip(each, whole, weights, strict=True):
        one = found.get(rater)
        left = value if one is None else one.value
        if value is None or left is None:
            reason = reason or (one.reason if one else None)
            continue
        rest.append(left)
        change.append(left - value)
        kept.append(weight)
    total = sum(kept)
    if not total:
        return LeaveOut(rater, None, None, reason or Reason.NO_OVERLAP)
    return LeaveOut(
        rater, float(np.dot(rest, kept)) / total, float(np.dot(change, kept)) / total, None
    )


def between(
    strata: Sequence[UnitStratum],
    *,
    weights: agreement.Weights = "quadratic",
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> tuple[AnnotatorPair, ...]:
    """Return Cohen's κ of every pair of raters, by their numbers in all strata.

    It is the mean over strata weighted by the units both marked.

    Args:
        strata: of all criteria.
        weights: "nominal" for the unweighted κ.
        resamples: of questions; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.
    """
    met: dict[tuple[int, int], list[tuple[UnitStratum, agreement.Both]]] = {}
    for one in strata:
        for left, right, both in agreement.met(one.units):
            met.setdefault((int(one.rater[left]), int(one.rater[right])), []).append((one, both))
    found = {
        names: _pair(names, parts, weights, resamples, level, seed) for names, parts in met.items()
    }
    raters = _union([one.rater for one in strata]).tolist()
    everybody = [(a, b) for n, a in enumerate(raters) for b in raters[n + 1 :]]
    return tuple(found.get(names) or agreement.nothing(*names, str(weights)) for names in everybody)


def _pair(
    names: tuple[int, int],
    parts: Sequence[tuple[UnitStratum, agreement.Both]],
    weighting: agreement.Weights,
    resamples: int,
    level: float,
    seed: int | np.random.Generator,
) -> AnnotatorPair:
    of = [UnitStratum(one.units, one.question[both.question], one.rater) for one, both in parts]
    tables = [both.tables() for _one, both in parts]
    matrices = [agreement.weight_matrix(one.units.levels, weighting) for one, _both in parts]
    found = [
        agreement.kappa(table.sum(axis=0), matrix)
        for table, matrix in zip(tables, matrices, strict=True)
    ]
    n = np.array([len(both.cell) for _one, both in parts], dtype=np.float64)
    points = [one.value for one in found]
    value = _mean(points, n)
    reason = _why([one.reason for one in found], n)
    lots = _QuestionLots(of, [table.reshape(len(table), -1) for table in tables], resamples, seed)
    drawn = [
        agreement.kappas(sums.reshape(-1, *matrix.shape), matrix)
        for sums, matrix in zip(lots.sums, matrices, strict=True)
    ]
    bounds = lots.interval(drawn, points, n, level, reason)
    same = sum(float(np.trace(table.sum(axis=0))) for table in tables)
    counts = (int(n.sum()), len(_union([one.question for one in of])))
    why = (reason, bounds.reason)
    ends = (value, bounds.low, bounds.high)
    return AnnotatorPair(*names, *ends, *why, same / float(n.sum()), *counts, str(weighting))


def across(
    strata: Sequence[UnitStratum],
    left: Sequence[int],
    right: Sequence[int],
    *,
    metric: agreement.Metric = "ordinal",
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> AgreementTogether:
    """Return how far two groups agree with each other: 1 − observed ÷ expected disagreement.

    Observed are the pairs of marks of one response with a mark of each group, expected those of all
    responses that both groups marked. It is the mean over strata weighted by those.

    Args:
        strata: of all criteria.
        left: raters by their numbers in all strata; who is in both groups counts in neither.
        right: likewise.
        metric: of the distances between levels, as for α.
        resamples: of questions; 0 for no intervals.
        level: of the intervals.
        seed: where chance comes from.
    """
    sides = [np.setdiff1d(a, b) for a, b in ((left, right), (right, left))]
    held = [met for one in strata if len((met := _across(one, *sides)).weights)]
    n = np.array([len(one.weights) for one in held], dtype=np.float64)
    points = [_finite(one.read(one.features.sum(axis=0)[None], metric)[0]) for one in held]
    value = _mean(points, n)
    undefined = Reason.ONE_LEVEL if held else Reason.NO_OVERLAP
    reason = undefined if value is None else None
    of = [one.stratum for one in held]
    lots = _QuestionLots(of, [one.features for one in held], resamples, seed)
    drawn = [one.read(sums, metric) for one, sums in zip(held, lots.sums, strict=True)]
    bounds = lots.interval(drawn, points, n, level, reason)
    known = sum(one is not None for one in points)
    left_out = len(strata) - known
    found = MeanCoefficient(
        f"across_{metric}", value, bounds.low, bounds.high, reason, bounds.reason, known, left_out
    )
    return AgreementTogether(
        n_strata=len(strata),
        n_units=sum(one.units.n_units for one in strata),
        n_pairable=int(n.sum()),
        n_marks=int(sum(one.weights.sum() for one in held)),
        n_raters=len(np.union1d(*sides)),
        n_clusters=len(_union([one.question for one in of])),
        coefficients=(found,),
        method=lots.method(level),
    )


@dataclass(frozen=True, slots=True)
class _Across:
    """What is read off the units that both groups marked, a row of `features` for each question.

    A unit has the weight of its marks: the shares of its pairs of levels add up to it.
    """

    stratum: UnitStratum
    features: FloatArray
    weights: FloatArray

    def read(self, sums: FloatArray, metric: agreement.Metric) -> FloatArray:
        """Return the coefficient for each row of sums over questions; NaN where it is undefined."""
        levels = self.stratum.units.levels
        q = len(levels)
        pairs, weight = sums[:, : q * q].reshape(-1, q, q), sums[:, -1]
        a, b = sums[:, q * q : q * q + q], sums[:, q * q + q : -1]
        apart = np.broadcast_to(agreement.distances(metric, levels, a + b), pairs.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = (pairs * apart).sum(axis=(1, 2)) / weight
            expected = np.einsum("rk,rkl,rl->r", a, apart, b) / a.sum(axis=1) / b.sum(axis=1)
            made: FloatArray = 1 - observed / expected
            return made


def _across(one: UnitStratum, left: IntArray, right: IntArray) -> _Across:
    marked, q = one.units, len(one.units.levels)
    place = marked.unit * q + marked.level
    rater = one.rater[marked.rater]
    sides = [
        np.bincount(place[np.isin(rater, side)], minlength=marked.n_units * q).reshape(-1, q)
        for side in (left, right)
    ]
    unit = np.flatnonzero((sides[0].sum(axis=1) > 0) & (sides[1].sum(axis=1) > 0))
    rows, kind = np.unique(np.hstack([side[unit] for side in sides]), axis=0, return_inverse=True)
    a, b = rows[:, :q].astype(np.float64), rows[:, q:].astype(np.float64)
    n_a, n_b = a.sum(axis=1), b.sum(axis=1)
    pairs = a[:, :, None] * b[:, None, :] * ((n_a + n_b) / (n_a * n_b))[:, None, None]
    wide = np.hstack([pairs.reshape(len(rows), q * q), a, b, (n_a + n_b)[:, None]])
    question, cluster = np.unique(marked.cluster[unit], return_inverse=True)
    pieces = linear.of_clusters(wide, kind.ravel(), cluster.ravel())
    return _Across(
        UnitStratum(marked, one.question[question], one.rater),
        pieces.features,
        (n_a + n_b)[kind.ravel()],
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


class _QuestionLots:
    """Sums over resampled questions, those of strata that share questions by the same lots."""

    def __init__(
        self,
        strata: Sequence[UnitStratum],
        features: Sequence[FloatArray],
        resamples: int,
        seed: int | np.random.Generator,
    ) -> None:
        self.joined = _joined([one.question for one in strata])
        self.resamples = resamples
        self.sums: list[FloatArray] = [np.zeros((0, one.shape[1])) for one in features]
        self.n: list[int] = []
        self.scheme = linear.Scheme.MULTINOMIAL
        for block in range(max(self.joined, default=-1) + 1):
            self._draw(
                [n for n, one in enumerate(self.joined) if one == block], strata, features, seed
            )

    def _draw(
        self,
        mine: Sequence[int],
        strata: Sequence[UnitStratum],
        features: Sequence[FloatArray],
        seed: int | np.random.Generator,
    ) -> None:
        questions = _union([strata[n].question for n in mine])
        if not self.resamples:
            self.n.append(len(questions))
            return
        ends = np.cumsum([features[n].shape[1] for n in mine])
        wide = np.zeros((len(questions), int(ends[-1])))
        for n, end in zip(mine, ends, strict=True):
            rows = np.searchsorted(questions, strata[n].question)
            wide[rows, end - features[n].shape[1] : end] = features[n]
        pieces = linear.Pieces(wide, np.ones(len(questions), dtype=np.int64))
        # Blocks of as many questions would else be drawn by the same lots.
        own = seed if isinstance(seed, np.random.Generator) else seed + len(self.n)
        drawn = pieces.resampled(resamples=self.resamples, rng=own)
        if pieces.scheme is linear.Scheme.MULTIPLIER:
            self.scheme = pieces.scheme
        self.n.append(len(questions))
        for n, sums in zip(mine, np.split(drawn, ends[:-1], axis=1), strict=True):
            self.sums[n] = sums

    def interval(
        self,
        drawn: Sequence[FloatArray],
        values: Sequence[float | None],
        weights: FloatArray,
        level: float,
        reason: Reason | None,
    ) -> Interval:
        """Return the interval of a weighted mean of figures in the resamples, NaN where undefined."""
        n = sum(self.n)
        if reason is None and not self.resamples:
            reason = Reason.NOT_RESAMPLED
        if reason is not None:
            return Interval(None, None, level, n, reason)
        known = [k for k, value in enumerate(values) if value is not None and weights[k]]
        total = float(weights[known].sum())
        parts = []
        for block, n_questions in enumerate(self.n):
            if mine := [k for k in known if self.joined[k] == block]:
                share = float(weights[mine].sum()) / total
                mean = _mean_in_resamples([drawn[k] for k in mine], weights[mine])
                # What resampling lowers adds up over criteria while their spread averages out.
                value = _mean([values[k] for k in mine], weights[mine])
                there = mean[np.isfinite(mean)]
                lowered = there.mean() - value if len(known) > 1 and len(there) else 0.0
                parts.append(DrawnPart(share * (mean - 2 * lowered), n_questions, share))
        return linear.interval(parts, scheme=self.scheme, level=level, within=(-math.inf, 1.0))

    def method(self, level: float) -> str:
        said = "mean over capabilities and criteria, weighted by their responses with two marks or more"
        if not self.resamples:
            return f"{said}; no interval was asked for"
        return f"{said}; {level:.0%} {self.scheme.sentence}, {self.resamples} resamples"


def _joined(questions: Sequence[IntArray]) -> list[int]:
    """Return the block of each stratum: those that share questions have the same."""
    n = len(questions)
    if not n:
        return []
    every = _union(questions)
    rows = np.concatenate([np.full(len(one), k) for k, one in enumerate(questions)])
    columns = n + np.searchsorted(every, np.concatenate(questions))
    size = n + len(every)
    met = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
    block = csgraph.connected_components(met, directed=False)[1][:n]
    order = list(dict.fromkeys(block.tolist()))
    return [order.index(one) for one in block.tolist()]


def _union(parts: Sequence[IntArray]) -> IntArray:
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)


def _mean(values: Sequence[float | None], weights: FloatArray) -> float | None:
    known = [n for n, value in enumerate(values) if value is not None and weights[n]]
    if not known:
        return None
    return float(np.dot([values[n] for n in known], weights[known]) / weights[known].sum())  # type: ignore[arg-type]


def _mean_in_resamples(drawn: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return the weighted mean in each resample of what is defined there."""
    table = np.stack(drawn)
    weight = np.isfinite(table) * weights[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        made: FloatArray = np.nansum(table * weight, axis=0) / weight.sum(axis=0)
    return made


def _why(reasons: Sequence[Reason | None], weights: FloatArray) -> Reason | None:
    """Return why there is no mean: the reason of the largest stratum, if none of them has a value."""
    if not reasons:
        return Reason.NO_GRADES
    if any(one is None for one in reasons):
        return None
    return reasons[int(np.argmax(weights))]
