from uuid import uuid4

import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from tests import make
from tests.scoring import assisted, connected, measured

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/assistants/"


def post(client, url, **given):
    return client.post(url, given, content_type="application/json")


class TestListAssistants:
    def test_makes_one_and_lists_it(self, as_curator):
        connected.endpoint()

        made = post(as_curator, URL, name="NLI", endpoint="Scripted", kind="entailment", repeats=2)

        assert (made.status_code, made.json()["protocol"]) == (201, "assistants/v1")
        assert as_curator.get(URL).json()["results"] == [made.json()]
        assert Judge.objects.get().config["repeats"] == 2

    def test_says_what_cannot_be_made(self, as_curator):
        connected.endpoint()

        wrong = post(as_curator, URL, name="NLI", endpoint="Scripted", premise="luck")
        unknown = post(as_curator, URL, name="NLI", endpoint="Nowhere")

        assert list(wrong.json()["fields"]) == ["premise"]
        assert unknown.status_code == 404


class TestAssist:
    def test_estimates_and_starts_once(self, as_curator):
        measured.brought()
        asked = {"key": str(uuid4()), "name": "N", "assistant": assisted.assistant().rater_id}

        estimate = post(as_curator, f"{URL}scores/", **asked, **{"import": 1}, estimate=True)
        first, again = (
            post(as_curator, f"{URL}scores/", **asked, **{"import": 1}) for _ in range(2)
        )

        assert estimate.json()["calls"] == 1
        assert first.json() == again.json()
        assert first.json()["number"] == Run.objects.get().number

    def test_wants_a_round_or_an_import(self, as_curator):
        asked = {"key": str(uuid4()), "name": "N", "assistant": assisted.assistant().rater_id}

        assert list(post(as_curator, f"{URL}scores/", **asked).json()["fields"]) == ["round"]

    def test_scores_a_round(self, as_curator):
        round_, assistant = make.open_round(), assisted.assistant()
        asked = {"key": str(uuid4()), "name": "N", "assistant": assistant.rater_id}

        post(as_curator, f"{URL}scores/", **asked, round=round_.number)

        assert Run.objects.get().round == round_
