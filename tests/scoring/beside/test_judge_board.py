import pytest
from django.http import QueryDict

from annotation.people.models import Rater, Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring import jobs as scoring_jobs
from scoring.beside import options as judge_options
from scoring.beside.board import Detail, JudgeBoard
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def options(query=""):
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    return judge_options.options_of(scope, QueryDict(query))


def made(name, query=""):
    """Return the data of a figure, as the worker makes it, with what was chosen."""
    found = options(query)
    params = found.choice.params() | {"resamples": 40}
    return scoring_jobs.compute(name=name, round_=found.round, params=params), found


def detail(name="good", query=""):
    return Detail(*made("judge", f"judge={beside_people.judge(name)}&{query}"))


class TestBoard:
    def test_lists_the_judge_that_agrees_best_first(self, round_):
        board = JudgeBoard(*made("judges"))

        assert board.lines[-1].name == "guess"
        values = [one.figures["pearson"].value or 0.0 for one in board.lines]
        assert values == sorted(values, reverse=True)
        assert all(one.figures["pearson"].low < one.figures["pearson"].value for one in board.lines)

    def test_tells_judge_from_metric_and_open_ranges_from_shared_ones(self, round_):
        Rater.objects.filter(pk=beside_people.judge("good")).update(kind="JUDGE")
        lines = {one.name: one for one in JudgeBoard(*made("judges")).lines}

        assert (lines["good"].is_judge, lines["rouge"].is_judge) == (True, False)
        assert lines["good"].shift.value > 0.2
        assert lines["good"].n == 96
        assert len(lines["good"].cells) == 4

    def test_names_the_ceiling_the_layout_and_both_overalls(self, round_):
        board = JudgeBoard(*made("judges", "coefficient=kendall_b"))

        assert (board.sign, board.shown_criterion, board.criterion_names) == ("τ-b", "coh", ["coh"])
        assert 0 < board.ceiling.low <= board.ceiling.value <= board.ceiling.high <= 1
        assert [name for name, _figures, _overall in board.layout] == ["good", "guess", "rouge"]
        assert board.definitions == []  # one criterion has no overall
        assert len(board.concordance) == 3
        assert board.method
        assert board.interval_method

    def test_keeps_both_definitions_of_overall_apart(self, round_):
        data, found = made("judges")
        one = {"judge": beside_people.judge("good"), "coefficient": "pearson", "value": 0.5}
        one |= {"low": None, "high": None, "reason": None, "n": 2, "level": "pooled"}
        one |= {"interval_reason": None, "n_criteria": 2, "method": ""}
        data["table"]["overall"] = [
            one | {"definition": "mean_of_coefficients"},
            one | {"definition": "averaged_rating", "value": None, "reason": "few_pairs"},
            one | {"definition": "averaged_rating", "coefficient": "spearman"},
        ]
        board = JudgeBoard(data, found)
        row = next(overall for name, _figures, overall in board.layout if name == "good")

        assert board.definitions == [
            "mean of the coefficients",
            "coefficient of the averaged rating",
        ]
        assert [(figure.value, figure.why) for _name, figure in row] == [
            (0.5, ""),
            (None, "Too few common values."),
        ]

    def test_says_that_there_is_no_ceiling_where_nobody_shared(self, round_):
        data, found = made("judges")
        data["table"]["ceilings"] = {}

        assert "single marks" in JudgeBoard(data, found).ceiling.why

    def test_leaves_out_a_judge_without_the_criterion(self, round_):
        good = beside_people.judge("good")
        board = JudgeBoard(*made("judges", f"map.coh.{good}="))

        assert "good" not in [one.name for one in board.lines]
        assert board.figure(good, "coh", "pearson") is None


class TestDetail:
    def test_has_every_level_with_a_ceiling(self, round_):
        found = detail()

        assert next(str(name) for name, _rows, _top in found.level_rows) == "over systems"
        assert all(len(rows) == 4 for _level, rows, _top in found.levels)
        assert found.with_people.value == found.levels[2][1][0].value
        assert found.ceiling.value > 0.5
        assert found.criterion == "coh"

    def test_says_what_it_may_be_used_for_and_what_sways_it(self, round_):
        found = detail()

        assert {one.capability for one in found.parts} == {"Facts", "Routes"}
        assert all(str(one.words) for one in found.parts)
        assert found.shift.value > 0.2
        assert 0 <= found.winning <= 3
        assert found.alternative_why == ""
        assert len(found.bias) >= 3
        assert found.confusion_shades[0][0] == 1

    def test_has_no_shift_where_the_range_is_open(self, round_):
        data, options_ = made("judge", f"judge={beside_people.judge('rouge')}")
        data["deviation"] = data["bias"] = None

        assert (Detail(data, options_).shift, Detail(data, options_).bias) == (None, [])

    def test_lists_where_both_lie_farthest_apart(self, round_):
        rows = detail("guess").apart(5)

        assert len(rows) == 5
        assert all(one.item.startswith("Q") for one in rows)

    def test_hides_the_names_that_were_not_shown(self, round_):
        data, chosen = made("judge", f"judge={beside_people.judge('good')}")
        assert {one.system for one in Detail(data, chosen).systems} == set(beside_people.SYSTEMS)

        Round.objects.filter(pk=round_.pk).update(kind="PRODUCTION")
        again = options(f"judge={beside_people.judge('good')}")
        hidden = Detail(data, again)

        assert {one.system for one in hidden.systems} == {f"System {n}" for n in range(1, 5)}
        assert not {one.system for one in hidden.apart(20)} & set(beside_people.SYSTEMS)
        assert Detail(data, again).system(10**9) == "another system"
