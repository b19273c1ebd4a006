"""Several evaluators of the same dialogues: their votes, and how far two of them go together.

Everything is read off scores that are there: evaluators × aspects × candidates × questions, NaN where
an evaluator has no score of a dialogue.

References:
    Yu et al. (2024), KIEval, tables 13 (scores by evaluator) and 14 (correlation of two evaluators over
    systems × aspects). Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 12
    (intervals of Student's form with a resampled standard error, on a transformed scale).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from scipy import special
from scipy import stats as scipy_stats

from scoring.stats.judges import coefficients
from scoring.stats.judges.coefficients import NAMES
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.told import Coefficient

Vote = Literal["mean", "median"]
COEFFICIENTS: Final[tuple[Coefficient, ...]] = ("pearson", "spearman", "kendall_b")
METHOD: Final = (
    "Mean scores by system × aspect; Fisher's z and Student's t with a standard error from questions "
    "resampled within data sets"
)


@dataclass(frozen=True, slots=True)
class EvaluatorPair:
    """One coefficient of two evaluators over systems × aspects; `n` counts those points."""

    coefficient: Coefficient
    name: str
    value: float | None
    reason: Reason | None
    p: float | None
    p_method: str
    low: float | None
    high: float | None
    interval_reason: Reason | None
    n: int


def voted(scores: FloatArray, vote: Vote) -> FloatArray:
    """Return the panel's scores: one vote for each evaluator, NaN where any of them has no score.

    Args:
        scores: evaluators × anything.
        vote: the mean of the evaluators' scores, or their median.

    Raises:
        ValueError: there is no evaluator, or no such vote.
    """
    if vote not in ("mean", "median"):
        raise ValueError(f"There is no vote {vote!r}. Choose mean or median.")
    if not len(scores):
        raise ValueError("A panel needs at least one evaluator.")
    made: FloatArray = np.mean(scores, axis=0) if vote == "mean" else np.median(scores, axis=0)
    return made


def together(
    left: FloatArray,
    right: FloatArray,
    dataset: IntArray,
    *,
    names: Sequence[Coefficient] = COEFFICIENTS,
    resamples: int = 1_000,
    seed: int = 0,
    as_published: bool = False,
) -> tuple[EvaluatorPair, ...]:
    """Correlate two evaluators over systems × aspects, on the dialogues that both have a score of.

    The aspects of a system are no independent points, so that there is no p over several of them.

    Args:
        left, right: aspects × candidates × questions.
        dataset: number of each question's data set, from 0; a mean over data sets is a point.
        names: coefficients.
        resamples: of questions, for the intervals.
        seed: where chance comes from.
        as_published: have a p all the same, which takes every point for independent.

    Raises:
        ValueError: shapes differ.
    """
    if left.shape != right.shape or left.shape[2:] != dataset.shape:
        raise ValueError("The evaluators' scores and the data sets differ in shape.")
    both = ~np.isnan(left) & ~np.isnan(right)
    sides = [np.where(both, one, 0.0).reshape(-1, len(dataset)) for one in (left, right)]
    known = both.reshape(-1, len(dataset)).astype(float)
    ones = np.ones((1, len(dataset)))
    x, y = (_points(one, known, dataset, ones)[0] for one in sides)
    there = np.isfinite(x)
    drawn = None
    if resamples and len(dataset) >= resampling.FEWEST and there.any():
        weights = _weights(dataset, resamples, np.random.default_rng([seed, len(dataset)]))
        first, second = (_points(one, known, dataset, weights)[:, there] for one in sides)
        drawn = first, second
    made = [_one(name, x[there], y[there], drawn, len(dataset)) for name in names]
    if len(left) > 1 and not as_published:
        made = [replace(one, p=None, p_method=coefficients.NOT_INDEPENDENT) for one in made]
    return tuple(made)


def _one(
    name: Coefficient,
    x: FloatArray,
    y: FloatArray,
    drawn: tuple[FloatArray, FloatArray] | None,
    n_questions: int,
) -> EvaluatorPair:
    reason = coefficients.reason_for(x, y)
    value = None if reason else coefficients.coefficient(x, y, name)
    counted = coefficients.concordance(x, y) if len(x) > 1 else None
    p = coefficients.p_value(name, value, x, y, counted) if counted is not None else None
    low = high = None
    why: Reason | None = reason or Reason.FEW_QUESTIONS
    if drawn is not None and reason is None:
        low, high, why = _bounds(value, of_rows(*drawn, name), n_questions)
    return EvaluatorPair(
        coefficient=name,
        name=NAMES[name],
        value=value,
        reason=reason,
        p=p.value if p else None,
        p_method=p.method if p else "",
        low=low,
        high=high,
        interval_reason=why,
        n=len(x),
    )


def _bounds(
    value: float | None, drawn: FloatArray, n_questions: int
) -> tuple[float | None, float | None, Reason | None]:
    """Return the interval around Fisher's z of the value, as wide as its resamples are spread.

    Percentiles would lie too low: a resample has more noise than the sample, and noise weakens a
    correlation.
    """
    if value is None or abs(value) >= 1 - 1e-12:
        return None, None, Reason.PERFECT
    known = drawn[np.isfinite(drawn) & (np.abs(drawn) < 1)]
    if len(known) < len(drawn) / 2:
        return None, None, Reason.EMPTY_RESAMPLES
    spread = float(np.arctanh(known).std(ddof=1)) * math.sqrt(n_questions / (n_questions - 1))
    if spread < 1e-12:
        return None, None, Reason.NO_SPREAD
    half = float(special.stdtrit(n_questions - 1, 0.975)) * spread
    centre = math.atanh(value)
    return math.tanh(centre - half), math.tanh(centre + half), None


def of_rows(x: FloatArray, y: FloatArray, name: Coefficient) -> FloatArray:
    """Return a coefficient of each row of x with that of y; NaN where a side does not vary.

    Raises:
        ValueError: the coefficient is not computed by rows.
    """
    if name == "kendall_b":
        return _kendall(x, y)
    if name not in ("pearson", "spearman"):
        raise ValueError(f"{name} is not computed by rows.")
    if name == "spearman":
        x, y = (scipy_stats.rankdata(side, axis=1, nan_policy="propagate") for side in (x, y))
    dx, dy = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    below = np.sqrt((dx**2).sum(axis=1) * (dy**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        made: FloatArray = np.where(below > 0, (dx * dy).sum(axis=1) / below, np.nan)
    return made


def _kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    above = np.triu_indices(x.shape[1], k=1)
    sx, sy = (np.sign(side[:, above[0]] - side[:, above[1]]) for side in (x, y))
    below = np.sqrt((sx**2).sum(axis=1) * (sy**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        made: FloatArray = np.where(below > 0, (sx * sy).sum(axis=1) / below, np.nan)
    return made


def _points(
    scores: FloatArray, known: FloatArray, dataset: IntArray, weights: FloatArray
) -> FloatArray:
    """Return the mean over data sets of each row's mean over questions: resamples × rows."""
    total = np.zeros((len(weights), len(scores)))
    count = np.zeros_like(total)
    for one in np.unique(dataset):
        place = np.flatnonzero(dataset == one)
        above = weights[:, place] @ scores[:, place].T
        below = weights[:, place] @ known[:, place].T
        total += np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        count += below > 0
    made: FloatArray = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return made


def _weights(dataset: IntArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each question is drawn in each resample, within its data set."""
    made = np.zeros((resamples, len(dataset)))
    for one in np.unique(dataset):
        place = np.flatnonzero(dataset == one)
        made[:, place] = rng.multinomial(len(place), np.full(len(place), 1 / len(place)), resamples)
    return made
