"""Paired differences between releases, on what both were graded on.

A grade counts where the same annotator graded the other release by the same criterion on the same
question (`shared`), and both are scored on the same resampled questions.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from scoring.stats import estimates, resampling
from scoring.stats.estimates import Figure
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.scores import OVERALL, Level, Scores
from scoring.stats.shared import Part, Shared, shared
from scoring.stats.sums import Label


@dataclass(frozen=True, slots=True)
class Difference:
    """`left` minus `right`; undefined for the reason given.

    `n_questions` are common to both, of `n_either` that either was graded on; `n_pairs` grades of
    one side have a partner, and `n_left_out` of both sides have none. `p` is that of no difference,
    for this one comparison. `missing` names the parts of a partial difference that it leaves out.
    """

    figure: Figure
    left: Label
    right: Label
    capability: Label
    group: str | None
    value: Fraction | None
    low: float | None
    high: float | None
    p: float | None
    n_questions: int
    n_either: int
    n_pairs: int
    n_left_out: int
    missing: tuple[str, ...]
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

    Intervals and p are for one comparison each, not corrected for their number.

    Raises:
        KeyError: a release, capability or group is not among the scores.
    """
    chosen = tuple(itertools.combinations(scored.releases, 2) if pairs is None else pairs)
    part = part_of(capability, group, figure)
    found = shared(scored, chosen, [part])
    return tuple(
        _difference(scored, pair, part, one) for pair, (one,) in zip(chosen, found, strict=True)
    )


def widest(scored: Scores, *, figure: Figure = "score") -> Difference | None:
    """Return the largest difference of two releases in a capability, the higher one on the left.

    It has no interval: of many differences the largest was picked.
    """
    bare = replace(scored, resamples=0)
    pairs = tuple(itertools.combinations(scored.releases, 2))
    graded = dict.fromkeys(capability for capability, _criterion in scored._sums.expected)
    parts = [Part(figure, "capability", capability) for capability in graded]
    best: Difference | None = None
    for pair, found in zip(pairs, shared(bare, pairs, parts), strict=True):
        for part, one in zip(parts, found, strict=True):
            made = _difference(bare, pair, part, one)
            if made.value is None:
                continue
            if best is None or best.value is None or abs(made.value) > abs(best.value):
                best = made
    if best is None or best.value is None or best.value >= 0:
        return best
    return replace(best, left=best.right, right=best.left, value=-best.value)


def part_of(capability: Label, group: str, figure: Figure) -> Part:
    """Return what is compared: a capability, or a group where no capability is named."""
    of_group: Level = "overall" if group == OVERALL else "group"
    return Part(
        figure, *(("capability", capability) if capability is not None else (of_group, group))
    )


def _difference(scored: Scores, pair: tuple[Label, Label], part: Part, found: Shared) -> Difference:
    parts = _parts(found)
    bounds = _interval(found, parts, scored)
    known = found.reason is None and bounds.reason is None
    value = None
    if found.reason is None and found.left.value is not None and found.right.value is not None:
        value = found.left.value - found.right.value
    in_group = part.level != "capability"
    return Difference(
        part.figure,
        *pair,
        None if in_group else part.label,
        str(part.label) if in_group else None,
        value,
        bounds.low,
        bounds.high,
        resampling.p_value(float(value or 0), parts, scheme=scored.scheme) if known else None,
        found.n_questions,
        found.n_either,
        found.n_pairs,
        found.n_left_out,
        () if value is None else found.left.missing,
        found.reason,
        bounds.reason,
        "paired over the questions, annotators and criteria that both have; "
        f"{scored.level:.0%} {scored.scheme.pooled if bounds.pooled else scored.scheme.sentence}, "
        f"{scored.resamples} resamples",
    )


def _parts(found: Shared) -> list[resampling.Part]:
    counted = [estimates.clusters(found.sums, side.cells) for side in (found.left, found.right)]
    return [
        resampling.Part(
            np.subtract(draws, found.right.draws[block]),
            min(side[block] for side in counted),
            found.left.shares[block],
        )
        for block, draws in found.left.draws.items()
        if block in found.right.draws
    ]


def _interval(
    found: Shared, parts: Sequence[resampling.Part], scored: Scores
) -> resampling.Interval:
    reason = found.reason
    if reason is None and (found.left.few_questions or found.right.few_questions):
        reason = Reason.FEW_QUESTIONS
    if reason is None and scored.resamples == 0:
        reason = Reason.NOT_RESAMPLED
    if reason is not None:
        return resampling.Interval(None, None, scored.level, found.n_questions, reason)
    return resampling.interval(parts, scheme=scored.scheme, level=scored.level, within=(-1.0, 1.0))
