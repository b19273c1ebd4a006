"""A judge of pairs beside people: how often they agree, and what each of them leans towards.

A vote on a pair is 1 for its left answer, 0 for its right one, 0.5 for a tie; NaN is missing. Intervals
leave out one question at a time.

References:
    Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena, section 4.2.
    Cohen (1960), A coefficient of agreement for nominal scales.
    Miller (1974), The jackknife: a review.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from scoring.stats.plain import Reason
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.scores.components import FEWEST_DIFFERENT, LEAST_FREEDOM

LEFT, TIE, RIGHT = 1.0, 0.5, 0.0
VOTES = (LEFT, TIE, RIGHT)
#: What is left of the difference of two sums that are equal.
ROUNDED = 1e-12


@dataclass(frozen=True, slots=True)
class QuestionsEstimate:
    """A figure of `n` votes on `n_questions` questions with its interval, or the reason for none."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_questions: int
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class VotesAgreement:
    """How two sides agree on pairs: on all votes, and where neither says a tie.

    `table` counts votes on the left, ties, votes on the right: one side in rows, the other in columns.
    `kappa` is the mean over every two systems, by their votes.
    """

    with_ties: QuestionsEstimate
    without_ties: QuestionsEstimate
    kappa: QuestionsEstimate
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Leaning:
    """Of votes that are no tie, the share for the answer with some trait; `more` is judge less people."""

    judge: QuestionsEstimate
    people: QuestionsEstimate
    more: QuestionsEstimate


def share(is_so: FloatArray, question: IntArray, *, level: float = 0.95) -> QuestionsEstimate:
    """Return how many of some rows are so.

    Args:
        is_so: 1, 0, or NaN where it is not known.
        question: of each row.
        level: of the interval.

    Raises:
        ValueError: the columns differ in length, or a row holds something else.
    """
    if len(is_so) != len(question):
        raise ValueError("The columns differ in length.")
    there = ~np.isnan(is_so)
    if not np.isin(is_so[there], (0.0, 1.0)).all():
        raise ValueError("A row is so, 1, or it is not, 0.")
    rows = np.stack([is_so, 1 - is_so], axis=1)[there]
    return _estimate(_by_question(rows, question[there]), _ratio, level, is_share=True)


def agreement(
    judge: FloatArray,
    people: FloatArray,
    question: IntArray,
    *,
    systems: IntArray,
    level: float = 0.95,
) -> VotesAgreement:
    """Return how a judge agrees with people: its vote with that of each who chose.

    Args:
        judge: one vote a pair.
        people: pairs × people.
        question: of each pair.
        systems: which two gave the answers of each pair, as a number; those of one number have the
            same one on the left.
        level: of the intervals.

    Raises:
        ValueError: the columns differ in length, or a vote is none.
    """
    _check(judge, people, question, systems)
    pair, person = np.nonzero(~np.isnan(people))
    votes = judge[pair], people[pair, person]
    return _agreement(*votes, question[pair], systems[pair], level)


def among(
    people: FloatArray, question: IntArray, *, systems: IntArray, level: float = 0.95
) -> VotesAgreement:
    """Return how people agree with each other: every two of them on a pair, each in turn the one side.

    Args:
        people: pairs × people.
        question: of each pair.
        systems: as for `agreement`.
        level: of the intervals.

    Raises:
        ValueError: the columns differ in length, or a vote is none.
    """
    _check(np.full(len(people), np.nan), people, question, systems)
    one, other = np.nonzero(~np.eye(people.shape[1], dtype=bool))
    left, right = people[:, one].ravel(), people[:, other].ravel()
    asked, of = (np.repeat(column, len(one)) for column in (question, systems))
    return _agreement(left, right, asked, of, level, weight=0.5)


def leaning(
    trait: FloatArray,
    judge: FloatArray,
    people: FloatArray,
    question: IntArray,
    *,
    level: float = 0.95,
) -> Leaning:
    """Return how often a judge, and people, choose the answer of a pair with a trait, such as length.

    Only pairs count on which the judge and somebody voted.

    Args:
        trait: 1 where the left answer has it, −1 where the right one has; else 0 or NaN.
        judge: one vote a pair.
        people: pairs × people.
        question: of each pair.
        level: of the intervals.

    Raises:
        ValueError: the columns differ in length, or a vote or a trait is none.
    """
    _check(judge, people, question)
    known = np.nan_to_num(trait)
    if len(trait) != len(judge) or not np.isin(known, (-1.0, 0.0, 1.0)).all():
        raise ValueError("A trait is 1, −1, 0 or missing for each pair.")
    there = (known != 0) & ~np.isnan(judge) & (~np.isnan(people)).any(axis=1)
    machine = _toward(known, judge[:, None])[there]
    humans = _toward(known, people)[there]
    tables = _by_question(np.stack([machine, humans], axis=1), question[there])
    return Leaning(
        _estimate(tables[:, 0], _ratio, level, is_share=True),
        _estimate(tables[:, 1], _ratio, level, is_share=True),
        _estimate(tables, lambda sums: _ratio(sums[0]) - _ratio(sums[1]), level, is_share=False),
    )


