"""What a run of Fusion-Eval came to: scores of each judge, its costs, people beside it, its assistants."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evalsite import errors
from scoring.beside import asked as judge_asked
from scoring.beside import options as judge_options
from scoring.beside.asked import ShownFigure
from scoring.beside.board import JudgeBoard, JudgeMatrix, Test
from scoring.beside.options import SIGNS, ToCompare
from scoring.engine.kinds import Action
from scoring.engine.models import Run
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from scoring.kinds.fusion import results
from scoring.kinds.fusion.results import FusionBoard, FusionCell, FusionJudgeLine
from scoring.outcomes.kinds import OutcomeChoice, OutcomeKind
from scoring.outcomes.values import (
    SURE,
    Column,
    Contender,
    Data,
    Estimate,
    Grid,
    OutcomeWords,
    Ranking,
    RunOutcome,
    Table,
    Words,
)

JUDGE: Final = Column("judge", gettext_lazy("Judge"))
RELEASE: Final = Column("release", gettext_lazy("Release"))
LEVEL: Final = OutcomeChoice("level", gettext_lazy("Level"), judge_options.LEVEL_NAMES)
COEFFICIENT: Final = OutcomeChoice(
    "coefficient",
    gettext_lazy("Coefficient"),
    judge_options.COEFFICIENT_NAMES,
    usual=results.COEFFICIENT,
)
ROUND, CRITERION = gettext_lazy("Graded in"), gettext_lazy("Criterion of the tests")


class FusionOutcome(OutcomeKind):
    name = "fusion"
    of = Run.Kind.FUSION
    title = gettext_lazy("Fusion-Eval results")
    summary = (
        "Return what each judge of a run scored, what could not be read, what an answer took, and how far it "
        "goes with people and assistants."
    )
    documented = (
        OutcomeChoice("round", ROUND, {}),
        LEVEL,
        COEFFICIENT,
        OutcomeChoice("criterion", CRITERION, {}),
    )
    figure = "fusion_reliance"
    computed_by = "scoring.kinds.fusion.figure.compute"

    @cached_property
    def board(self) -> FusionBoard:
        return results.board(self.reading)

    @cached_property
    def beside(self) -> tuple[QueryDict, ToCompare | None, str]:
        """Return what the judges are set beside; where the address cannot be used, the usual and why."""
        scope, board, problem = self.reading.scope, self.board, ""
        query = results.query_of(scope, board, self.query)
        if query is None:
            return QueryDict(), None, ""
        try:
            options = results.options(scope, query)
        except errors.Refusal as refusal:
            problem = refusal.message
            query = results.query_of(scope, board, QueryDict()) or query
            options = results.options(scope, query)
        if options.choice is None:
            return query, None, problem
        wished = results.preferred(board, options)
        if "criterion" not in query and wished not in {"", options.choice.criterion}:
            query["criterion"] = wished
            options = results.options(scope, query)
        return query, options, problem

    @property
    def people(self) -> ToCompare | None:
        return self.beside[1]

    @cached_property
    def choices(self) -> Sequence[OutcomeChoice]:
        if self.people is None or self.people.choice is None:
            return ()
        rounds = {str(one.round.number): one.round.name for one in self.people.readings}
        choice = self.people.choice
        return (
            OutcomeChoice("round", ROUND, rounds, usual=str(choice.rounds[0])),
            LEVEL,
            COEFFICIENT,
            OutcomeChoice("criterion", CRITERION, self.people.criteria, usual=choice.criterion),
        )

    @property
    def about(self) -> Words:
        version, plan = self.board.version, self.board.plan
        said = _("%(task)s, version %(n)d.") % {"task": version.task.name, "n": version.number}
        return f"{said} {_('Plan %(n)d.') % {'n': plan.number}}" if plan else said

    @property
    def actions(self) -> Sequence[Action]:
        slug, task = self.run.project.slug, self.board.version.task
        made = [Action(gettext_lazy("Task"), reverse("fusion_task", args=[slug, task.number]))]
        if self.people is None:
            return made
        everybody = f"{reverse('judges_people', args=[slug])}?{self.beside[0].urlencode()}"
        made.append(Action(gettext_lazy("On the page of all judges"), everybody))
        if self.board.content.helpers:
            together = results.together(self.board, self.people)
            there = f"{reverse('judges_together', args=[slug])}?{together}"
            made.append(Action(gettext_lazy("AVG, LLMSel and CorrW within folds"), there))
        return made

    def wanted(self, now: datetime) -> Mapping[str, Figure]:
        """Return reliance on assistants, all judges beside people, and tests between the run's."""
        made: dict[str, Figure] = {}
        options, choice = self.people, None if self.people is None else self.people.choice
        n = results.n_judged(self.run)
        if self.board.content.helpers and n:
            level = LEVEL.of({}) if choice is None else choice.level
            params, version = {"level": level}, f", {n} scores"
            made[self.figure] = figures.of_run(
                name=self.figure, run=self.run, params=params, now=now, version=version
            )
        if options is None or choice is None:
            return made
        made["judges"] = _figure("judges", options, now)
        if len(self.board.raters) > 1:
            query = results.among(self.beside[0], self.board.raters)
            alone = results.options(self.reading.scope, query)
            made["judge_pairs"] = _figure("judge_pairs", alone, now)
        return made

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        board, options, problem = self.board, self.people, self.beside[2]
        tables = [*_scores(board, self.run), *_lacking(board), _spent(board)]
        hints: list[Words] = [problem] if problem else []
        if options is None:
            hints.append(
                gettext_lazy("Needs people’s grades of these answers: a final round, or an import.")
            )
        if self.figure in data:
            tables.append(_reliance(board, data[self.figure], self.chosen.get("coefficient")))
        if options is None or "judges" not in data:
            return RunOutcome(tables=tables, hints=hints)
        people, said = JudgeBoard(data["judges"], options), ""
        ranking = _ranking(board, people)
        if "judge_pairs" in data:
            matrix = JudgeMatrix(data["judge_pairs"], options)
            said = _verdict(board, ranking, matrix)
            tables.append(_tests(board, matrix))
        return RunOutcome(
            ranking=ranking,
            said=said,
            tables=[*_people(board, people), *tables],
            hints=[*hints, *_hints(people)],
            method=". ".join(filter(None, (people.method, people.interval_method))),
        )


