"""Paired differences between releases, on what both were graded on.

* Which system is better, and how sure that is: all pairs at once, ranks, who may be best.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from scoring.stats import multiple
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import estimates
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.estimates import Figure
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray
from scoring.stats.scores.scores import OVERALL, Level, Scores
from scoring.stats.scores.shared import Part, Shared, shared


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired difference with its p corrected for their number; `clear` is beyond doubt."""

    difference: Difference
    p_holm: float | None
    clear: bool


@dataclass(frozen=True, slots=True)
class Rank:
    """Between which ranks a release stands, and how probably it is first.

    `best` is the share of resamples in which its score is highest; ties are shared. There is none
    where some releases were graded on what others were not, or on too few questions for an interval.
    """

    release: Label
    low: int | None
    high: int | None
    best: float | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Ranking:
    ranks: tuple[Rank, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[tuple[Label, ...], ...]
    level: float
    method: str

    def plain(self) -> Plain:
        return plain(self)


def ranking(
    scored: Scores, *, capability: Label = None, group: str = OVERALL, figure: Figure = "score"
) -> Ranking:
    """Rank releases in a capability, or in a group where no capability is named.

    Raises:
        KeyError: there is no such capability or group.
    """
    values = {
        release: scored.find(release, capability, figure=figure, group=group).value
        for release in scored.releases
    }
    order = sorted(scored.releases, key=lambda one: (values[one] is None, -(values[one] or 0)))
    known = [release for release in order if values[release] is not None]
    found = differences(
        scored,
        pairs=list(itertools.combinations(order, 2)),
        capability=capability,
        group=group,
        figure=figure,
    )
    corrected = multiple.holm([one.p for one in found])
    clear = [p is not None and p < 1 - scored.level for p in corrected]
    made = tuple(map(Comparison, found, corrected, clear))
    sure = all(
        one.n_left_out == 0 and one.interval_reason is not Reason.FEW_QUESTIONS
        for one in found
        if one.reason is None
    )
    part = part_of(capability, group, figure)
    best = _best(known, _draws(scored, known, part)) if sure else {}
    ranks = [_rank(release, known, made, best) for release in known]
    ranks += [Rank(one, None, None, None, Reason.NO_GRADES) for one in order[len(known) :]]
    return Ranking(
        tuple(ranks),
        made,
        _groups(known, made),
        scored.level,
        f"all pairs by Student's t over resampled questions, Holm's correction, {scored.level:.0%}",
    )


Draws = Mapping[Label, Sequence[FloatArray]]


def _draws(scored: Scores, known: Sequence[Label], part: Part) -> Draws:
    """Return the resampled parts of every release's figure, in one order for all of them."""
    found = {one: scored._estimates[part.key(one)].draws for one in known}
    blocks = sorted({block for one in found.values() for block in one})
    none = np.zeros(scored.resamples)
    return {release: [one.get(block, none) for block in blocks] for release, one in found.items()}


def _best(known: Sequence[Label], draws: Draws) -> dict[Label, float]:
    totals = [_total(draws[release]) for release in known]
    if not totals or any(one is None for one in totals):
        return {}
    table = np.stack([one for one in totals if one is not None])
    table = table[:, np.isfinite(table).all(axis=0)]
    if not table.shape[1]:
        return {}
    first = np.isclose(table, table.max(axis=0), rtol=0, atol=1e-12)
    shares = (first / first.sum(axis=0)).mean(axis=1)
    return dict(zip(known, shares.tolist(), strict=True))


def _total(parts: Sequence[FloatArray]) -> FloatArray | None:
    if not parts or any(len(part) == 0 for part in parts):
        return None
    total: FloatArray = np.sum(parts, axis=0)
    return total


def _rank(
    release: Label,
    known: Sequence[Label],
    made: Sequence[Comparison],
    best: Mapping[Label, float],
) -> Rank:
    better = sum(1 for one in made if one.clear and _loser(one) == release)
    worse = sum(1 for one in made if one.clear and _winner(one) == release)
    return Rank(release, 1 + better, len(known) - worse, best.get(release), None)


def _winner(one: Comparison) -> Label:
    return one.difference.left if (one.difference.value or 0) > 0 else one.difference.right


def _loser(one: Comparison) -> Label:
    return one.difference.right if (one.difference.value or 0) > 0 else one.difference.left


def _groups(known: Sequence[Label], made: Sequence[Comparison]) -> tuple[tuple[Label, ...], ...]:
    """Return the longest runs, in the order of scores, in which no two differ beyond doubt."""
    apart = {frozenset((one.difference.left, one.difference.right)) for one in made if one.clear}
    runs: list[tuple[Label, ...]] = []
    for start in range(len(known)):
        end = start + 1
        while end < len(known) and not any(
            frozenset((known[i], known[end])) in apart for i in range(start, end)
        ):
            end += 1
        if not runs or not set(known[start:end]) <= set(runs[-1]):
            runs.append(tuple(known[start:end]))
    return tuple(runs)
