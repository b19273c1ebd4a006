import pytest
from django.http import QueryDict

from annotation.models import Role, Round
from annotation.permissions import Scope
from scoring.queries import judge_names, judge_options
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def names():
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    return judge_names.names(judge_options.of(scope, QueryDict()))


class TestNames:
    def test_are_those_of_an_imported_round(self):
        beside_people.world()
        assert {one.text for one in names().values()} == set(beside_people.SYSTEMS)

    def test_are_numbers_while_they_are_hidden(self):
        beside_people.world()
        Round.objects.update(kind="PRODUCTION")
        assert [one.text for one in names().values()] == [f"System {n}" for n in range(1, 5)]


class TestSystem:
    def test_has_no_name_where_it_took_part_in_no_round(self):
        assert judge_names.system({}, 7) == "another system"
