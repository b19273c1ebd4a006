"""Signals that an annotator needs a look: a sequential test on gold, exact tail tests.

None of them is a verdict. Each says how often a good annotator would raise it by chance.

References:
    Wald (1947), Sequential Analysis (the sequential probability ratio test).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from scoring.stats.people.said import SignalHits

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
SIMULATIONS = 4000


@dataclass(frozen=True, slots=True)
class WatchingPlan:
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
class SimulatedRate:
    """A simulated chance with its standard error."""

    value: float
    se: float


def lines(plan: WatchingPlan) -> tuple[float, float, float]:
    """Return Wald's lines for counted errors: intercepts to clear and to suspect, and the slope.

    After n grades somebody is cleared with at most `first + slope * n` errors, and suspected with
    at least `second + slope * n`.
    """
    width = plan.step_wrong - plan.step_right
    return plan.lower / width, plan.upper / width, -plan.step_right / width


def sequential(right: BoolArray, plan: WatchingPlan) -> Sequential:
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
    plan: WatchingPlan, share: float, n: int, *, simulations: int = SIMULATIONS, seed: int = 0
) -> SimulatedRate:
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


def _rate(value: float, simulations: int) -> SimulatedRate:
    return SimulatedRate(value, math.sqrt(max(value * (1 - value), 1 / simulations) / simulations))


def few_hits(n_hits: int, n: int, share: float, *, alpha: float = 0.01) -> SignalHits:
    """Say whether there are fewer hits of n than a usual share of them lets expect.

    Raises:
        ValueError: the counts or the share cannot be.
    """
    _check(n_hits, n, share)
    below = stats.binom.cdf(np.arange(n + 1), n, share)
    false_alarm = float(below[below <= alpha].max(initial=0.0))
    chance = float(below[n_hits])
    return SignalHits(n, n_hits, n * share, chance, chance <= alpha, false_alarm)


def many_hits(n_hits: int, n: int, share: float, *, alpha: float = 0.01) -> SignalHits:
    """Say whether there are more hits of n than a usual share of them lets expect.

    Raises:
        ValueError: the counts or the share cannot be.
    """
    _check(n_hits, n, share)
    above = stats.binom.sf(np.arange(n + 1) - 1, n, share)
    false_alarm = float(above[above <= alpha].max(initial=0.0))
    chance = float(above[n_hits])
    return SignalHits(n, n_hits, n * share, chance, chance <= alpha, false_alarm)


def _check(n_hits: int, n: int, share: float) -> None:
    if not 0 <= n_hits <= n or n < 1:
        raise ValueError("There must be something to count, and no more hits than that.")
    if not 0 <= share <= 1:
        raise ValueError("A share lies between 0 and 1.")