def _figure(name: str, options: ToCompare, now: datetime) -> Figure:
    assert options.choice is not None
    params = judge_asked.params(name, options.choice)
    return figures.get(name=name, round_=options.round, params=params, now=now)


def _criteria(board: FusionBoard) -> list[Contender]:
    return [Contender(name) for name in board.criteria]


def _rows(line: FusionJudgeLine) -> Iterator[tuple[str, Sequence[FusionCell]]]:
    yield _("all answers"), line.whole
    yield from line.releases


def _scores(board: FusionBoard, run: Run) -> Iterator[Table]:
    """Yield the means over answers, and the mean spread of the predictions that they were made of."""

    def at(line: FusionJudgeLine) -> OutcomeWords:
        return OutcomeWords(line.name, reverse("judge_people", args=[run.project.slug, line.rater]))

    rows = [(line, release, cells) for line in board.lines for release, cells in _rows(line)]
    yield Grid(
        name="scores",
        title=gettext_lazy("Scores"),
        about=gettext_lazy("Means over answers and valid predictions."),
        columns=[JUDGE, RELEASE],
        rows=[
            (at(line), release, *(Estimate(one.mean, n=one.n, n_held=one.n + one.n_without) for one in cells))
            for line, release, cells in rows
        ],
        systems=_criteria(board),
        digits=2,
        across="criterion",
        parts=("n", "n_held"),
    )  # fmt: skip
    yield Grid(
        name="spread",
        title=gettext_lazy("Spread of the predictions of an answer"),
        about=gettext_lazy("Their standard deviation, averaged over answers."),
        folded=True,
        columns=[JUDGE, RELEASE],
        rows=[
            (line.name, release, *(Estimate(one.sd) for one in cells))
            for line, release, cells in rows
        ],
        systems=_criteria(board),
        digits=2,
        across="criterion",
        parts=(),
    )


