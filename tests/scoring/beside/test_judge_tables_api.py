import pytest

from annotation.people.models import Role
from tests import make
from tests.scoring import beside_people, worker

pytestmark = pytest.mark.django_db
HERE = "/api/v1/projects/northport/judges/"


@pytest.fixture(name="analyst")
def _analyst(client):
    beside_people.world()
    client.force_login(make.member(Role.ANALYST))
    return client


def ready(client, url):
    """Ask, let the worker compute, ask where the answer says."""
    first = client.get(url)
    assert first.status_code == 202, first.content
    worker.compute()
    answer = client.get(first.headers["Location"])
    assert answer.status_code == 200
    return answer.json()


class TestPairs:
    def test_tell_how_alike_judges_are_and_which_agrees_better(self, analyst):
        told = ready(analyst, f"{HERE}pairs/?coefficient=kendall_b&level=item")

        assert (told["level"], told["coefficient"], told["criterion"]) == (
            "item",
            "kendall_b",
            "coh",
        )
        assert len(told["matrix"]) == 3 * 4
        assert {row["p_holm"] is None for row in told["tests"]} == {False}


class TestTogether:
    def test_tells_every_aggregate_and_its_weights(self, analyst):
        good = beside_people.judge("good")
        told = ready(analyst, f"{HERE}together/?open=data&align.coh={good}")

        assert told["alignment"] == {"coh": ["good"]}
        assert told["open_ranges"] == "from the scores"
        assert {row["name"] for row in told["mixes"]} >= {"AVG", "LLMSel", "CorrW", "good"}
        assert {row["weighing"] for row in told["weights"]} == {"cross-fitted", "in-sample"}

    def test_tells_who_is_left_out_and_why(self, analyst):
        good = beside_people.judge("good")
        told = ready(analyst, f"{HERE}together/?map.coh.{good}=")

        assert told["left_out"]["coh"]["good"] == "It has no such criterion."


class TestFewer:
    def test_tells_both_estimates(self, analyst, monkeypatch):
        beside_people.drawn(monkeypatch)
        told = ready(analyst, f"{HERE}fewer/")

        assert (told["judge"], told["criterion"], told["confidence"]) == ("good", "coh", 0.95)
        assert len(told["powered"]) == 4
        assert all(row["low"] > row["people_low"] for row in told["powered"])


class TestApart:
    def test_tells_a_page_of_responses(self, analyst):
        url = f"{HERE}{beside_people.judge('guess')}/people/apart/"
        first = ready(analyst, url)
        second = analyst.get(f"{url}{first['next']}").json()

        assert (first["n"], first["of"], len(first["results"])) == (96, 96, 50)
        assert (len(second["results"]), second["next"]) == (46, None)
        assert first["systems"] == sorted(first["systems"], key=first["systems"].index)
