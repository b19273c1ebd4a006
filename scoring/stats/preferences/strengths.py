"""How strong each system is in choices between two: Bradley and Terry's model, with ties by Davidson.

Of two systems with strengths a and b the first is chosen with chance a / (a + b + t √(a b)), and none
with t √(a b) / (a + b + t √(a b)). What is told is a system's expected rate against the field: the
mean over the others of its chance to be chosen, a tie counted half.

References:
    Bradley and Terry (1952), Rank analysis of incomplete block designs.
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties.
    Ford (1957), Solution of a ranking problem from binary comparisons: when there is a maximum.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csgraph

from scoring.stats.plain import Reason
from scoring.stats.preferences.choices import Choices
from scoring.stats.resampled.linear import FloatArray, IntArray

MOST_STEPS = 100
#: A step so short ends the search.
SHORT = 1e-10


@dataclass(frozen=True)
class Strengths:
    """A fitted model, or the reason there is none.

    Attributes:
        names: of the systems.
        logs: natural logarithms of the strengths; their mean is 0.
        log_tie: that of t; None where nobody said a tie.
        rates: systems × systems, the expected rate of the row against the column; 0.5 beside itself.
        field: of each system, the mean of its rates against the others.
        influence: systems × choices, by how much each choice moves the rate against the field, to
            the first order; a row adds up to 0.
        reason: why nothing was fitted.
    """

    names: tuple[Hashable, ...]
    logs: FloatArray
    log_tie: float | None
    rates: FloatArray
    field: FloatArray
    influence: FloatArray
    reason: Reason | None = None


def strengths(choices: Choices) -> Strengths:
    """Fit the model by maximum likelihood (Newton's method).

    There is no maximum where some systems never lost to the others, not even by half: their strength
    would have no end. Of systems that no choices link nothing is known.
    """
    if choices.n_systems < 2:
        return _none(choices, Reason.ONE_SYSTEM)
    if (reason := _endless(choices)) is not None:
        return _none(choices, reason)
    with_ties = bool((choices.worth == 0.5).any())
    kinds, times = _kinds(choices)
    logs, log_tie = np.zeros(choices.n_systems), 0.0
    for _step in range(MOST_STEPS):
        scores, information = _slopes(kinds, logs, log_tie if with_ties else None, times)
        step = np.linalg.lstsq(information, scores @ times, rcond=None)[0]
        step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))  # never farther than it can see
        logs, log_tie = logs + step[: len(logs)], log_tie + (float(step[-1]) if with_ties else 0.0)
        logs -= logs.mean()
        if np.abs(step).max() < SHORT:
            return _fitted(choices, logs, log_tie if with_ties else None)
    return _none(choices, Reason.NOT_CONVERGED)


def _kinds(choices: Choices) -> tuple[Choices, FloatArray]:
    """Return one choice of each kind, and how often it was made: the sides and what it was worth."""
    code = (choices.first * choices.n_systems + choices.second) * 3
    _codes, first, times = np.unique(
        code + (2 * choices.worth).astype(np.int64), return_index=True, return_counts=True
    )
    return choices.kept(first), times.astype(np.float64)


def _endless(choices: Choices) -> Reason | None:
    """Say why there is no maximum, if so: one does not get from every system to every other.

    A step leads from a system to one that it did not lose to.
    """
    a, b = choices.first, choices.second
    won, lost = choices.worth > 0, choices.worth < 1
    rows, columns = np.concatenate([a[won], b[lost]]), np.concatenate([b[won], a[lost]])
    shape = (choices.n_systems, choices.n_systems)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    if csgraph.connected_components(graph, connection="weak")[0] > 1:
        return Reason.NEVER_MET
    is_whole = csgraph.connected_components(graph, connection="strong")[0] == 1
    return None if is_whole else Reason.NEVER_LOST


def chances(
    logs: FloatArray, log_tie: float | None, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return of pairs the rate of the first, a tie counted half, and the chance of a tie."""
    half = (logs[first] - logs[second]) / 2
    tie = 0.0 if log_tie is None else np.exp(log_tie)
    whole = np.exp(half) + np.exp(-half) + tie
    return (np.exp(half) + tie / 2) / whole, np.full(len(half), tie) / whole


def _slopes(
    choices: Choices, logs: FloatArray, log_tie: float | None, times: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return of each choice the slope of its log likelihood (parameters × choices), and the information.

    The information counts each choice so many times.
    """
    rate, tied = chances(logs, log_tie, choices.first, choices.second)
    n, every = len(logs), np.arange(len(choices))
    slope, told = np.zeros((n + (log_tie is not None), len(choices))), choices.worth - rate
    slope[choices.first, every] += told
    slope[choices.second, every] -= told
    won = rate - tied / 2
    spread = (won + tied / 4 - rate**2) * times
    signs = np.zeros((n, len(choices)))
    signs[choices.first, every], signs[choices.second, every] = 1.0, -1.0
    information = np.zeros((len(slope), len(slope)))
    information[:n, :n] = (signs * spread) @ signs.T
    if log_tie is not None:
        slope[n] = (choices.worth == 0.5) - tied
        information[n, n] = (tied * (1 - tied) * times).sum()
        information[:n, n] = information[n, :n] = signs @ (tied * (0.5 - rate) * times)
    return slope, information


def _fitted(choices: Choices, logs: FloatArray, log_tie: float | None) -> Strengths:
    n = len(logs)
    row, column = (one.ravel() for one in np.indices((n, n)))
    rate, tied = chances(logs, log_tie, row, column)
    spread = (rate - tied / 2 + tied / 4 - rate**2).reshape(n, n)
    rates = rate.reshape(n, n)
    np.fill_diagonal(spread, 0.0)
    np.fill_diagonal(rates, 0.5)
    others = n - 1
    # How the rates against the field move with the parameters.
    moved = -spread / others
    np.fill_diagonal(moved, spread.sum(axis=1) / others)
    if log_tie is not None:
        by_tie = (tied * (0.5 - rate)).reshape(n, n)
        np.fill_diagonal(by_tie, 0.0)
        moved = np.column_stack([moved, by_tie.sum(axis=1) / others])
    scores, information = _slopes(choices, logs, log_tie, np.ones(len(choices)))
    influence = moved @ np.linalg.pinv(information, rcond=1e-12) @ scores
    field = (rates.sum(axis=1) - 0.5) / others
    return Strengths(choices.names, logs, log_tie, rates, field, influence)


def _none(choices: Choices, reason: Reason) -> Strengths:
    n = choices.n_systems
    nothing = np.full(n, np.nan)
    rates, influence = np.full((n, n), np.nan), np.zeros((n, len(choices)))
    return Strengths(choices.names, nothing, None, rates, nothing, influence, reason)
