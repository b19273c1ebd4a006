from uuid import uuid4

import pytest

from scoring.engine.models import Run
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import connected, fused, rounds

pytestmark = pytest.mark.django_db
TASK = "/api/v1/projects/northport/tasks/1/"


def post(client, end, **given):
    usual = {"key": str(uuid4()), "name": "Notes", "import": 1, "seed": 3}
    return client.post(f"{TASK}{end}/", {**usual, **given}, content_type="application/json")


def start(client, **given):
    usual = {"variants": ["FE_NO_PLAN", "DE"], "endpoint": "Scripted", "predictions": 2}
    return post(client, "runs", **{**usual, **given})


class TestStart:
    def test_estimates_and_starts_once(self, as_curator):
        fused.scored()
        fused.version("overlap", "entailment")
        connected.endpoint()
        key = str(uuid4())

        counted = start(as_curator, key=key, estimate=True).json()
        started = start(as_curator, key=key)
        start(as_curator, key=key)

        assert (counted["answers"], counted["calls"]) == (4, 16)
        assert counted["with_score"] == {"overlap": 4, "entailment": 3}
        assert (started.status_code, started.json()["kind"]) == (201, "FUSION")
        assert Run.objects.count() == 1

    @pytest.mark.parametrize(
        ("given", "status"),
        [({"import": None}, 400), ({"round": 1}, 400), ({"variants": ["FE"]}, 422)],
    )
    def test_says_what_cannot_be_started(self, as_curator, given, status):
        fused.scored()
        fused.version("overlap")
        connected.endpoint()

        answer = start(as_curator, **given)

        assert answer.status_code == status
        assert answer.json()["fields"]


class TestCombine:
    def test_counts_and_starts(self, as_curator):
        fused.scored()
        fused.version("overlap")

        counted = post(as_curator, "combine", ways=["AVG"], estimate=True)
        started = post(as_curator, "combine", ways=["AVG"])

        assert counted.json() == {"answers": 4, "with_score": {"overlap": 4}}
        assert (started.status_code, started.json()["kind"]) == (201, "COMBINE")


class TestResults:
    def test_tell_of_every_judge_release_and_criterion(self, as_curator):
        batch = fused.scored()
        by = connected.endpoint(prompt_price=1, completion_price=2)
        run = fused.ran(fused.wish(fused.version(), Variant.DE, by=by, batch=batch))

        found = as_curator.get(f"/api/v1/projects/northport/runs/{run.number}/fusion/").json()

        (judge,) = found["judges"]
        assert (judge["predictions"], judge["answers"]) == (4 * 2 * 2, 4)
        assert judge["cost_per_answer"] > 0
        assert len(found["results"]) == 2 * 2
        assert found["results"][0]["n"] == 2
        assert found["note"]

    def test_are_hidden_until_the_round_is_final(self, as_curator):
        round_ = rounds.graded(state="REVIEW", n_items=1)
        run = fused.ran(fused.wish(fused.version(), round_=round_))

        answer = as_curator.get(f"/api/v1/projects/northport/runs/{run.number}/fusion/")

        assert (answer.status_code, answer.json()["code"]) == (409, "still_hidden")
