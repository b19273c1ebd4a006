"""Cuts and figures of a round for tests, without a page around them."""

from collections.abc import Sequence
from typing import Any

from annotation import models
from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring import jobs as scoring_jobs
from scoring.figures.labels import ReadRound
from scoring.results import asked
from scoring.results import cells as breakdown
from scoring.results import queries as results
from scoring.results.asked import Cut
from scoring.results.board import ResultsBoard
from scoring.results.cells import Breakdown
from scoring.results.queries import RoundResult
from scoring.stats.claims import Claim
from tests import make


def reading(round_: models.Round, role: Role = Role.ANALYST) -> ReadRound:
    person = make.member(role, in_=round_.project)
    return ReadRound(Scope(round_.project, person, frozenset({role})), round_)


def cut_of(round_: models.Round, query: dict[str, Sequence[Any]] | None = None) -> Cut:
    """Return a cut; the query holds lists of values by name."""
    lists = {name: [str(one) for one in texts] for name, texts in (query or {}).items()}
    return asked.read_cut(reading(round_), lists)


def result_of(chosen: Cut) -> RoundResult:
    round_ = chosen.selection.ground.round
    data: Any = scoring_jobs.compute(name=results.FIGURE, round_=round_, params=chosen.params)
    return chosen.result(data)


def board_of(round_: models.Round, claim: Claim = Claim.OTHERS, **query: str) -> ResultsBoard:
    chosen = cut_of(round_)
    data: Any = scoring_jobs.compute(name=results.FIGURE, round_=round_, params=chosen.params)
    return ResultsBoard(chosen, data, query, claim)


def breakdown_of(chosen: Cut) -> Breakdown:
    round_ = chosen.selection.ground.round
    params = breakdown.params(chosen)
    data: Any = scoring_jobs.compute(name=breakdown.FIGURE, round_=round_, params=params)
    return Breakdown(data, chosen)
