import pytest
from django.http import QueryDict

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.engine import queries as run_reading
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion import results
from scoring.kinds.fusion.v1 import Variant
from tests import make
from tests.scoring import fused, machines, rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def scope():
    return Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))


@pytest.fixture
def board(scope):
    """Results of a run with a plan over a graded round."""
    round_ = rounds.graded(n_items=2)
    machines.scored(round_)
    criteria = evaluation_tasks.from_rubric(round_.items.first().rubric_version).criteria
    task = fused.version("overlap", criteria=criteria)
    plan = fused.plan(task, **{criteria[0].key: ["overlap"]})
    run = fused.ran(fused.wish(task, Variant.FE, plan=plan, round_=round_))
    return results.board(run_reading.reading_of(scope, run.number))


class TestQueryOf:
    def test_names_the_judges_their_assistants_and_the_round(self, scope, board):
        found = results.query_of(scope, board, QueryDict("level=item&odd=1"))

        helper = board.content.helpers[0].rater
        assert found.getlist("judge") == [str(board.raters[0]), str(helper)]
        assert (found["round"], found["level"], found["coefficient"]) == ("1", "item", "kendall_b")
        assert "odd" not in found

    def test_names_who_else_scored_these_answers_after_them(self, scope, board):
        run = board.reading.run
        other = fused.ran(fused.wish(board.version, Variant.DE, round_=run.round), 2)
        wish = fused.mixed(board.version, ("AVG",), round=run.round)
        mixed = fused.combined(wish, 3).config["mixes"][0]["rater"]

        found = results.query_of(scope, board, QueryDict()).getlist("judge")

        assert found[2:] == [str(mixed), str(other.config["judges"][0]["rater"])]

    def test_is_nothing_where_nobody_graded(self, scope):
        run = fused.ran(fused.wish(fused.version(), batch=fused.scored()))
        made = results.board(run_reading.reading_of(scope, run.number))

        assert results.query_of(scope, made, QueryDict()) is None


class TestTogether:
    def test_takes_the_ticks_of_the_plan_along(self, scope, board):
        query = results.query_of(scope, board, QueryDict())
        options = results.options(scope, query)

        address = QueryDict(results.together(board, options))

        (helper,) = board.content.helpers
        (criterion,) = options.criteria
        assert address.getlist("judge") == [str(helper.rater)]
        assert address[f"align.{criterion}"] == str(helper.rater)
        assert results.preferred(board, options) == criterion
