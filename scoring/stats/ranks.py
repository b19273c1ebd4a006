"""Which system is better, and how sure that is: all pairs at once, ranks, who may be best.

Every two releases are compared on what both were graded on; p values are corrected for their number
by Holm's method. A release's rank lies between one more than those that are better
beyond doubt and the number of those it is not better than; releases no two of which differ beyond
doubt form a group that is not separable.

References:
    Holm (1979), A simple sequentially rejective multiple test procedure.
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks (ranks from pairwise tests).
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats import differences, multiple
from scoring.stats.differences import Difference
from scoring.stats.estimates import Figure
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.scores import OVERALL, Scores
from scoring.stats.shared import Part
from scoring.stats.sums import Label


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
    found = differences.differences(
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
    part = differences.part_of(capability, group, figure)
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
