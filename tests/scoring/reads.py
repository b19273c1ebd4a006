"""Cuts and figures of a round for tests, without a page around them."""

from collections.abc import Sequence
from typing import Any

from annotation import models
from annotation.models import Role
from annotation.permissions import Scope
from scoring.queries import breakdown, computing, cut, results
from scoring.queries.breakdown import Breakdown
from scoring.queries.cut import Cut
from scoring.queries.reading import Reading
from scoring.queries.results import Result
from tests import make


def reading(round_: models.Round, role: Role = Role.ANALYST) -> Reading:
    person = make.member(role, in_=round_.project)
    return Reading(Scope(round_.project, person, frozenset({role})), round_)


def cut_of(round_: models.Round, query: dict[str, Sequence[Any]] | None = None) -> Cut:
    """Return a cut; the query holds lists of values by name."""
    asked = {name: [str(one) for one in texts] for name, texts in (query or {}).items()}
    return cut.read(reading(round_), asked)


def result_of(chosen: Cut) -> Result:
    round_ = chosen.selection.ground.round
    data: Any = computing.compute(name=results.FIGURE, round_=round_, params=chosen.params)
    return chosen.result(data)


def breakdown_of(chosen: Cut) -> Breakdown:
    round_ = chosen.selection.ground.round
    params = breakdown.params(chosen)
    data: Any = computing.compute(name=breakdown.FIGURE, round_=round_, params=params)
    return Breakdown(data, chosen)
