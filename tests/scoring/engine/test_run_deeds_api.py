import uuid

import pytest
from django.urls import reverse

from scoring.engine.models import Run
from tests import make
from tests.scoring import judged, run_rows

pytestmark = pytest.mark.django_db


def address(name, *args):
    return reverse(name, args=[make.project().slug, *args])


def send(client, route, /, *args, **data):
    return client.post(address(route, *args), data, content_type="application/json")


def wanted(**given):
    judge = judged.judge()
    round_ = make.open_round()
    return {
        "key": str(uuid.UUID(int=77)),
        "name": "By program",
        "round": round_.number,
        "judge": judge.rater_id,
        "seed": 5,
        **given,
    }


class TestStart:
    def test_starts_one_run_however_often_it_is_asked(self, as_curator):
        data = wanted()

        first = send(as_curator, "api_runs", **data)
        second = send(as_curator, "api_runs", **data)

        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json()["number"] == second.json()["number"]
        assert (Run.objects.get().name, Run.objects.get().seed) == ("By program", 5)

    def test_says_what_it_would_take_and_starts_nothing(self, as_curator):
        found = send(as_curator, "api_runs", **wanted(estimate=True)).json()

        assert found["calls"] > 0
        assert not Run.objects.exists()

    def test_refuses_a_round_that_is_not_there(self, as_curator):
        answer = send(as_curator, "api_runs", **wanted(round=99))

        assert answer.status_code == 422
        assert "round" in answer.json()["fields"]

    def test_refuses_a_judge_of_another_project(self, as_curator):
        answer = send(as_curator, "api_runs", **wanted(judge=10**8))

        assert (answer.status_code, list(answer.json()["fields"])) == (422, ["judge"])


class TestDeed:
    def test_pauses_goes_on_and_calls_off(self, as_curator):
        run = run_rows.run()

        states = [
            send(as_curator, f"api_run_{deed}", run.number).json()["state"]
            for deed in ("pause", "resume", "cancel")
        ]

        assert states == ["PAUSED", "RUNNING", "CANCELLED"]

    def test_says_that_it_cannot_be_done_now(self, as_curator):
        run = run_rows.run(state=Run.State.DONE)

        answer = send(as_curator, "api_run_pause", run.number)

        assert (answer.status_code, answer.json()["code"]) == (409, "run_not_now")

    def test_tries_again_what_failed(self, as_curator):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run, state="FAILED", outcome="MACHINE")

        assert send(as_curator, "api_run_retry", run.number).json()["state"] == "RUNNING"

    def test_tries_one_step_again(self, as_curator):
        run = run_rows.run(state=Run.State.DONE)
        for _ in range(2):
            run_rows.step(run, state="FAILED", outcome="MACHINE")

        none, one = (send(as_curator, "api_run_retry", run.number, step=n) for n in (3, 1))

        assert (none.status_code, none.json()["code"]) == (409, "nothing_failed")
        assert one.status_code == 200
        assert list(run.steps.order_by("ordinal").values_list("state", flat=True)) == [
            "FREE",
            "FAILED",
        ]


class TestBudget:
    def test_is_taken_away(self, as_curator):
        run = run_rows.run(budget="2.5")

        assert send(as_curator, "api_run_budget", run.number, budget=None).json()["budget"] is None
