"""The judges of a run of Fusion-Eval beside people: what is compared with whom, and how it is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from django.db.models import Exists, OuterRef
from django.http import QueryDict
from django.utils.http import urlencode

from annotation.models import Criterion, Rater, RaterKind, RoundResponse
from annotation.permissions import Scope
from scoring.models import Judgment, Machine, Run, Step
from scoring.queries import judge_asked, judge_board, judge_cells, judge_options
from scoring.queries.fusion_results import Board
from scoring.queries.judge_cells import Figure
from scoring.queries.judge_matrix import Matrix, Test
from scoring.queries.judge_options import SIGNS, Options

#: What of the address is taken over; the rest follows from the run.
TAKEN: Final = ("round", "level", "coefficient", "criterion")
COEFFICIENT: Final = "kendall_b"


def query_of(scope: Scope, board: Board, given: QueryDict) -> QueryDict | None:
    """Return what the judge pages are asked for: judges, assistants, who else scored, and who graded.

    None where nobody who may be read graded these answers.
    """
    made = QueryDict(mutable=True)
    for name in TAKEN:
        if name in given:
            made.setlist(name, given.getlist(name))
    made.setdefault("coefficient", COEFFICIENT)
    if "round" not in made:
        number = _round(scope, board.reading.run)
        if number is None:
            return None
        made["round"] = str(number)
    helpers = [one.rater for one in board.content.helpers]
    shown = dict.fromkeys([*board.raters, *helpers, *_others(board.reading.run)])
    made.setlist("judge", [str(one) for one in [*shown][: judge_options.MOST_JUDGES]])
    return made


def _others(run: Run) -> list[int]:
    """Return who else scored these answers: combined scores first, then judges."""
    answers = Step.objects.filter(run=run).values("response")
    scored = Judgment.objects.counted().filter(rater=OuterRef("pk"), response__in=answers)
    rows = Rater.objects.filter(
        Exists(scored), project=run.project, kind__in=[RaterKind.DERIVED, RaterKind.JUDGE]
    )
    return list(rows.order_by("kind", "ref").values_list("pk", flat=True))


def options(scope: Scope, query: QueryDict) -> Options:
    """Return what is compared.

    Raises:
        errors.Refusal: the address names what is not there.
    """
    return judge_asked.options("judges", scope, query)


def among(query: QueryDict, raters: Sequence[int]) -> QueryDict:
    """Return what is asked where the judges alone are compared, without their assistants."""
    made = query.copy()
    made.setlist("judge", [str(one) for one in raters])
    return made


def together(board: Board, found: Options) -> str:
    """Return the address of AVG, LLMSel and CorrW of the assistants, with the plan's ticks."""
    choice = found.choice
    if choice is None:
        return ""
    helpers = {one.assistant.key: one.rater for one in board.content.helpers}
    words: list[tuple[str, str]] = [("round", str(one)) for one in choice.rounds]
    words += [("judge", str(one)) for one in dict.fromkeys(helpers.values())]
    words += [("level", choice.level), ("coefficient", choice.coefficient)]
    named = board.plan.alignment if board.plan is not None else {}
    for people, task in _criteria(board, found).items():
        words += [(f"align.{people}", str(helpers[one])) for one in named.get(task, ())]
    return urlencode(words)


def _criteria(board: Board, found: Options) -> dict[str, str]:
    """Return the task's criterion that stands for each of the people's."""
    assert found.choice is not None
    first = board.reading.run.config["judges"][0]
    keys = dict(
        Criterion.objects.filter(pk__in=first["criteria"].values()).values_list("pk", "key")
    )
    by_own = {keys[pk]: key for key, pk in first["criteria"].items()}
    mapping = found.choice.criteria
    own = {people: of.get(first["rater"], "") for people, of in mapping.items()}
    return {people: by_own[key] for people, key in own.items() if key in by_own}


def _round(scope: Scope, run: Run) -> int | None:
    """Return the newest round that may be read and in which people were given these answers."""
    if not Machine.objects.filter(rater__project=scope.project).exists():
        return None
    numbers = [one.round.number for one in judge_options.of(scope, QueryDict()).readings]
    if run.round is not None and run.round.number in numbers:
        return run.round.number
    answers = Step.objects.filter(run=run).values("response")
    here = RoundResponse.objects.filter(
        round_item__round__project=scope.project,
        round_item__round__number__in=numbers,
        response__in=answers,
    )
    found = here.order_by("-round_item__round__number").values_list("round_item__round__number")
    row = found.first()
    return None if row is None else int(row[0])


def preferred(board: Board, found: Options) -> str:
    """Return the criterion that tests are about if nobody says: one that the task has too."""
    own = {one.key for one in board.content.criteria}
    return next((key for key in found.criteria if key in own), "")


def layout(board: Board, people: judge_board.Board) -> list[tuple[str, Any, Any]]:
    """Return the rows of the table beside people; the run's judges by their short names, first."""
    shorts = board.shorts
    rows = [(name, figures, overall) for name, figures, overall in people.layout]
    rows.sort(key=lambda row: list(shorts).index(row[0]) if row[0] in shorts else len(shorts))
    return [(shorts.get(name, name), figures, overall) for name, figures, overall in rows]


def undefined(rows: Sequence[tuple[str, Any, Any]], criteria: Sequence[str]) -> list[str]:
    """Return why coefficients are missing: who on what, a line for each reason."""
    found: dict[str, list[str]] = {}
    for name, figures, _overall in rows:
        for criterion, one in zip(criteria, figures, strict=True):
            if one is not None and one.value is None and one.why:
                found.setdefault(one.why, []).append(f"{name}, {criterion}")
    return [f"{'; '.join(places)}: {why}" for why, places in found.items()]


def tests(board: Board, matrix: Matrix) -> list[Test]:
    """Return the tests between the run's judges, by their short names."""
    shorts = board.shorts
    return [
        replace(
            one,
            left_name=shorts.get(one.left_name, one.left_name),
            right_name=shorts.get(one.right_name, one.right_name),
        )
        for one in matrix.tests
    ]


@dataclass(frozen=True)
class Reliance:
    """How far each judge goes with each assistant, by criterion, at one coefficient."""

    data: Mapping[str, Any]
    board: Board
    coefficient: str

    @property
    def sign(self) -> str:
        return SIGNS.get(self.coefficient, "")

    @cached_property
    def tables(self) -> list[tuple[str, list[tuple[str, list[tuple[Figure, bool]]]]]]:
        """Return for each judge its criteria, and for each the assistants with whether it is named."""
        found = {
            (one["rater"], one["criterion"], one["assistant"]): one for one in self.data["rows"]
        }
        return [
            (
                line.short,
                [
                    (
                        criterion.name,
                        [
                            self._cell(found.get((line.rater, criterion.key, helper.assistant.key)))
                            for helper in self.board.content.helpers
                        ],
                    )
                    for criterion in self.board.content.design.wanted
                ],
            )
            for line in self.board.lines
        ]

    def _cell(self, row: Mapping[str, Any] | None) -> tuple[Figure, bool]:
        if row is None:
            return Figure(None), False
        for one in row["cells"]:
            if one["correlation"]["coefficient"] == self.coefficient:
                return judge_cells.of_cell(one), bool(row["named"])
        return Figure(None), bool(row["named"])