def _lacking(board: FusionBoard) -> list[Table]:
    table = Table(
        name="without_score",
        title=gettext_lazy("Scores that lack"),
        columns=[Column("reason", gettext_lazy("Why")), Column("n", gettext_lazy("Scores"))],
        rows=board.reasons,
    )
    return [table] if board.reasons else []


def _spent(board: FusionBoard) -> Table:
    names = ("n", "calls", "seconds", "prompt_tokens", "completion_tokens", "cost", "currency")
    return Table(
        name="spent",
        title=gettext_lazy("Time and cost of an answer"),
        about=gettext_lazy("On average, all its predictions together."),
        columns=[
            JUDGE,
            Column("key", gettext_lazy("Key")),
            Column("variant", gettext_lazy("Way")),
            Column("predictions", gettext_lazy("Predictions")),
            Column("invalid_predictions", gettext_lazy("Not readable")),
            Column("answers", gettext_lazy("Answers")),
            Column("calls", gettext_lazy("Calls")),
            Column("seconds", gettext_lazy("Seconds"), 2),
            Column("prompt_tokens", gettext_lazy("Tokens read"), 0),
            Column("completion_tokens", gettext_lazy("Tokens written"), 0),
            Column("cost", gettext_lazy("Cost"), 6),
            Column("currency", gettext_lazy("Currency")),
        ],
        rows=[
            (
                line.name,
                line.rater,
                line.variant,
                line.n_samples,
                line.n_invalid,
                *(getattr(line.spent, name, None) for name in names),
            )
            for line in board.lines
        ],
    )


def _estimate(one: ShownFigure | None, mark: str = "") -> Estimate | None:
    if one is None:
        return None
    return Estimate(one.value, one.low, one.high, one.n or None, why=one.why, mark=mark)


def _ranking(board: FusionBoard, people: JudgeBoard) -> Ranking:
    """Return the run's judges by how far they go with people on the criterion that is looked at."""
    found = {one.judge: people.agreement_of(one) for one in people.lines}
    rows = [
        (Contender(line.short), _estimate(found.get(line.rater)) or Estimate(None))
        for line in board.lines
    ]
    return Ranking(
        title=gettext_lazy("Judges vs people"),
        unit=_("%(sign)s with people’s mean grade on %(criterion)s")
        % {"sign": people.sign, "criterion": people.shown_criterion},
        rows=rows,
        bounds=(-1, 1),
        digits=3,
        at=0.0,
    )


def _verdict(board: FusionBoard, ranking: Ranking, matrix: JudgeMatrix) -> str:
    """Return which judge goes with people best, and whether that could be chance; "" where one stands alone."""
    known = [system.name for system, one in ranking.ordered if one.value is not None]
    if len(known) < 2:
        return ""
    shorts = {one.name: one.short for one in board.lines}
    p_values = {
        frozenset(shorts.get(name, name) for name in (one.left_name, one.right_name)): (
            one.permutation["p_holm"]
        )
        for one in matrix.tests
    }
    p, names = p_values.get(frozenset(known[:2])), {"first": known[0], "second": known[1]}
    if p is not None and p < SURE:
        return _("%(first)s agrees with people better than %(second)s.") % names
    return _("%(first)s agrees best, but its lead over %(second)s could be chance.") % names


def _people(board: FusionBoard, people: JudgeBoard) -> list[Table]:
    """Return coefficients with people: the run's judges first, then who else scored these answers."""
    shorts = {one.name: one.short for one in board.lines}
    order = list(shorts)
    layout = sorted(
        people.layout, key=lambda row: order.index(row[0]) if row[0] in shorts else len(order)
    )
    empty = [None] * len(people.definitions)
    ceilings = [_estimate(one) for one in people.ceilings]
    return [
        Grid(
            name="people",
            title=gettext_lazy("With people, by criterion"),
            about=gettext_lazy(
                "The run’s judges, assistants and other scorers of these answers; overall by two "
                "definitions. The last finished run of a judge counts."
            ),
            columns=[JUDGE],
            rows=[
                *(
                    (
                        shorts.get(name, name),
                        *map(_estimate, by_criterion),
                        *(_estimate(one) for _definition, one in overall),
                        *empty[len(overall) :],
                    )
                    for name, by_criterion, overall in layout
                ),
                (_("People with each other"), *ceilings, *empty),
            ],
            systems=[Contender(one) for one in (*people.criterion_names, *people.definitions)],
            digits=3,
            across="criterion",
            parts=("low", "high", "n", "reason"),
        )
    ]


