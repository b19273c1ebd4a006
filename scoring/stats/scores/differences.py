"""Paired differences between releases, on what both were graded on, and the ranks they allow.

A *cell* is a question, an annotator and a criterion; it counts where both releases have a grade in
it. Two equal systems of which one was graded on the easier questions alone would differ by what the
questions are worth; on the cells that both have they do not.

* How often each label was given: shares by system, and where systems differ.

References:
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks.
    Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import pandas as pd

from scoring.stats import multiple
from scoring.stats.claims import (
    MARGIN,
    Certainty,
    Claim,
    ClaimDifference,
    ClaimEstimate,
    ClaimRanking,
    Figure,
    Label,
    LabelsFigure,
    LabelShares,
    Rank,
    Ranks,
)
from scoring.stats.frame import BoolArray
from scoring.stats.plain import Reason
from scoring.stats.resampled.linear import IntArray
from scoring.stats.scores import components, means
from scoring.stats.scores.components import MetValues, Spread
from scoring.stats.scores.means import NOTHING, Mean
from scoring.stats.scores.scores import (
    OVERALL,
    Place,
    Scores,
    capability_mean,
    counted,
    group_mean,
    no_interval,
    places,
    scores,
)
from scoring.stats.told import Exact

Pair = tuple[Label, Label]
METHOD = (
    "paired over the questions, annotators and criteria that both have; interval at {level:.0%} with "
    "the variance components of all pairs (Henderson's method I), Student's t"
)


class Compared(Protocol):
    """Two that were compared: a `ClaimDifference`, or what has the same parts."""

    @property
    def left(self) -> Label: ...
    @property
    def right(self) -> Label: ...
    @property
    def value(self) -> Exact | None: ...
    @property
    def these(self) -> ClaimEstimate: ...
    @property
    def others(self) -> ClaimEstimate: ...
    @property
    def certainty(self) -> Certainty: ...
    @property
    def n_raters(self) -> int: ...


C = TypeVar("C", bound=Compared)


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """What is compared: a figure of a capability, or of the group that is named."""

    figure: Figure
    capability: Label
    group: str | None


@dataclass(frozen=True, slots=True)
class _Shared:
    """Both sides of a pair on what both were graded on; `less` says which cell each is set against."""

    left: Mean
    right: Mean
    less: dict[int, int]
    reason: Reason | None
    n_either: int
    n_own: int


def differences(
    scored: Scores,
    *,
    pairs: Sequence[Pair] | None = None,
    capability: Label = None,
    group: str = OVERALL,
    figure: Figure = "score",
    margin: float = MARGIN,
) -> tuple[ClaimDifference, ...]:
    """Compare releases in a capability, or in a group where no capability is named.

    Intervals and `p` are for one comparison each; `p_holm` and `p_equal` allow for all of them.

    Args:
        scored: the scores.
        pairs: of releases; without them every two.
        capability: in which; overall or by group without one.
        group: in which, where no capability is named.
        figure: that is compared.
        margin: a difference so small, as a share, is none.

    Raises:
        KeyError: a release, capability or group is not among the scores.
        ValueError: the margin is not between 0 and 1.
    """
    if not 0 < margin < 1:
        raise ValueError("A margin is a share of the scale: above 0 and below 1.")
    chosen = tuple(itertools.combinations(scored.releases, 2) if pairs is None else pairs)
    for release in dict.fromkeys(one for pair in chosen for one in pair):
        scored.find(release, capability, figure=figure, group=group)  # refuses what there is not
    part = ComparedPart(figure, capability, group if capability is None else None)
    return tuple(corrected(_compared(scored, chosen, part, margin), 1 - scored.level))


def _compared(
    scored: Scores, chosen: Sequence[Pair], part: ComparedPart, margin: float
) -> list[ClaimDifference]:
    place = places(scored._sums)
    own = {
        release: _mean(scored, place, release, part, None)
        for release in dict.fromkeys(one for pair in chosen for one in pair)
    }
    found = [_shared(scored, place, pair, part, own) for pair in chosen]
    layouts = {
        n: means.values(
            scored._sums,
            means.rows_of(one.left, scored._sums, one.less),
            part.figure,
            scored._settings.average,
            scored._settings.layouts,
        )
        for n, one in enumerate(found)
        if one.reason is None and scored._settings.intervals
    }
    around = None
    if layouts:
        joined = _independent([chosen[n] for n in layouts])
        around = components.spread(list(layouts.values()), joined)
    return [
        _difference(scored, chosen[n], part, one, layouts.get(n), around, margin)
        for n, one in enumerate(found)
    ]


def _independent(pairs: Sequence[Pair]) -> int:
    """Return how many of the pairs are independent: of S systems that are all compared S − 1."""
    names = list(dict.fromkeys(one for pair in pairs for one in pair))
    rows = np.zeros((len(pairs), len(names)))
    for row, (left, right) in zip(rows, pairs, strict=True):
        row[names.index(left)], row[names.index(right)] = 1, -1
    return max(1, int(np.linalg.matrix_rank(rows)))


def widest(scored: Scores, *, figure: Figure = "score") -> ClaimDifference | None:
    """Return the largest difference of two releases in a capability, the higher one on the left.

    It has no interval: of many differences the largest was picked.
    """
    bare = replace(scored, _settings=replace(scored._settings, intervals=False))
    pairs = tuple(itertools.combinations(scored.releases, 2))
    best, most = None, Fraction(-1)
    for capability in scored._settings.expected:
        for one in _compared(bare, pairs, ComparedPart(figure, capability, None), MARGIN):
            if one.value is not None and abs(one.value) > most:
                best, most = one, abs(one.value)
    if best is None or best.value is None or best.value >= 0:
        return best
    return replace(best, left=best.right, right=best.left, value=-best.value)


def _shared(
    scored: Scores,
    place: Mapping[Place, int],
    pair: Pair,
    part: ComparedPart,
    whole: Mapping[Label, Mean],
) -> _Shared:
    """Return both sides of a pair, each the figure of what both were graded on."""
    own = [whole[one] for one in pair]
    found: dict[int, int] = {}
    for (release, capability, criterion), i in place.items():
        at = place.get((pair[1], capability, criterion)) if release == pair[0] else None
        if at is not None:
            found[i] = at
    left, right = own
    if not _is_all_common(scored, found, own):
        left = _mean(scored, place, pair[0], part, found)
        right = _mean(scored, place, pair[1], part, {at: i for i, at in found.items()})
    reason = own[0].reason or own[1].reason or left.reason or right.reason
    if reason is Reason.NO_GRADES and not (own[0].reason or own[1].reason):
        reason = Reason.NOTHING_SHARED
    n_own, n_either, _raters = counted(scored._sums, (*own[0].cells, *own[1].cells))
    return _Shared(left, right, found, reason, n_either, n_own)


def _is_all_common(scored: Scores, found: Mapping[int, int], own: Sequence[Mean]) -> bool:
    """Return whether both sides have grades in the very same cells."""
    left, right = own
    if {found.get(i) for i in left.cells} != set(right.cells):
        return False
    cells = scored._sums.cells
    pairs = [(cells[i], cells[found[i]]) for i in left.cells]
    return all(
        np.array_equal(
            scored._sums.blocks[a.block].count[[a.row]] > 0,
            scored._sums.blocks[b.block].count[[b.row]] > 0,
        )
        for a, b in pairs
    )


def _mean(
    scored: Scores,
    place: Mapping[Place, int],
    release: Label,
    part: ComparedPart,
    beside: Mapping[int, int] | None,
) -> Mean:
    """Return the figure of a release: of all its grades, or of those with one of a cell beside them."""
    sums, settings = scored._sums, scored._settings

    def of(capability: Label, criterion: Label) -> Mean:
        i = place.get((release, capability, criterion))
        if i is None or (beside is not None and i not in beside):
            return NOTHING
        cell, kept = sums.cells[i], None
        if beside is not None:
            kept = means.both(sums.blocks[cell.block], cell.row, sums.cells[beside[i]].row)
        return means.cell_mean(i, cell, sums, part.figure, settings.average, kept=kept)

    if part.group is None:
        return capability_mean(part.capability, settings, of)
    wanted = [one for one in settings.groups[part.group] if one in settings.expected]
    return group_mean(
        part.group, settings, {one: capability_mean(one, settings, of) for one in wanted}
    )


def _difference(
    scored: Scores,
    pair: Pair,
    part: ComparedPart,
    found: _Shared,
    of: MetValues | None,
    around: Spread | None,
    margin: float,
) -> ClaimDifference:
    value = None
    if found.reason is None and found.left.value is not None and found.right.value is not None:
        value = found.left.value - found.right.value
    n_pairs, n_shared, n_questions = _grades(scored, found)
    if value is None or of is None or around is None:
        why = found.reason or Reason.NOT_RESAMPLED
        these, others = (no_interval(claim, value, found.reason, why) for claim in Claim)
    else:
        these, others = components.estimates(
            value, of, around, level=scored.level, is_share=False, margin=margin
        )
    return ClaimDifference(
        figure=part.figure,
        left=pair[0],
        right=pair[1],
        capability=part.capability,
        group=part.group,
        value=value,
        these=these,
        others=others,
        certainty=Certainty.OPEN,
        n_questions=n_questions,
        n_either=found.n_either,
        n_pairs=n_pairs,
        n_left_out=found.n_own - n_shared,
        n_raters=0 if of is None else of.layout.n_raters,
        missing=() if value is None else found.left.missing,
        reason=found.reason,
        method=METHOD.format(level=scored.level),
    )


def _grades(scored: Scores, found: _Shared) -> tuple[int, int, int]:
    """Return how many grades of one side have a partner, of both sides, and of how many questions."""
    sides, common = np.zeros(2, dtype=np.int64), set[int]()
    for i in found.left.cells:
        cell, other = scored._sums.cells[i], scored._sums.cells[found.less[i]]
        block = scored._sums.blocks[cell.block]
        kept = means.both(block, cell.row, other.row)
        sides += [int(block.count[one.row, kept].sum()) for one in (cell, other)]
        common.update(np.flatnonzero(np.bincount(block.question[kept])).tolist())
    return int(sides.min()), int(sides.sum()), len(common)


def corrected(made: Sequence[C], alpha: float) -> Iterator[C]:
    """Yield the differences with p corrected for their number, and what may be said of each."""
    holm = {
        (claim, name): multiple.holm([getattr(getattr(one, claim), name) for one in made])
        for claim in Claim
        for name in ("p", "p_equal")
    }
    for n, one in enumerate(made):
        these, others = (
            replace(
                getattr(one, claim),
                p_holm=holm[claim, "p"][n],
                p_equal=holm[claim, "p_equal"][n],
            )
            for claim in Claim
        )
        told: Any = replace(cast("Any", one), these=these, others=others)
        yield replace(told, certainty=_certainty(told, alpha))


def _certainty(one: Compared, alpha: float) -> Certainty:
    if _below(one.others.p_holm, alpha) and _below(one.these.p_holm, alpha):
        return Certainty.CLEAR
    if _below(one.these.p_holm, alpha):
        return Certainty.LIKELY
    widest = getattr(one, Claim.of(one.n_raters))
    return Certainty.EQUAL if _below(widest.p_equal, alpha) else Certainty.OPEN


def _below(p: float | None, alpha: float) -> bool:
    return p is not None and p < alpha


def ranking(
    scored: Scores,
    *,
    capability: Label = None,
    group: str = OVERALL,
    figure: Figure = "score",
    margin: float = MARGIN,
) -> ClaimRanking:
    """Rank releases in a capability, or in a group where no capability is named.

    Raises:
        KeyError: there is no such capability or group.
        ValueError: the margin is not between 0 and 1.
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
        margin=margin,
    )
    unknown = [Rank(one, None, None, Reason.NO_GRADES) for one in order[len(known) :]]
    these, others = (ranks(claim, known, unknown, found, 1 - scored.level) for claim in Claim)
    return ClaimRanking(
        tuple(order),
        these,
        others,
        found,
        scored.level,
        margin,
        f"all pairs by Student's t, Holm's correction, {scored.level:.0%}",
    )


