"""Signals that an annotator needs a look: a sequential test on gold, a CUSUM, exact tail tests.

None of them is a verdict. Each says how often a good annotator would raise it by chance.

References:
    Wald (1947), Sequential Analysis (the sequential probability ratio test).
    Page (1954), Continuous inspection schemes; Montgomery, Introduction to Statistical Quality
    Control, section 9.1 (the tabular CUSUM).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
SIMULATIONS = 4000
#: So many seats say where an annotator stands before the CUSUM watches whether they leave it …
BASE = 8
#: … and so many must follow.
LEAST_AFTER = 5
SLACK = 0.5  # half the shift, in standard deviations, that is to be found soon (Page, Montgomery)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the sequential test tells apart, and how often it may err.

    Args:
        good: the share of gold grades that a good annotator gets right.
        careless: the share that a careless one gets right.
        alpha: the chance to suspect a good annotator before they are cleared, by Wald's bounds.
        beta: the chance to clear a careless one before they are suspected.

    Raises:
        ValueError: the shares are no chances in this order, or an error is not below one half.
    """

    good: float = 0.85
    careless: float = 0.55
    alpha: float = 0.01
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.careless < self.good < 1:
            raise ValueError("The share of a careless annotator must be below that of a good one.")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("Both errors must lie between 0 and one half.")

    @property
    def step_wrong(self) -> float:
        return math.log((1 - self.careless) / (1 - self.good))

    @property
    def step_right(self) -> float:
        return math.log(self.careless / self.good)

    @property
    def upper(self) -> float:
        """Return the bound at which somebody is suspected."""
        return math.log((1 - self.beta) / self.alpha)

    @property
    def lower(self) -> float:
        """Return the bound at which somebody is cleared, and the test begins anew."""
        return math.log(self.beta / (1 - self.alpha))


@dataclass(frozen=True, slots=True)
class Sequential:
    """Where the test stands; `at` is the gold grade, from 1, that raised the signal."""

    n: int
    n_right: int
    score: float
    at: int | None

    @property
    def alarm(self) -> bool:
        return self.at is not None


@dataclass(frozen=True, slots=True)
class Rate:
    """A simulated chance with its standard error."""

    value: float
    se: float


@dataclass(frozen=True, slots=True)
class Cusum:
    """The highest of both sides against a limit; `at` is the value, from 1, that passed it."""

    n: int
    highest: float
    limit: float
    at: int | None
    is_kinder: bool

    @property
    def alarm(self) -> bool:
        return self.at is not None


@dataclass(frozen=True, slots=True)
class Tail:
    """How far out a count lies; `chance` is how often it would lie so far or farther."""

    n: int
    n_hits: int
    expected: float
    chance: float
    alarm: bool
    #: How often the test raises the signal where nothing is wrong: exact, at most what was asked.
    false_alarm: float


def lines(plan: Plan) -> tuple[float, float, float]:
    """Return Wald's lines for counted errors: intercepts to clear and to suspect, and the slope.

    After n grades somebody is cleared with at most `first + slope * n` errors, and suspected with
    at least `second + slope * n`.
    """
    width = plan.step_wrong - plan.step_right
    return plan.lower / width, plan.upper / width, -plan.step_right / width


def sequential(right: BoolArray, plan: Plan) -> Sequential:
    """Follow somebody's gold grades in time; cleared, the test begins anew.

    Args:
        right: whether each gold grade was as known, in the order they were given.
        plan: what is told apart.
    """
    score, at = 0.0, None
    for place, hit in enumerate(right.tolist(), start=1):
        score += plan.step_right if hit else plan.step_wrong
        if score >= plan.upper:
            at = place
            break
        if score <= plan.lower:
            score = 0.0
    return Sequential(len(right), int(right.sum()), score, at)


@lru_cache(maxsize=512)
def alarm_rate(
    plan: Plan, share: float, n: int, *, simulations: int = SIMULATIONS, seed: int = 0
) -> Rate:
    """Return how often the sequential test suspects somebody within n gold grades.

    Args:
        plan: what is told apart.
        share: of their gold grades that are right, each independent of the others.
        n: how many there are.
        simulations: how many annotators are simulated.
        seed: of the simulation.

    Raises:
        ValueError: the share is no chance.
    """
    if not 0 <= share <= 1:
        raise ValueError("A share lies between 0 and 1.")
    rng = np.random.default_rng(seed)
    score, caught = np.zeros(simulations), np.zeros(simulations, dtype=np.bool_)
    for _place in range(n):
        hits = rng.random(simulations) < share
        score += np.where(hits, plan.step_right, plan.step_wrong)
        caught |= score >= plan.upper
        score[score <= plan.lower] = 0.0
    return _rate(float(caught.mean()), simulations)


