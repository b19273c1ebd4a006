import pytest

from annotation.rounds.models import RoundItem
from tests import make
from tests.scoring import beside_people, machines, rounds, worker

pytestmark = pytest.mark.django_db
HERE = "/p/northport/judges/fewer/"


def html(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


class TestJudgesFewer:
    def test_shows_both_estimates_and_what_is_saved(self, as_analyst, monkeypatch):
        beside_people.world()
        beside_people.drawn(monkeypatch)
        text = html(as_analyst, HERE)

        assert "good and people on coh" in text
        assert "96 of 288 responses graded" in text
        assert "human grades." in text
        rows = b"".join(as_analyst.get("/p/northport/judges/people/tables/powered.csv"))
        assert rows.count(b"\n") == 1 + 4
        plot = as_analyst.get("/p/northport/judges/people/plots/fewer.svg")
        assert b">Kestrel<" in b"".join(plot)

    def test_takes_the_chances_that_a_draw_wrote_down(self, as_analyst):
        round_ = rounds.graded(n_items=6)
        machines.scored(round_)
        RoundItem.objects.filter(round=round_).update(inclusion_probability=1)
        text = html(as_analyst, HERE)

        assert "There is no estimate here" not in text
        assert "System 1" in text

    def test_says_why_there_is_no_estimate(self, as_analyst):
        beside_people.world()
        text = html(as_analyst, HERE)

        assert "There is no estimate here" in text
        assert "were not drawn at random" in text

    def test_says_what_to_do_where_nothing_can_be_compared(self, as_analyst):
        make.project()
        assert b"Nothing to compare yet" in as_analyst.get(HERE).content
