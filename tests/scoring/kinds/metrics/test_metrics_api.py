from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests import make
from tests.scoring import measured

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/metrics/"


def post(client, **given):
    usual = {"key": str(uuid4()), "name": "Summaries", "metrics": ["rouge1"], "references": "texts"}
    return client.post(URL, {**usual, **given}, content_type="application/json")


class TestListMetrics:
    def test_names_them_with_their_ranges(self, as_curator):
        make.project()

        found = {one["key"]: one for one in as_curator.get(URL).json()["results"]}

        assert found["bleu"] == {
            "key": "bleu",
            "name": "BLEU",
            "group": "likeness",
            "needs": "references",
            "minimum": 0,
            "maximum": 100,
            "higher_is_better": True,
        }
        assert found["reading_ease"]["minimum"] is None

    def test_counts_before_and_starts(self, as_curator):
        measured.brought()

        counted = post(as_curator, **{"import": 1, "estimate": True})
        started = post(as_curator, **{"import": 1})

        assert (
            counted.json().items()
            >= {
                "answers": 4,
                "with_standard_answer": 0,
                "with_references": 2,
                "releases": 2,
            }.items()
        )
        assert started.status_code == 201
        assert (
            started.json().items()
            >= {
                "number": 1,
                "name": "Summaries",
                "kind": "METRICS",
                "state": "STAGED",
                "protocol": "metrics/v1",
            }.items()
        )

    def test_starts_one_run_for_one_key(self, as_curator):
        measured.brought()
        key = str(uuid4())

        numbers = {post(as_curator, key=key, **{"import": 1}).json()["number"] for _ in range(2)}

        assert numbers == {1}
        assert Run.objects.count() == 1

    def test_measures_a_round(self, as_curator):
        round_ = make.open_round()

        assert post(as_curator, round=round_.number, metrics=["words"]).status_code == 201
        assert Run.objects.get().round == round_

    @pytest.mark.parametrize(
        ("given", "status", "field"),
        [
            ({}, 422, "round"),
            ({"round": 1, "import": 1}, 422, "round"),
            ({"import": 1, "metrics": ["bluest"]}, 400, "metrics"),
            ({"import": 1, "metrics": []}, 400, "metrics"),
            ({"import": 1, "metrics": ["novelty1_source"]}, 422, "source"),
        ],
    )
    def test_refuses_what_it_cannot_measure(self, as_curator, given, status, field):
        measured.brought()

        answer = post(as_curator, **given)

        assert answer.status_code == status
        assert field in answer.json()["fields"]

    def test_knows_no_round_of_another_project(self, as_curator):
        elsewhere = make.open_round(in_=make.project("southgate"))

        answer = post(as_curator, round=elsewhere.number, metrics=["words"])

        assert (answer.status_code, [*answer.json()["fields"]]) == (422, ["round"])