def ranks(
    claim: Claim,
    known: Sequence[Label],
    unknown: Sequence[Rank],
    found: Sequence[Compared],
    alpha: float,
) -> Ranks:
    """Return the ranks that all pairs allow.

    Args:
        claim: by which p values.
        known: from the best down.
        unknown: the ranks of those without a figure.
        found: all pairs of the known, their p corrected.
        alpha: below which p two differ.
    """
    apart = {
        (one.left, one.right) if one.value > 0 else (one.right, one.left)
        for one in found
        if one.value and _below(getattr(one, claim).p_holm, alpha)
    }
    made = [
        Rank(
            release,
            1 + sum(1 for _better, worse in apart if worse == release),
            len(known) - sum(1 for better, _worse in apart if better == release),
            None,
        )
        for release in known
    ]
    return Ranks(claim, (*made, *unknown), _groups(known, apart))


def _groups(known: Sequence[Label], apart: set[Pair]) -> tuple[tuple[Label, ...], ...]:
    """Return the longest runs, in the order of scores, in which no two differ beyond doubt."""
    runs: list[tuple[Label, ...]] = []
    for start in range(len(known)):
        end = start + 1
        while end < len(known) and not any(
            {(known[i], known[end]), (known[end], known[i])} & apart for i in range(start, end)
        ):
            end += 1
        if not runs or not set(known[start:end]) <= set(runs[-1]):
            runs.append(tuple(known[start:end]))
    return tuple(runs)


