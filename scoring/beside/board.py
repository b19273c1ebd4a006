"""Figures of judges beside people, as their pages and tables show them: names in the place of keys.

* Judges beside each other, as their page shows them: correlations, and which agrees better with people.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domains.models import Capability
from annotation.systems.models import Item
from scoring.beside import asked as judge_cells
from scoring.beside import options as judge_names
from scoring.beside.asked import ShownFigure
from scoring.beside.options import LEVEL_NAMES, SIGNS, ToCompare
from scoring.beside.records import (
    JudgeCapability,
    JudgeCorrelation,
    JudgeFigure,
    JudgeGap,
    JudgeInTheirPlace,
    JudgeKappa,
    JudgeLabel,
    JudgeLevel,
    JudgeOnCriteria,
    JudgeOnLabels,
    JudgeOverall,
    JudgePair,
    JudgePairsFigure,
    JudgePairTest,
    JudgesFigure,
    JudgeShift,
    JudgeSway,
    JudgeSystem,
    JudgeUse,
    PeopleCeiling,
    ResponseGap,
)
from scoring.figures import typed
from scoring.shown.names import Name
from scoring.shown.wording import why, why_of_two
from scoring.stats.judges.said import (
    LEVELS,
    Bias,
    ComparedJudges,
    Correlation,
    JudgeCell,
    PairwiseAccuracy,
)
from scoring.stats.told import COEFFICIENTS

DEFINITIONS = {
    "mean_of_coefficients": gettext_lazy("mean of the coefficients"),
    "averaged_rating": gettext_lazy("coefficient of the averaged rating"),
}
MOST_APART = 200


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge: its coefficients on the criterion shown, its shift, what it did not score."""

    judge: int
    name: str
    is_judge: bool
    figures: Mapping[str, ShownFigure]
    shift: ShownFigure | None
    mae: float | None
    n_failed: int
    n: int
    own: str
    is_turned: bool

    @property
    def cells(self) -> list[ShownFigure]:
        return [self.figures.get(one, ShownFigure(None)) for one in COEFFICIENTS]


