"""Pearson, Spearman, Kendall's τ-b and τ-c of two columns: value, counts, p, interval by formula.

* Correlation of a judge with people: Pearson, Spearman, Kendall's τ-b and τ-c, at three levels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special
from scipy import stats as scipy_stats

from scoring.stats.judges import levels
from scoring.stats.judges.levels import Level, Pairs
from scoring.stats.judges.said import Concordance, Correlation
from scoring.stats.plain import Reason
from scoring.stats.resampled import weighted
from scoring.stats.resampled.linear import FloatArray, Interval
from scoring.stats.told import COEFFICIENTS, Coefficient

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


NO_P = P(None, "none for a mean of coefficients")


def correlations(
    of: Pairs,
    level: Level,
    *,
    names: Sequence[Coefficient] = COEFFICIENTS,
    confidence: float = 0.95,
) -> tuple[Correlation, ...]:
    """Correlate the two sides at one level.

    Raises:
        ValueError: there is no such level, or the confidence is not between 0 and 1.
    """
    if level not in levels.LEVELS:
        raise ValueError(f"There is no level {level!r}.")
    if not 0 < confidence < 1:
        raise ValueError("The confidence of an interval lies between 0 and 1.")
    if level == "item":
        return tuple(_of_groups(of, name, confidence) for name in names)
    judge, human = levels.system_means(of) if level == "system" else (of.judge, of.human)
    counted = concordance(judge, human)
    return tuple(_of_vectors(of, level, name, judge, human, counted, confidence) for name in names)


def _of_vectors(
    of: Pairs,
    level: Level,
    name: Coefficient,
    judge: FloatArray,
    human: FloatArray,
    counted: Concordance,
    confidence: float,
) -> Correlation:
    reason = reason_for(judge, human)
    value = None if reason else coefficient(judge, human, name)
    p = p_value(name, value, judge, human, counted)
    if is_clustered(of, level):
        p = P(None, NOT_INDEPENDENT)
    return _made(of, level, name, value, reason, len(judge), 0, counted, p, confidence)


def is_clustered(of: Pairs, level: Level) -> bool:
    """Return whether what is correlated falls into groups, so that formulas for a sample mislead."""
    return level == "pooled" and len(np.unique(of.group)) < of.n


def _of_groups(of: Pairs, name: Coefficient, confidence: float) -> Correlation:
    laid = levels.grid(of)
    ones = np.ones((laid.judge.shape[1], 1))
    each = weighted.of_groups(laid.judge, laid.human, laid.valid, ones, [name])[name][:, 0]
    there = np.isfinite(each)
    value = float(each[there].mean()) if there.any() else None
    reason = None if there.any() else _why_no_group(of, laid)
    n = int(laid.valid.sum(axis=1).max(initial=0))
    left_out = int((~there).sum())
    counted = _within(laid)
    return _made(of, "item", name, value, reason, n, left_out, counted, NO_P, confidence)


def _made(
    of: Pairs,
    level: Level,
    name: Coefficient,
    value: float | None,
    reason: Reason | None,
    n: int,
    left_out: int,
    counted: Concordance,
    p: P,
    confidence: float,
) -> Correlation:
    bounds = fisher(name, value, n, confidence=confidence)
    if is_clustered(of, level):
        bounds = replace(bounds, low=None, high=None, reason=Reason.NOT_INDEPENDENT)
    exact = "" if of.exact else "; values have more decimals than are added exactly"
    return Correlation(
        coefficient=name,
        level=level,
        value=value,
        reason=reason,
        n=n,
        n_rows=of.n,
        n_systems=len(of.systems),
        n_groups=len(of.groups) - left_out,
        n_left_out=left_out,
        pairs=counted,
        p=p.value,
        p_method=p.method,
        low=bounds.low,
        high=bounds.high,
        interval_reason=reason or bounds.reason,
        interval_method=f"{confidence:.0%}, {FISHER}",
        method=f"{NAMES[name]}; {levels.SENTENCES[level]}{exact}",
    )


def _why_no_group(of: Pairs, laid: levels.LevelGrid) -> Reason:
    if laid.valid.sum(axis=1).max(initial=0) < 2:
        return Reason.FEW_PAIRS
    return reason_for(of.judge, of.human) or Reason.NO_GROUP_VARIES


def _within(laid: levels.LevelGrid) -> Concordance:
    both = np.triu(laid.valid[:, :, None] * laid.valid[:, None, :], k=1) > 0
    x, y = (np.sign(side[:, :, None] - side[:, None, :]) for side in (laid.judge, laid.human))
    return Concordance(
        *(
            int((both & chosen).sum())
            for chosen in (
                x * y > 0,
                x * y < 0,
                (x == 0) & (y != 0),
                (x != 0) & (y == 0),
                (x == 0) & (y == 0),
            )
        )
    )
