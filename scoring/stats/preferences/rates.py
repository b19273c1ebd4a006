"""Win rates with intervals: of each system against the field, and of every two systems.

* How many questions and annotators a rate takes, from a round of pairs as pilot. The rate of a pair, chosen
  from on K questions by n people who all see each, varies by σ²(question)/K + σ²(annotator)/n +
  σ²(residual)/(Kn), where a choice is worth 1, a half or 0.

Questions are always a sample; annotators are one as well where a figure is to hold for others too
(the components of `scoring.stats.scores.components`). What a choice adds to a rate against the field
is its influence in the fitted model; to that of a pair, its own worth.

References:
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties.
    Huber (1967), The behavior of maximum likelihood estimates under nonstandard conditions.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy import special

from scoring.stats.claims import MARGIN, Certainty, Claim, ClaimEstimate, Ranks
from scoring.stats.claims import Rank as Place
from scoring.stats.plain import Reason
from scoring.stats.preferences.choices import Choices, Tally, tallies
from scoring.stats.preferences.strengths import Strengths, strengths
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.scores import components, differences
from scoring.stats.scores.components import MeetingLayout, MetValues
from scoring.stats.scores.planning import MAX_QUESTIONS
from scoring.stats.scores.said import PlanComponents
from scoring.stats.told import Exact

HALF = Fraction(1, 2)
METHOD = (
    "rates against the field by Davidson's model, of pairs as they were chosen, ties counted half; "
    "interval at {level:.0%} with the variance components of questions and annotators (Henderson's "
    "method I), Student's t; all pairs by Holm's correction"
)


@dataclass(frozen=True, slots=True)
class FieldRate:
    """The expected rate of a system against the mean of the others, as a share."""

    name: Hashable
    these: ClaimEstimate
    others: ClaimEstimate


@dataclass(frozen=True, slots=True)
class PairRate:
    """How often `left` was chosen over `right`, a tie counted half; `value` is that less a half.

    The estimates are of the rate itself; their `p` is that of even chances.
    """

    left: Hashable
    right: Hashable
    value: Exact | None
    these: ClaimEstimate
    others: ClaimEstimate
    certainty: Certainty
    n_raters: int
    tally: Tally


@dataclass(frozen=True, slots=True)
class Rates:
    """Systems from the strongest down, all pairs of them, and the ranks that the pairs allow.

    `reason` says why there is no order: what the field rates lack.
    """

    field: tuple[FieldRate, ...]
    pairs: tuple[PairRate, ...]
    these: Ranks
    others: Ranks
    model: Strengths
    reason: Reason | None
    method: str


def rates(choices: Choices, *, level: float = 0.95, margin: float = MARGIN) -> Rates:
    """Return the win rates of all systems.

    Args:
        choices: at least one.
        level: of the intervals.
        margin: how far from even a pair may be and still be called equal, as a share.

    Raises:
        ValueError: there is no choice, or the margin is not between 0 and 0.5.
    """
    if not len(choices):
        raise ValueError("There is no choice to count.")
    if not 0 < margin < 0.5:
        raise ValueError("A margin is a share: above 0 and below a half.")
    model = strengths(choices)
    field = _field(choices, model, level)
    pairs = tuple(differences.corrected(_pairs(choices, level, margin), 1 - level))
    known = [one.name for one in field if one.these.value is not None]
    unknown = [Place(one.name, None, None, model.reason) for one in field[len(known) :]]
    these, others = (differences.ranks(claim, known, unknown, pairs, 1 - level) for claim in Claim)
    return Rates(field, pairs, these, others, model, model.reason, METHOD.format(level=level))


@dataclass(frozen=True)
class Laid:
    """Which questions and annotators met in some choices: the cell of each choice, and its weight."""

    layout: MeetingLayout
    cell: IntArray
    weight: FloatArray


def laid(choices: Choices, rows: IntArray) -> Laid:
    """Return who met which question in some of the choices, every choice weighing the same.

    Questions of one group are one, of the capability of the first.
    """
    _cluster, first, of_question = np.unique(
        choices.cluster[rows], return_index=True, return_inverse=True
    )
    _rater, of_rater = np.unique(choices.rater[rows], return_inverse=True)
    n_raters = int(of_rater.max()) + 1
    cells, cell = np.unique(of_question * n_raters + of_rater, return_inverse=True)
    weight = np.bincount(cell) / len(rows)
    capability = choices.capability[choices.question[rows[first]]]
    _stratum, stratum = np.unique(capability, return_inverse=True)
    layout = MeetingLayout(cells // n_raters, cells % n_raters, stratum)
    return Laid(layout, cell, weight)


def values(of: Laid, adds: FloatArray, centre: float, n_different: int) -> MetValues:
    """Return the values of each question and annotator that met.

    Args:
        of: the choices that count.
        adds: by how much each of them moves the figure.
        centre: the figure.
        n_different: questions that came out other than the commonest way.
    """
    moved = np.bincount(of.cell, adds) / of.weight
    return MetValues(of.layout, centre + moved, of.weight, n_different)


def _field(choices: Choices, model: Strengths, level: float) -> tuple[FieldRate, ...]:
    if model.reason is not None:
        n = len(np.unique(choices.cluster))
        return tuple(
            FieldRate(
                name,
                ClaimEstimate(Claim.THESE, None, None, None, n, model.reason, model.reason),
                ClaimEstimate(Claim.OTHERS, None, None, None, n, model.reason, model.reason),
            )
            for name in choices.names
        )
    every = laid(choices, np.arange(len(choices)))
    made = [
        values(every, model.influence[i], model.field[i], _different(choices, i))
        for i in range(choices.n_systems)
    ]
    around = components.spread(made, max(1, choices.n_systems - 1))
    found = []
    for i in np.argsort(-model.field, kind="stable").tolist():
        value = Fraction(float(model.field[i]))
        both = components.estimates(value, made[i], around, level=level, is_share=True)
        found.append(FieldRate(choices.names[i], *both))
    return tuple(found)


def _different(choices: Choices, system: int) -> int:
    """Return on how many questions a system did other than the way it did on most."""
    own = (choices.first == system) | (choices.second == system)
    worth = np.where(choices.first == system, choices.worth, 1 - choices.worth)[own]
    _question, of = np.unique(choices.cluster[own], return_inverse=True)
    means = np.round(np.bincount(of, worth) / np.bincount(of), 9)
    return len(means) - int(np.unique(means, return_counts=True)[1].max(initial=0))


def _pairs(choices: Choices, level: float, margin: float) -> Sequence[PairRate]:
    met = [choices.of(left, right) for left, right in choices.pairs]
    told = [
        values(laid(choices, rows), (worth - worth.mean()) / len(rows), worth.mean() - 0.5, 0)
        if len(rows)
        else None
        for rows, worth in met
    ]
    there = [one for one in told if one is not None]
    around = components.spread(there, max(1, min(len(there), choices.n_systems - 1)))
    made = []
    for tally, of in zip(tallies(choices), told, strict=True):
        if of is None:
            these, others = (
                ClaimEstimate(claim, None, None, None, 0, Reason.NEVER_MET, Reason.NEVER_MET)
                for claim in Claim
            )
            made.append(_pair(tally, None, these, others, 0))
            continue
        value = Fraction(2 * tally.won + tally.tied, 2 * tally.n) - HALF
        these, others = components.estimates(
            value, of, around, level=level, is_share=False, margin=margin
        )
        made.append(_pair(tally, value, these, others, of.layout.n_raters))
    return made


def _pair(
    tally: Tally, value: Fraction | None, these: ClaimEstimate, others: ClaimEstimate, n_raters: int
) -> PairRate:
    moved = _as_rate(these), _as_rate(others)
    return PairRate(tally.left, tally.right, value, *moved, Certainty.OPEN, n_raters, tally)


def _as_rate(one: ClaimEstimate) -> ClaimEstimate:
    """Return an estimate of how far from a half as one of the rate."""
    if one.value is None:
        return one
    low, high = (
        None if end is None else min(max(end + 0.5, 0.0), 1.0) for end in (one.low, one.high)
    )
    return replace(one, value=one.value + HALF, low=low, high=high)


def side(choices: Choices, *, level: float = 0.95) -> PairRate:
    """Return how often the answer at A was chosen, whoever gave it; `left` is A, `right` B."""
    worth = choices.worth
    won, lost = int((worth == 1).sum()), int((worth == 0).sum())
    tally = Tally("A", "B", won, len(choices) - won - lost, int(choices.both_bad.sum()), lost)
    every = np.arange(len(choices))
    adds = (worth - worth.mean()) / len(choices)
    of = values(laid(choices, every), adds, worth.mean() - 0.5, 0)
    value = Fraction(2 * won + tally.tied, 2 * tally.n) - HALF
    these, others = components.estimates(
        value, of, components.spread([of]), level=level, is_share=False
    )
    (made,) = differences.corrected(
        [_pair(tally, value, these, others, of.layout.n_raters)], 1 - level
    )
    return made


# -------------------------------------------------------------------------------------- planning
def plan_components(choices: Choices) -> PlanComponents | None:
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
            found.append((n, *components.moments(met)[:3]))
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
