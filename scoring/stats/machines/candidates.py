"""Candidates beside each other on the same questions: scores per data set and over them, and pairs.

A candidate's score of a data set is the mean over its dialogues that have a score; overall is the mean
over data sets. Intervals resample questions within each data set, the same ones for all candidates. A
data set with a single scored question would come out the same in every resample, as if it were known
for certain: where one is among them there is no interval, nor where all questions came out the same.

References:
    Yu et al. (2024), KIEval, section 3.4 (aggregation) and tables 2 and 15–19; Efron and Tibshirani
    (1993), An Introduction to the Bootstrap, chapter 13 (percentile intervals).
"""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats import multiple
from scoring.stats.plain import Reason

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
#: Below so many questions an interval would say more than is known.
FEWEST = 5
#: Fewer of a single data set cannot show by resampling how far its mean may vary.
FEWEST_OF_A_SET = 2
#: Means of 0 to 100 that are closer differ by rounding alone.
SAME = 1e-9
CONFIDENCE = 0.95
METHOD = "percentile bootstrap over questions within data sets"
TEST = "paired permutation: signs of the differences of shared questions drawn at random"


@dataclass(frozen=True, slots=True)
class CandidateScore:
    """The value, its interval, and how many dialogues have a score of how many that were held."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_held: int
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """One candidate's score over all data sets and in each, in the order of the data sets."""

    overall: CandidateScore
    datasets: tuple[CandidateScore, ...]


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """Left less right on the questions both have a score for; p two-sided, and after Holm's correction.

    Where a data set has a single such question, or all differ by the same, there is a p, but no interval.
    """

    left: int
    right: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    n: int
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Standings:
    candidates: tuple[CandidateScores, ...]
    pairs: tuple[CandidatePair, ...]
    n_questions: int
    resamples: int
    seed: int
    method: str = METHOD
    test: str = TEST


def standings(
    scores: FloatArray,
    held: npt.NDArray[np.bool_],
    dataset: IntArray,
    *,
    resamples: int,
    seed: int,
    pairs: bool = True,
) -> Standings:
    """Return the scores of candidates with intervals, and every pair of them compared.

    Args:
        scores: candidates × questions, 0 to 100; NaN where a dialogue has no score.
        held: candidates × questions, whether a dialogue was held at all.
        dataset: number of each question's data set, from 0.
        resamples: for intervals and for tests.
        seed: where chance comes from.
        pairs: whether pairs are compared as well.

    Raises:
        ValueError: shapes differ, or a dialogue that was not held has a score.
    """
    if scores.shape != held.shape or scores.shape[1:] != dataset.shape:
        raise ValueError("Scores, dialogues held and data sets differ in shape.")
    if (~held & ~np.isnan(scores)).any():
        raise ValueError("A dialogue that was not held has no score.")
    rng = np.random.default_rng([seed, *scores.shape])
    weights = _weights(dataset, resamples, rng)
    n_sets = int(dataset.max()) + 1 if len(dataset) else 0
    places = [np.flatnonzero(dataset == one) for one in range(n_sets)]
    made = tuple(_candidate(scores[one], held[one], places, weights) for one in range(len(scores)))
    found = [
        _pair(left, right, scores, places, weights, rng)
        for left, right in itertools.combinations(range(len(scores) if pairs else 0), 2)
    ]
    corrected = multiple.holm([one.p for one in found])
    compared = tuple(
        CandidatePair(
            one.left, one.right, one.value, one.low, one.high, one.p, p, one.n, one.reason
        )
        for one, p in zip(found, corrected, strict=True)
    )
    return Standings(made, compared, len(dataset), resamples, seed)


def parts(
    scores: FloatArray,
    held: npt.NDArray[np.bool_],
    part: IntArray,
    *,
    resamples: int,
    seed: int,
) -> tuple[tuple[CandidateScore, ...], ...]:
    """Return each candidate's score in each part of the questions, such as a capability.

    Args:
        scores: candidates × questions, 0 to 100; NaN where a dialogue has no score.
        held: candidates × questions, whether a dialogue was held at all.
        part: number of each question's part, from 0; -1 where it is in none.
        resamples: of the questions of a part, for intervals.
        seed: where chance comes from.

    Raises:
        ValueError: shapes differ, or a dialogue that was not held has a score.
    """
    inside = part >= 0
    found = standings(
        scores[:, inside],
        held[:, inside],
        part[inside],
        resamples=resamples,
        seed=seed,
        pairs=False,
    )
    return tuple(one.datasets for one in found.candidates)


def rank(values: list[float | None]) -> list[float | None]:
    """Return ranks from 1 for the highest, ties sharing the mean; None stays None."""
    known = [one for one in values if one is not None]
    return [
        None
        if one is None
        else 1 + sum(other > one for other in known) + (known.count(one) - 1) / 2
        for one in values
    ]


