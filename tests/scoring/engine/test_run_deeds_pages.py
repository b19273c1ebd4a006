from decimal import Decimal

import pytest
from django.urls import reverse

from scoring.engine.models import Run
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def address(name, run):
    return reverse(name, args=["northport", run.number])


def state_of(run):
    return Run.objects.get(pk=run.pk).state


class TestRunPause:
    def test_pauses_and_goes_on(self, as_curator):
        run = run_rows.run()

        as_curator.post(address("run_pause", run))
        paused = state_of(run)
        as_curator.post(address("run_resume", run))

        assert (paused, state_of(run)) == (Run.State.PAUSED, Run.State.RUNNING)

    def test_has_a_run_tried_again_that_stopped_at_a_problem_before_it_began(self, as_curator):
        stopped = {"state": Run.State.PAUSED, "pause": Run.Pause.PROBLEM, "started_at": None}
        run = run_rows.run(**stopped, problem="Unexpected error (KeyError).")

        page = as_curator.get(address("run", run)).content.decode()
        as_curator.post(address("run_resume", run))

        assert "stopped: problem" in page
        assert "Unexpected error (KeyError)." in page
        assert "Try again</button>" in page
        assert state_of(run) == Run.State.STAGED

    def test_says_that_a_run_has_moved_on(self, as_curator):
        run = run_rows.run(state=Run.State.DONE)

        answer = as_curator.post(address("run_pause", run))

        assert answer.status_code == 409
        assert "has moved on" in answer.content.decode()


class TestRunCancel:
    def test_asks_first(self, as_curator):
        run = run_rows.run()
        run_rows.free(run)

        text = as_curator.get(address("run_cancel", run)).content.decode()

        assert "1 of 1 steps stay undone." in text
        assert state_of(run) == Run.State.RUNNING

    def test_calls_the_run_off(self, as_curator):
        run = run_rows.run()

        answer = as_curator.post(address("run_cancel", run))

        assert answer.url == address("run", run)
        assert state_of(run) == Run.State.CANCELLED


class TestRunRetry:
    def test_frees_what_failed(self, as_curator):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run, state="FAILED", outcome="MACHINE")

        as_curator.post(address("run_retry", run))

        assert list(run.steps.values_list("state", "outcome")) == [("FREE", "")]
        assert state_of(run) == Run.State.RUNNING

    def test_frees_one_step_of_those_that_failed(self, as_curator):
        run = run_rows.run(state=Run.State.DONE)
        for _ in range(2):
            run_rows.step(run, state="FAILED", outcome="MACHINE")

        page = as_curator.get(reverse("run_step", args=["northport", run.number, 2]))
        as_curator.post(address("run_retry", run), {"step": "2"})

        assert "Retry" in page.content.decode()
        states = run.steps.order_by("ordinal").values_list("state", flat=True)
        assert list(states) == ["FAILED", "FREE"]

    def test_refuses_a_step_that_has_not_failed(self, as_curator):
        run = run_rows.run()
        run_rows.step(run)

        answer = as_curator.post(address("run_retry", run), {"step": "1"})

        assert answer.status_code == 409
        assert "This step has not failed" in answer.content.decode()


class TestRunBudget:
    def test_refuses_a_budget_of_nothing(self, as_curator):
        run = run_rows.run(kind=Run.Kind.JUDGE)

        answer = as_curator.post(address("run_budget", run), {"budget": "0"})

        assert answer.status_code == 422

    @pytest.mark.parametrize("state", [Run.State.DONE, Run.State.CANCELLED])
    def test_is_not_offered_when_the_run_has_ended(self, as_curator, state):
        run = run_rows.run(state=state)

        page = as_curator.get(address("run_budget", run)).content.decode()

        assert "The run has ended" in page
        assert 'name="budget"' not in page

    def test_takes_the_limit_away(self, as_curator):
        run = run_rows.run(budget=Decimal(1), state=Run.State.PAUSED, pause=Run.Pause.BUDGET)

        as_curator.post(address("run_budget", run), {"budget": ""})

        assert Run.objects.get(pk=run.pk).budget is None
        assert state_of(run) == Run.State.RUNNING
