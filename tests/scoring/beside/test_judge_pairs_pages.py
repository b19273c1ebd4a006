import pytest

from tests import make
from tests.scoring import beside_people, worker

pytestmark = pytest.mark.django_db
HERE = "/p/northport/judges/pairs/"


def html(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


class TestJudgesPairs:
    def test_shows_how_alike_judges_are_and_which_agrees_better(self, as_analyst):
        beside_people.world()
        text = html(as_analyst, HERE)

        assert "With each other" in text
        assert "p by permutation" in text
        rows = b"".join(as_analyst.get("/p/northport/judges/people/tables/tests.csv"))
        assert rows.count(b"\n") == 1 + 3

    def test_says_what_it_takes_where_there_is_one_judge(self, as_analyst):
        beside_people.world()
        text = html(as_analyst, f"{HERE}?judge={beside_people.judge('good')}")

        assert "It takes two judges" in text

    def test_says_what_to_do_where_nothing_can_be_compared(self, as_analyst):
        make.project()
        assert b"Nothing to compare yet" in as_analyst.get(HERE).content
