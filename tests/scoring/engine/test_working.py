"""A job of a run, from the first step to the last, with models that answer in memory."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
from django.db.models import F

from evalsite import errors
from scoring.endpoints.models import EndpointUser
from scoring.engine import requests as control
from scoring.engine import working
from scoring.engine.claims import Means, StepDesk
from scoring.engine.models import CallText, LLMCall, Run, Step
from scoring.llm.base import MachineryFailed, Request, SystemFailed, Trouble
from tests import make
from tests.scoring import running

pytestmark = pytest.mark.django_db


def raising(trouble, *, times=10**9, kind=MachineryFailed, only="", **given):
    """Return a deed that fails so often."""
    left = [times]

    async def first(request: Request, _model) -> None:
        if left[0] > 0 and only in request.messages[-1].content:
            left[0] -= 1
            raise kind(trouble, f"{trouble}.", **given)

    return first


@pytest.fixture
def meanwhile():
    """Give a way to do something while a run is worked on: when the step of this number is read."""

    def when(number, deed):
        running.KIND.meanwhile = lambda step: deed(step) if step.ordinal == number else None

    yield when
    running.KIND.meanwhile = lambda step: None


class TestWork:
    def test_does_every_step_and_ends_the_run(self):
        run = running.requested(n=20, calls=3)
        model = running.Model()

        running.worked(run, model)

        assert (run.state, run.finished_at is not None) == (Run.State.DONE, True)
        assert running.outcomes(run) == {("DONE", "OK"): 20}
        assert (model.n, set(model.asked.values())) == (60, {1})
        assert LLMCall.objects.filter(run=run, trouble="").count() == 60
        assert not EndpointUser.objects.exists()

    def test_never_asks_more_at_once_than_the_endpoint_allows(self, settings):
        settings.RUN_WORKERS = 1
        run = running.requested(n=30, endpoint=running.endpoint(max_in_flight=4).pk)

        async def slow(_request, _model):
            await asyncio.sleep(0.005)

        model = running.Model(slow)

        running.worked(run, model)

        assert model.peak == 4

    def test_leaves_steps_to_the_workers_that_are_on_their_way(self, settings):
        settings.RUN_WORKERS = 2
        run = running.requested(n=40, calls=3, endpoint=running.endpoint(max_in_flight=16).pk)
        claimed = []

        async def look(request, _model):
            await asyncio.sleep(0.01)
            if not claimed:
                claimed.append(1)
                steps = Step.objects.filter(run=run)
                claimed[0] = await desks[0].read(lambda: steps.filter(state="CLAIMED").count())

        desks = []
        opened = running.means(running.Model(look))

        def desk():
            desks.append(StepDesk())
            return desks[-1]

        working.work(run.pk, running.clock, replace(opened, desk=desk))

        # Half of 16, and a few that wait between their calls.
        assert claimed == [11]
        run.refresh_from_db()
        assert run.state == Run.State.DONE

    def test_keeps_a_text_once(self):
        run = running.requested(n=1, calls=2)

        running.worked(run, running.Model())

        calls = list(run.calls.order_by("exchange"))
        assert calls[0].text_sha != calls[1].text_sha
        assert CallText.objects.filter(run=run).count() == 4
        assert calls[0].prompt_tokens == 100

    def test_computes_without_an_endpoint(self):
        run = running.requested(n=5, computes=True)

        running.worked(run, running.Model())

        assert running.outcomes(run) == {("DONE", "OK"): 5}
        assert run.steps.first().result == {"sum": 499500}

    def test_leaves_a_run_alone_that_is_paused(self):
        run = running.requested(n=2)
        Run.objects.filter(pk=run.pk).update(state=Run.State.PAUSED)
        model = running.Model()

        running.worked(run, model)

        assert (model.n, run.state) == (0, Run.State.PAUSED)


class TestFailures:
    def test_of_a_moment_are_tried_again_each_in_a_row_of_its_own(self):
        run = running.requested(n=1)

        running.worked(run, running.Model(raising(Trouble.SERVER, times=2, status=500)))

        rows = run.calls.order_by("attempt").values_list("attempt", "trouble", "status")
        assert list(rows) == [(1, "SERVER", 500), (2, "SERVER", 500), (3, "", None)]
        assert running.outcomes(run) == {("DONE", "OK"): 1}

    def test_that_do_not_pass_fail_their_step_and_no_other(self):
        run = running.requested(n=10)

        running.worked(run, running.Model(raising(Trouble.GARBAGE, only="step 3,")))

        assert running.outcomes(run) == {("DONE", "OK"): 9, ("FAILED", "MACHINE"): 1}
        assert run.state == Run.State.DONE
        failed = run.steps.get(state="FAILED")
        assert (failed.key, failed.trouble) == ("step 3", "GARBAGE")
        assert failed.calls.count() == running.QUICK.attempts

    def test_of_the_system_are_outcomes_and_not_tried_again(self):
        run = running.requested(n=2, role="candidate")

        running.worked(run, running.Model(raising(Trouble.FILTERED, kind=SystemFailed)))

        assert running.outcomes(run) == {("DONE", "SYSTEM"): 2}
        assert run.calls.count() == 2

    def test_without_a_reading_are_neither(self, monkeypatch):
        run = running.requested(n=1)
        monkeypatch.setattr(running, "answer", lambda _request: "nothing")

        running.worked(run, running.Model())

        assert running.outcomes(run) == {("DONE", "NO_READING"): 1}

    def test_nobody_thought_of_fail_the_step(self):
        run = running.requested(n=3)

        async def first(request, _model):
            if "step 1," in request.messages[-1].content:
                raise ZeroDivisionError

        running.worked(run, running.Model(first))

        assert running.outcomes(run) == {("DONE", "OK"): 2, ("FAILED", "MACHINE"): 1}
        assert "worker" in run.steps.get(state="FAILED").problem

    def test_that_say_what_is_wrong_are_told_in_their_words(self, meanwhile):
        run = running.requested(n=2)

        def refuse(_step):
            raise errors.Invalid("Its response is gone.")

        meanwhile(1, refuse)
        running.worked(run, running.Model())

        assert run.steps.get(state="FAILED").problem == "Its response is gone."

    def test_are_counted_by_steps_once_some_are_claimed(self):
        run = running.requested(n=3)
        told = []

        running.worked(run, running.Model(), got_on=lambda: told.append(1))
        running.worked(
            run, running.Model(), got_on=lambda: told.append(2)
        )  # nothing is left to claim

        assert told == [1]

    def test_of_opening_an_endpoint_pause_the_run(self):
        run = running.requested(n=2)

        def closed(_endpoint):
            raise errors.Invalid("Its key does not open.")

        working.work(run.pk, running.clock, Means(open_model=closed))

        run.refresh_from_db()
        assert (run.pause, run.problem) == (Run.Pause.ENDPOINT, "Its key does not open.")

    def test_of_the_key_pause_the_run_with_the_reason(self):
        run = running.requested(n=5)

        running.worked(run, running.Model(raising(Trouble.KEY, status=401)))

        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.ENDPOINT)
        assert run.problem == "Meridian: KEY."
        assert running.outcomes(run) == {("FREE", ""): 5}

    def test_of_an_endpoint_that_is_down_pause_the_run_before_its_steps_fail(self):
        run = running.requested(n=20)

        running.worked(run, running.Model(raising(Trouble.CONNECTION)))

        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.ENDPOINT)
        assert running.outcomes(run) == {("FREE", ""): 20}

    def test_are_tried_again_when_somebody_asks_for_it_without_repeating_calls(self):
        run = running.requested(n=4, calls=2)
        running.worked(run, running.Model(raising(Trouble.BAD_REQUEST, only="step 2, 1")))
        model = running.Model()

        n_freed = control.retry_failed(run=run, user=None, now=make.NOW)
        running.worked(run, model)

        assert (n_freed, model.n) == (1, 1)
        assert running.outcomes(run) == {("DONE", "OK"): 4}
        assert run.state == Run.State.DONE


class TestTooManyRequests:
    def test_slow_all_workers_down_and_are_tried_again_as_told(self):
        run = running.requested(n=10)
        model = running.Model(raising(Trouble.RATE_LIMITED, times=3, status=429, retry_after=0.05))

        running.worked(run, model)

        assert running.outcomes(run) == {("DONE", "OK"): 10}
        pace = run.project.endpoints.get().pace
        assert pace.share < 1
        assert pace.not_before is not None


class TestBudget:
    def test_is_not_passed(self):
        priced = running.endpoint(
            prompt_price=Decimal(10_000), completion_price=Decimal(10_000), max_in_flight=1
        )
        run = running.requested(n=10, endpoint=priced.pk, budget=Decimal(5))  # a call costs 1.2

        running.worked(run, running.Model())

        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.BUDGET)
        assert 3 <= run.calls.count() <= 4
        assert sum(run.calls.values_list("cost", flat=True)) <= 5

    def test_can_be_raised(self):
        priced = running.endpoint(prompt_price=Decimal(10_000), completion_price=Decimal(10_000))
        run = running.requested(n=10, endpoint=priced.pk, budget=Decimal(5))
        running.worked(run, running.Model())

        control.set_budget(run=run, budget=Decimal(50), user=None, now=make.NOW)
        running.worked(run, running.Model())

        assert run.state == Run.State.DONE
        assert run.calls.count() == 10


class TestStops:
    @pytest.mark.parametrize("deed", [control.pause, control.cancel])
    def test_by_a_person_finish_and_keep_the_calls_in_flight(self, meanwhile, deed):
        run = running.requested(n=60, calls=2)
        meanwhile(20, lambda step: deed(run=step.run, user=None, now=make.NOW))

        async def slow(_request, _model):
            await asyncio.sleep(0.1)

        model = running.Model(slow)
        running.worked(run, model)

        assert run.state in {Run.State.PAUSED, Run.State.CANCELLED}
        assert model.n < 120
        assert run.calls.count() == model.n
        assert not run.steps.filter(state=Step.State.CLAIMED).exists()

    def test_are_gone_on_from_without_repeating_a_call(self, meanwhile):
        run = running.requested(n=30, calls=3)
        meanwhile(12, lambda step: control.pause(run=step.run, user=None, now=make.NOW))
        model = running.Model()
        model.first = _slow
        running.worked(run, model)
        assert run.state == Run.State.PAUSED
        meanwhile(-1, lambda step: None)

        control.resume(run=run, user=None, now=make.NOW)
        running.worked(run, model)

        assert run.state == Run.State.DONE
        assert set(model.asked.values()) == {1}
        assert model.n == 90

    def test_of_the_worker_leave_the_run_to_the_next_job(self):
        run = running.requested(n=60)
        model = running.Model(_slow)

        running.worked(run, model, stopping=lambda: True)

        assert run.state == Run.State.RUNNING
        assert 0 < model.n < 60
        assert running.outcomes(run).keys() == {("DONE", "OK"), ("FREE", "")}


class TestFence:
    def test_refuses_what_a_worker_writes_that_lost_its_step(self, meanwhile):
        run = running.requested(n=1, calls=2)

        def lose(step):
            Step.objects.filter(pk=step.pk).update(fence=F("fence") + 1, worker="another")

        meanwhile(0, lose)
        model = running.Model()
        running.worked(run, model)

        step = run.steps.get()
        assert (model.n, run.calls.count()) == (1, 0)
        assert (step.state, step.worker, step.result) == ("CLAIMED", "another", None)
        assert run.state == Run.State.RUNNING


async def _slow(_request, _model):
    await asyncio.sleep(0.06)
