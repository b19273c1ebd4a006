"""How many questions and annotators a win rate takes, from a round of pairs as pilot.

The rate of a pair, chosen from on K questions by n people who all see each, varies by
σ²(question)/K + σ²(annotator)/n + σ²(residual)/(Kn), where a choice is worth 1, a half or 0.

References:
    As for `scoring.stats.scores.planning`.
"""

import math

import numpy as np
from scipy import special

from scoring.stats.preferences.choices import Choices
from scoring.stats.preferences.rates import laid, values
from scoring.stats.scores.components import moments
from scoring.stats.scores.planning import MAX_QUESTIONS
from scoring.stats.scores.said import PlanComponents


def components(choices: Choices) -> PlanComponents | None:
    """Estimate the variances of what a choice between two systems is worth: the mean over the pairs.

    None where no two people chose between two systems on two questions.
    """
    found = []
    for left, right in choices.pairs:
        rows, worth = choices.of(left, right)
        if not len(rows):
            continue
        adds = (worth - worth.mean()) / len(rows)
        met = values(laid(choices, rows), adds, float(worth.mean()), 0)
        n, q, r = len(met.value), met.layout.n_questions, met.layout.n_raters
        if q > 1 and r > 1 and n > q + r - 1:
            found.append((n, *moments(met)[:3]))
    if not found:
        return None
    weights, parts = np.array([one[0] for one in found]), np.array([one[1:] for one in found])
    mean = np.average(parts, axis=0, weights=weights)
    names = ("question", "rater", "residual")
    cut = tuple(name for name, value in zip(names, mean, strict=True) if value < 0)
    n_questions, n_raters = (len(np.unique(one)) for one in (choices.cluster, choices.rater))
    question, rater, residual = np.maximum(mean, 0.0).tolist()
    n = int(weights.sum())
    return PlanComponents(question, rater, residual, n_questions, n_raters, len(found), n, cut)


def half_width(
    found: PlanComponents, n_questions: int, n_raters: int, *, level: float = 0.95
) -> float:
    """Return half the width of a rate's interval, for other annotators too (normal approximation).

    Raises:
        ValueError: there is no question or no annotator.
    """
    if n_questions < 1 or n_raters < 1:
        raise ValueError("It takes a question and an annotator.")
    rest = (found.question + found.residual / n_raters) / n_questions
    return float(special.ndtri(0.5 + level / 2)) * math.sqrt(rest + found.rater / n_raters)


def questions_for(
    found: PlanComponents, n_raters: int, *, half: float, level: float = 0.95
) -> int | None:
    """Return the least questions with which a rate's interval is so narrow; None if none are enough.

    Args:
        found: the variances of the pilot.
        n_raters: who choose on every question.
        half: half the width that is asked for, as a share.
        level: of the interval.

    Raises:
        ValueError: the width is not between 0 and 1.
    """
    if not 0 < half < 1:
        raise ValueError("Half a width is a share: above 0 and below 1.")
    allowed = (half / float(special.ndtri(0.5 + level / 2))) ** 2 - found.rater / n_raters
    if allowed <= 0:
        return None
    n = max(2, math.ceil((found.question + found.residual / n_raters) / allowed - 1e-9))
    return n if n <= MAX_QUESTIONS else None