class JudgeBoard:
    """The table of all judges at one level."""

    def __init__(self, data: object, options: ToCompare) -> None:
        assert options.choice is not None
        self.options, self.data = options, typed.read_figure(JudgesFigure, data)
        self.level, self.facts, self.table = self.data.level, self.data.facts, self.data.table
        self.criteria = [key for key in options.criteria if key in self.data.criteria]
        self.coefficient = options.choice.coefficient
        wanted = options.choice.criterion
        self.criterion = wanted if wanted in self.criteria else next(iter(self.criteria), "")

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @property
    def shown_criterion(self) -> str:
        return self.criterion_name(self.criterion)

    @property
    def criterion_names(self) -> list[str]:
        return [self.criterion_name(key) for key in self.criteria]

    @property
    def ceilings(self) -> list[ShownFigure]:
        return [self.ceiling_of(key) for key in self.criteria]

    def criterion_name(self, key: str) -> str:
        return self.options.criteria.get(key, key)

    @cached_property
    def lines(self) -> list[JudgeRow]:
        """Return the judges on the criterion shown, those that agree best first."""
        made = [self._line(one) for one in self.data.judges]
        known = [one for one in made if one is not None]
        return sorted(known, key=self._height)

    def agreement_of(self, line: JudgeRow) -> ShownFigure:
        """Return the chosen coefficient of a judge."""
        return line.figures.get(self.coefficient, ShownFigure(None))

    def _height(self, line: JudgeRow) -> tuple[bool, float]:
        value = self.agreement_of(line).value
        return value is None, -(value or 0)

    def _line(self, judge: JudgeOnCriteria) -> JudgeRow | None:
        facts = next((one for one in judge.criteria if one.criterion == self.criterion), None)
        if facts is None:
            return None
        found = self._cells.get((judge.judge, self.criterion), {})
        machine = next(one for one in self.options.machines if one.rater_id == judge.judge)
        return JudgeRow(
            judge=judge.judge,
            name=self.options.name(judge.judge),
            is_judge=machine.rater.kind == "JUDGE",
            figures={key: judge_cells.of_cell(cell) for key, cell in found.items()},
            shift=judge_cells.estimate(facts.deviation.shift) if facts.deviation else None,
            mae=facts.deviation.mae.value if facts.deviation else None,
            n_failed=facts.n_failed,
            n=next(iter(found.values())).correlation.n_rows if found else 0,
            own=self.options.own.get(judge.judge, {}).get(facts.own, facts.own),
            is_turned=not facts.higher_is_better,
        )

    @cached_property
    def _cells(self) -> dict[tuple[int, str], dict[str, JudgeCell]]:
        made: dict[tuple[int, str], dict[str, JudgeCell]] = {}
        for cell in self.table.cells:
            by = made.setdefault((cell.judge, cell.criterion), {})
            by[cell.correlation.coefficient] = cell
        return made

    def figure(self, judge: int, criterion: str, coefficient: str) -> ShownFigure | None:
        cell = self._cells.get((judge, criterion), {}).get(coefficient)
        return None if cell is None else judge_cells.of_cell(cell)

    @cached_property
    def ceiling(self) -> ShownFigure:
        return self.ceiling_of(self.criterion)

    def ceiling_of(self, criterion: str) -> ShownFigure:
        """Return how well each person agrees with the others: mean, lowest, highest."""
        found = self.table.ceilings.get(criterion)
        if not found:
            return ShownFigure(None, why=_("No ceiling: people gave single marks."))
        return judge_cells.ceiling(found, self.coefficient, self.level)

    @cached_property
    def layout(self) -> list[tuple[str, list[ShownFigure | None], list[tuple[str, ShownFigure]]]]:
        """Return rows as papers print them: each judge by criterion, then both overalls."""
        overall: dict[int, list[tuple[str, ShownFigure]]] = {}
        for one in self.table.overall:
            if one.coefficient == self.coefficient:
                figure = ShownFigure(one.value, one.low, one.high, why(one.reason), n=one.n)
                overall.setdefault(one.judge, []).append((one.definition, figure))
        return [
            (
                self.options.name(judge.judge),
                [self.figure(judge.judge, key, self.coefficient) for key in self.criteria],
                overall.get(judge.judge, []),
            )
            for judge in self.data.judges
        ]

    @cached_property
    def labels(self) -> list[tuple[JudgeKappa, list[JudgeLabel]]]:
        """Return every judge on every criterion whose marks are labels: in all, and label by label."""
        return [(self._kappa(one), list(self._of_labels(one))) for one in self.data.labels]

    @property
    def unread(self) -> list[str]:
        """Return why a judge is left out on a criterion of labels."""
        names = self.options.name, self.criterion_name
        return [
            f"{names[0](one.judge)}, {names[1](one.criterion)}: {one.why}"
            for one in self.data.unread
        ]

    def _kappa(self, one: JudgeOnLabels) -> JudgeKappa:
        found = one.found
        return JudgeKappa(
            judge=self.options.name(one.judge),
            criterion=self.criterion_name(one.criterion),
            kappa=found.kappa.value,
            low=found.kappa.low,
            high=found.kappa.high,
            why=why(found.kappa.reason) or None,
            equal=found.accuracy.value,
            constant=found.constant_accuracy,
            macro_f1=found.macro_f1.value,
            n=found.n,
            divided=one.n_divided,
            without=one.n_without,
        )

    def _of_labels(self, one: JudgeOnLabels) -> Iterator[JudgeLabel]:
        for each in one.found.classes:
            yield JudgeLabel(
                self.options.name(one.judge),
                self.criterion_name(one.criterion),
                each.label,
                each.n_true,
                each.n_said,
                each.precision.value,
                each.recall.value,
                each.f1.value,
            )

    @property
    def label_rows(self) -> list[JudgeLabel]:
        return [row for _kappa, rows in self.labels for row in rows]

    @property
    def kappa_rows(self) -> list[JudgeKappa]:
        return [row for row, _labels in self.labels]

    @property
    def definitions(self) -> list[str]:
        found = dict.fromkeys(one.definition for one in self.table.overall)
        return [str(DEFINITIONS.get(one, one)) for one in found]

    @property
    def ties(self) -> list[tuple[str, int]]:
        """Return criteria in which people's means of systems are exactly equal somewhere."""
        return [(self.criterion_name(key), n) for key, n in self.table.ties.items() if n]

    @cached_property
    def concordance(self) -> list[tuple[str, Correlation]]:
        return [
            (line.name, cell.correlation)
            for line in self.lines
            if (cell := self._cells.get((line.judge, self.criterion), {}).get("kendall_b"))
        ]

    @property
    def turned(self) -> list[str]:
        """Return the judges for which lower is better here: their scores are turned round."""
        return [line.name for line in self.lines if line.is_turned]

    @property
    def few(self) -> int:
        """On how many questions the criterion shown rests, where that is too few to tell much."""
        shown = (one for one in self.table.cells if one.criterion == self.criterion)
        return judge_cells.few_questions(shown)

    @property
    def method(self) -> str:
        found = (one.correlation for one in self.table.cells)
        return next((one.method for one in found if one.coefficient == self.coefficient), "")

    @property
    def interval_method(self) -> str:
        return next((one.interval.method for one in self.table.cells if one.interval), "")

    @property
    def convention(self) -> str:
        """Return how values are put together at this level, whatever the coefficient."""
        level_method = self.method.partition("; ")[2]
        ways = ("the coefficient that the row names", level_method, self.interval_method)
        return "; ".join(way for way in ways if way)

    @property
    def coefficient_rows(self) -> Iterator[JudgeCorrelation]:
        """Yield every judge, criterion and coefficient at this level."""
        for judge in self.data.judges:
            for facts in judge.criteria:
                for name in COEFFICIENTS:
                    found = self.figure(judge.judge, facts.criterion, name)
                    if found is not None:
                        yield JudgeCorrelation(
                            judge=self.options.name(judge.judge),
                            criterion=self.criterion_name(facts.criterion),
                            own_criterion=facts.own,
                            level=self.level,
                            coefficient=name,
                            without_score=facts.n_failed,
                            **asdict(found),
                        )

    @property
    def shift_rows(self) -> Iterator[JudgeShift]:
        """Yield how much kinder than people each judge is, on the people's scale."""
        for judge in self.data.judges:
            for facts in judge.criteria:
                who = self.options.name(judge.judge), self.criterion_name(facts.criterion)
                if facts.deviation is None:
                    yield JudgeShift(*who, None, None, None, None)
                else:
                    shift, distance = facts.deviation.shift, facts.deviation.mae.value
                    yield JudgeShift(*who, shift.value, shift.low, shift.high, distance)

    @property
    def overall_rows(self) -> Iterator[JudgeOverall]:
        """Yield both definitions of overall, each named."""
        for one in self.table.overall:
            what = self.options.name(one.judge), one.definition, self.level, one.coefficient
            yield JudgeOverall(*what, one.value, one.low, one.high, one.n)

    @property
    def ceiling_rows(self) -> Iterator[PeopleCeiling]:
        """Yield how well people agree with each other, by criterion and coefficient."""
        for key, found in self.table.ceilings.items():
            for one in found:
                what = self.criterion_name(key), one.coefficient
                yield PeopleCeiling(*what, one.value, one.low, one.high, one.n_raters)