def _rate(value: float, simulations: int) -> Rate:
    return Rate(value, math.sqrt(max(value * (1 - value), 1 / simulations) / simulations))


def tabular(values: FloatArray, *, target: float, sd: float, slack: float = SLACK) -> FloatArray:
    """Return the upper and the lower tabular CUSUM in standard deviations, shape (2, n).

    Raises:
        ValueError: the standard deviation is not above 0.
    """
    if not sd > 0:
        raise ValueError("The standard deviation must be above 0.")
    z = (values - target) / sd
    made = np.zeros((2, len(z)))
    high = low = 0.0
    for place, one in enumerate(z.tolist()):
        high = max(0.0, high + one - slack)
        low = max(0.0, low - one - slack)
        made[:, place] = high, low
    return made


def drifted(
    values: FloatArray, *, sd: float, alpha: float = 0.01, base: int = BASE, seed: int = 0
) -> Cusum:
    """Say whether somebody left the severity they began with.

    The mean of the first `base` values is where they stand; the CUSUM watches the rest. Its limit
    is simulated for this many values, the estimate of the beginning included, so that a steady
    annotator passes it with chance `alpha`.

    Args:
        values: mean deviation from the others, one of each seat, in time.
        sd: of such a value about its annotator's own mean, over all annotators.
        alpha: how often a steady annotator may raise the signal.
        base: how many values say where they stand.
        seed: of the simulation.

    Raises:
        ValueError: there are too few values, or the standard deviation is not above 0.
    """
    n = len(values)
    if n < base + LEAST_AFTER:
        raise ValueError("There are too few values to watch.")
    target = float(values[:base].mean())
    both = tabular(values[base:], target=target, sd=sd)
    limit = drift_limit(n, alpha, base=base, seed=seed)
    over = np.flatnonzero(both.max(axis=0) > limit)
    highest = float(both.max())
    at = int(over[0]) + base + 1 if len(over) else None
    side = both[:, over[0]] if len(over) else both.max(axis=1)
    return Cusum(n, highest, limit, at, bool(side[0] >= side[1]))


@lru_cache(maxsize=512)
def drift_limit(
    n: int, alpha: float, *, base: int = BASE, simulations: int = SIMULATIONS, seed: int = 0
) -> float:
    """Return the limit that a steady annotator's CUSUM passes within n values with chance alpha."""
    return float(np.quantile(_steady_highest(n, base, simulations, seed), 1 - alpha))


@lru_cache(maxsize=512)
def drift_rate(
    n: int, limit: float, *, base: int = BASE, simulations: int = SIMULATIONS, seed: int = 1
) -> Rate:
    """Return how often a steady annotator passes a limit, by a simulation of its own."""
    highest = _steady_highest(n, base, simulations, seed)
    return _rate(float((highest > limit).mean()), simulations)


def _steady_highest(n: int, base: int, simulations: int, seed: int) -> FloatArray:
    z = np.random.default_rng(seed).standard_normal((simulations, n))
    watched = z[:, base:] - z[:, :base].mean(axis=1, keepdims=True)
    high, low, highest = np.zeros((3, simulations))
    for place in range(watched.shape[1]):
        high = np.maximum(0.0, high + watched[:, place] - SLACK)
        low = np.maximum(0.0, low - watched[:, place] - SLACK)
        highest = np.maximum(highest, np.maximum(high, low))
    return np.asarray(highest, dtype=np.float64)


def few_hits(n_hits: int, n: int, share: float, *, alpha: float = 0.01) -> Tail:
    """Say whether there are fewer hits of n than a usual share of them lets expect.

    Raises:
        ValueError: the counts or the share cannot be.
    """
    _check(n_hits, n, share)
    below = stats.binom.cdf(np.arange(n + 1), n, share)
    false_alarm = float(below[below <= alpha].max(initial=0.0))
    chance = float(below[n_hits])
    return Tail(n, n_hits, n * share, chance, chance <= alpha, false_alarm)


def many_hits(n_hits: int, n: int, share: float, *, alpha: float = 0.01) -> Tail:
    """Say whether there are more hits of n than a usual share of them lets expect.

    Raises:
        ValueError: the counts or the share cannot be.
    """
    _check(n_hits, n, share)
    above = stats.binom.sf(np.arange(n + 1) - 1, n, share)
    false_alarm = float(above[above <= alpha].max(initial=0.0))
    chance = float(above[n_hits])
    return Tail(n, n_hits, n * share, chance, chance <= alpha, false_alarm)


def _check(n_hits: int, n: int, share: float) -> None:
    if not 0 <= n_hits <= n or n < 1:
        raise ValueError("There must be something to count, and no more hits than that.")
    if not 0 <= share <= 1:
        raise ValueError("A share lies between 0 and 1.")
