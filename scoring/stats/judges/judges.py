"""The two figures that papers call "overall" agreement: both are computed, both are named.

* Which judge agrees with people: every judge on every criterion, at each level, in one call.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from scoring.stats.judges import blocks, coefficients, levels
from scoring.stats.judges.blocks import BlockSettings, CoefficientBlock
from scoring.stats.judges.coefficients import NAMES
from scoring.stats.judges.levels import LEVELS, SENTENCES, Level, LevelRows
from scoring.stats.judges.said import Drawn, JudgeCell, JudgeTable, Overall, RatersCeiling
from scoring.stats.plain import Reason
from scoring.stats.resampled import exact
from scoring.stats.resampled.exact import Label, Values
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.told import COEFFICIENTS, Coefficient

Definition = Literal["mean_of_coefficients", "averaged_rating"]
DEFINITIONS: tuple[Definition, ...] = ("mean_of_coefficients", "averaged_rating")
Range = tuple[float, float]


def averaged(columns: Sequence[Values], ranges: Sequence[Range | None]) -> Values:
    """Return the mean of columns, row by row, each brought to 0–1 first if their ranges differ.

    Raises:
        ValueError: there is no column, or a range has no width.
    """
    if not columns:
        raise ValueError("There is nothing to average.")
    if differ(ranges):
        known = [one for one in ranges if one is not None]
        columns = [exact.rescaled(column, *one) for column, one in zip(columns, known, strict=True)]
    return exact.mean_of(columns)


def differ(ranges: Sequence[Range | None]) -> bool:
    """Say whether ranges are all known, without an open end, and not all the same."""
    known = [one for one in ranges if one is not None and all(map(math.isfinite, one))]
    return len(known) == len(ranges) and len(set(known)) > 1


def mean_of_coefficients(
    judge: Label, parts: Sequence[CoefficientBlock | None], level: Level, settings: BlockSettings
) -> list[Overall]:
    """Return the mean over criteria of each coefficient; None is a criterion the judge lacks."""
    return [
        _mean(judge, parts, level, name, place, settings)
        for place, name in enumerate(settings.names)
    ]


def of_averaged_rating(
    judge: Label,
    one: CoefficientBlock | None,
    level: Level,
    settings: BlockSettings,
    *,
    n_criteria: int,
    what: str,
) -> list[Overall]:
    """Return each coefficient of the averaged rating; None is a judge that lacks a criterion.

    Args:
        judge: its label.
        one: its averaged rating beside that of people.
        level: of the correlation.
        settings: what was asked.
        n_criteria: how many were averaged.
        what: says what was averaged, for the method.
    """
    if one is None:
        return [
            _overall(
                judge, level, name, "averaged_rating", Reason.PARTS_UNDEFINED, n_criteria, what
            )
            for name in settings.names
        ]
    made = []
    for point, bounds in zip(one.points, blocks.intervals(one, settings), strict=True):
        made.append(
            Overall(
                judge=judge,
                level=level,
                coefficient=point.coefficient,
                definition="averaged_rating",
                value=point.value,
                reason=point.reason,
                low=None if bounds is None else bounds.low,
                high=None if bounds is None else bounds.high,
                interval_reason=Reason.NOT_RESAMPLED if bounds is None else bounds.reason,
                n=point.n,
                n_criteria=n_criteria,
                method=_method(point.coefficient, level, "averaged_rating", what),
            )
        )
    return made


def _mean(
    judge: Label,
    parts: Sequence[CoefficientBlock | None],
    level: Level,
    name: Coefficient,
    place: int,
    settings: BlockSettings,
) -> Overall:
    known = [one for one in parts if one is not None]
    values = [one.points[place].value for one in known]
    there = [value for value in values if value is not None]
    what = "mean over criteria"
    if len(there) < len(parts):
        reason = Reason.PARTS_UNDEFINED
        return _overall(judge, level, name, "mean_of_coefficients", reason, len(parts), what)
    low = high = None
    reason_none: Reason | None = Reason.NOT_RESAMPLED
    if settings.resamples and len({one.parts for one in known}) > 1:
        reason_none = Reason.DIFFERENT_PARTS
    elif settings.resamples:
        drawn = [one.found.get(name) for one in known]
        mean = None if any(one is None for one in drawn) else np.mean(drawn, axis=0)  # type: ignore[arg-type]
        bounds = blocks.interval_of(known[0], name, mean, settings)
        low, high, reason_none = bounds.low, bounds.high, bounds.reason
    return Overall(
        judge=judge,
        level=level,
        coefficient=name,
        definition="mean_of_coefficients",
        value=float(np.mean(there)),
        reason=None,
        low=low,
        high=high,
        interval_reason=reason_none,
        n=min(one.points[place].n for one in known),
        n_criteria=len(parts),
        method=_method(name, level, "mean_of_coefficients", what),
    )


def _overall(
    judge: Label,
    level: Level,
    name: Coefficient,
    definition: Definition,
    reason: Reason,
    n_criteria: int,
    what: str,
) -> Overall:
    method = _method(name, level, definition, what)
    return Overall(
        judge, level, name, definition, None, reason, None, None, reason, 0, n_criteria, method
    )


def _method(name: Coefficient, level: Level, definition: Definition, what: str) -> str:
    said = {
        "mean_of_coefficients": "overall as the mean of the coefficients of the criteria",
        "averaged_rating": "overall as the coefficient of the averaged rating",
    }[definition]
    return f"{NAMES[name]}; {SENTENCES[level]}; {said}; {what}"


OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class PeopleMarks:
    """People's marks on one criterion: the exact sum and number for each response.

    `marks`, raters × responses with NaN for none, are needed for the ceiling alone.
    """

    total: FloatArray
    count: IntArray
    range: Range | None = None
    marks: FloatArray | None = None

    @property
    def values(self) -> Values:
        return exact.means(self.total, self.count)


@dataclass(frozen=True, slots=True)
class JudgeColumns:
    """One judge: a column over the responses for each criterion of the people, NaN for none.

    `overall` is the judge's own overall mark, if it gave one. A judge that has one score for
    everything has the same column on every criterion. `less_is_better` names the criteria whose
    scores go the other way, "overall" for the own overall mark; they are turned round.
    """

    columns: Mapping[Any, FloatArray]
    ranges: Mapping[Any, Range] = field(default_factory=dict)
    overall: FloatArray | None = None
    less_is_better: Collection[Label] = ()

    def values(self, criterion: Label) -> Values:
        return self._turned(criterion, self.columns[criterion])

    def overall_values(self, criteria: Sequence[Label]) -> Values | None:
        """Return the own overall mark, or the mean of criteria; None where one is missing."""
        if self.overall is not None:
            return self._turned(OVERALL, self.overall)
        if any(criterion not in self.columns for criterion in criteria):
            return None
        columns = [self.values(criterion) for criterion in criteria]
        return averaged(columns, self._ranges(criteria))

    def says_how(self, criteria: Sequence[Label]) -> str:
        return _says_how(self.overall is not None, self._ranges(criteria))

    def _ranges(self, criteria: Sequence[Label]) -> list[Range | None]:
        known = [self.ranges.get(criterion) for criterion in criteria]
        return [
            (-one[1], -one[0]) if one and criterion in self.less_is_better else one
            for criterion, one in zip(criteria, known, strict=True)
        ]

    def _turned(self, criterion: Label, column: FloatArray) -> Values:
        one = exact.values(column)
        if criterion not in self.less_is_better:
            return one
        return Values(-one.numerators, one.unit, one.exact)


def judge_table(
    table: LevelRows,
    people: Mapping[Any, PeopleMarks],
    judges: Mapping[Any, JudgeColumns],
    *,
    at: Sequence[Level] = LEVELS,
    names: Sequence[Coefficient] = COEFFICIENTS,
    drawn: Drawn = "both",
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
    own_overall: PeopleMarks | None = None,
) -> JudgeTable:
    """Correlate every judge with people on every criterion, with intervals and ceilings.

    Args:
        table: the responses.
        people: their marks by criterion.
        judges: by label; a judge may lack criteria.
        at: levels.
        names: coefficients.
        drawn: what is drawn with replacement for the intervals.
        resamples: how many; 0 for no intervals.
        confidence: of the intervals.
        seed: where chance comes from.
        own_overall: people's own overall mark, in the place of the mean of their criteria.

    Raises:
        ValueError: a column has not one value a response, or a setting is improper.
    """
    settings = BlockSettings(tuple(names), drawn, resamples, confidence, seed)
    human = {criterion: one.values for criterion, one in people.items()}
    whole = _whole(people, human, own_overall)
    cells: list[JudgeCell] = []
    totals: list[Overall] = []
    for label, judge in judges.items():
        for level in at:
            made = _blocks(table, judge, human, level, settings)
            for criterion, one in made.items():
                cells += _cells(label, criterion, one, settings)
            if len(people) > 1 and whole is not None:
                parts = [made.get(criterion) for criterion in people]
                totals += mean_of_coefficients(label, parts, level, settings)
                average = _average(table, judge, tuple(people), whole, level, settings)
                what = _what(people, judge, own_overall)
                totals += of_averaged_rating(
                    label, average, level, settings, n_criteria=len(people), what=what
                )
    return JudgeTable(
        cells=tuple(cells),
        overall=tuple(totals),
        ceilings=_ceilings(table, people, at, settings),
        ties=_ties(table, human, whole),
        judges=tuple(judges),
        criteria=tuple(people),
        drawn=drawn,
        resamples=resamples,
        seed=seed,
    )


def _whole(
    people: Mapping[Any, PeopleMarks], human: Mapping[Label, Values], own: PeopleMarks | None
) -> Values | None:
    if own is not None:
        return own.values
    if not human:
        return None
    return averaged(list(human.values()), [one.range for one in people.values()])


def _blocks(
    table: LevelRows,
    judge: JudgeColumns,
    human: Mapping[Label, Values],
    level: Level,
    settings: BlockSettings,
) -> dict[Label, CoefficientBlock]:
    return {
        criterion: blocks.block(
            levels.pairs(table, judge.values(criterion), values), level, settings
        )
        for criterion, values in human.items()
        if criterion in judge.columns
    }


def _average(
    table: LevelRows,
    judge: JudgeColumns,
    criteria: Sequence[Label],
    whole: Values,
    level: Level,
    settings: BlockSettings,
) -> CoefficientBlock | None:
    values = judge.overall_values(criteria)
    if values is None:
        return None
    return blocks.block(levels.pairs(table, values, whole), level, settings)


def _cells(
    label: Label, criterion: Label, one: CoefficientBlock, settings: BlockSettings
) -> list[JudgeCell]:
    of = one.of
    variance = float(np.var(of.judge / of.judge_unit, ddof=1)) if of.n > 1 else None
    return [
        JudgeCell(label, criterion, point, bounds, variance, of.n_judge_only, of.n_human_only)
        for point, bounds in zip(one.points, blocks.intervals(one, settings), strict=True)
    ]


def _ceilings(
    table: LevelRows,
    people: Mapping[Any, PeopleMarks],
    at: Sequence[Level],
    settings: BlockSettings,
) -> dict[Label, tuple[RatersCeiling, ...]]:
    return {
        criterion: tuple(
            found
            for level in at
            for found in blocks.ceilings(table, one.marks, level, names=settings.names)
        )
        for criterion, one in people.items()
        if one.marks is not None
    }


def _ties(
    table: LevelRows, human: Mapping[Label, Values], whole: Values | None
) -> dict[Label, int]:
    columns = dict(human)
    if whole is not None and len(human) > 1:
        columns.setdefault(OVERALL, whole)
    made: dict[Label, int] = {}
    for criterion, values in columns.items():
        of = levels.pairs(table, values, values)
        mean = levels.system_means(of)[1]
        made[criterion] = coefficients.concordance(mean, mean).tied_both
    return made


def _what(people: Mapping[Any, PeopleMarks], judge: JudgeColumns, own: PeopleMarks | None) -> str:
    theirs = _says_how(own is not None, [one.range for one in people.values()])
    return f"people: {theirs}; judge: {judge.says_how(tuple(people))}"


def _says_how(own: bool, ranges: Sequence[Range | None]) -> str:
    if own:
        return "their own overall mark"
    if differ(ranges):
        return "mean of the criteria, each brought to 0–1 by its range"
    return "mean of the criteria as they stand"
