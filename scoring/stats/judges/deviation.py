"""How far a judge is from people on one scale: level shift, absolute error, confusion by class.

* What sways a judge besides quality: length, position, its own family of systems.
"""

from collections.abc import Callable, Sequence

import numpy as np

from scoring.stats.judges.said import (
    Bias,
    Confusion,
    Deviation,
    Family,
    JudgeValue,
    Length,
    LevelClass,
    PositionResidual,
)
from scoring.stats.people import agreement
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear
from scoring.stats.resampled.linear import FloatArray, IntArray

#: From sums, a resample a row, to one value for each.
Statistic = Callable[[FloatArray], FloatArray]


def deviation(
    *,
    judge: FloatArray,
    human: FloatArray,
    cluster: IntArray,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Deviation:
    """Return how far a judge is from people, over the rows that both have (NaN is missing)."""
    _even(judge, human, cluster)
    there = ~np.isnan(judge) & ~np.isnan(human)
    gap = (judge - human)[there]
    columns = np.stack([gap, np.abs(gap), gap**2, np.ones(len(gap))], axis=1)
    sums = _by_cluster(columns, cluster[there])
    rng = np.random.default_rng(seed)
    drawn = _drawn(sums, resamples, rng)
    shift, mae, mse = (_figure(_mean_of(at), sums, drawn, confidence) for at in range(3))
    return Deviation(
        shift=shift,
        mae=mae,
        rmse=_rooted(mse),
        n=len(gap),
        n_clusters=len(sums),
        n_left_out=len(judge) - len(gap),
        method="judge − people; questions resampled",
    )


def confusion(
    *,
    judge: FloatArray,
    human: FloatArray,
    cluster: IntArray,
    levels: Sequence[float],
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Confusion:
    """Set a judge's level against people's, row by row (a row for each person's mark).

    Raises:
        ValueError: levels are not rising, or a value is none of them.
    """
    _even(judge, human, cluster)
    known = np.array(levels, dtype=np.float64)
    if len(known) < 1 or (np.diff(known) <= 0).any():
        raise ValueError("Levels must rise and there must be some.")
    there = ~np.isnan(judge) & ~np.isnan(human)
    q = len(known)
    told, by = _level(human[there], known, "a person's"), _level(judge[there], known, "the judge's")
    of = np.unique(cluster[there], return_inverse=True)[1].ravel().astype(np.int64)
    pieces = linear.of_clusters(np.eye(q * q), told * q + by, of)
    table = pieces.total.reshape(1, q, q) if len(told) else np.zeros((1, q, q))
    rng = np.random.default_rng(seed)
    drawn = (
        pieces.resampled(resamples=resamples, rng=rng).reshape(-1, q, q)
        if resamples and len(told)
        else None
    )
    weights = agreement.weight_matrix(known, "quadratic")
    made = [
        _of_table(one, table, drawn, pieces, confidence)
        for one in (
            _accuracy,
            _macro_f1,
            lambda t: agreement.kappas(t, np.eye(q)),
            lambda t: agreement.kappas(t, weights),
        )
    ]
    constant = _constant(table)
    return Confusion(
        levels=tuple(known.tolist()),
        table=tuple(tuple(row) for row in table[0].astype(int).tolist()),
        classes=_classes(table[0], known),
        accuracy=made[0],
        macro_f1=made[1],
        kappa=made[2],
        kappa_quadratic=made[3],
        constant_level=None if constant is None else float(known[int(table[0].sum(1).argmax())]),
        constant_accuracy=None if constant is None else float(_accuracy(constant)[0]),
        constant_macro_f1=None if constant is None else float(_macro_f1(constant)[0]),
        n=len(told),
        n_clusters=pieces.n if len(told) else 0,
        method="people's marks by the judge's, a row for each mark; questions resampled",
    )


def _mean_of(column: int) -> Statistic:
    """Return the mean of a column of sums; the last one counts the rows."""
    return lambda sums: sums[:, column] / sums[:, -1]


def _even(*columns: FloatArray | IntArray) -> None:
    if len({len(one) for one in columns}) > 1:
        raise ValueError("The columns differ in length.")


def _level(values: FloatArray, known: FloatArray, whose: str) -> IntArray:
    place = np.clip(np.searchsorted(known, values), 0, len(known) - 1)
    off = np.flatnonzero(known[place] != values)
    if len(off):
        raise ValueError(f"{values[off[0]]:g} is {whose} mark but no level of the scale.")
    return place.astype(np.int64)


def _by_cluster(columns: FloatArray, cluster: IntArray) -> FloatArray:
    names, place = np.unique(cluster, return_inverse=True)
    place = place.ravel()
    return np.stack(
        [np.bincount(place, weights=one, minlength=len(names)) for one in columns.T], axis=1
    )


def _drawn(sums: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray | None:
    if resamples == 0 or len(sums) < 2:
        return None
    scheme = linear.scheme_for(len(sums))
    return linear.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme)


def _figure(
    of: Statistic, sums: FloatArray, drawn: FloatArray | None, confidence: float
) -> JudgeValue:
    if not len(sums):
        return JudgeValue(None, None, None, Reason.FEW_PAIRS, Reason.FEW_PAIRS)
    value = float(of(sums.sum(axis=0, keepdims=True))[0])
    if drawn is None:
        why = Reason.FEW_QUESTIONS if len(sums) < 2 else Reason.NOT_RESAMPLED
        return JudgeValue(value, None, None, None, why)
    scheme = linear.scheme_for(len(sums))
    part = linear.DrawnPart(of(drawn), len(sums))
    found = linear.interval([part], scheme=scheme, level=confidence)
    return JudgeValue(value, found.low, found.high, None, found.reason)


def _rooted(of: JudgeValue) -> JudgeValue:
    value, low, high = (
        None if one is None else float(np.sqrt(max(one, 0.0)))
        for one in (of.value, of.low, of.high)
    )
    return JudgeValue(value, low, high, of.reason, of.interval_reason)


def _of_table(
    of: Statistic,
    table: FloatArray,
    drawn: FloatArray | None,
    pieces: linear.Pieces,
    confidence: float,
) -> JudgeValue:
    value = float(of(table)[0])
    if not np.isfinite(value):
        why = Reason.ONE_LEVEL if table.sum() else Reason.FEW_PAIRS
        return JudgeValue(None, None, None, why, why)
    if drawn is None or pieces.n < 2:
        why = Reason.NOT_RESAMPLED if drawn is None else Reason.FEW_QUESTIONS
        return JudgeValue(value, None, None, None, why)
    part = linear.DrawnPart(of(drawn), pieces.n)
    found = linear.interval([part], scheme=pieces.scheme, level=confidence)
    return JudgeValue(value, found.low, found.high, None, found.reason)


def _accuracy(tables: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))  # type: ignore[no-any-return]


def _macro_f1(tables: FloatArray) -> FloatArray:
    """Return the mean of F1 over the levels that either side used."""
    below = tables.sum(axis=1) + tables.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = 2 * np.diagonal(tables, axis1=1, axis2=2) / below
        return np.where(below > 0, each, 0).sum(axis=1) / (below > 0).sum(axis=1)  # type: ignore[no-any-return]


def _constant(table: FloatArray) -> FloatArray | None:
    """Return the table of a judge that always says people's most frequent level."""
    told = table[0].sum(axis=1)
    if not told.sum():
        return None
    made = np.zeros_like(table)
    made[0, :, int(told.argmax())] = told
    return made


def _classes(table: FloatArray, known: FloatArray) -> tuple[LevelClass, ...]:
    def share(of: float, all_: float) -> float | None:
        return float(of / all_) if all_ else None

    told, by, both = table.sum(axis=1), table.sum(axis=0), np.diagonal(table)
    return tuple(
        LevelClass(
            float(level),
            int(told[at]),
            int(by[at]),
            int(both[at]),
            share(both[at], by[at]),
            share(both[at], told[at]),
            share(2 * both[at], told[at] + by[at]),
        )
        for at, level in enumerate(known)
    )


METHOD = "residual = judge − people as shares of their ranges, centred within the question"
FLAT = 1e-12


def bias(
    *,
    judge: FloatArray,
    human: FloatArray,
    cluster: IntArray,
    length: FloatArray | None = None,
    position: FloatArray | None = None,
    own: FloatArray | None = None,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Bias:
    """Return what sways a judge, over the rows that both sides have (NaN is missing).

    Args:
        judge: shares of its range.
        human: people's means as shares of theirs.
        cluster: the question.
        length: of the responses, in signs or words; NaN or 0 is unknown.
        position: at which the judge saw each, from 1; NaN is unknown.
        own: 1 where the system is of the judge's family, 0 where not; NaN is unknown.
        resamples: of questions; 0 for no intervals.
        confidence: of the intervals.
        seed: where chance comes from.

    Raises:
        ValueError: columns are uneven.
    """
    rows = len(judge)
    columns = [
        np.full(rows, np.nan) if one is None else np.asarray(one, dtype=np.float64)
        for one in (length, position, own)
    ]
    if {len(human), len(cluster), *map(len, columns)} != {rows}:
        raise ValueError("The columns differ in length.")
    there = ~np.isnan(judge) & ~np.isnan(human)
    long, place, family = (one[there] for one in columns)
    of = np.unique(cluster[there], return_inverse=True)[1].ravel().astype(np.int64)
    x, y = judge[there], human[there]
    rest = _centred(x - y, of)
    rng = np.random.default_rng(seed)

    def figure(
        features: FloatArray, at: IntArray, value: Callable[[FloatArray], FloatArray]
    ) -> JudgeValue:
        return _figure_of_bias(features, at, value, resamples, confidence, rng)

    positions, why = _positions(rest, place, of, figure)
    return Bias(
        length=_length(x, y, long, of, figure),
        positions=positions,
        position_reason=why,
        family=_family(rest, family, of, figure),
        n=int(there.sum()),
        n_clusters=int(of.max(initial=-1)) + 1,
        method=METHOD,
    )


Make = Callable[[FloatArray, IntArray, Callable[[FloatArray], FloatArray]], JudgeValue]


def _length(x: FloatArray, y: FloatArray, long: FloatArray, of: IntArray, figure: Make) -> Length:
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log2(long)
    known = np.isfinite(log)
    n = int(known.sum())
    if n < 4:
        gone = JudgeValue(None, None, None, Reason.NO_LENGTHS, Reason.NO_LENGTHS)
        return Length(gone, gone, gone, n)
    at = np.unique(of[known], return_inverse=True)[1].ravel().astype(np.int64)
    a, b, c = (_centred(one[known], at) for one in (x, y, log[known]))
    features = np.stack([a * a, b * b, c * c, a * b, a * c, b * c], axis=1)
    overall = figure(_moments(x[known], log[known]), at, _plain)
    return Length(overall, figure(features, at, _partial), figure(features, at, _slope), n)


def _moments(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return what a correlation is made of; around the means, so that nothing cancels out."""
    a, b = x - x.mean(), y - y.mean()
    made: FloatArray = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)
    return made


def _plain(s: FloatArray) -> FloatArray:
    """Return the correlation of two columns from the sums of their moments."""
    n, a, b, aa, bb, ab = s.T
    with np.errstate(invalid="ignore", divide="ignore"):
        along, below, above = aa - a * a / n, bb - b * b / n, ab - a * b / n
        return np.where((along > FLAT) & (below > FLAT), above / np.sqrt(along * below), np.nan)


def _partial(s: FloatArray) -> FloatArray:
    """Return the correlation of the first and the third given the second."""
    aa, bb, cc, ab, ac, bc = s.T
    # A constant second column explains nothing.
    with np.errstate(invalid="ignore", divide="ignore"):
        inverse = np.where(bb > FLAT, 1 / bb, 0.0)
        above = ac - ab * bc * inverse
        below = np.clip(aa - ab * ab * inverse, 0, None) * np.clip(cc - bc * bc * inverse, 0, None)
        return np.where(below > FLAT**2, above / np.sqrt(below), np.nan)


def _slope(s: FloatArray) -> FloatArray:
    """Return the slope of first − second on the third."""
    _, _, cc, _, ac, bc = s.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(cc > FLAT, (ac - bc) / cc, np.nan)


def _positions(
    rest: FloatArray, place: FloatArray, of: IntArray, figure: Make
) -> tuple[tuple[PositionResidual, ...], Reason | None]:
    known = np.unique(place[~np.isnan(place)])
    if len(known) < 2:
        return (), Reason.NO_POSITIONS
    made = []
    for one in known:
        here = (place == one).astype(np.float64)
        features = np.stack([rest * here, here], axis=1)
        made.append(PositionResidual(int(one), int(here.sum()), figure(features, of, _ratio)))
    return tuple(made), None


def _family(rest: FloatArray, family: FloatArray, of: IntArray, figure: Make) -> Family:
    own, other = (family == 1).astype(np.float64), (family == 0).astype(np.float64)
    n_own, n_other = int(own.sum()), int(other.sum())
    if not n_own or not n_other:
        gone = JudgeValue(None, None, None, Reason.NO_FAMILY, Reason.NO_FAMILY)
        return Family(gone, n_own, n_other)
    features = np.stack([rest * own, own, rest * other, other], axis=1)

    def apart(s: FloatArray) -> FloatArray:
        return _ratio(s[:, :2]) - _ratio(s[:, 2:])

    return Family(figure(features, of, apart), n_own, n_other)


def _ratio(s: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return s[:, 0] / s[:, 1]


def _centred(values: FloatArray, of: IntArray) -> FloatArray:
    mean = np.bincount(of, weights=values) / np.bincount(of) if len(of) else np.zeros(0)
    return values - mean[of] if len(of) else values


def _figure_of_bias(
    features: FloatArray,
    of: IntArray,
    value: Callable[[FloatArray], FloatArray],
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> JudgeValue:
    n = int(of.max(initial=-1)) + 1
    columns = [np.bincount(of, weights=one, minlength=n) for one in features.T]
    sums = np.stack(columns, axis=1).astype(np.float64)
    point = float(value(sums.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(point):
        return JudgeValue(None, None, None, Reason.NO_GROUP_VARIES, Reason.NO_GROUP_VARIES)
    if resamples == 0 or n < 2:
        why = Reason.FEW_QUESTIONS if n < 2 else Reason.NOT_RESAMPLED
        return JudgeValue(point, None, None, None, why)
    scheme = linear.scheme_for(n)
    drawn = linear.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme)
    part = linear.DrawnPart(value(drawn), n)
    found = linear.interval([part], scheme=scheme, level=confidence)
    return JudgeValue(point, found.low, found.high, None, found.reason)
