"""Pearson, Spearman, Kendall's τ-b and τ-c of two columns: value, counts, p, interval by formula.

p values are two-sided: Pearson and Spearman by Student's t with n − 2 degrees of freedom; Kendall
exact without ties up to 33 values, else by the normal distribution with the variance corrected for
ties (Kendall 1948, chapter 4).

The interval by formula is Fisher's transformation with the standard errors of Bonett and Wright
(2000), Sample size requirements for estimating Pearson, Kendall and Spearman correlations: 1, √(1 +
r²/2) and √0.437 over √(n − b), with b 3, 3 and 4. There is none for τ-c.

References:
    Kendall (1948), Rank correlation methods. Stuart (1953), The estimation and comparison of
    strengths of association in contingency tables (τ-c).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy import stats as scipy_stats

from scoring.stats.linear import FloatArray
from scoring.stats.reasons import Reason
from scoring.stats.resampling import Interval
from scoring.stats.weighted import Coefficient

NAMES: dict[Coefficient, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall_b": "Kendall's τ-b",
    "kendall_c": "Kendall's τ-c",
}
FISHER = "Fisher's transformation, Bonett and Wright (2000)"
T_TEST = "two-sided, Student's t with n − 2 degrees of freedom"
EXACT = "two-sided, exact"
NOT_INDEPENDENT = "none: what is correlated is not independent; look at the interval"
NORMAL = "two-sided, normal approximation corrected for ties"
EXACT_UP_TO = 33  # values without ties


@dataclass(frozen=True, slots=True)
class Concordance:
    """Pairs of values by how both sides order them; at the item level within groups only."""

    concordant: int
    discordant: int
    tied_judge: int
    tied_human: int
    tied_both: int


@dataclass(frozen=True, slots=True)
class P:
    """A p value and how it was found; None where there is none."""

    value: float | None
    method: str


def coefficient(x: FloatArray, y: FloatArray, name: Coefficient) -> float | None:
    """Return one coefficient of two columns; None where one does not vary."""
    if name in ("kendall_b", "kendall_c"):
        return _kendall(concordance(x, y), x, y, name)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    if name == "spearman":
        x, y = (scipy_stats.rankdata(side) for side in (x, y))
    dx, dy = x - x.mean(), y - y.mean()
    below = math.sqrt(float(dx @ dx)) * math.sqrt(float(dy @ dy))
    return max(-1.0, min(1.0, float(dx @ dy) / below))


def concordance(x: FloatArray, y: FloatArray) -> Concordance:
    """Count pairs; equal values are ties, so exact values should come in."""
    n = len(x)
    everything = n * (n - 1) // 2
    in_x, in_y = _tied(x), _tied(y)
    in_both = _tied(np.stack([x, y], axis=1))
    strict = everything - in_x - in_y + in_both
    if strict == 0:
        net = 0
    else:
        tau = scipy_stats.kendalltau(x, y).statistic
        # τ-b times its denominator is a whole number: the difference of the two counts.
        net = round(float(tau) * math.sqrt(everything - in_x) * math.sqrt(everything - in_y))
    return Concordance(
        (strict + net) // 2, (strict - net) // 2, in_x - in_both, in_y - in_both, in_both
    )


def fisher(name: Coefficient, value: float | None, n: int, *, confidence: float = 0.95) -> Interval:
    """Return the interval of a coefficient of n values by Fisher's transformation."""
    taken, factor = {
        "pearson": (3, 1.0),
        "spearman": (3, math.sqrt(1 + (value or 0) ** 2 / 2)),
        "kendall_b": (4, math.sqrt(0.437)),
        "kendall_c": (4, math.nan),
    }[name]
    reason = (
        Reason.NO_FORMULA
        if math.isnan(factor)
        else Reason.FEW_PAIRS
        if value is None or n <= taken
        else Reason.PERFECT
        if abs(value) == 1
        else None
    )
    if reason is not None or value is None:
        return Interval(None, None, confidence, n, reason)
    half = float(special.ndtri(0.5 + confidence / 2)) * factor / math.sqrt(n - taken)
    centre = math.atanh(value)
    return Interval(math.tanh(centre - half), math.tanh(centre + half), confidence, n, None)


def reason_for(judge: FloatArray, human: FloatArray) -> Reason | None:
    """Say why two columns have no correlation, if they have none."""
    if len(judge) < 2:
        return Reason.FEW_PAIRS
    if np.ptp(judge) == 0:
        return Reason.CONSTANT_JUDGE
    return Reason.CONSTANT_REFERENCE if np.ptp(human) == 0 else None


def p_value(
    name: Coefficient,
    value: float | None,
    judge: FloatArray,
    human: FloatArray,
    counted: Concordance,
) -> P:
    """Return the two-sided p of a coefficient being 0 and how it was found."""
    n = len(judge)
    if name in ("kendall_b", "kendall_c"):
        tied = counted.tied_judge + counted.tied_human + counted.tied_both
        few = n <= EXACT_UP_TO or min(counted.concordant, counted.discordant) <= 1
        method = "exact" if tied == 0 and few else "asymptotic"
        label = EXACT if method == "exact" else NORMAL
        if value is None:
            return P(None, label)
        found = scipy_stats.kendalltau(judge, human, method=method)
        return P(float(found.pvalue), label)
    if value is None or n < 3:
        return P(None, T_TEST)
    if abs(value) == 1:
        return P(0.0, T_TEST)
    t = value * math.sqrt((n - 2) / ((1 - value) * (1 + value)))
    return P(float(2 * special.stdtr(n - 2, -abs(t))), T_TEST)


def _kendall(counted: Concordance, x: FloatArray, y: FloatArray, name: Coefficient) -> float | None:
    net = counted.concordant - counted.discordant
    strict = counted.concordant + counted.discordant
    left, right = strict + counted.tied_human, strict + counted.tied_judge
    if left == 0 or right == 0:
        return None
    if name == "kendall_b":
        # One root of the product, so that equal sides give exactly 1.
        return net / math.sqrt(left * right)
    kinds = min(len(np.unique(x)), len(np.unique(y)))
    return 2 * net * kinds / (len(x) ** 2 * (kinds - 1))


def _tied(column: FloatArray) -> int:
    count = np.unique(column, axis=0, return_counts=True)[1].astype(np.int64)
    return int((count * (count - 1) // 2).sum())
