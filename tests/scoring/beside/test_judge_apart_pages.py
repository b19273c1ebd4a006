import re

import pytest

from annotation.people.models import Role
from annotation.rounds.models import Round
from tests import make
from tests.pages import squeezed
from tests.scoring import beside_people, worker

pytestmark = pytest.mark.django_db


@pytest.fixture(name="analyst")
def _analyst(client):
    beside_people.world()
    client.force_login(make.member(Role.ANALYST))
    return client


def here(name="guess"):
    return f"/p/northport/judges/{beside_people.judge(name)}/people/apart/"


def html(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return squeezed(answer.content.decode())


class TestJudgeApart:
    def test_turns_page_by_page(self, analyst):
        first = html(analyst, here())
        after = re.search(r"\?after=[\w-]+", first)[0]
        second = html(analyst, here() + after)

        assert "96 of 96 responses" in first
        assert (first.count('<th scope="row">'), second.count('<th scope="row">')) == (50, 46)
        assert "First page" in second

    def test_keeps_filters_in_the_address(self, analyst):
        text = html(analyst, f"{here()}?system=1&direction=kinder&least=0.25")

        assert '<option value="kinder" selected>' in text
        assert '<option value="0.25" selected>' in text
        query = "?system=1&direction=kinder&least=0.25"
        rows = b"".join(analyst.get(here().replace("apart/", f"tables/apart.csv{query}")))
        assert rows.count(b"\n") == 1 + text.count('<th scope="row">')

    def test_says_what_to_do_where_no_response_fits(self, analyst):
        assert "No response fits." in html(analyst, f"{here()}?system=99")

    def test_tells_of_no_system_that_was_not_shown(self, analyst):
        Round.objects.update(kind="PRODUCTION")
        text = html(analyst, here())

        assert "System 1" in text
        assert not [name for name in beside_people.SYSTEMS if name in text]

    def test_is_nowhere_for_what_is_no_judge(self, analyst):
        assert analyst.get("/p/northport/judges/99999/people/apart/").status_code == 404
