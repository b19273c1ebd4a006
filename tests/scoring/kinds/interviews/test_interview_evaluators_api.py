from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


def url(run):
    return f"/api/v1/projects/northport/runs/{run.number}/evaluators/again/"


def post(client, run, **given):
    usual = {"key": str(uuid4()), "name": "By others", "seed": 3}
    return client.post(url(run), {**usual, **given}, content_type="application/json")


class TestJudgeAgain:
    def test_are_asked_for_by_key_or_made_of_an_endpoint(self, as_curator):
        of = interviewed.held(n=1)
        there = interviewed.evaluator("Listener")
        given = {"evaluators": [there.rater_id], "endpoints": ["Interactor"]}

        counted = post(as_curator, of, **given, estimate=True)
        started = post(as_curator, of, **given)

        n_exchanges = sum(one.exchanges.count() for one in of.dialogues.all())
        assert counted.json()["calls"] == 2 * n_exchanges
        assert (started.status_code, started.json()["kind"]) == (201, "REJUDGE")
        assert started.json()["scripted"]

    def test_are_somebody(self, as_curator):
        of = interviewed.held(n=1)

        answer = post(as_curator, of)

        assert answer.json()["code"] == "no_evaluator"
        assert not Run.objects.filter(kind="REJUDGE").exists()