def _tests(board: FusionBoard, matrix: JudgeMatrix) -> Table:
    shorts = {one.name: one.short for one in board.lines}

    def row(one: Test) -> Sequence[Any]:
        return (
            shorts.get(one.left_name, one.left_name),
            shorts.get(one.right_name, one.right_name),
            one.left,
            one.right,
            one.difference,
            Estimate(one.permutation["p"], why=one.why),
            one.permutation["p_holm"],
            Estimate(one.williams["p"], why=one.williams_why),
            one.williams["p_holm"],
            one.n,
        )

    return Table(
        name="tests",
        title=gettext_lazy("Plan, no plan, direct"),
        about=_("Which judge agrees better with people on %(name)s (%(sign)s)? %(methods)s.")
        % {
            "name": matrix.criterion,
            "sign": matrix.sign,
            "methods": "; ".join(matrix.methods),
        },
        columns=[
            JUDGE,
            Column("other", gettext_lazy("Other judge")),
            Column("value", matrix.sign, 3),
            Column("other_value", gettext_lazy("of the other"), 3),
            Column("difference", gettext_lazy("Difference"), 3),
            Column("p_permutation", gettext_lazy("p by permutation"), 4, ("reason",)),
            Column("p_permutation_holm", gettext_lazy("Holm"), 4),
            Column("p_williams", gettext_lazy("p by Williams"), 4, ("reason",)),
            Column("p_williams_holm", gettext_lazy("Holm"), 4),
            Column("n", "n"),
        ],
        rows=[row(one) for one in matrix.tests],
    )


def _reliance(board: FusionBoard, data: Data, coefficient: str | None) -> Table:
    """Return how far each judge goes with each assistant, by criterion."""
    shown = coefficient or results.COEFFICIENT
    found = {(one["rater"], one["criterion"], one["assistant"]): one for one in data["rows"]}
    helpers = [one.assistant for one in board.content.helpers]

    def cell(rater: int, criterion: str, assistant: str) -> Estimate | None:
        one = found.get((rater, criterion, assistant), {"cells": (), "named": False})
        known = [each for each in one["cells"] if each["correlation"]["coefficient"] == shown]
        mark = _("named") if one["named"] else ""
        return _estimate(judge_asked.of_cell(known[0]), mark) if known else None

    return Grid(
        name="assistants",
        title=gettext_lazy("How far each judge goes with its assistants"),
        about=_("%(sign)s of judge and assistant; marked ones are named in the plan.")
        % {"sign": SIGNS.get(shown, "")},
        columns=[JUDGE, Column("criterion", gettext_lazy("Criterion"))],
        rows=[
            (line.short, one.name, *(cell(line.rater, one.key, each.key) for each in helpers))
            for line in board.lines
            for one in board.content.design.wanted
        ],
        systems=[Contender(one.name) for one in helpers],
        digits=3,
        across="assistant",
        parts=("low", "high", "n", "reason", "mark"),
    )


def _hints(people: JudgeBoard) -> Iterator[Words]:
    """Yield on how few questions people used the criterion, and whose scores are turned round."""
    if people.few:
        yield ngettext(
            "Only %(n)d question with people’s grades; choosing a judge takes ten.",
            "Only %(n)d questions with people’s grades; choosing a judge takes ten.",
            people.few,
        ) % {"n": people.few}
    for name in people.turned:
        yield _("%(name)s: lower is better; turned round to compare.") % {"name": name}


OUTCOMES = (FusionOutcome,)
