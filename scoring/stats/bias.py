"""What sways a judge besides quality: length, position, its own family of systems.

The *residual* of a response is judge − people, both as shares of their ranges. Residuals are centred
within the question, so that hard questions do not look like bias.

* Length: the correlation of judge and the logarithm of length over all responses; the partial one
  given people's mean; and the slope: by how much the residual rises where a response is twice as long.
* Position: the mean residual of each position in which the judge saw a response.
* Own family: mean residual of systems of the judge's family − that of the others. A large value is
  self-preference or a family that people underrate on these questions: the two cannot be told apart.

Intervals resample questions.

References:
    Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena, section 3.3.
    Dubois et al. (2024), Length-controlled AlpacaEval, section 3.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.stats import resampling
from scoring.stats.deviation import Figure
from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason

METHOD = "residual = judge − people as shares of their ranges, centred within the question"
FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Length:
    """How scores go with the logarithm of length.

    `overall` is the correlation whatever people say, over all responses; `correlation` that within the
    question at equal grades of people; `slope` in shares of the range for each doubling of the length.
    """

    overall: Figure
    correlation: Figure
    slope: Figure
    n: int


@dataclass(frozen=True, slots=True)
class Position:
    """The mean residual of what stood at a position (from 1)."""

    position: int
    n: int
    residual: Figure


@dataclass(frozen=True, slots=True)
class Family:
    """Own family less the others."""

    difference: Figure
    n_own: int
    n_other: int


@dataclass(frozen=True, slots=True)
class Bias:
    length: Length
    positions: tuple[Position, ...]
    position_reason: Reason | None
    family: Family
    n: int
    n_clusters: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


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
    ) -> Figure:
        return _figure(features, at, value, resamples, confidence, rng)

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


Make = Callable[[FloatArray, IntArray, Callable[[FloatArray], FloatArray]], Figure]


def _length(x: FloatArray, y: FloatArray, long: FloatArray, of: IntArray, figure: Make) -> Length:
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log2(long)
    known = np.isfinite(log)
    n = int(known.sum())
    if n < 4:
        gone = Figure(None, None, None, Reason.NO_LENGTHS, Reason.NO_LENGTHS)
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
) -> tuple[tuple[Position, ...], Reason | None]:
    known = np.unique(place[~np.isnan(place)])
    if len(known) < 2:
        return (), Reason.NO_POSITIONS
    made = []
    for one in known:
        here = (place == one).astype(np.float64)
        features = np.stack([rest * here, here], axis=1)
        made.append(Position(int(one), int(here.sum()), figure(features, of, _ratio)))
    return tuple(made), None


def _family(rest: FloatArray, family: FloatArray, of: IntArray, figure: Make) -> Family:
    own, other = (family == 1).astype(np.float64), (family == 0).astype(np.float64)
    n_own, n_other = int(own.sum()), int(other.sum())
    if not n_own or not n_other:
        gone = Figure(None, None, None, Reason.NO_FAMILY, Reason.NO_FAMILY)
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


def _figure(
    features: FloatArray,
    of: IntArray,
    value: Callable[[FloatArray], FloatArray],
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Figure:
    n = int(of.max(initial=-1)) + 1
    columns = [np.bincount(of, weights=one, minlength=n) for one in features.T]
    sums = np.stack(columns, axis=1).astype(np.float64)
    point = float(value(sums.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(point):
        return Figure(None, None, None, Reason.NO_GROUP_VARIES, Reason.NO_GROUP_VARIES)
    if resamples == 0 or n < 2:
        why = Reason.FEW_QUESTIONS if n < 2 else Reason.NOT_RESAMPLED
        return Figure(point, None, None, None, why)
    scheme = resampling.scheme_for(n)
    drawn = resampling.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme)
    part = resampling.Part(value(drawn), n)
    found = resampling.interval([part], scheme=scheme, level=confidence)
    return Figure(point, found.low, found.high, None, found.reason)
