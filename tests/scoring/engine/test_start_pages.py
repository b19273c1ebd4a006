"""The pages on which runs are begun, by the same tests."""

import pytest
from django.urls import reverse

from scoring.engine import kinds, starting
from tests import make

pytestmark = pytest.mark.django_db
PAGES = {one.name: one for one in starting.starts_of_kinds()}
OF_PROJECT = sorted(name for name, one in PAGES.items() if "<" not in one.at)


class TestStartPages:
    @pytest.mark.parametrize("name", OF_PROJECT)
    def test_say_in_an_empty_project_what_has_to_be_there_first(self, name, as_curator):
        answer = as_curator.get(reverse(name, args=[make.project().slug]))

        page, lack = answer.content.decode(), answer.context["lack"]
        assert (answer.status_code, str(lack.text) in page) == (200, True)
        assert lack.action.url in page
        assert 'name="deed"' not in page

    def test_are_there_for_every_kind_that_names_one(self):
        named = {one.form for one in kinds.plugins().values() if isinstance(one.form, str)}

        assert named - {""} <= PAGES.keys()
