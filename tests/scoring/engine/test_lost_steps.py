import pytest

from scoring.engine import queries as lost_steps
from scoring.engine.models import Run
from scoring.engine.queries import Lost
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


class TestOf:
    def test_counts_what_failed_and_what_was_not_done(self):
        run = run_rows.run(state=Run.State.CANCELLED)
        run_rows.step(run)
        run_rows.step(run, state="FAILED", outcome="MACHINE", problem="The server failed.")
        run_rows.free(run)

        assert lost_steps.of_lost_steps(run) == Lost(2, 3, "The server failed.", 1, "step 1", 1)

    def test_leaves_out_what_a_judge_or_a_system_did_itself(self):
        run = run_rows.run()
        run_rows.step(run)
        run_rows.step(run, outcome="NO_READING", problem="No score.")
        run_rows.step(run, outcome="SYSTEM", problem="It said nothing.")
        run_rows.step(run, outcome="SKIPPED")

        assert lost_steps.of_lost_steps(run) == Lost(0, 4)

    def test_counts_what_systems_did_themselves_where_no_step_brought_anything(self):
        run = run_rows.run()
        run_rows.step(run, outcome="SYSTEM", problem="The reply was empty.")
        run_rows.step(run, outcome="SYSTEM", problem="The reply was empty.")
        run_rows.step(run, outcome="NO_READING", problem="No score.")

        assert lost_steps.of_lost_steps(run) == Lost(3, 3, "The reply was empty.", 2, "step 0", 0)

    def test_counts_a_judgment_that_the_server_spoilt(self):
        run = run_rows.run()
        run_rows.step(run)
        run_rows.step(run, outcome="NO_READING", trouble="TIMEOUT", problem="Too late.")

        assert lost_steps.of_lost_steps(run).n == 1


class TestBeyond:
    def test_is_more_than_the_share_that_may_be_lost(self):
        assert Lost(1, 10).beyond(0.0)
        assert not Lost(1, 10).beyond(0.1)
        assert not Lost(0, 0).beyond(0.0)
