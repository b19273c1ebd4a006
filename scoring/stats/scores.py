"""Scores of systems from grades: per criterion, per capability, per group and overall.

A score is Σ(mark − minimum) / Σ(top − minimum) over the grades that exist; a capability is the
mean of its criteria, a group and the overall score the weighted mean of capabilities. Accuracy
is the share of grades that pass, averaged the same way, so that score ≤ accuracy holds wherever
marks lie between 0 and one top and everything above 0 passes.

References:
    Sun et al. (2024), LalaEval, section on scoring; for scales from 0 the ratio is theirs.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd

from scoring.stats import estimates, resampling
from scoring.stats import sums as grade_sums
from scoring.stats.estimates import Average, Child, Estimate, Figure, Weigher, Weight
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.sums import Convention, Label, Sums

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
        words.append(f"marks rounded to {grade_sums.MAX_DECIMALS} decimals")
    if settings.resamples:
        how = settings.scheme.pooled if pooled else settings.scheme.sentence
        words.append(f"{settings.level:.0%} {how}, {settings.resamples} resamples")
    return "; ".join(words)
