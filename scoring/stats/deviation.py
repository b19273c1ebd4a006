"""How far a judge is from people on one scale: level shift, absolute error, confusion by class.

Both sides are on the same scale here; rescaling by declared ranges comes before (`aggregation`).
For scales of a few levels the judge's level is set against a person's level of the same response;
beside every figure stands that of the *constant predictor*, which always says people's most
frequent level: an accuracy is worth what it has above that.

References:
    Cohen (1960), A coefficient of agreement for nominal scales. Cohen (1968), Weighted kappa.
    van Rijsbergen (1979), Information retrieval, chapter 7 (precision, recall, F).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats import linear, resampling
from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason

#: From sums, a resample a row, to one value for each.
Statistic = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval; `reason` says why there is none, `interval_reason` why no bounds."""

    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    interval_reason: Reason | None


@dataclass(frozen=True, slots=True)
class Deviation:
    """`shift` = mean of judge − people; `mae` and `rmse` in the unit of the scale."""

    shift: Figure
    mae: Figure
    rmse: Figure
    n: int
    n_clusters: int
    n_left_out: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class Class:
    """One level: how often people gave it, the judge said it, and both at once.

    Precision is undefined where the judge never says it, recall where people never give it, F1
    where neither does.
    """

    level: float
    n_human: int
    n_judge: int
    n_both: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Confusion:
    """`table` has people's levels down and the judge's across."""

    levels: tuple[float, ...]
    table: tuple[tuple[int, ...], ...]
    classes: tuple[Class, ...]
    accuracy: Figure
    macro_f1: Figure
    kappa: Figure
    kappa_quadratic: Figure
    constant_level: float | None
    constant_accuracy: float | None
    constant_macro_f1: float | None
    n: int
    n_clusters: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


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
    weights = 1 - ((known[:, None] - known) / max(np.ptp(known), 1e-300)) ** 2
    made = [
        _of_table(one, table, drawn, pieces, confidence)
        for one in (
            _accuracy,
            _macro_f1,
            lambda t: _kappa(t, np.eye(q)),
            lambda t: _kappa(t, weights),
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
    scheme = resampling.scheme_for(len(sums))
    return resampling.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme)


def _figure(of: Statistic, sums: FloatArray, drawn: FloatArray | None, confidence: float) -> Figure:
    if not len(sums):
        return Figure(None, None, None, Reason.FEW_PAIRS, Reason.FEW_PAIRS)
    value = float(of(sums.sum(axis=0, keepdims=True))[0])
    if drawn is None:
        why = Reason.FEW_QUESTIONS if len(sums) < 2 else Reason.NOT_RESAMPLED
        return Figure(value, None, None, None, why)
    scheme = resampling.scheme_for(len(sums))
    part = resampling.Part(of(drawn), len(sums))
    found = resampling.interval([part], scheme=scheme, level=confidence)
    return Figure(value, found.low, found.high, None, found.reason)


def _rooted(of: Figure) -> Figure:
    value, low, high = (
        None if one is None else float(np.sqrt(max(one, 0.0)))
        for one in (of.value, of.low, of.high)
    )
    return Figure(value, low, high, of.reason, of.interval_reason)


def _of_table(
    of: Statistic,
    table: FloatArray,
    drawn: FloatArray | None,
    pieces: linear.Pieces,
    confidence: float,
) -> Figure:
    value = float(of(table)[0])
    if not np.isfinite(value):
        why = Reason.ONE_LEVEL if table.sum() else Reason.FEW_PAIRS
        return Figure(None, None, None, why, why)
    if drawn is None or pieces.n < 2:
        why = Reason.NOT_RESAMPLED if drawn is None else Reason.FEW_QUESTIONS
        return Figure(value, None, None, None, why)
    part = resampling.Part(of(drawn), pieces.n)
    found = resampling.interval([part], scheme=pieces.scheme, level=confidence)
    return Figure(value, found.low, found.high, None, found.reason)


def _accuracy(tables: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))  # type: ignore[no-any-return]


def _macro_f1(tables: FloatArray) -> FloatArray:
    """Return the mean of F1 over the levels that either side used."""
    below = tables.sum(axis=1) + tables.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = 2 * np.diagonal(tables, axis1=1, axis2=2) / below
        return np.where(below > 0, each, 0).sum(axis=1) / (below > 0).sum(axis=1)  # type: ignore[no-any-return]


def _kappa(tables: FloatArray, weights: FloatArray) -> FloatArray:
    n = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = (tables * weights).sum(axis=(1, 2)) / n
        chance = np.einsum("rk,kl,rl->r", tables.sum(axis=2), weights, tables.sum(axis=1)) / n**2
        return np.where(chance < 1 - 1e-12, (seen - chance) / (1 - chance), np.nan)


def _constant(table: FloatArray) -> FloatArray | None:
    """Return the table of a judge that always says people's most frequent level."""
    told = table[0].sum(axis=1)
    if not told.sum():
        return None
    made = np.zeros_like(table)
    made[0, :, int(told.argmax())] = told
    return made


def _classes(table: FloatArray, known: FloatArray) -> tuple[Class, ...]:
    def share(of: float, all_: float) -> float | None:
        return float(of / all_) if all_ else None

    told, by, both = table.sum(axis=1), table.sum(axis=0), np.diagonal(table)
    return tuple(
        Class(
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
