from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.scoring import connected, fused

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
        [({"import": None}, 422), ({"round": 1}, 422), ({"variants": ["FE"]}, 422)],
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

        found = counted.json()
        assert (found["answers"], found["with_score"], found["without_score"]) == (
            4,
            {"overlap": 4},
            {},
        )
        assert found["calls"] == 0
        assert (started.status_code, started.json()["kind"]) == (201, "COMBINE")
