"""Paired differences between releases: both are scored on the same resampled questions."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scoring.stats import estimates, resampling
from scoring.stats.estimates import Estimate, Figure
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.scores import OVERALL, Key, Level, Scores
from scoring.stats.sums import Label, Sums


@dataclass(frozen=True, slots=True)
class Difference:
    """`left` minus `right`; undefined for the reason given."""

    figure: Figure
    left: Label
    right: Label
    capability: Label
    group: str | None
    value: Fraction | None
    low: float | None
    high: float | None
    n_questions: int
    reason: Reason | None
    interval_reason: Reason | None
    method: str

    def plain(self) -> Plain:
        return plain(self)


def differences(
    scored: Scores,
    *,
    pairs: Sequence[tuple[Label, Label]] | None = None,
    capability: Label = None,
    group: str = OVERALL,
    figure: Figure = "score",
) -> tuple[Difference, ...]:
    """Compare releases in a capability, or in a group where no capability is named.

    Intervals are for one comparison each, not corrected for their number. `n_questions` counts
    the questions of the side that has fewer.

    Raises:
        KeyError: a release, capability or group is not among the scores.
    """
    chosen = itertools.combinations(scored.releases, 2) if pairs is None else pairs
    of_group: Level = "overall" if group == OVERALL else "group"
    level: Level = of_group if capability is None else "capability"
    part = group if capability is None else capability
    made = []
    for left, right in chosen:
        keys: tuple[Key, Key] = (
            (figure, level, left, part, None),
            (figure, level, right, part, None),
        )
        a, b = (scored._estimates[key] for key in keys)
        reason = _reason(a, b)
        bounds = _interval(a, b, reason, scored)
        made.append(
            Difference(
                figure,
                left,
                right,
                capability,
                None if capability is not None else group,
                None if reason else _minus(a, b),
                bounds.low,
                bounds.high,
                bounds.n_clusters,
                reason,
                bounds.reason,
                f"paired over questions; {scored.level:.0%} {scored.scheme.sentence}, "
                f"{scored.resamples} resamples",
            )
        )
    return tuple(made)


def draws(
    scored: Scores,
    releases: Sequence[Label],
    *,
    capability: Label = None,
    group: str = OVERALL,
    figure: Figure = "score",
) -> dict[Label, tuple[resampling.Part, ...]]:
    """Return the resampled parts of every release's figure, in one order for all of them."""
    of_group: Level = "overall" if group == OVERALL else "group"
    level: Level = of_group if capability is None else "capability"
    part = group if capability is None else capability
    found = {one: scored._estimates[figure, level, one, part, None] for one in releases}
    blocks = sorted({block for one in found.values() for block in one.draws})
    made = {}
    for release, one in found.items():
        counted = estimates.clusters(scored._sums, one.cells)
        made[release] = tuple(
            resampling.Part(one.draws.get(block, np.zeros(scored.resamples)), counted.get(block, 2))
            for block in blocks
        )
    return made


def _minus(a: Estimate, b: Estimate) -> Fraction:
    assert a.value is not None
    assert b.value is not None
    return a.value - b.value


def _reason(a: Estimate, b: Estimate) -> Reason | None:
    if a.reason or b.reason:
        return a.reason or b.reason
    return Reason.DIFFERENT_PARTS if set(a.missing) != set(b.missing) else None


def _interval(
    a: Estimate, b: Estimate, reason: Reason | None, scored: Scores
) -> resampling.Interval:
    sums: Sums = scored._sums
    counted = [estimates.clusters(sums, side.cells) for side in (a, b)]
    n = min(sum(side.values()) for side in counted)
    if reason is None and (a.few_questions or b.few_questions):
        reason = Reason.FEW_QUESTIONS
    if reason is None and scored.resamples == 0:
        reason = Reason.NOT_RESAMPLED
    if reason is not None:
        return resampling.Interval(None, None, scored.level, n, reason)
    parts = [
        resampling.Part(np.subtract(draws, b.draws[block]), min(side[block] for side in counted))
        for block, draws in a.draws.items()
    ]
    return resampling.interval(parts, scheme=scored.scheme, level=scored.level)