def _weights(dataset: IntArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each question is drawn in each resample: resamples × questions."""
    made = np.zeros((resamples, len(dataset)))
    for one in np.unique(dataset):
        place = np.flatnonzero(dataset == one)
        made[:, place] = rng.multinomial(len(place), np.full(len(place), 1 / len(place)), resamples)
    return made


def _candidate(
    scores: FloatArray,
    held: npt.NDArray[np.bool_],
    places: list[npt.NDArray[np.intp]],
    weights: FloatArray,
) -> CandidateScores:
    sets = [_score(scores[place], int(held[place].sum()), weights[:, place]) for place in places]
    n = int((~np.isnan(scores)).sum())
    n_held = int(held.sum())
    known = [one.value for one in sets if one.value is not None]
    if not known:
        return CandidateScores(
            CandidateScore(None, None, None, n, n_held, Reason.NO_SCORES), tuple(sets)
        )
    value = float(np.mean(known))
    if n >= FEWEST and _holds_a_single(scores, places):
        overall = CandidateScore(value, None, None, n, n_held, Reason.FEW_QUESTIONS)
        return CandidateScores(overall, tuple(sets))
    drawn = np.mean(
        [
            _means(scores[place], weights[:, place])
            for place, one in zip(places, sets, strict=True)
            if one.value is not None
        ],
        axis=0,
    )
    return CandidateScores(_with_interval(value, drawn, n, n_held), tuple(sets))


def _score(scores: FloatArray, n_held: int, weights: FloatArray) -> CandidateScore:
    known = ~np.isnan(scores)
    n = int(known.sum())
    if n == 0:
        return CandidateScore(None, None, None, n, n_held, Reason.NO_SCORES)
    return _with_interval(float(scores[known].mean()), _means(scores, weights), n, n_held)


def _with_interval(value: float, drawn: FloatArray, n: int, n_held: int) -> CandidateScore:
    if n < FEWEST:
        return CandidateScore(value, None, None, n, n_held, Reason.FEW_SCORED)
    low, high = _percentiles(drawn)
    if low is None:
        return CandidateScore(value, None, None, n, n_held, Reason.NO_SPREAD)
    return CandidateScore(value, low, high, n, n_held)


def _holds_a_single(values: FloatArray, places: list[npt.NDArray[np.intp]]) -> bool:
    """Say whether a data set has a value of some questions, but of too few to resample them."""
    counts = [int((~np.isnan(values[place])).sum()) for place in places]
    return any(0 < one < FEWEST_OF_A_SET for one in counts)


def _means(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean score in each resample, NaN where none of its questions has one."""
    known = ~np.isnan(scores)
    count = weights @ known.astype(float)
    total = weights @ np.where(known, scores, 0.0)
    made: FloatArray = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return made


def _percentiles(drawn: FloatArray) -> tuple[float, float] | tuple[None, None]:
    """Return the bounds; none where all resamples came out the same, which shows nothing."""
    if np.nanmax(drawn) - np.nanmin(drawn) < SAME:
        return None, None
    low, high = np.nanquantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _pair(
    left: int,
    right: int,
    scores: FloatArray,
    places: list[npt.NDArray[np.intp]],
    weights: FloatArray,
    rng: np.random.Generator,
) -> CandidatePair:
    apart = scores[left] - scores[right]
    n = int((~np.isnan(apart)).sum())
    shared = [place for place in places if not np.isnan(apart[place]).all()]
    if n == 0:
        return CandidatePair(left, right, None, None, None, None, None, 0, Reason.FEW_COMMON)
    value = float(np.mean([np.nanmean(apart[place]) for place in shared]))
    if n < FEWEST:
        return CandidatePair(left, right, value, None, None, None, None, n, Reason.FEW_COMMON)
    p = _permuted(apart, shared, value, len(weights), rng)
    if _holds_a_single(apart, shared):
        return CandidatePair(left, right, value, None, None, p, None, n, Reason.FEW_QUESTIONS)
    drawn = np.mean([_means(apart[place], weights[:, place]) for place in shared], axis=0)
    low, high = _percentiles(drawn)
    if low is None:
        return CandidatePair(left, right, value, None, None, p, None, n, Reason.NO_SPREAD)
    return CandidatePair(left, right, value, low, high, p, None, n)


def _permuted(
    apart: FloatArray,
    shared: list[npt.NDArray[np.intp]],
    value: float,
    resamples: int,
    rng: np.random.Generator,
) -> float:
    signs = rng.choice([-1.0, 1.0], size=(resamples, len(apart)))
    drawn = np.mean(
        [
            (signs[:, place] @ np.nan_to_num(apart[place])) / (~np.isnan(apart[place])).sum()
            for place in shared
        ],
        axis=0,
    )
    beyond = int((np.abs(drawn) >= abs(value) - 1e-9).sum())
    return (1 + beyond) / (1 + resamples)
