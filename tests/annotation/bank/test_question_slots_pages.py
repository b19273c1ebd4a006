from datetime import timedelta

import pytest

from annotation.bank import pages as question_slots
from annotation.people import permissions
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
LATER = make.NOW + timedelta(days=31)


def scope_of(user):
    return permissions.scope_of(user, "northport")


class TestLooks:
    def test_names_drafts_that_nobody_has_saved_for_a_month(self):
        designer = make.member(Role.DESIGNER)
        make.question_version("DRAFT", author=designer, external_id="Q7")

        [look] = question_slots.looks(scope_of(designer), LATER)

        assert look["title"] == "Old drafts: 1"
        assert look["text"] == "Q7"
        assert f"author={designer.pk}" in look["url"]

    def test_shows_designers_their_own_alone(self):
        make.question_version("DRAFT", author=make.member(Role.CURATOR))

        assert question_slots.looks(scope_of(make.member(Role.DESIGNER)), LATER) == []

    def test_shows_curators_what_is_past_its_date(self):
        text = make.question_text(valid_until=make.NOW.date())
        make.question_version("ACCEPTED", text=text)

        [look] = question_slots.looks(scope_of(make.member(Role.CURATOR)), LATER)

        assert look["title"] == "Expired questions: 1"

    def test_says_nothing_to_analysts(self):
        make.question_version("DRAFT")

        assert question_slots.looks(scope_of(make.member(Role.ANALYST)), LATER) == []