class Detail:
    """One judge and one criterion from every side."""

    def __init__(self, data: object, options: ToCompare) -> None:
        self.data, self.options = typed.read_figure(JudgeFigure, data), options
        self.coefficient = self.data.coefficient

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data.criterion, self.data.criterion)

    @property
    def winning(self) -> int:
        """How many people the judge may stand in for."""
        return sum(one.replaceable for one in self.stands_in)

    @cached_property
    def stands_in(self) -> list[JudgeInTheirPlace]:
        """Return the judge against each person, who are told by their number."""
        test = self.data.alternative
        return [
            JudgeInTheirPlace(
                person=number,
                n=one.n,
                questions=one.n_questions,
                judge_wins=one.judge_wins,
                person_wins=one.person_wins,
                p=one.p,
                replaceable=one.replaceable,
                why=why(one.reason),
            )
            for number, one in enumerate(test.people if test else (), 1)
        ]

    @property
    def standing_in_method(self) -> str:
        return self.data.alternative.method if self.data.alternative else ""

    @property
    def alternative_why(self) -> str:
        return why(self.data.alternative.reason) if self.data.alternative else ""

    @property
    def pairwise(self) -> Mapping[str, PairwiseAccuracy]:
        found = self.data.pairwise
        return {
            "fitted": found["cross-fitted"],
            "flattered": found["in-sample"],
            "none": found["none"],
        }

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @cached_property
    def names(self) -> Mapping[int, Name]:
        """Return what systems are called; by numbers unless the names of all rounds are shown."""
        return judge_names.names(self.options)

    @cached_property
    def _capabilities(self) -> Mapping[int, str]:
        keys = [one.capability for one in self.data.parts]
        return dict(Capability.objects.filter(pk__in=keys).values_list("pk", "name"))

    def system(self, release: int) -> str:
        return judge_names.system(self.names, release)

    def _at(self, level: str, coefficient: str) -> ShownFigure:
        cells = (one for one in self.data.levels if one.correlation.level == level)
        return judge_cells.of_coefficient(cells, coefficient)

    @property
    def with_people(self) -> ShownFigure:
        return self._at("pooled", self.coefficient)

    @property
    def ceiling(self) -> ShownFigure:
        return self._ceiling("pooled")

    def _ceiling(self, level: str) -> ShownFigure:
        return judge_cells.ceiling(self.data.ceilings, self.coefficient, level)

    @cached_property
    def levels(self) -> list[tuple[str, list[ShownFigure], ShownFigure]]:
        """Return each level with its four coefficients and the ceiling of the chosen one."""
        return [
            (level, [self._at(level, one) for one in COEFFICIENTS], self._ceiling(level))
            for level in LEVELS
        ]

    @property
    def level_rows(self) -> list[tuple[str, list[ShownFigure], ShownFigure]]:
        """Return the levels by the names that pages give them."""
        return [(str(LEVEL_NAMES[level]), rows, top) for level, rows, top in self.levels]

    @property
    def level_table(self) -> Iterator[JudgeLevel]:
        """Yield every coefficient at every level."""
        for level, figures, _ceiling in self.levels:
            for name, one in zip(COEFFICIENTS, figures, strict=True):
                yield JudgeLevel(level, name, **asdict(one))

    @property
    def few(self) -> int:
        return judge_cells.few_questions(self.data.levels)

    @property
    def turned(self) -> list[str]:
        return [self.options.name(one) for one in self.data.turned]

    @property
    def shift(self) -> ShownFigure | None:
        found = self.data.deviation
        return None if found is None else judge_cells.estimate(found.shift)

    @cached_property
    def parts(self) -> list[JudgeCapability]:
        """Return the capabilities where people used the criterion, with what the judge is good for."""
        return [self._part(one) for one in self.data.parts if one.n]

    def _part(self, one: JudgeUse) -> JudgeCapability:
        is_few = one.n_questions < judge_cells.FEW_QUESTIONS
        return JudgeCapability(
            capability=self._capabilities.get(one.capability, ""),
            value=one.value,
            low=one.low,
            high=one.high,
            why=why(one.reason),
            people=one.people,
            n=one.n,
            use=one.use,
            people_low=one.people_low,
            people_high=one.people_high,
            n_questions=one.n_questions,
            verdict="few" if is_few else one.use,
        )

    @property
    def confusion_shades(self) -> list[tuple[float, list[tuple[int, float, str, bool]]]]:
        """Return people's levels by the judge's: how often, the share of the row, its shade, if equal."""
        found, made = self.data.confusion, []
        if found is None:
            return []
        for place, (level, row) in enumerate(zip(found.levels, found.table, strict=True)):
            whole = sum(row)
            shares = [n / whole if whole else 0.0 for n in row]
            cells = [
                (n, 100 * share, f"h{min(int(share * 5), 4)}", at == place)
                for at, (n, share) in enumerate(zip(row, shares, strict=True))
            ]
            made.append((level, cells))
        return made

    @cached_property
    def systems(self) -> list[JudgeSystem]:
        return [
            JudgeSystem(self.system(one.release), one.human, one.judge, one.shift, one.n)
            for one in self.data.systems
        ]

    def apart(self, most: int = MOST_APART) -> list[JudgeGap]:
        """Return the responses on which both lie farthest apart, with what their items are called."""
        return gaps(self.data.apart[:most], self.names)

    @property
    def order(self) -> ShownFigure | None:
        """Return what the opposite order does to the readings; none where no order was turned."""
        found = self.data.readings.order
        return None if found is None else judge_cells.estimate(found.shift)

    @cached_property
    def bias(self) -> list[JudgeSway]:
        """Return what may sway the judge: what, how much, and how to read it."""
        return [] if self.data.bias is None else [*_sways(self.data.bias)]


