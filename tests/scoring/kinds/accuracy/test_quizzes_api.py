from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.scoring import interviewed, quizzed

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/accuracy/"


def post(client, **given):
    if "releases" not in given:
        given["releases"] = [one.pk for one in interviewed.candidates()]
    usual = {"key": str(uuid4()), "name": "In March", "over": "bank:", "seed": 7}
    return client.post(URL, {**usual, **given}, content_type="application/json")


class TestStart:
    def test_says_what_can_be_chosen(self, as_curator):
        interviewed.candidates()

        found = as_curator.get(URL).json()

        assert {one["name"] for one in found["releases"]} == {"Kestrel · 1", "Osprey · 1"}
        assert found["over"] == ["bank:"]

    def test_estimates_and_starts_once(self, as_curator):
        quizzed.questions(3)
        key = str(uuid4())
        releases = [one.pk for one in interviewed.candidates()]

        counted = post(as_curator, releases=releases, orders=2, estimate=True).json()
        started = post(as_curator, releases=releases, key=key)
        again = post(as_curator, releases=releases, key=key)

        assert (counted["questions"], counted["calls"]) == (3, 12)
        assert (started.status_code, started.json()["kind"]) == (201, "QUIZ")
        assert started.json()["number"] == again.json()["number"]
        assert Run.objects.count() == 1

    def test_names_the_field_that_is_wrong(self, as_curator):
        quizzed.questions(3)

        answer = post(as_curator, questions=9)

        assert answer.status_code == 422
        assert "questions" in answer.json()["fields"]
