"""Win rates at equal length: what is left of them once longer answers are no longer preferred for it.

A logistic model of all choices: log-odds of the first are the difference of the systems' strengths plus
a slope times tanh(d / s), d being by how many characters it is longer, and s the root of their mean square.

References:
    Dubois et al. (2024), Length-controlled AlpacaEval: a simple way to debias automatic evaluators,
    section 3.
    Liang and Zeger (1986), Longitudinal data analysis using generalized linear models.
    Fitted by `statsmodels` GLM.
"""

import warnings
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy import special
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

from scoring.stats.plain import Reason
from scoring.stats.preferences.choices import Choices
from scoring.stats.preferences.strengths import strengths
from scoring.stats.resampled.linear import FloatArray
from scoring.stats.scores.components import LEAST_FREEDOM

LEAST_LENGTHS = 4
#: Log-odds beyond these are those of a model without a maximum.
ENDLESS = 15.0


@dataclass(frozen=True, slots=True)
class EqualLengthRate:
    """The rate of a system against the mean of the others at equal length, as a share."""

    name: Hashable
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class EqualLength:
    """Rates of all systems, and the rate of the longer one of two equally strong ones.

    It is longer by `scale` characters; `longer` has no name.
    """

    rates: tuple[EqualLengthRate, ...]
    longer: EqualLengthRate
    scale: float | None
    n_questions: int


def equal_length(choices: Choices, longer: FloatArray, *, level: float = 0.95) -> EqualLength:
    """Return win rates at equal length, with intervals by questions.

    Args:
        choices: at least one.
        longer: by how many characters the first answer is longer; NaN is unknown, and left out.
        level: of the intervals.

    Raises:
        ValueError: the columns differ in length.
    """
    if len(longer) != len(choices):
        raise ValueError("The columns differ in length.")
    there = np.flatnonzero(~np.isnan(longer))
    counted, gaps = choices.kept(there), longer[there]
    n = len(np.unique(counted.cluster))
    scale = float(np.sqrt((gaps**2).mean())) if len(gaps) else 0.0
    if len(gaps) < LEAST_LENGTHS or scale == 0:
        return _nothing(choices, Reason.NO_LENGTHS, n)
    if (reason := strengths(counted).reason) is not None:
        return _nothing(choices, reason, n)
    fitted = _fit(counted, np.tanh(gaps / scale))
    if fitted is None:
        return _nothing(choices, Reason.NOT_CONVERGED, n)
    logs, slope, spread = fitted
    of = [
        _rate(name, _field(logs, place), spread, n, level)
        for place, name in enumerate(choices.names)
    ]
    step = float(np.tanh(1.0))
    chance = float(special.expit(slope * step))
    moved = np.zeros(len(spread))
    moved[-1] = chance * (1 - chance) * step
    return EqualLength(tuple(of), _rate("", (chance, moved), spread, n, level), scale, n)


def _fit(choices: Choices, long: FloatArray) -> tuple[FloatArray, float, FloatArray] | None:
    """Return strengths (the first is 0), slope, and their covariance; None where there is no maximum."""
    every, n = np.arange(len(choices)), choices.n_systems
    signs = np.zeros((len(choices), n))
    signs[every, choices.first] += 1
    signs[every, choices.second] -= 1
    table = np.column_stack([signs[:, 1:], long])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warnings.simplefilter("error", PerfectSeparationWarning)
        try:
            found = GLM(choices.worth, table, family=Binomial()).fit(
                cov_type="cluster", cov_kwds={"groups": choices.cluster}
            )
        except (ConvergenceWarning, PerfectSeparationWarning, np.linalg.LinAlgError):
            return None
    params = np.asarray(found.params, dtype=np.float64)
    if not np.isfinite(params).all() or np.abs(table @ params).max() > ENDLESS:
        return None
    spread = np.asarray(found.cov_params(), dtype=np.float64)
    return np.concatenate([[0.0], params[:-1]]), float(params[-1]), spread


def _field(logs: FloatArray, place: int) -> tuple[float, FloatArray]:
    """Return a system's rate against the field, and how it moves with each parameter."""
    others = np.delete(np.arange(len(logs)), place)
    each = special.expit(logs[place] - logs[others])
    slopes = each * (1 - each) / len(others)
    moved = np.zeros(len(logs) + 1)
    moved[others] = -slopes
    moved[place] = slopes.sum()
    return float(each.mean()), moved[1:]


def _rate(
    name: Hashable, of: tuple[float, FloatArray], spread: FloatArray, n: int, level: float
) -> EqualLengthRate:
    value, moved = of
    variance = float(moved @ spread @ moved)
    if n <= LEAST_FREEDOM:
        return EqualLengthRate(name, value, None, None, n, Reason.UNDER_SIX)
    if not variance > 0:
        return EqualLengthRate(name, value, None, None, n, Reason.NO_SPREAD)
    half = np.sqrt(variance) * special.stdtrit(n - 1, 0.5 + level / 2) / (value * (1 - value))
    at = special.logit(value)
    low, high = (float(special.expit(at + sign * half)) for sign in (-1, 1))
    return EqualLengthRate(name, value, low, high, n, None)


def _nothing(choices: Choices, reason: Reason, n: int) -> EqualLength:
    def none(name: Hashable) -> EqualLengthRate:
        return EqualLengthRate(name, None, None, None, n, reason)

    return EqualLength(tuple(map(none, choices.names)), none(""), None, n)
