"""Scores of systems from grades: per criterion, per capability, per group and overall.

* What was wanted and what came: counts of grades for each release × capability.
* Scores of systems within parts of the questions: by difficulty, by subject area, by both.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scoring.stats import frame
from scoring.stats.claims import (
    Claim,
    ClaimCoverage,
    ClaimEstimate,
    ClaimScore,
    CoverageRow,
    Figure,
    Level,
)
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import MAX_SUM_DECIMALS, CellSums, Convention, Label, grade_sums
from scoring.stats.scores import components, means
from scoring.stats.scores.components import MeetingLayout
from scoring.stats.scores.means import NOTHING, Average, Layouts, Mean, MeanChild, Weigher, Weight

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Scores:
    rows: tuple[ClaimScore, ...]
    releases: tuple[Label, ...]
    capabilities: tuple[Label, ...]
    level: float
    exact: bool
    _sums: CellSums = field(repr=False, compare=False)
    _settings: "ScoreSettings" = field(repr=False, compare=False)

    def find(
        self,
        release: Label,
        capability: Label = None,
        criterion: Label = None,
        *,
        figure: Figure = "score",
        group: str = OVERALL,
    ) -> ClaimScore:
        """Return one row; without a capability, the row of the group.

        Raises:
            KeyError: there is no such row.
        """
        wanted = (figure, release, capability, criterion, group if capability is None else None)
        for row in self.rows:
            if wanted == (row.figure, row.release, row.capability, row.criterion, row.group):
                return row
        raise KeyError(wanted)


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    convention: Convention
    average: Average
    intervals: bool
    level: float
    capability: Weigher
    criterion: Callable[[Label, Label], Fraction]
    groups: Mapping[str, Sequence[Label]]
    expected: Mapping[Label, Sequence[Label]]  # of each capability its criteria
    layouts: Layouts = field(default_factory=dict)  # those worked out so far


def scores(
    ratings: pd.DataFrame,
    *,
    weights: Mapping[Label, Weight] | None = None,
    criterion_weights: Mapping[Label, Weight] | None = None,
    groups: Mapping[str, Sequence[Label]] | None = None,
    by: tuple[str, str] = ("release", "capability"),
    convention: Convention = "above_minimum",
    average: Average = "pooled",
    intervals: bool = True,
    level: float = 0.95,
) -> Scores:
    """Score every release from the rows of a ratings frame, usually after the default filter.

    Args:
        ratings: the ratings frame; rows without a value only say what was to be graded.
        weights: of capabilities; what is not named weighs 1, a named one must have grades or
            the overall score is partial.
        criterion_weights: of criteria within their capability, likewise; by criterion, or by
            (capability, criterion), which goes first.
        groups: further means of capabilities, by name.
        by: the columns that play release and capability.
        convention: marks above the scale's minimum, or as they stand over the top mark.
        average: all grades pooled, or the mean over questions of their ratio.
        intervals: whether they are wanted.
        level: of the intervals.

    Raises:
        ValueError: a weight is negative or not a number, or a row lacks what identifies it.
    """
    found = grade_sums(ratings, by=by, convention=convention)
    expected: dict[Label, list[Label]] = {}
    for capability, criterion in found.expected:
        expected.setdefault(capability, []).append(criterion)
    capabilities = tuple(dict.fromkeys([*expected, *(weights or {})]))
    settings = ScoreSettings(
        convention,
        average,
        intervals,
        level,
        means.weigher(weights),
        _criterion_weigher(criterion_weights),
        {**(groups or {}), OVERALL: capabilities},
        expected,
    )
    rows = tuple(_rows(found, settings))
    return Scores(rows, found.releases, capabilities, level, found.exact, found, settings)


def _criterion_weigher(
    weights: Mapping[Label, Weight] | None,
) -> Callable[[Label, Label], Fraction]:
    exact = {label: means.as_weight(label, one) for label, one in (weights or {}).items()}

    def weight(capability: Label, criterion: Label) -> Fraction:
        return exact.get((capability, criterion), exact.get(criterion, Fraction(1)))

    return weight


Place = tuple[Label, Label, Label]


def places(sums: CellSums) -> dict[Place, int]:
    """Return the number of the cell of each release, capability and criterion."""
    return {(cell.release, cell.capability, cell.criterion): i for i, cell in enumerate(sums.cells)}


def _rows(found: CellSums, settings: ScoreSettings) -> Iterator[ClaimScore]:
    """Yield every figure of every release: of criteria, of capabilities, of groups of them."""
    place = places(found)
    for figure, cells in means.cell_means(found, average=settings.average).items():
        for release in found.releases:
            of_capability: dict[Label, Mean] = {}

            def of(capability: Label, criterion: Label, mine: Label = release) -> Mean:
                at = place.get((mine, capability, criterion))
                return NOTHING if at is None else cells[at]  # noqa: B023 - likewise

            for capability, criteria in settings.expected.items():
                for criterion in criteria:
                    one = of(capability, criterion)
                    yield _score(
                        (figure, "criterion", release, capability, criterion), one, found, settings
                    )
                whole = of_capability[capability] = capability_mean(capability, settings, of)
                yield _score(
                    (figure, "capability", release, capability, None), whole, found, settings
                )
            for group in settings.groups:
                level: Level = "overall" if group == OVERALL else "group"
                whole = group_mean(group, settings, of_capability)
                yield _score((figure, level, release, group, None), whole, found, settings)


def capability_mean(
    capability: Label, settings: ScoreSettings, of: Callable[[Label, Label], Mean]
) -> Mean:
    """Return the weighted mean of the criteria of a capability."""
    return means.combined(
        [
            MeanChild(
                f"{capability} / {criterion}",
                settings.criterion(capability, criterion),
                of(capability, criterion),
            )
            for criterion in settings.expected.get(capability, ())
        ]
    )


def group_mean(group: str, settings: ScoreSettings, of: Mapping[Label, Mean]) -> Mean:
    """Return the weighted mean of the capabilities of a group."""
    return means.combined(
        [
            MeanChild(str(one), settings.capability(one), of.get(one, NOTHING))
            for one in settings.groups[group]
        ]
    )


Key = tuple[Figure, Level, Label, Label, Label]


def _score(key: Key, mean: Mean, found: CellSums, settings: ScoreSettings) -> ClaimScore:
    figure, level, release, part, criterion = key
    spans = level in ("group", "overall")
    these, others, layout = _estimates(mean, found, figure, settings)
    n_grades, *n = counted(found, mean.cells, layout)
    return ClaimScore(
        figure=figure,
        level=level,
        release=release,
        capability=None if spans else part,
        criterion=criterion,
        group=str(part) if spans else None,
        value=mean.value,
        numerator=mean.numerator,
        denominator=mean.denominator,
        these=these,
        others=others,
        n_grades=n_grades,
        n_questions=n[0],
        n_raters=n[1],
        partial=bool(mean.missing) and mean.value is not None,
        missing=mean.missing,
        reason=mean.reason,
        method=_method(figure, level, found, settings),
    )


def _estimates(
    mean: Mean, found: CellSums, figure: Figure, settings: ScoreSettings
) -> tuple[ClaimEstimate, ClaimEstimate, MeetingLayout | None]:
    if mean.value is None or not settings.intervals:
        why = mean.reason or Reason.NOT_RESAMPLED
        these, others = (no_interval(claim, mean.value, mean.reason, why) for claim in Claim)
        return these, others, None
    rows = means.rows_of(mean, found)
    of = means.values(found, rows, figure, settings.average, settings.layouts)
    around = components.spread([of])
    told = components.estimates(mean.value, of, around, level=settings.level, is_share=True)
    return *told, of.layout


def no_interval(
    claim: Claim, value: Fraction | None, reason: Reason | None, why: Reason
) -> ClaimEstimate:
    return ClaimEstimate(claim, value, None, None, 0, reason, why)


def counted(
    found: CellSums, cells: Collection[int], layout: MeetingLayout | None = None
) -> tuple[int, int, int]:
    """Return how many grades, questions and annotators some cells rest on."""
    rows: dict[int, list[int]] = {}
    for i in cells:
        rows.setdefault(found.cells[i].block, []).append(found.cells[i].row)
    counts = {number: found.blocks[number].count[mine] for number, mine in rows.items()}
    n_grades = int(sum(one.sum() for one in counts.values()))
    if layout is not None:
        return n_grades, layout.n_questions, layout.n_raters
    n_questions, raters = 0, np.zeros(0, dtype=np.int64)
    for number, of in counts.items():
        block, there = found.blocks[number], of.any(axis=0)
        n_questions += int((np.bincount(block.question[there]) > 0).sum())
        raters = np.union1d(raters, np.flatnonzero(np.bincount(block.rater[there])))
    return n_grades, n_questions, len(raters)


INTERVAL = (
    "interval at {level:.0%}: questions as a sample, and in the wider one annotators too; variance "
    "components by Henderson's method I, Student's t, or the logit scale where it is wider"
)


def _method(figure: Figure, level: Level, found: CellSums, settings: ScoreSettings) -> str:
    what = {
        "above_minimum": "sum of (mark − minimum) over sum of (top − minimum)",
        "of_top": "sum of marks over sum of top marks",
    }[settings.convention]
    if figure == "accuracy":
        what = "share of grades that pass"
    words = [what]
    if settings.average == "means_of_questions":
        words.append("mean over questions of their ratio")
    if level != "criterion":
        words.append("weighted mean of criteria")
    if level in ("group", "overall"):
        words.append("weighted mean of capabilities")
    if not found.exact:
        words.append(f"marks rounded to {MAX_SUM_DECIMALS} decimals")
    if settings.intervals:
        words.append(INTERVAL.format(level=settings.level))
    return "; ".join(words)


CANNOT_GRADE = "CANNOT_GRADE"


def coverage(
    ratings: pd.DataFrame,
    *,
    wanted: Mapping[tuple[Any, Any], int] | None = None,
    purposes: Collection[str] | None = None,
) -> ClaimCoverage:
    """Count grades against what was wanted, over the rows in scope, valid or not.

    Args:
        ratings: the unfiltered ratings frame.
        wanted: grades wanted (items × criteria × seats) by release and capability; None where
            nobody planned, as in an imported round. A combination that is not named wants none.
        purposes: of round items, where others than the usual ones are looked at.

    Raises:
        ValueError: a wanted count is negative.
    """
    if wanted and min(wanted.values()) < 0:
        raise ValueError("A wanted number of grades is negative.")
    counts = _counts(frame.in_scope(ratings, purposes=purposes))
    keys = sorted({*counts, *(wanted or {})}, key=_sort_key)
    rows = tuple(
        _row(key, counts.get(key, (0, 0, 0, 0)), None if wanted is None else wanted.get(key, 0))
        for key in keys
    )
    return ClaimCoverage(rows, _total(rows, planned=wanted is not None))


def _counts(rows: pd.DataFrame) -> dict[tuple[Label, Label], tuple[int, int, int, int]]:
    late = rows["late"].to_numpy()
    invalid = ~rows["valid"].to_numpy()
    no_mark = (rows["outcome"] == CANNOT_GRADE).to_numpy() | rows["value"].isna().to_numpy()
    place = np.select([late, invalid, no_mark], [2, 3, 1], default=0)
    keyed = pd.DataFrame(
        {"release": rows["release"], "capability": rows["capability"], "place": place}
    )
    sizes = keyed.groupby(["release", "capability", "place"], observed=True, dropna=False).size()
    counted: dict[tuple[Label, Label], list[int]] = {}
    found = zip(sizes.index.to_list(), sizes.to_list(), strict=True)
    for (release, capability, at), n in found:
        key = (release, None if pd.isna(capability) else capability)
        counted.setdefault(key, [0, 0, 0, 0])[at] = int(n)
    return {key: (n[0], n[1], n[2], n[3]) for key, n in counted.items()}


def _sort_key(key: tuple[Label, Label]) -> tuple[str, bool, str]:
    return str(key[0]), key[1] is not None, str(key[1])


def _row(
    key: tuple[Label, Label], counts: tuple[int, int, int, int], wanted: int | None
) -> CoverageRow:
    given, cannot, late, invalid = counts
    missing = None if wanted is None else max(0, wanted - given - cannot)
    return CoverageRow(key[0], key[1], wanted, given, cannot, late, invalid, missing)


def _total(rows: tuple[CoverageRow, ...], *, planned: bool) -> CoverageRow:
    def added(name: str) -> int:
        return sum(getattr(row, name) or 0 for row in rows)

    return CoverageRow(
        None,
        None,
        added("wanted") if planned else None,
        added("given"),
        added("cannot_grade"),
        added("late"),
        added("invalid"),
        added("missing") if planned else None,
    )


#: Stands for what a grade does not say: its capability, difficulty or area.
NOT_SAID = "none"


@dataclass(frozen=True, slots=True)
class PartScore:
    """A score within a part: `at` holds a value for each column the grades were split by.

    One of `capability` and `group` is set; `group` None and `capability` None is the whole.
    """

    at: tuple[Label, ...]
    capability: Label
    group: str | None
    score: ClaimScore


@dataclass(frozen=True, slots=True)
class _Spot:
    """A capability within a part."""

    capability: Label
    at: tuple[Label, ...]


def breakdown(
    ratings: pd.DataFrame,
    *,
    by: Sequence[str] = (),
    wanted: Collection[tuple[Label, ...]] = (),
    weights: Mapping[Label, Weight] | None = None,
    criterion_weights: Mapping[tuple[Label, Label], Weight] | None = None,
    groups: Mapping[str, Sequence[Label]] | None = None,
    convention: Convention = "above_minimum",
    average: Average = "pooled",
    intervals: bool = True,
    level: float = 0.95,
) -> tuple[PartScore, ...]:
    """Score every release in every part: the whole, groups, capabilities; criteria without parts.

    A missing value of a column is a part of its own, called "none".

    Args:
        ratings: rows of the ratings frame that count.
        by: the columns to split by; none for the whole alone.
        wanted: what was to be graded, as (capability, *part): it is missing where no grades came.
        weights: of capabilities; what is not named weighs 1.
        criterion_weights: by (capability, criterion), likewise.
        groups: capabilities by the name of their group.
        convention: as for `scores`.
        average: likewise.
        intervals: whether they are wanted.
        level: of the intervals.

    Raises:
        ValueError: a weight is negative or not a number, or a row lacks what identifies it.
    """
    coded, spots = _coded(ratings, by, wanted)
    members = dict(_members(spots, groups or {}))
    scored = scores(
        coded,
        by=("release", "capability"),
        weights={n: (weights or {}).get(spot.capability, 1) for n, spot in enumerate(spots)},
        criterion_weights={
            (n, criterion): weight
            for n, spot in enumerate(spots)
            for (capability, criterion), weight in (criterion_weights or {}).items()
            if capability == spot.capability
        },
        groups={str(n): spot for n, spot in enumerate(members.values())},
        convention=convention,
        average=average,
        intervals=intervals,
        level=level,
    )
    return tuple(_parts(scored.rows, spots, list(members), with_criteria=not by))


def _coded(
    ratings: pd.DataFrame, by: Sequence[str], wanted: Collection[tuple[Label, ...]]
) -> tuple[pd.DataFrame, list[_Spot]]:
    """Return the frame with the number of its spot in the place of the capability, and the spots.

    Spots are in the order of their capabilities, as `scores` has them without parts.
    """
    columns = [_filled(ratings[name]) for name in ("capability", *by)]
    index = pd.MultiIndex.from_arrays(columns)
    codes, found = pd.factorize(index)
    order = sorted(range(len(found)), key=lambda n: (found[n][0] != NOT_SAID, found[n][0]))
    spots = [_Spot(found[n][0], tuple(found[n][1:])) for n in order]
    codes = np.argsort(order)[codes]
    known = {(spot.capability, *spot.at) for spot in spots}
    spots += [_Spot(key[0], tuple(key[1:])) for key in dict.fromkeys(wanted) if key not in known]
    return ratings.assign(capability=pd.Categorical(codes)), spots


def _filled(column: "pd.Series[Any]") -> "pd.Series[Any]":
    plain_ = column.astype(object)
    return plain_.where(plain_.notna(), NOT_SAID)


def _members(
    spots: Sequence[_Spot], groups: Mapping[str, Sequence[Label]]
) -> Iterator[tuple[tuple[tuple[Label, ...], str | None], list[int]]]:
    """Yield the whole and the groups of every part with the numbers of their spots."""
    parts: dict[tuple[Label, ...], list[int]] = {}
    for n, spot in enumerate(spots):
        parts.setdefault(spot.at, []).append(n)
    for at, numbers in parts.items():
        yield (at, None), numbers
        for group, capabilities in groups.items():
            if mine := [n for n in numbers if spots[n].capability in capabilities]:
                yield (at, group), mine


def _parts(
    rows: Sequence[ClaimScore],
    spots: Sequence[_Spot],
    members: Sequence[tuple[tuple[Label, ...], str | None]],
    *,
    with_criteria: bool,
) -> Iterator[PartScore]:
    for row in rows:
        if row.level == "group":
            at, group = members[int(row.group or 0)]
            yield PartScore(at, None, group, row)
        elif row.level == "capability" or (row.level == "criterion" and with_criteria):
            spot = spots[row.capability]
            yield PartScore(spot.at, spot.capability, None, row)
