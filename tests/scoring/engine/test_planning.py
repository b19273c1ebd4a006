import pytest

from evalsite import errors
from scoring.engine import working as planning
from scoring.engine.models import Run
from tests import make
from tests.scoring import running

KIND_PLAN = running.KIND.plan

pytestmark = pytest.mark.django_db


def plan(run):
    planning.plan(run=run, clock=lambda: make.NOW)
    run.refresh_from_db()


class TestPlan:
    def test_writes_the_steps_and_sets_the_run_going(self):
        run = running.requested(n=5)

        plan(run)

        assert (run.state, run.started_at) == (Run.State.RUNNING, make.NOW)
        keys = run.steps.order_by("ordinal").values_list("key", flat=True)
        assert list(keys) == [f"step {number}" for number in range(5)]

    def test_goes_on_where_it_was_stopped(self, monkeypatch):
        run = running.requested(n=500)
        written = planning._write

        def stopped(of, batch, state):
            if of.steps.count():
                raise planning._PlanOvertaken
            written(of, batch, state)

        with monkeypatch.context() as patch:
            patch.setattr(planning, "_write", stopped)
            plan(run)
        half = (run.state, run.steps.count())
        plan(run)

        assert half == (Run.State.STAGED, 200)
        assert (run.state, run.steps.count()) == (Run.State.RUNNING, 500)

    def test_stops_when_the_run_is_called_off(self):
        run = running.requested(n=5)
        Run.objects.filter(pk=run.pk).update(state=Run.State.CANCELLED)

        plan(run)

        assert (run.state, run.steps.count()) == (Run.State.CANCELLED, 0)

    def test_calls_off_a_run_that_turns_out_not_to_be_possible(self, monkeypatch):
        run = running.requested(n=5)

        def refusing(run):
            yield from KIND_PLAN(run)
            raise errors.Invalid("Its round is gone.")

        monkeypatch.setattr(running.KIND, "plan", refusing)
        plan(run)

        assert (run.state, run.problem) == (Run.State.CANCELLED, "Its round is gone.")
