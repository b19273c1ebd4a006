"""Which judge agrees with people: every judge on every criterion, at each level, in one call.

What goes in are plain columns over the responses; what comes out is plain and goes into JSON by
`plain()`. Rows are joined by key before (`levels.Rows.place`); their order plays no part.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scoring.stats import blocks, ceiling, coefficients, exact, levels, overall
from scoring.stats.blocks import Block, Settings
from scoring.stats.ceiling import Ceiling
from scoring.stats.correlation import Correlation
from scoring.stats.correlation_intervals import Drawn, Resampled
from scoring.stats.exact import Values
from scoring.stats.levels import LEVELS, Level, Rows
from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.overall import Overall, Range
from scoring.stats.plain import Plain, plain
from scoring.stats.sums import Label
from scoring.stats.weighted import COEFFICIENTS, Coefficient

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Human:
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
class Judge:
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
        return overall.averaged(columns, self._ranges(criteria))

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


@dataclass(frozen=True, slots=True)
class Cell:
    """One judge on one criterion; `interval` is None where none was asked for.

    `variance` is that of the judge's values over the responses (n − 1 below), KIEval's table 5.
    `n_judge_only` and `n_human_only` count the responses that one side lacks.
    """

    judge: Label
    criterion: Label
    correlation: Correlation
    interval: Resampled | None
    variance: float | None
    n_judge_only: int
    n_human_only: int


@dataclass(frozen=True, slots=True)
class JudgeTable:
    """Everything of one page; `ties` counts pairs of systems with exactly equal human means."""

    cells: tuple[Cell, ...]
    overall: tuple[Overall, ...]
    ceilings: Mapping[Label, tuple[Ceiling, ...]]
    ties: Mapping[Label, int]
    judges: tuple[Label, ...]
    criteria: tuple[Label, ...]
    drawn: Drawn
    resamples: int
    seed: int

    def find(self, judge: Label, criterion: Label, level: Level, coefficient: Coefficient) -> Cell:
        """Return one cell.

        Raises:
            KeyError: there is none such.
        """
        wanted = (judge, criterion, level, coefficient)
        for one in self.cells:
            found = one.correlation
            if wanted == (one.judge, one.criterion, found.level, found.coefficient):
                return one
        raise KeyError(wanted)

    def plain(self) -> Plain:
        return plain(self)


def judge_table(
    table: Rows,
    people: Mapping[Any, Human],
    judges: Mapping[Any, Judge],
    *,
    at: Sequence[Level] = LEVELS,
    names: Sequence[Coefficient] = COEFFICIENTS,
    drawn: Drawn = "both",
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
    own_overall: Human | None = None,
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
    settings = Settings(tuple(names), drawn, resamples, confidence, seed)
    human = {criterion: one.values for criterion, one in people.items()}
    whole = _whole(people, human, own_overall)
    cells: list[Cell] = []
    totals: list[Overall] = []
    for label, judge in judges.items():
        for level in at:
            made = _blocks(table, judge, human, level, settings)
            for criterion, one in made.items():
                cells += _cells(label, criterion, one, settings)
            if len(people) > 1 and whole is not None:
                parts = [made.get(criterion) for criterion in people]
                totals += overall.mean_of_coefficients(label, parts, level, settings)
                average = _average(table, judge, tuple(people), whole, level, settings)
                what = _what(people, judge, own_overall)
                totals += overall.of_averaged_rating(
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
    people: Mapping[Any, Human], human: Mapping[Label, Values], own: Human | None
) -> Values | None:
    if own is not None:
        return own.values
    if not human:
        return None
    return overall.averaged(list(human.values()), [one.range for one in people.values()])


def _blocks(
    table: Rows, judge: Judge, human: Mapping[Label, Values], level: Level, settings: Settings
) -> dict[Label, Block]:
    return {
        criterion: blocks.block(
            levels.pairs(table, judge.values(criterion), values), level, settings
        )
        for criterion, values in human.items()
        if criterion in judge.columns
    }


def _average(
    table: Rows,
    judge: Judge,
    criteria: Sequence[Label],
    whole: Values,
    level: Level,
    settings: Settings,
) -> Block | None:
    values = judge.overall_values(criteria)
    if values is None:
        return None
    return blocks.block(levels.pairs(table, values, whole), level, settings)


def _cells(label: Label, criterion: Label, one: Block, settings: Settings) -> list[Cell]:
    of = one.of
    variance = float(np.var(of.judge / of.judge_unit, ddof=1)) if of.n > 1 else None
    return [
        Cell(label, criterion, point, bounds, variance, of.n_judge_only, of.n_human_only)
        for point, bounds in zip(one.points, blocks.intervals(one, settings), strict=True)
    ]


def _ceilings(
    table: Rows, people: Mapping[Any, Human], at: Sequence[Level], settings: Settings
) -> dict[Label, tuple[Ceiling, ...]]:
    return {
        criterion: tuple(
            found
            for level in at
            for found in ceiling.ceilings(table, one.marks, level, names=settings.names)
        )
        for criterion, one in people.items()
        if one.marks is not None
    }


def _ties(table: Rows, human: Mapping[Label, Values], whole: Values | None) -> dict[Label, int]:
    columns = dict(human)
    if whole is not None and len(human) > 1:
        columns.setdefault(OVERALL, whole)
    made: dict[Label, int] = {}
    for criterion, values in columns.items():
        of = levels.pairs(table, values, values)
        mean = levels.system_means(of)[1]
        made[criterion] = coefficients.concordance(mean, mean).tied_both
    return made


def _what(people: Mapping[Any, Human], judge: Judge, own: Human | None) -> str:
    theirs = _says_how(own is not None, [one.range for one in people.values()])
    return f"people: {theirs}; judge: {judge.says_how(tuple(people))}"


def _says_how(own: bool, ranges: Sequence[Range | None]) -> str:
    if own:
        return "their own overall mark"
    if overall.differ(ranges):
        return "mean of the criteria, each brought to 0–1 by its range"
    return "mean of the criteria as they stand"
