"""Does one judge agree with people better than another? Tests on the same responses.

* Judge beside judge: how they correlate with each other, and which agrees better with people.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import special

from scoring.stats import multiple
from scoring.stats.judges import blocks, levels
from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as swaps
from scoring.stats.judges.blocks import BlockSettings
from scoring.stats.judges.intervals import SWAP_NAMES as NAMES
from scoring.stats.judges.intervals import SWAPPED, Swapped
from scoring.stats.judges.levels import Level, LevelRows
from scoring.stats.judges.said import BetweenJudges, ComparedJudges, Drawn, Test
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Values
from scoring.stats.told import COEFFICIENTS, Coefficient

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
WILLIAMS = "Williams' test on signed correlations, Student's t with n − 3 degrees of freedom"
SLACK = 1e-12  # differences closer than this are equal: their sums were rounded differently


def permutation(
    table: LevelRows,
    left: Values,
    right: Values,
    human: Values,
    level: Level,
    *,
    coefficient: Coefficient = "kendall_b",
    swapped: Swapped = "both",
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
) -> Test:
    """Test by swapping whether two judges correlate equally with people.

    Args:
        table: the responses; those that a judge or the people lack are left out.
        left: one judge; "greater" says that it correlates higher.
        right: the other.
        human: what both are compared with.
        level: of the correlation.
        coefficient: which.
        swapped: what is swapped together.
        alternative: which differences count against equality.
        resamples: how many swaps, at random.
        seed: where chance comes from.

    Raises:
        ValueError: no such level, way of swapping or alternative, or no resamples.
    """
    _check(level, alternative)
    if swapped not in SWAPPED or resamples < 1:
        raise ValueError(f"There is no way of swapping {swapped!r}, or there are no resamples.")
    a, b = _common(table, left, right, human)
    made = _observed(a, b, level, coefficient, alternative)
    made = replace(
        made, resamples=resamples, seed=seed, method=f"{NAMES[swapped]}, {resamples} swaps"
    )
    if made.reason is not None:
        return made
    found = swaps.differences(
        a, b, level, coefficient, swapped=swapped, resamples=resamples, seed=seed
    )
    observed, others = found.observed, found.others[np.isfinite(found.others)]
    if alternative == "two-sided":
        extreme = np.abs(others) >= abs(observed) - SLACK
    elif alternative == "greater":
        extreme = others >= observed - SLACK
    else:
        extreme = others <= observed + SLACK
    return replace(made, p=float((1 + extreme.sum()) / (1 + len(others))))


def williams(
    table: LevelRows,
    left: Values,
    right: Values,
    human: Values,
    level: Level,
    *,
    coefficient: Coefficient = "pearson",
    alternative: Alternative = "two-sided",
) -> Test:
    """Test by Williams' formula whether two judges correlate equally with people.

    At the item level n is that of the largest group, as for the interval by formula. Over all
    responses there is no p where a group has several: they are not independent.

    Raises:
        ValueError: no such level or alternative.
    """
    _check(level, alternative)
    a, b = _common(table, left, right, human)
    made = replace(_observed(a, b, level, coefficient, alternative), method=WILLIAMS)
    if made.left is None or made.right is None:
        return made
    if correlation.is_clustered(a, level):
        return replace(made, reason=Reason.NOT_INDEPENDENT)
    (between,) = correlation.correlations(
        replace(a, human=b.judge, human_unit=b.judge_unit), level, names=[coefficient]
    )
    if made.n <= 3:
        return replace(made, reason=Reason.FEW_PAIRS)
    t = williams_t(made.left, made.right, between.value, made.n)
    if t is None:
        return replace(made, reason=Reason.PERFECT)
    tail = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    p = float(special.stdtr(made.n - 3, tail)) * (2 if alternative == "two-sided" else 1)
    return replace(made, p=p)


def corrected(tests: Sequence[Test]) -> tuple[Test, ...]:
    """Return the tests with p values corrected for their number by Holm's method."""
    found = multiple.holm([one.p for one in tests])
    return tuple(replace(one, p_holm=p) for one, p in zip(tests, found, strict=True))


