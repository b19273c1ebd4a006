from decimal import Decimal

import pytest

from annotation.people.models import AuditEvent
from scoring.engine import requests
from scoring.engine.models import Run, Step
from tests import make
from tests.scoring import running

pytestmark = pytest.mark.django_db
State = Run.State


def run_in(state, **given):
    asked = running.endpoint(prompt_price=Decimal(1), completion_price=Decimal(1))
    run = running.requested(endpoint=asked.pk)
    began = None if state == State.STAGED else make.NOW
    Run.objects.filter(pk=run.pk).update(**{"state": state, "started_at": began, **given})
    run.refresh_from_db()
    return run


def do(deed, run, **given):
    return deed(run=run, user=make.user("ines"), now=make.NOW, **given)


class TestDeeds:
    @pytest.mark.parametrize(
        ("deed", "before", "after"),
        [
            (requests.pause, State.RUNNING, State.PAUSED),
            (requests.resume, State.PAUSED, State.RUNNING),
            (requests.cancel, State.STAGED, State.CANCELLED),
            (requests.cancel, State.PAUSED, State.CANCELLED),
        ],
    )
    def test_move_a_run_and_are_written_down(self, deed, before, after):
        run = run_in(before)

        do(deed, run)

        assert run.state == after
        assert AuditEvent.objects.filter(subject="run:1").count() == 2

    def test_have_a_run_prepared_again_that_stopped_before_it_began(self):
        run = run_in(State.PAUSED, pause=Run.Pause.PROBLEM, problem="Why.", started_at=None)

        do(requests.resume, run)

        assert (run.state, run.pause, run.problem) == (State.STAGED, "", "")

    @pytest.mark.parametrize(
        ("deed", "before"),
        [
            (requests.pause, State.DONE),
            (requests.pause, State.STAGED),
            (requests.resume, State.RUNNING),
            (requests.cancel, State.DONE),
            (requests.retry_failed, State.CANCELLED),
        ],
    )
    def test_are_refused_where_they_make_no_sense(self, deed, before):
        run = run_in(before)

        with pytest.raises(requests.RunNotNow):
            do(deed, run)

        run.refresh_from_db()
        assert run.state == before


class TestRetryFailed:
    def test_frees_what_failed_and_leaves_what_is_an_outcome(self):
        run = run_in(State.DONE, finished_at=make.NOW)
        for number, (state, outcome) in enumerate(
            [("FAILED", "MACHINE"), ("DONE", "SYSTEM"), ("DONE", "NO_READING"), ("DONE", "OK")]
        ):
            Step.objects.create(
                run=run, ordinal=number, key=str(number), state=state, outcome=outcome
            )

        n_freed = do(requests.retry_failed, run)

        assert n_freed == 1
        assert (run.state, run.finished_at) == (State.RUNNING, None)
        assert run.steps.get(ordinal=0).state == "FREE"

    def test_says_when_there_is_nothing(self):
        with pytest.raises(requests.NothingFailed):
            do(requests.retry_failed, run_in(State.DONE))


class TestSetBudget:
    def test_lets_a_run_go_on_that_stopped_at_its_budget(self):
        run = run_in(State.PAUSED, pause=Run.Pause.BUDGET, budget=Decimal(1))

        do(requests.set_budget, run, budget=Decimal(2))

        assert (run.state, run.pause, run.budget) == (State.RUNNING, "", Decimal(2))

    def test_leaves_one_paused_that_a_person_stopped(self):
        run = run_in(State.PAUSED, pause=Run.Pause.PERSON)

        do(requests.set_budget, run, budget=None)

        assert run.state == State.PAUSED

    def test_refuses_where_costs_cannot_be_counted(self):
        run = running.requested()

        with pytest.raises(requests.BudgetNeedsPrices):
            do(requests.set_budget, run, budget=Decimal(2))
