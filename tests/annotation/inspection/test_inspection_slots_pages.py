import pytest

from annotation.inspection import pages as inspection_slots
from annotation.people.models import Role
from annotation.people.permissions import scope_of
from tests import make

pytestmark = pytest.mark.django_db


def titles(user) -> list[str]:
    return [
        one["title"] for one in inspection_slots.looks(scope_of(user, "northport"), make.at(60))
    ]


class TestLooks:
    def test_are_none_where_nothing_waits(self):
        make.question_version("ACCEPTED")

        for role in (Role.DESIGNER, Role.INSPECTOR, Role.CURATOR, Role.ANALYST):
            assert titles(make.member(role)) == []

    def test_tell_inspectors_what_waits_for_them(self):
        make.question_version("SUBMITTED")
        make.question_version("SUBMITTED")

        assert titles(make.member(Role.INSPECTOR)) == ["Waiting for your inspection: 2"]
        assert titles(make.member(Role.DESIGNER)) == []

    def test_tell_designers_what_came_back_and_why(self):
        make.question_version("RETURNED", external_id="Q7")
        designer = make.member(Role.DESIGNER)

        (look,) = inspection_slots.looks(scope_of(designer, "northport"), make.at(60))

        assert look["title"] == "Q7 came back to you"
        assert look["text"] == "the answer is wrong"

    def test_name_a_few_and_count_the_rest(self):
        for _place in range(7):
            make.question_version("RETURNED")

        assert titles(make.member(Role.DESIGNER))[-1] == "2 more came back to you"

    def test_tell_curators_who_is_to_be_retrained(self):
        for _place in range(5):
            make.question_version("RETURNED")

        assert titles(make.member(Role.CURATOR)) == ["Designers to retrain: 1"]