def _toward(trait: FloatArray, votes: FloatArray) -> FloatArray:
    """Return of each pair how many votes go to the answer with the trait, and how many to the other."""
    chosen = np.where(trait[:, None] > 0, votes, 1 - votes)
    return np.stack([(chosen == LEFT).sum(axis=1), (chosen == RIGHT).sum(axis=1)], axis=1).astype(
        np.float64
    )


def _agreement(
    one: FloatArray,
    other: FloatArray,
    question: IntArray,
    systems: IntArray,
    level: float,
    weight: float = 1.0,
) -> VotesAgreement:
    there = ~np.isnan(one) & ~np.isnan(other)
    codes = [np.searchsorted((RIGHT, TIE, LEFT), side[there]) for side in (one, other)]
    cells = np.zeros((int(there.sum()), 3, 3))
    cells[np.arange(len(cells)), 2 - codes[0], 2 - codes[1]] = weight
    of_systems = _by_systems(cells, question[there], systems[there])
    tables = of_systems.sum(axis=1)
    return VotesAgreement(
        _estimate(tables, _alike, level, is_share=True),
        _estimate(tables[:, ::2, ::2], _alike, level, is_share=True),
        _estimate(of_systems, _kappa, level, is_share=False),
        tuple(tuple(int(n) for n in row) for row in tables.sum(axis=0) / weight),
    )


def _alike(table: FloatArray) -> float:
    n = table.sum()
    return float(np.trace(table) / n) if n > 0 else np.nan


def _kappa(tables: FloatArray) -> float:
    """Return the mean κ of tables, one for every two systems, weighted by their votes.

    In one table of all chance would depend on which of two systems is the left one.
    """
    n = tables.sum(axis=(1, 2))
    tables, n = tables[n > 0], n[n > 0]
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
    alike = np.trace(tables, axis1=1, axis2=2) / n
    known = chance < 1 - ROUNDED
    if not known.any():
        return np.nan
    kappas = (alike[known] - chance[known]) / (1 - chance[known])
    return float(np.average(kappas, weights=n[known]))


def _ratio(sums: FloatArray) -> float:
    n = sums.sum()
    return float(sums[0] / n) if n > 0 else np.nan


def _by_question(rows: FloatArray, question: IntArray) -> FloatArray:
    """Return the sums of rows over each question."""
    made: FloatArray = _by_systems(rows, question, np.zeros_like(question)).sum(axis=1)
    return made


def _by_systems(rows: FloatArray, question: IntArray, systems: IntArray) -> FloatArray:
    """Return the sums of rows over each question and every two systems."""
    known, place = np.unique(question, return_inverse=True)
    pairs, of = np.unique(systems, return_inverse=True)
    made = np.zeros((len(known), len(pairs), *rows.shape[1:]))
    np.add.at(made, (place.ravel(), of.ravel()), rows)
    return made


def _estimate(
    tables: FloatArray, figure: Callable[[FloatArray], float], level: float, *, is_share: bool
) -> QuestionsEstimate:
    tables = tables[tables.sum(axis=tuple(range(1, tables.ndim))) > 0]
    total, n_questions = tables.sum(axis=0), len(tables)
    n, value = round(float(total.sum())), figure(total) if n_questions else np.nan
    if np.isnan(value):
        none = Reason.ONE_LEVEL if n else Reason.FEW_PAIRS
        return QuestionsEstimate(None, None, None, n, n_questions, none)
    without = np.array([figure(total - one) for one in tables])
    spread = float(((without - without.mean()) ** 2).sum())
    error = np.sqrt(spread * (n_questions - 1) / n_questions)
    reason = _unsure(tables, figure, error, is_share=is_share)
    if reason is not None:
        return QuestionsEstimate(value, None, None, n, n_questions, reason)
    half = float(error * special.stdtrit(n_questions - 1, 0.5 + level / 2))
    low, high = _of_share(value, half) if is_share else (value - half, value + half)
    return QuestionsEstimate(value, max(low, -1.0), min(high, 1.0), n, n_questions)


def _unsure(
    tables: FloatArray, figure: Callable[[FloatArray], float], error: float, *, is_share: bool
) -> Reason | None:
    if len(tables) <= LEAST_FREEDOM:
        return Reason.UNDER_SIX
    if np.isnan(error):
        return Reason.FEW_PAIRS
    if error <= ROUNDED:
        return Reason.NO_SPREAD
    own = np.round([figure(one) for one in tables], 9)
    n_alike = int(np.unique(own, return_counts=True)[1].max())
    return Reason.FEW_DIFFERENT if is_share and len(own) - n_alike < FEWEST_DIFFERENT else None


def _of_share(value: float, half: float) -> tuple[float, float]:
    """Return the interval of a share: each end as far off as on the plain or the logit scale."""
    low, high = max(value - half, 0.0), min(value + half, 1.0)
    if not 0 < value < 1:
        return low, high
    at, wide = special.logit(value), half / (value * (1 - value))
    return min(low, float(special.expit(at - wide))), max(high, float(special.expit(at + wide)))


def _check(judge: FloatArray, people: FloatArray, *of_pairs: IntArray) -> None:
    if people.ndim != 2 or len({len(judge), len(people), *map(len, of_pairs)}) > 1:
        raise ValueError("The columns differ in length.")
    for votes in (judge, people):
        if not np.isin(votes[~np.isnan(votes)], VOTES).all():
            raise ValueError("A vote is 1, 0.5 or 0.")
