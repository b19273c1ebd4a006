from uuid import uuid4

import pytest

from scoring.engine.models import Run
from scoring.kinds.metrics.operations import Choice
from tests import make
from tests.scoring import measured, rounds

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

        assert counted.json() == {
            "answers": 4,
            "with_standard_answer": 0,
            "with_references": 2,
            "releases": 2,
        }
        assert started.status_code == 201
        assert started.json() == {
            "number": 1,
            "name": "Summaries",
            "kind": "METRICS",
            "state": "STAGED",
            "protocol": "metrics/v1",
        }

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
            ({}, 400, "round"),
            ({"round": 1, "import": 1}, 400, "round"),
            ({"import": 1, "metrics": ["bluest"]}, 400, "metrics"),
            ({"import": 1, "metrics": []}, 422, "metrics"),
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

        assert answer.status_code == 404


class TestRunMetrics:
    def test_returns_means_and_reasons(self, as_curator):
        measured.brought()
        run = measured.done(measured.over_import(["words"]))

        found = as_curator.get(f"/api/v1/projects/northport/runs/{run.number}/metrics/").json()

        assert found["results"][1] == {
            "release": "Kestrel · 1",
            "metric": "Words",
            "mean": 4.0,
            "n": 2,
            "without_value": 0,
            "all_answers_as_one_text": None,
        }
        assert found["without_value"] == [
            {"reason": "The answer is empty.", "answers": 1, "metrics": ["Words"]}
        ]

    def test_says_that_it_is_too_early(self, as_curator):
        run = measured.done(measured.asked(Choice(["words"]), round_=rounds.graded(state="REVIEW")))

        answer = as_curator.get(f"/api/v1/projects/northport/runs/{run.number}/metrics/")

        assert answer.status_code == 409
        assert answer.json()["code"] == "still_hidden"
