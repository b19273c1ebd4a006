"""Correlation of a judge with people: Pearson, Spearman, Kendall's τ-b and τ-c, at three levels.

Every result names its convention, n, and concordant, discordant and tied pairs. Over all responses
there is no p and no interval by formula where a group has several: they are not independent. At the item level
the value is the mean over groups in which both sides vary; the others are counted and left out. It
has no p value, and its interval by formula takes n from the largest group, a caution rather than
a theory: resample instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.stats import coefficients, levels, weighted
from scoring.stats.coefficients import FISHER, NAMES, Concordance, P
from scoring.stats.levels import Level, Pairs
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.weighted import COEFFICIENTS, Coefficient

NO_P = P(None, "none for a mean of coefficients")


@dataclass(frozen=True, slots=True)
class Correlation:
    """One coefficient at one level; `low` and `high` bound the interval by formula.

    `n` counts what is correlated: systems, responses, or at the item level the responses of the
    largest group; `n_groups` the groups that entered and `n_left_out` those in which a side does
    not vary (item level).
    """

    coefficient: Coefficient
    level: Level
    value: float | None
    reason: Reason | None
    n: int
    n_rows: int
    n_systems: int
    n_groups: int
    n_left_out: int
    pairs: Concordance
    p: float | None
    p_method: str
    low: float | None
    high: float | None
    interval_reason: Reason | None
    interval_method: str
    method: str

    def plain(self) -> Plain:
        return plain(self)


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
    counted = coefficients.concordance(judge, human)
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
    reason = coefficients.reason_for(judge, human)
    value = None if reason else coefficients.coefficient(judge, human, name)
    p = coefficients.p_value(name, value, judge, human, counted)
    if is_clustered(of, level):
        p = P(None, coefficients.NOT_INDEPENDENT)
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
    bounds = coefficients.fisher(name, value, n, confidence=confidence)
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


def _why_no_group(of: Pairs, laid: levels.Grid) -> Reason:
    if laid.valid.sum(axis=1).max(initial=0) < 2:
        return Reason.FEW_PAIRS
    return coefficients.reason_for(of.judge, of.human) or Reason.NO_GROUP_VARIES


def _within(laid: levels.Grid) -> Concordance:
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
