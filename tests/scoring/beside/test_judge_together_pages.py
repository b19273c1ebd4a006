import pytest

from tests import make
from tests.pages import squeezed
from tests.scoring import beside_people, worker

pytestmark = pytest.mark.django_db
HERE = "/p/northport/judges/together/"


def html(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return squeezed(answer.content.decode())


class TestJudgesTogether:
    def test_shows_aggregates_beside_each_judge(self, as_analyst):
        beside_people.world()
        good = beside_people.judge("good")
        text = html(as_analyst, f"{HERE}?open=data&align.coh={good}")

        for words in ("Together on coh", "CorrW, in-sample", "Within folds", "Learnt from"):
            assert words in text
        assert f'name="align.coh" value="{good}" aria-label="good: coh" checked' in text
        assert "None is ticked" not in text
        query = f"?open=data&align.coh={good}"
        rows = b"".join(as_analyst.get(f"/p/northport/judges/people/tables/mixes.csv{query}"))
        assert rows.count(b"\n") == 1 + 8 * 4
        plot = as_analyst.get(f"/p/northport/judges/people/plots/together.svg{query}")
        assert b">CorrW, in-sample<" in b"".join(plot)

    def test_says_why_nothing_is_selected(self, as_analyst):
        beside_people.world()
        assert "None is ticked for this criterion." in html(as_analyst, HERE)

    def test_says_what_it_takes_where_no_judge_has_the_criterion(self, as_analyst):
        beside_people.world()
        query = "&".join(f"map.coh.{beside_people.judge(n)}=" for n in ("good", "guess", "rouge"))
        text = html(as_analyst, f"{HERE}?{query}")

        assert "No chosen judge has a range here" in text
        assert "good is left out: It has no such criterion." in text

    def test_says_what_to_do_where_nothing_can_be_compared(self, as_analyst):
        make.project()
        assert b"Nothing to compare yet" in as_analyst.get(HERE).content
