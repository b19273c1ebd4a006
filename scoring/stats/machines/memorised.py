"""What a system's log-probabilities say of having seen a text: mean loss and Min-K% Prob.

References:
    Shi et al. (2024), Detecting Pretraining Data from Large Language Models, section 3; Yu et al.
    (2024), KIEval, table 3 (mean loss on train and test, their difference, area under the curve).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.stats.plain import Reason
from scoring.stats.resampled.linear import FEWEST

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeasuredLosses:
    """Mean loss (nats a token) on texts of both kinds and test less train, with its interval."""

    train: float | None
    test: float | None
    difference: float | None
    low: float | None
    high: float | None
    n_train: int
    n_test: int
    reason: Reason | None = None
    interval_reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class MemorisedArea:
    """The chance that a text of the test split looks more familiar than one of the train split.

    One half is what chance gives. `share` is the k of Min-K%.
    """

    value: float | None
    low: float | None
    high: float | None
    n_train: int
    n_test: int
    share: float
    reason: Reason | None = None
    interval_reason: Reason | None = None


def loss(logprobs: Sequence[float]) -> float:
    """Return the mean loss of a text's tokens, in nats.

    Raises:
        ValueError: there are no tokens, or a log-probability is above 0 or no number.
    """
    _check(logprobs)
    return -math.fsum(logprobs) / len(logprobs)


def min_k(logprobs: Sequence[float], share: float) -> float:
    """Return the mean log-probability of the least likely tokens.

    Args:
        logprobs: of each token of a text given those before it.
        share: of the tokens that are averaged, above 0 and up to 1; at least one token is.

    Raises:
        ValueError: there are no tokens, one is not a log-probability, or the share is out of range.
    """
    _check(logprobs)
    if not 0 < share <= 1:
        raise ValueError("The share of tokens lies above 0 and up to 1.")
    lowest = sorted(logprobs)[: max(1, int(len(logprobs) * share))]
    return math.fsum(lowest) / len(lowest)


def losses(
    train: Sequence[Sequence[float]],
    test: Sequence[Sequence[float]],
    *,
    resamples: int,
    seed: int,
    confidence: float = 0.95,
) -> MeasuredLosses:
    """Return mean losses over texts, and their difference with a percentile interval over texts.

    Raises:
        ValueError: a text has no tokens, no resamples are asked for, or no proper confidence.
    """
    _check_interval(resamples, confidence)
    left = np.array([loss(one) for one in train], float)
    right = np.array([loss(one) for one in test], float)
    if not len(left) or not len(right):
        one, other = (float(of.mean()) if len(of) else None for of in (left, right))
        return MeasuredLosses(one, other, None, None, None, len(left), len(right), Reason.FEW_PAIRS)
    rng = np.random.default_rng([seed, len(left), len(right)])
    drawn = np.array([_resampled(right, rng) - _resampled(left, rng) for _ in range(resamples)])
    few = min(len(left), len(right)) < FEWEST
    low, high = (None, None) if few else _interval(drawn, confidence)
    means = float(left.mean()), float(right.mean())
    return MeasuredLosses(
        *means, means[1] - means[0], low, high, len(left), len(right), None, _why(few)
    )


def area(
    train: Sequence[Sequence[float]],
    test: Sequence[Sequence[float]],
    *,
    share: float,
    resamples: int,
    seed: int,
    confidence: float = 0.95,
) -> MemorisedArea:
    """Return the area under the curve that tells test texts from train texts by Min-K%.

    Ties count one half (Mann and Whitney). The interval resamples texts of both kinds.

    Raises:
        ValueError: as `min_k`; or no resamples are asked for, or no proper confidence.
    """
    _check_interval(resamples, confidence)
    left = np.array([min_k(one, share) for one in train], float)
    right = np.array([min_k(one, share) for one in test], float)
    n = len(left), len(right)
    if not all(n):
        return MemorisedArea(None, None, None, *n, share, Reason.FEW_PAIRS)
    rng = np.random.default_rng([seed, *n])
    drawn = [
        _area(rng.choice(left, len(left)), rng.choice(right, len(right))) for _ in range(resamples)
    ]
    few = min(n) < FEWEST
    low, high = (None, None) if few else _interval(np.array(drawn), confidence)
    return MemorisedArea(_area(left, right), low, high, *n, share, None, _why(few))


def _area(left: FloatArray, right: FloatArray) -> float:
    ordered = np.sort(left)
    below = np.searchsorted(ordered, right, side="left")
    up_to = np.searchsorted(ordered, right, side="right")
    return float((below + up_to).sum()) / (2 * len(left) * len(right))


def _resampled(of: FloatArray, rng: np.random.Generator) -> float:
    return float(rng.choice(of, len(of)).mean())


def _why(few: bool) -> Reason | None:
    return Reason.FEW_TEXTS if few else None


def _interval(drawn: FloatArray, confidence: float) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _check(logprobs: Sequence[float]) -> None:
    if not logprobs or not all(one <= 0 for one in logprobs):
        raise ValueError("A text has log-probabilities, each a number of at most 0.")


def _check_interval(resamples: int, confidence: float) -> None:
    if resamples < 1 or not 0 < confidence < 1:
        raise ValueError("Resamples are at least one, and a confidence lies between 0 and 1.")