def williams_t(left: float, right: float, between: float | None, n: int) -> float | None:
    """Return Williams' t; None where the two judges are one, or the matrix is degenerate."""
    if between is None:
        return None
    determinant = 1 - left**2 - right**2 - between**2 + 2 * left * right * between
    mean = (left + right) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - between) ** 3
    if below <= 1e-15 or between >= 1:
        return None
    return (left - right) * math.sqrt((n - 1) * (1 + between) / below)


def _check(level: Level, alternative: Alternative) -> None:
    if level not in levels.LEVELS or alternative not in ALTERNATIVES:
        raise ValueError(f"There is no level {level!r} or no alternative {alternative!r}.")


def _common(
    table: LevelRows, left: Values, right: Values, human: Values
) -> tuple[levels.Pairs, levels.Pairs]:
    """Return each judge beside the people, over the rows that all three have."""
    gone = np.isnan(left.numerators) | np.isnan(right.numerators)
    a, b = (
        levels.pairs(table, replace(one, numerators=np.where(gone, np.nan, one.numerators)), human)
        for one in (left, right)
    )
    return a, b


def _observed(
    a: levels.Pairs,
    b: levels.Pairs,
    level: Level,
    coefficient: Coefficient,
    alternative: Alternative,
) -> Test:
    (one,) = correlation.correlations(a, level, names=[coefficient])
    (other,) = correlation.correlations(b, level, names=[coefficient])
    known = one.value is not None and other.value is not None
    return Test(
        coefficient=coefficient,
        level=level,
        left=one.value,
        right=other.value,
        difference=(one.value or 0) - (other.value or 0) if known else None,
        p=None,
        p_holm=None,
        reason=one.reason or other.reason,
        alternative=alternative,
        n=one.n,
        n_rows=a.n,
        n_systems=len(a.systems),
        n_groups=len(a.groups),
        resamples=None,
        seed=None,
        method="",
    )


def between(
    table: LevelRows,
    judges: Mapping[Any, Values],
    level: Level,
    *,
    against: Mapping[Any, Values] | None = None,
    names: Sequence[Coefficient] = COEFFICIENTS,
    drawn: Drawn = "both",
    resamples: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[BetweenJudges, ...]:
    """Correlate every two judges, or every judge with each of those they stand against.

    Args:
        table: the responses.
        judges: their values on one criterion.
        level: of the correlation.
        against: the columns of the table, such as one judge; by default every later judge.
        names: coefficients.
        drawn: what is drawn with replacement for the intervals.
        resamples: how many; 0 for no intervals.
        confidence: of the intervals.
        seed: where chance comes from.
    """
    settings = BlockSettings(tuple(names), drawn, resamples, confidence, seed)
    known = {**judges, **(against or {})}
    wanted = (
        itertools.combinations(judges, 2) if against is None else itertools.product(judges, against)
    )
    made: list[BetweenJudges] = []
    for left, right in wanted:
        one = blocks.block(levels.pairs(table, known[left], known[right]), level, settings)
        bounds = blocks.intervals(one, settings)
        made += [BetweenJudges(left, right, *both) for both in zip(one.points, bounds, strict=True)]
    return tuple(made)


def compared(
    table: LevelRows,
    judges: Mapping[Any, Values],
    human: Values,
    level: Level,
    *,
    coefficient: Coefficient = "kendall_b",
    swapped: Swapped = "both",
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
) -> tuple[ComparedJudges, ...]:
    """Test every two judges against each other and correct the p values for their number.

    Args:
        table: the responses.
        judges: their values on one criterion, higher being better.
        human: people's values.
        level: of the correlation.
        coefficient: which.
        swapped: what permutation swaps together.
        alternative: "greater" says that the first of two correlates higher.
        resamples: of the permutation test.
        seed: where chance comes from.
    """
    pairs = list(itertools.combinations(judges, 2))
    permuted = [
        permutation(
            table,
            judges[left],
            judges[right],
            human,
            level,
            coefficient=coefficient,
            swapped=swapped,
            alternative=alternative,
            resamples=resamples,
            seed=seed,
        )
        for left, right in pairs
    ]
    by_formula = [
        williams(
            table,
            judges[left],
            judges[right],
            human,
            level,
            coefficient=coefficient,
            alternative=alternative,
        )
        for left, right in pairs
    ]
    return tuple(
        ComparedJudges(*pair, one, other)
        for pair, one, other in zip(
            pairs,
            corrected(permuted),
            corrected(by_formula),
            strict=True,
        )
    )
