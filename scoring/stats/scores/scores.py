"""Scores of systems from grades: per criterion, per capability, per group and overall.

* What was wanted and what came: counts of grades for each release × capability.
* Scores of systems within parts of the questions: by difficulty, by subject area, by both.
"""

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd

from scoring.stats import frame
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import estimates
from scoring.stats.resampled import exact as grade_sums
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.estimates import Average, Child, Estimate, Figure, Weigher, Weight
from scoring.stats.resampled.exact import Convention, Label, Sums

Level = Literal["criterion", "capability", "group", "overall"]
Key = tuple[Figure, Level, Label, Label, Label]
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Score:
    """One figure of one release: `capability` and `criterion` are None where it spans several.

    `value`, `numerator` and `denominator` are exact; `low` and `high` bound the interval.
    `reason` says why there is no value, `interval_reason` why there is no interval. `missing`
    names the parts without grades that a partial figure leaves out.
    """

    figure: Figure
    level: Level
    release: Label
    capability: Label
    criterion: Label
    group: str | None
    value: Fraction | None
    numerator: Fraction | None
    denominator: Fraction | None
    low: float | None
    high: float | None
    n_grades: int
    n_questions: int
    n_raters: int
    partial: bool
    missing: tuple[str, ...]
    reason: Reason | None
    interval_reason: Reason | None
    method: str


@dataclass(frozen=True, slots=True)
class Scores:
    rows: tuple[Score, ...]
    releases: tuple[Label, ...]
    capabilities: tuple[Label, ...]
    by: tuple[str, str]
    scheme: resampling.Scheme
    resamples: int
    level: float
    exact: bool
    _sums: Sums = field(repr=False, compare=False)
    _estimates: Mapping[Key, Estimate] = field(repr=False, compare=False)
    _settings: "Settings" = field(repr=False, compare=False)
    _ratings: pd.DataFrame = field(repr=False, compare=False)
    _chance: np.random.Generator = field(repr=False, compare=False)
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def find(
        self,
        release: Label,
        capability: Label = None,
        criterion: Label = None,
        *,
        figure: Figure = "score",
        group: str = OVERALL,
    ) -> Score:
        """Return one row; without a capability, the row of the group.

        Raises:
            KeyError: there is no such row.
        """
        wanted = (figure, release, capability, criterion, group if capability is None else None)
        for row in self.rows:
            if wanted == (row.figure, row.release, row.capability, row.criterion, row.group):
                return row
        raise KeyError(wanted)

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class Settings:
    by: tuple[str, str]
    convention: Convention
    average: Average
    scheme: resampling.Scheme
    resamples: int
    level: float
    capability: Weigher
    criterion: Callable[[Label, Label], Fraction]
    groups: Mapping[str, Sequence[Label]]