def gaps(rows: Sequence[ResponseGap], names: Mapping[int, Name]) -> list[JudgeGap]:
    """Return responses with what their items and systems are called."""
    known = Item.objects.in_bulk({one.item for one in rows})
    return [
        JudgeGap(
            item=known[one.item].external_id if one.item in known else "",
            system=judge_names.system(names, one.release),
            people=one.human,
            marks=one.n_marks,
            judge=one.judge,
            gap=one.gap,
            item_key=one.item,
            response=one.response,
        )
        for one in rows
    ]


def _sways(found: Bias) -> Iterator[JudgeSway]:
    length = found.length
    rows = [
        (_("Length"), length.overall, _("correlation; good answers may be longer")),
        (
            _("Length, given people’s grades"),
            length.correlation,
            _("partial correlation; above 0: favours long answers"),
        ),
        (_("An answer twice as long"), length.slope, ""),
        (_("Systems of its own family"), found.family.difference, ""),
    ]
    rows += [
        (_("Position %(number)s") % {"number": one.position}, one.residual, "")
        for one in found.positions
    ]
    for what, estimate, meaning in rows:
        reason = estimate.reason or estimate.interval_reason
        bounds = estimate.value, estimate.low, estimate.high
        yield JudgeSway(what, *bounds, why(reason), meaning)


