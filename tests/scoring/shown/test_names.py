import pytest

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round, RoundSystem
from scoring.figures.labels import ReadRound
from scoring.shown import names
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def texts(round_, *, shown):
    return [name.text for name in names.names(round_, shown=shown).values()]


class TestNames:
    def test_are_numbers_of_the_draw_while_hidden(self):
        round_ = rounds.graded()

        assert texts(round_, shown=False) == ["System 1", "System 2"]
        assert [name.mark for name in names.names(round_, shown=False).values()] == [0, 1]

    def test_are_those_of_the_systems_once_shown(self):
        assert texts(rounds.graded(), shown=True) == ["Harbour", "Kestrel"]

    def test_say_the_release_where_a_system_has_several(self):
        round_ = rounds.graded()
        RoundSystem.objects.create(round=round_, release=make.release("Kestrel", "2"), ordinal=2)

        assert texts(round_, shown=True) == ["Harbour", "Kestrel · 1", "Kestrel · 2"]

    def test_of_an_imported_round_are_shown_to_its_members_and_hidden_where_a_link_hides_them(self):
        round_ = rounds.graded()
        round_.kind = Round.Kind.IMPORTED
        owner = make.project().memberships.get(role=Role.OWNER).user
        mine = ReadRound(Scope(make.project(), owner, frozenset({Role.OWNER})), round_)

        assert [one.text for one in mine.names.values()] == ["Harbour", "Kestrel"]
        assert texts(round_, shown=False) == ["System 1", "System 2"]