#: Of several labels: none of them.
NO_LABEL = 0


def label_shares(
    ratings: pd.DataFrame,
    names: Mapping[int, str],
    *,
    margin: float = MARGIN,
    level: float = 0.95,
) -> LabelsFigure:
    """Return how often every label of one criterion was given, of all grades alike.

    A share is the mean of a column that is 1 where a grade has the label and 0 where not. So its
    interval and differences are those of scores: grades of one question, and of one annotator, are alike.

    Args:
        ratings: rows of the ratings frame on the one criterion, of marks "LABEL" or "LABELS".
        names: of the labels by their place, from 1. One that was given and has no name goes by its place.
        margin: a difference so small, as a share, is none.
        level: of the intervals.

    Raises:
        ValueError: the rows are of several criteria, or ask for marks of several kinds.
    """
    rows = ratings[ratings["value"].notna()]
    criteria, marks = (rows[name].astype(str).unique().tolist() for name in ("criterion", "mark"))
    if len(criteria) != 1 or len(marks) != 1:
        raise ValueError(
            "Shares of labels are of the grades of one criterion with one kind of mark."
        )
    several = marks[0] == "LABELS"
    given = rows["value"].to_numpy(np.float64).astype(np.int64)
    made = [
        _label_share(rows, place, names, given, several, margin, level)
        for place in _labels_of(names, given, several)
    ]
    return LabelsFigure(
        criterion=criteria[0],
        several=several,
        n_grades=len(rows),
        n_questions=int(rows["group"].nunique()),
        n_raters=int(rows["rater"].nunique()),
        labels=tuple(_corrected_labels(made, 1 - level)),
    )