#: What other features call it.
Test: TypeAlias = JudgePairTest


class JudgeMatrix:
    """Every two judges at one level on one criterion."""

    def __init__(self, data: object, options: ToCompare) -> None:
        self.data, self.options = typed.read_figure(JudgePairsFigure, data), options
        self.coefficient, self.judges = self.data.coefficient, self.data.judges

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data.criterion, self.data.criterion)

    @property
    def turned(self) -> list[str]:
        """Return the judges for which lower is better here: their scores are turned round."""
        return [self.options.name(one) for one in self.data.turned]

    @property
    def names(self) -> list[str]:
        return [self.options.name(one) for one in self.judges]

    @cached_property
    def _between(self) -> Mapping[tuple[int, int], ShownFigure]:
        made: dict[tuple[int, int], ShownFigure] = {}
        for one in self.data.between:
            found = one.correlation
            if found.coefficient == self.coefficient:
                figure = ShownFigure(
                    found.value, why=why_of_two(found.reason), p=found.p, n=found.n
                )
                made[one.left, one.right] = made[one.right, one.left] = figure
        return made

    @cached_property
    def rows(self) -> list[tuple[str, list[ShownFigure | None]]]:
        """Return each judge with its correlation with every judge; None with itself."""
        return [
            (self.options.name(left), [self._between.get((left, right)) for right in self.judges])
            for left in self.judges
        ]

    @property
    def pairs(self) -> Iterator[JudgePair]:
        """Yield how every two judges correlate, by coefficient."""
        for one in self.data.between:
            found = one.correlation
            yield JudgePair(
                left=self.options.name(one.left),
                right=self.options.name(one.right),
                level=self.data.level,
                coefficient=found.coefficient,
                value=found.value,
                why=why(found.reason),
                p=found.p,
                n=found.n,
            )

    @cached_property
    def tests(self) -> list[Test]:
        """Return every two judges tested, those that differ most surely first."""
        return sorted(map(self._test, self.data.compared), key=_surely)

    def _test(self, one: ComparedJudges) -> Test:
        found, other = one.permutation, one.williams
        return Test(
            left_name=self.options.name(one.left),
            right_name=self.options.name(one.right),
            level=self.data.level,
            coefficient=self.coefficient,
            left=found.left,
            right=found.right,
            difference=found.difference,
            p=found.p,
            p_holm=found.p_holm,
            williams_p=other.p,
            williams_p_holm=other.p_holm,
            why=why(found.reason),
            williams_why=why(other.reason),
            n=found.n,
        )

    @property
    def methods(self) -> list[str]:
        """Return how the tests are made."""
        one = next(iter(self.data.compared), None)
        return [] if one is None else [one.permutation.method, one.williams.method]


def _surely(one: Test) -> tuple[bool, float]:
    return one.p_holm is None, one.p_holm or 0
