"""Choices beside grades of the same answers: how often people chose what was graded better.

References:
    Goodman and Kruskal (1954), Measures of association for cross classifications (gamma).
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scoring.stats.claims import Claim, ClaimEstimate
from scoring.stats.plain import Reason
from scoring.stats.preferences.choices import Choices
from scoring.stats.preferences.rates import laid, values
from scoring.stats.preferences.said import GradedApart, GradedPair, GradesBeside
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.scores import components

METHOD = (
    "share of choices, ties left out, that took the answer with the higher mean grade; answers "
    "graded alike are left out; interval at {level:.0%} with the variance components of questions "
    "and annotators (Henderson's method I), Student's t"
)
#: Grades that lie no farther apart are alike: sums of decimals differ in the last digit.
ALIKE = 1e-9


def mean_grades(ratings: pd.DataFrame) -> dict[tuple[Hashable, Hashable], float]:
    """Return the mean grade of every answer by (item, release), as a share of its scale.

    Annotators count alike on a criterion, and so do criteria.

    Args:
        ratings: rows of a ratings frame that count; labels and open scales are left out.
    """
    width = ratings["scale_max"] - ratings["scale_min"]
    rows = ratings[ratings["value"].notna() & (width > 0)]
    share = (rows["value"] - rows["scale_min"]) / (rows["scale_max"] - rows["scale_min"])
    table = rows[["item", "release", "criterion"]].assign(share=share)
    by = table.groupby(["item", "release", "criterion"], observed=True)["share"].mean()
    found = by.groupby(level=["item", "release"], observed=True).mean()
    return {(item, release): float(one) for (item, release), one in found.items()}  # type: ignore[misc,has-type]


@dataclass(frozen=True)
class _Both:
    """The choices between answers of which one was graded better and one was chosen."""

    rows: IntArray
    is_better: FloatArray
    n_tied: int
    n_alike: int
    n_ungraded: int


def beside(
    choices: Choices,
    graded: FloatArray,
    *,
    criterion: str,
    questions: tuple[str, ...],
    most: int = 1_000,
    level: float = 0.95,
) -> GradesBeside:
    """Compare choices with grades.

    Args:
        choices: by one criterion.
        graded: questions × systems, in the order of the choices; NaN where an answer has none.
        criterion: of the choices.
        questions: what each question is called.
        most: how many pairs of answers are told that people chose otherwise.
        level: of the intervals.
    """
    both = _compared(choices, graded)
    better = both.is_better
    n = len(better)
    apart = _apart(choices, graded, questions)
    ends = _estimates(choices, both, level) if n else _nothing()
    return GradesBeside(
        criterion,
        *ends,
        2 * float(better.mean()) - 1 if n else None,
        n,
        both.n_tied,
        both.n_alike,
        both.n_ungraded,
        len(np.unique(choices.rater[both.rows])),
        _by_pair(choices, both),
        tuple(apart[:most]),
        len(apart),
        None if n else Reason.NOTHING_SHARED,
        METHOD.format(level=level),
    )


def _compared(choices: Choices, graded: FloatArray) -> _Both:
    left = graded[choices.question, choices.first]
    right = graded[choices.question, choices.second]
    is_graded = ~(np.isnan(left) | np.isnan(right))
    is_tied = is_graded & (choices.worth == 0.5)
    gap = np.nan_to_num(left - right)
    is_alike = is_graded & ~is_tied & (np.abs(gap) <= ALIKE)
    rows = np.flatnonzero(is_graded & ~is_tied & ~is_alike)
    is_better = ((choices.worth[rows] == 1) == (gap[rows] > 0)).astype(np.float64)
    counts = (int(one.sum()) for one in (is_tied, is_alike, ~is_graded))
    return _Both(rows, is_better, *counts)


def _estimates(choices: Choices, both: _Both, level: float) -> tuple[ClaimEstimate, ClaimEstimate]:
    better, rows = both.is_better, both.rows
    question, of = np.unique(choices.cluster[rows], return_inverse=True)
    means = np.round(np.bincount(of.ravel(), better) / np.bincount(of.ravel()), 9)
    different = len(question) - int(np.unique(means, return_counts=True)[1].max())
    adds = (better - better.mean()) / len(rows)
    found = values(laid(choices, rows), adds, float(better.mean()), different)
    value = Fraction(int(better.sum()), len(rows))
    around = components.spread([found])
    return components.estimates(value, found, around, level=level, is_share=True)


def _nothing() -> tuple[ClaimEstimate, ClaimEstimate]:
    lack = Reason.NOTHING_SHARED
    these, others = (ClaimEstimate(claim, None, None, None, 0, lack, lack) for claim in Claim)
    return these, others


def _by_pair(choices: Choices, both: _Both) -> tuple[GradedPair, ...]:
    first, second = choices.first[both.rows], choices.second[both.rows]
    low, high = np.minimum(first, second), np.maximum(first, second)
    found = []
    for left, right in choices.pairs:
        mine = both.is_better[(low == left) & (high == right)]
        share = float(mine.mean()) if len(mine) else None
        found.append(GradedPair(choices.names[left], choices.names[right], share, len(mine)))
    return tuple(found)


def _apart(choices: Choices, graded: FloatArray, questions: tuple[str, ...]) -> list[GradedApart]:
    """Return the pairs of answers of which most chose the one that was graded worse, widest first."""
    low = np.minimum(choices.first, choices.second)
    high = np.maximum(choices.first, choices.second)
    n = choices.n_systems
    place, at = np.unique((choices.question * n + low) * n + high, return_inverse=True)
    at, is_told = at.ravel(), choices.worth != 0.5
    took = ((choices.worth == 1) == (choices.first == low)) & is_told
    n_low = np.bincount(at, took, minlength=len(place)).astype(int)
    n_told = np.bincount(at, is_told, minlength=len(place)).astype(int)
    question, pair = place // n**2, place % n**2
    left, right = pair // n, pair % n
    gap = graded[question, left] - graded[question, right]
    with np.errstate(invalid="ignore"):
        is_apart = (2 * n_low - n_told) * gap < 0
    is_apart &= np.abs(np.nan_to_num(gap)) > ALIKE
    found = np.flatnonzero(is_apart)
    found = found[np.argsort(-np.abs(gap[found]), kind="stable")]
    return [
        _told(choices, graded, questions, *_sides(one))
        for one in _rows(found, question, left, right, n_low, n_told)
    ]


def _rows(found: IntArray, *columns: Any) -> list[tuple[int, ...]]:
    return list(zip(*(column[found].tolist() for column in columns), strict=True))


def _sides(row: tuple[int, ...]) -> tuple[int, int, int, int, int]:
    """Return a question, who was chosen there, who was not, and by how many of how many."""
    question, left, right, n_low, n_told = row
    if 2 * n_low > n_told:
        return question, left, right, n_low, n_told
    return question, right, left, n_told - n_low, n_told


def _told(
    choices: Choices,
    graded: FloatArray,
    questions: tuple[str, ...],
    question: int,
    chosen: int,
    other: int,
    n_chose: int,
    n: int,
) -> GradedApart:
    return GradedApart(
        questions[question],
        choices.names[chosen],
        choices.names[other],
        float(graded[question, chosen]),
        float(graded[question, other]),
        n_chose,
        n,
    )
