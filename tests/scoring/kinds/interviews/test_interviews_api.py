from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/interviews/"


def post(client, **given):
    usual = {
        "key": str(uuid4()),
        "name": "In March",
        "over": "bank:",
        "releases": [one.pk for one in interviewed.candidates()],
        "interactor": connected.endpoint("Interactor", script={"seed": 5}).name,
        "evaluator_endpoint": "Interactor",
        "planned": 3,
        "seed": 7,
    }
    return client.post(URL, {**usual, **given}, content_type="application/json")


class TestStart:
    def test_says_what_can_be_chosen(self, as_curator):
        interviewed.candidates()

        found = as_curator.get(URL).json()

        assert {one["name"] for one in found["releases"]} == {"Kestrel · 1", "Osprey · 1"}
        assert found["over"][0]["over"] == "bank:"

    def test_estimates_and_starts(self, as_curator):
        interviewed.questions(4)
        releases = [one.pk for one in interviewed.candidates()]

        counted = post(as_curator, releases=releases, estimate=True)
        started = post(as_curator, releases=releases)

        assert counted.json()["questions"] == 4
        assert counted.json()["calls"] > 0
        assert (started.status_code, started.json()["kind"]) == (201, "KIEVAL")
        assert Run.objects.count() == 1

    def test_wants_an_evaluator_or_an_endpoint(self, as_curator):
        interviewed.questions(2)

        answer = post(as_curator, evaluator_endpoint="", releases=[1])

        assert answer.status_code == 422
        assert "evaluator" in answer.json()["fields"]

    def test_knows_no_other_source(self, as_curator):
        interviewed.questions(2)

        answer = post(as_curator, over="round:7")

        assert answer.status_code in {400, 422}
        assert answer.json()["code"] == "no_questions"


class TestDialogues:
    def test_come_with_every_verdict(self, as_curator):
        run = interviewed.held(n=1)

        found = as_curator.get(f"/api/v1/projects/northport/runs/{run.number}/dialogues/").json()

        assert found["note"] == "scripted, not a measurement"
        assert len(found["results"]) == 2
        assert found["results"][0]["exchanges"][0]["k"] == 0
