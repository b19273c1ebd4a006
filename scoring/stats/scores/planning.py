"""How many questions and raters it takes to tell two systems apart, from a pilot round.

The difference of two systems, graded by K questions and n raters who all grade everything, varies
by 2[σ²(system × question)/K + σ²(system × rater)/n + σ²(residual)/(Kn)]. The three are estimated
from the paired differences of the pilot, (question × rater) by the method of moments, which needs no
complete design. However many questions are asked, the rater term stays: below it only more raters
help.

References:
    Henderson (1953), Estimation of variance and covariance components (method 1).
    Brennan (2001), Generalizability theory, chapter 4 (crossed random facets).
    Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import special

from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Label
from scoring.stats.scores.components import MeetingLayout, MetValues, moments
from scoring.stats.scores.said import CurvePoint, Need, PlanComponents, PlanFigure, WidthCurve

MAX_QUESTIONS = 100_000


def components(ratings: pd.DataFrame) -> PlanComponents | None:
    """Estimate the variances of paired differences from a pilot's ratings frame.

    Marks are shares of their scale; criteria of one response are averaged. None where no rater
    graded two systems on two questions, or nobody else did.
    """
    table = _shares(ratings)
    found = [one for one in map(_of_pair, _pairs(table)) if one is not None]
    if not found:
        return None
    weights = np.array([one.n_differences for one in found], dtype=np.float64)
    values = np.array([[one.question, one.rater, one.residual] for one in found])
    mean = np.average(values, axis=0, weights=weights)
    cut = tuple(
        name
        for name, value in zip(("question", "rater", "residual"), mean, strict=True)
        if value < 0
    )
    question, rater, residual = np.maximum(mean, 0.0).tolist()
    return PlanComponents(
        question,
        rater,
        residual,
        int(table["group"].nunique()),
        int(table["rater"].nunique()),
        len(found),
        int(weights.sum()),
        cut,
    )


def plan(
    found: PlanComponents | None,
    *,
    delta: float,
    raters: Sequence[int] = (1, 2, 3, 4, 5, 7, 10),
    power: float = 0.8,
    level: float = 0.95,
) -> PlanFigure:
    """Return how many questions each number of raters needs.

    Args:
        found: the variances of the pilot.
        delta: the difference to be found, as a share of the scale.
        raters: numbers of raters to plan with.
        power: the chance of finding it.
        level: of the two-sided test.

    Raises:
        ValueError: delta is not between 0 and 1, or power or level not a share.
    """
    if not 0 < delta <= 1:
        raise ValueError("The difference is a share of the scale: above 0, at most 1.")
    if not (0 < power < 1 and 0 < level < 1):
        raise ValueError("Power and level are shares between 0 and 1.")
    if found is None:
        return PlanFigure(delta, power, level, None, (), None, Reason.NO_PAIRS)
    allowed = (delta / float(special.ndtri(0.5 + level / 2) + special.ndtri(power))) ** 2
    # Two one-sided tests at 1 − level, both of which must succeed where the two are equal.
    equal = (delta / float(special.ndtri(level) + special.ndtri(0.5 + power / 2))) ** 2
    needs = tuple(_need(found, n, allowed, equal) for n in raters)
    least = math.floor(found.rater / allowed) + 1
    return PlanFigure(delta, power, level, found, needs, least, None)


def learning_curve(
    se: float, n_questions: int, *, enough: float, level: float = 0.95
) -> tuple[CurvePoint, ...]:
    """Return the width of an interval against the number of questions, from its standard error now.

    Args:
        se: standard error with `n_questions`.
        n_questions: that it rests on.
        enough: the width that is asked for.
        level: of the interval.

    Raises:
        ValueError: there are fewer than two questions.
    """
    if n_questions < 2:
        raise ValueError("A curve needs at least two questions.")
    steps = sorted(
        {max(2, round(n_questions * step)) for step in (0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 4)}
    )
    made = []
    for n in steps:
        width = 2 * float(special.stdtrit(n - 1, 0.5 + level / 2)) * se * math.sqrt(n_questions / n)
        made.append(CurvePoint(n, width, width <= enough))
    return tuple(made)


def course(
    low: float | None,
    high: float | None,
    n_questions: int,
    *,
    release: Label,
    enough: float,
    level: float = 0.95,
    reason: Reason | None = None,
) -> WidthCurve:
    """Return the learning curve of a release from its interval now.

    Widths beyond the whole scale say nothing and are left out.

    Args:
        low: the interval's lower end, as a share; None where there is none.
        high: its upper end.
        n_questions: that it rests on.
        release: whose it is.
        enough: the width that is asked for, as a share.
        level: of the interval.
        reason: why there is no interval.
    """
    if low is None or high is None or n_questions < 2:
        return WidthCurve(release, n_questions, (), None, reason or Reason.FEW_QUESTIONS)
    width = float(high) - float(low)
    se = width / 2 / float(special.stdtrit(n_questions - 1, 0.5 + level / 2))
    curve = learning_curve(se, n_questions, enough=enough, level=level)
    points = tuple(point for point in curve if point.width <= 1 or point.n_questions == n_questions)
    least = enough_questions(se, n_questions, enough=enough, level=level)
    return WidthCurve(release, n_questions, points, least, None)


def enough_questions(
    se: float, n_questions: int, *, enough: float, level: float = 0.95
) -> int | None:
    """Return the least number of questions with an interval as narrow as asked; None if too many.

    Args:
        se: standard error with `n_questions`.
        n_questions: that it rests on.
        enough: the width that is asked for, above 0.
        level: of the interval.

    Raises:
        ValueError: there are fewer than two questions, or no width is narrow enough.
    """
    if n_questions < 2 or enough <= 0:
        raise ValueError("It needs two questions, and a width above 0.")

    def width(n: int) -> float:
        student = float(special.stdtrit(n - 1, 0.5 + level / 2))
        return 2 * student * se * math.sqrt(n_questions / n)

    if width(MAX_QUESTIONS) > enough:
        return None
    low, high = 1, MAX_QUESTIONS  # width falls with n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if width(middle) <= enough else (middle, high)
    return high


def _need(found: PlanComponents, n: int, allowed: float, equal: float) -> Need:
    n_questions, reason = _questions(found, n, allowed)
    n_grades = n_questions and n_questions * n
    return Need(n, n_questions, n_grades, _questions(found, n, equal)[0], reason)


def _questions(found: PlanComponents, n: int, allowed: float) -> tuple[int | None, Reason | None]:
    """Return how many questions bring the variance down to what is allowed, or why none do."""
    left = allowed - found.rater / n
    if left <= 0:
        return None, Reason.ONLY_MORE_RATERS
    k = math.ceil((found.question + found.residual / n) / left - 1e-9)
    if k > MAX_QUESTIONS:
        return None, Reason.TOO_MANY_QUESTIONS
    return max(2, k), None


def _shares(ratings: pd.DataFrame) -> pd.DataFrame:
    marked = ratings[ratings["value"].notna()]
    width = marked["scale_max"] - marked["scale_min"]
    table = marked[["group", "release", "rater"]].assign(
        share=(marked["value"] - marked["scale_min"]) / width
    )
    table = table[width > 0]
    means = table.groupby(["group", "release", "rater"], observed=True)["share"].mean()
    return means.reset_index()


def _pairs(table: pd.DataFrame) -> Iterator[MetValues]:
    """Yield the differences of every two releases that some raters graded both of."""
    wide = table.set_index(["group", "rater", "release"])["share"].unstack("release")  # noqa: PD010 - no means
    for left, right in itertools.combinations(list(wide.columns), 2):
        both = (wide[left] - wide[right]).dropna()
        if not len(both):
            continue
        question, rater = (
            np.asarray(pd.factorize(both.index.get_level_values(i))[0], dtype=np.int64)
            for i in (0, 1)
        )
        n = len(both)
        stratum = np.zeros(int(question.max()) + 1, dtype=np.int64)
        value, weight = both.to_numpy(np.float64), np.full(n, 1 / n)
        yield MetValues(MeetingLayout(question, rater, stratum), value, weight, n)


def _of_pair(one: MetValues) -> PlanComponents | None:
    n, q, r = len(one.value), one.layout.n_questions, one.layout.n_raters
    if q < 2 or r < 2 or n <= q + r - 1:
        return None
    question, rater, residual, _square = moments(one)
    return PlanComponents(question, rater, residual, q, r, 1, n, ())
