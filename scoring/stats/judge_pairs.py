"""Judge beside judge: how they correlate with each other, and which agrees better with people.

Tests are made between every two judges on the responses that both and the people have, and
corrected for their number by Holm's method: permutation, which assumes little, and Williams', beside
it.

References:
    Yu et al. (2024), KIEval, tables 13 and 14 (judge against judge). Shu et al. (2024), Fusion-Eval,
    tables 5 to 8 (metric against judge). Holm (1979), A simple sequentially rejective multiple test
    procedure.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.stats import blocks, levels, paired_tests
from scoring.stats.blocks import Settings
from scoring.stats.correlation import Correlation
from scoring.stats.correlation_intervals import Drawn, Resampled
from scoring.stats.exact import Values
from scoring.stats.levels import Level, Rows
from scoring.stats.paired_tests import Alternative, Test
from scoring.stats.plain import Plain, plain
from scoring.stats.sums import Label
from scoring.stats.swaps import Swapped
from scoring.stats.weighted import COEFFICIENTS, Coefficient


@dataclass(frozen=True, slots=True)
class Between:
    """Two judges' correlation with each other; `interval` is None where none was asked for."""

    left: Label
    right: Label
    correlation: Correlation
    interval: Resampled | None

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class Compared:
    """Whether `left` and `right` agree with people equally well, by two tests."""

    left: Label
    right: Label
    permutation: Test
    williams: Test

    def plain(self) -> Plain:
        return plain(self)


def between(
    table: Rows,
    judges: Mapping[Any, Values],
    level: Level,
    *,
    against: Mapping[Any, Values] | None = None,
    names: Sequence[Coefficient] = COEFFICIENTS,
    drawn: Drawn = "both",
    resamples: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[Between, ...]:
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
    settings = Settings(tuple(names), drawn, resamples, confidence, seed)
    known = {**judges, **(against or {})}
    wanted = (
        itertools.combinations(judges, 2) if against is None else itertools.product(judges, against)
    )
    made: list[Between] = []
    for left, right in wanted:
        one = blocks.block(levels.pairs(table, known[left], known[right]), level, settings)
        bounds = blocks.intervals(one, settings)
        made += [Between(left, right, *both) for both in zip(one.points, bounds, strict=True)]
    return tuple(made)


def compared(
    table: Rows,
    judges: Mapping[Any, Values],
    human: Values,
    level: Level,
    *,
    coefficient: Coefficient = "kendall_b",
    swapped: Swapped = "both",
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
) -> tuple[Compared, ...]:
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
        paired_tests.permutation(
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
        paired_tests.williams(
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
        Compared(*pair, one, other)
        for pair, one, other in zip(
            pairs,
            paired_tests.corrected(permuted),
            paired_tests.corrected(by_formula),
            strict=True,
        )
    )
