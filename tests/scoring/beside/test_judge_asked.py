import pytest
from django.http import Http404, QueryDict

from annotation.people.models import Rater, RaterKind, Role
from annotation.people.permissions import Scope
from scoring.beside import asked as judge_asked
from scoring.beside.options import BadChoice
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def asked(name, query="", judge=None):
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    return judge_asked.options(name, scope, QueryDict(query), judge)


class TestOptions:
    def test_of_judges_together_take_the_ticks_of_those_chosen(self):
        beside_people.world()
        good, guess = beside_people.judge("good"), beside_people.judge("guess")
        choice = asked(
            "judge_mixes",
            f"judge={good}&align.coh={good}&align.coh={guess}&align.x={good}&open=data",
        ).choice

        assert choice.extra == {"alignment": {"coh": [good]}, "by_data": True}

    def test_of_judges_together_leave_out_what_was_made_of_judges_unless_it_is_named(self):
        beside_people.world()
        good, guess = beside_people.judge("good"), beside_people.judge("guess")
        Rater.objects.filter(pk=guess).update(kind=RaterKind.DERIVED)

        usual = asked("judge_mixes").choice
        named = asked("judge_mixes", f"judge={good}&judge={guess}").choice

        assert guess not in usual.judges
        assert good in usual.judges
        assert not any(guess in own for own in usual.criteria.values())
        assert set(named.judges) == {good, guess}

    def test_of_fewer_grades_take_a_judge_that_has_the_criterion(self):
        beside_people.world()
        usual = asked("powered").choice
        first = beside_people.judge("good")
        other = asked("powered", f"map.coh.{first}=").choice

        assert usual.judges == (first,)
        assert other.judges == (beside_people.judge("guess"),)
        assert list(other.criteria) == ["coh"]

    def test_of_fewer_grades_refuse_two_rounds(self):
        round_ = beside_people.world()
        other = make.draft_round(in_=round_.project)
        with pytest.raises(BadChoice):
            asked("powered", f"round={round_.number}&round={other.number}")

    def test_of_a_list_take_filters_that_leave_the_figure_as_it_is(self):
        beside_people.world()
        good = beside_people.judge("good")
        plain = asked("judge_apart", "", good)
        kept = asked("judge_apart", "system=2&direction=kinder&least=0.25&level=item", good)

        assert kept.filters == {
            "system": "2",
            "direction": "kinder",
            "least": "0.25",
            "response": "",
            "after": "",
        }
        assert kept.choice == plain.choice

    @pytest.mark.parametrize("query", ["direction=up", "least=9"])
    def test_refuse_filters_there_are_not(self, query):
        beside_people.world()
        with pytest.raises(BadChoice):
            asked("judge_apart", query, beside_people.judge("good"))

    def test_are_nowhere_for_what_is_no_judge(self):
        make.project()
        with pytest.raises(Http404):
            asked("judge_apart", "", 99_999)


class TestParams:
    def test_of_judges_together_are_the_same_for_every_criterion_and_coefficient(self):
        beside_people.world()
        usual = asked("judge_mixes").choice
        other = asked("judge_mixes", "coefficient=spearman").choice

        assert judge_asked.params("judge_mixes", usual) == judge_asked.params("judge_mixes", other)
