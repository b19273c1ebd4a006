import pytest
from django.http import QueryDict

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.beside import asked as judge_asked
from scoring.beside import fewer as judge_fewer
from scoring.beside import figures as judge_powered
from scoring.shown.sheet import NothingDrawn
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def fewer():
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    options = judge_asked.options("powered", scope, QueryDict())
    params = judge_asked.params("powered", options.choice)
    return judge_fewer.Fewer(judge_powered.powered_of(beside_people.the_round(), params), options)


class TestFewer:
    def test_says_how_many_grades_a_judge_is_worth(self, monkeypatch):
        beside_people.world()
        beside_people.drawn(monkeypatch)
        found = fewer()

        assert (found.refused, found.judge, found.n_human, found.n) == ("", "good", 96, 288)
        assert found.saved > 0
        assert all(line.narrower > 0 for line in found.lines)
        assert {line.system for line in found.lines} == set(beside_people.SYSTEMS)

    def test_says_why_there_is_none(self):
        beside_people.world()
        found = fewer()

        assert "not drawn at random" in found.refused
        with pytest.raises(NothingDrawn):
            judge_fewer.draw(found).file()


class TestDraw:
    def test_has_each_system_on_the_band_of_people_alone(self, monkeypatch):
        beside_people.world()
        beside_people.drawn(monkeypatch)
        drawn = judge_fewer.draw(fewer()).drawings

        assert [one.count('class="people"') for one in drawn] == [1] * 4
        assert [one.count('class="ci"') for one in drawn] == [1] * 4


class TestSheet:
    def test_has_both_estimates(self, monkeypatch):
        beside_people.world()
        beside_people.drawn(monkeypatch)
        found = fewer()
        rows = found.lines

        assert all(row.people_low < row.low < row.high for row in rows)
        assert {row.graded for row in rows} == {24}