def scores(
    ratings: pd.DataFrame,
    *,
    weights: Mapping[Label, Weight] | None = None,
    criterion_weights: Mapping[Label, Weight] | None = None,
    groups: Mapping[str, Sequence[Label]] | None = None,
    by: tuple[str, str] = ("release", "capability"),
    convention: Convention = "above_minimum",
    average: Average = "pooled",
    seed: int | np.random.Generator = 0,
    resamples: int = 2_000,
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
        seed: where chance comes from; the same seed and grades give the same interval.
        resamples: how many; 0 for no intervals.
        level: of the intervals.

    Raises:
        ValueError: a weight is negative or not a number, or a row lacks what identifies it.
    """
    found = grade_sums.grade_sums(ratings, by=by, convention=convention)
    scheme = resampling.scheme_for(found.n_questions)
    capabilities = tuple(dict.fromkeys([*_capabilities(found), *(weights or {})]))
    settings = Settings(
        by,
        convention,
        average,
        scheme,
        resamples,
        level,
        estimates.weigher(weights),
        _criterion_weigher(criterion_weights),
        {**(groups or {}), OVERALL: capabilities},
    )
    rng = np.random.default_rng(seed)
    chance = copy.deepcopy(rng)  # what is compared later meets the same resamples
    cells = estimates.cell_estimates(
        found, average=average, resamples=resamples, rng=rng, scheme=scheme
    )
    made = dict(all_estimates(found, cells, settings))
    rows = tuple(_score(key, made[key], found, settings) for key in made)
    return Scores(
        rows,
        found.releases,
        capabilities,
        by,
        scheme,
        resamples,
        level,
        found.exact,
        found,
        made,
        settings,
        ratings,
        chance,
    )


def _criterion_weigher(
    weights: Mapping[Label, Weight] | None,
) -> Callable[[Label, Label], Fraction]:
    exact = {label: estimates.as_weight(label, one) for label, one in (weights or {}).items()}

    def weight(capability: Label, criterion: Label) -> Fraction:
        return exact.get((capability, criterion), exact.get(criterion, Fraction(1)))

    return weight


def _capabilities(found: Sums) -> list[Label]:
    return list(dict.fromkeys(capability for capability, _ in found.expected))


def all_estimates(
    found: Sums, cells: Mapping[Figure, Sequence[Estimate]], settings: Settings
) -> Iterator[tuple[Key, Estimate]]:
    """Yield every figure of every release: of criteria, of capabilities, of groups of them."""
    place = {
        (cell.release, cell.capability, cell.criterion): i for i, cell in enumerate(found.cells)
    }
    for figure in cells:
        for release in found.releases:
            of_capability: dict[Label, Estimate] = dict.fromkeys(
                settings.groups[OVERALL], estimates.NOTHING
            )
            for capability in _capabilities(found):
                children = []
                for _, criterion in (pair for pair in found.expected if pair[0] == capability):
                    at = place.get((release, capability, criterion))
                    one = estimates.NOTHING if at is None else cells[figure][at]
                    yield (figure, "criterion", release, capability, criterion), one
                    name = f"{capability} / {criterion}"
                    children.append(Child(name, settings.criterion(capability, criterion), one))
                whole = estimates.combined(children)
                of_capability[capability] = whole
                yield (figure, "capability", release, capability, None), whole
            yield from _groups(figure, release, of_capability, settings)


def _groups(
    figure: Figure, release: Label, of_capability: Mapping[Label, Estimate], settings: Settings
) -> Iterator[tuple[Key, Estimate]]:
    for group, members in settings.groups.items():
        children = [
            Child(
                str(member),
                settings.capability(member),
                of_capability.get(member, estimates.NOTHING),
            )
            for member in members
        ]
        level: Level = "overall" if group == OVERALL else "group"
        yield (figure, level, release, group, None), estimates.combined(children)


def _score(key: Key, estimate: Estimate, found: Sums, settings: Settings) -> Score:
    figure, level, release, part, criterion = key
    spans = level in ("group", "overall")
    bounds = estimates.interval(estimate, found, scheme=settings.scheme, level=settings.level)
    cells = list(estimate.cells)
    n_grades = sum(
        int(found.blocks[found.cells[i].block].count[found.cells[i].row].sum()) for i in cells
    )
    return Score(
        figure=figure,
        level=level,
        release=release,
        capability=None if spans else part,
        criterion=criterion,
        group=str(part) if spans else None,
        value=estimate.value,
        numerator=estimate.numerator,
        denominator=estimate.denominator,
        low=bounds.low,
        high=bounds.high,
        n_grades=n_grades,
        n_questions=bounds.n_clusters,
        n_raters=int(found.raters[cells].any(axis=0).sum()),
        partial=bool(estimate.missing) and estimate.value is not None,
        missing=estimate.missing,
        reason=estimate.reason,
        interval_reason=bounds.reason,
        method=_method(figure, level, found, settings, pooled=bounds.pooled),
    )


def _method(figure: Figure, level: Level, found: Sums, settings: Settings, *, pooled: bool) -> str:
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
        words.append(f"marks rounded to {grade_sums.MAX_SUM_DECIMALS} decimals")
    if settings.resamples:
        how = settings.scheme.pooled if pooled else settings.scheme.sentence
        words.append(f"{settings.level:.0%} {how}, {settings.resamples} resamples")
    return "; ".join(words)


CANNOT_GRADE = "CANNOT_GRADE"


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Grades of one release × capability; `missing` is what is still wanted.

    Each row of the frame is counted once: late, else invalid, else cannot grade, else given.
    """

    release: Label
    capability: Label
    wanted: int | None
    given: int
    cannot_grade: int
    late: int
    invalid: int
    missing: int | None


@dataclass(frozen=True, slots=True)
class Coverage:
    rows: tuple[CoverageRow, ...]
    total: CoverageRow

    def plain(self) -> Plain:
        return plain(self)


def coverage(
    ratings: pd.DataFrame,
    *,
    wanted: Mapping[tuple[Any, Any], int] | None = None,
    purposes: Collection[str] | None = None,
) -> Coverage:
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
    return Coverage(rows, _total(rows, planned=wanted is not None))


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
    score: Score

    def plain(self) -> Plain:
        return plain(self)


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
    seed: int | np.random.Generator = 0,
    resamples: int = 2_000,
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
        seed: where chance comes from.
        resamples: how many; 0 for no intervals.
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
        seed=seed,
        resamples=resamples,
        level=level,
    )
    return tuple(_parts(scored.rows, spots, list(members), with_criteria=not by))


def _coded(
    ratings: pd.DataFrame, by: Sequence[str], wanted: Collection[tuple[Label, ...]]
) -> tuple[pd.DataFrame, list[_Spot]]:
    """Return the frame with the number of its spot in the place of the capability, and the spots.

    Spots are in the order of their capabilities, as `scores` has them without parts: the same
    grades then have the same resamples there and here.
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
    rows: Sequence[Score],
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
            spot = spots[row.capability]  # type: ignore[call-overload]
            yield PartScore(spot.at, spot.capability, None, row)
