import pytest
from django.http import QueryDict

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.beside import options
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def names():
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    return options.names(options.options_of(scope, QueryDict()))


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
        assert options.system({}, 7) == "another system"