def _labels_of(names: Mapping[int, str], given: IntArray, several: bool) -> list[int]:
    """Return the labels there are, those that nobody gave among them, and "none" where it was said."""
    if not several:
        return sorted({*names, *given.tolist()})
    used = int(np.bitwise_or.reduce(given)) if len(given) else 0
    found = {*names, *(n + 1 for n in range(used.bit_length()) if used >> n & 1)}
    return [*sorted(found), *([NO_LABEL] if (given == 0).any() else [])]


def _has(given: IntArray, place: int, several: bool) -> BoolArray:
    found: BoolArray = given == place
    return (given >> (place - 1) & 1) > 0 if several and place != NO_LABEL else found


def _label_share(
    rows: pd.DataFrame,
    place: int,
    names: Mapping[int, str],
    given: IntArray,
    several: bool,
    margin: float,
    level: float,
) -> LabelShares:
    n = len(rows)
    column = rows.assign(
        value=_has(given, place, several).astype(np.float64),
        scale_min=np.zeros(n),
        scale_max=np.ones(n),
        pass_at=np.ones(n),
        capability=pd.Categorical([None] * n, categories=pd.Index([], dtype="str")),
    )
    found = scores(column, level=level)
    pairs = differences(found, pairs=_higher_first(found), margin=margin)
    own = tuple(row for row in found.rows if (row.figure, row.level) == ("score", "overall"))
    return LabelShares(place, "" if place == NO_LABEL else names.get(place, str(place)), own, pairs)


def _higher_first(found: Scores) -> Sequence[tuple[object, object]]:
    """Return every two releases, the one with the higher share on the left."""
    value = {one: found.find(one).value or 0 for one in found.releases}
    order = sorted(found.releases, key=lambda one: -value[one])
    return list(itertools.combinations(order, 2))


def _corrected_labels(made: Sequence[LabelShares], alpha: float) -> Iterator[LabelShares]:
    """Yield the labels with p corrected for all pairs of all labels."""
    told = corrected([pair for one in made for pair in one.differences], alpha)
    for one in made:
        yield replace(one, differences=tuple(itertools.islice(told, len(one.differences))))
