from decimal import Decimal

import pytest

from scoring.endpoints.models import EndpointPace
from scoring.engine import progress as run_progress
from scoring.engine.models import Run
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def counted(run, minutes=2):
    return run_progress.progress_of(run, make.at(minutes))


class TestOf:
    def test_keeps_three_ways_of_failing_apart(self):
        run = run_rows.run()
        run_rows.step(run)
        run_rows.step(run, outcome="SYSTEM", trouble="EMPTY", problem="It said nothing.")
        run_rows.step(run, outcome="NO_READING", problem="No score in the reply.")
        run_rows.step(run, state="FAILED", outcome="MACHINE", trouble="TIMEOUT")

        found = counted(run)

        assert (found.n_ok, found.n_system_failed, found.n_no_reading, found.n_failed) == (
            1,
            1,
            1,
            1,
        )
        assert {(one.outcome, one.label) for one in found.reasons} == {
            ("SYSTEM", "It said nothing."),
            ("NO_READING", "No score in the reply."),
            ("MACHINE", "no reply in time"),
        }

    def test_adds_up_calls_by_role_and_endpoint(self):
        run = run_rows.run()
        one = run_rows.step(run)
        other = run_rows.endpoint("Harbour")
        run_rows.call(one)
        run_rows.call(one, None, trouble="SERVER")
        run_rows.call(one, role="candidate", endpoint=other, cost=None)

        candidate, judge = counted(run).spent

        assert (judge.n, judge.n_failed, judge.prompt_tokens) == (2, 1, 100)
        assert judge.known_cost == Decimal("0.00014")
        assert candidate.known_cost is None
        assert [(one.trouble, one.n) for one in counted(run).failures] == [("SERVER", 1)]

    def test_has_nothing_to_tell_of_a_run_that_has_not_begun(self):
        run = run_rows.run(state=Run.State.STAGED, started_at=None)

        found = counted(run)

        assert (found.n_steps, found.percent, found.cost) == (0, 0.0, 0)
        assert found.per_minute is found.seconds_left is found.forecast is None
        assert found.seconds_each is None

    def test_takes_as_many_queries_however_long_the_run_is(self, django_assert_num_queries):
        run = run_rows.large(30, 2)

        with django_assert_num_queries(7):
            counted(run)


class TestProgress:
    def test_tells_how_long_it_will_take_from_its_last_minutes(self):
        run = run_rows.run()
        for _ in range(6):
            run_rows.step(run)
        for _ in range(12):
            run_rows.free(run)

        found = counted(run)

        assert found.per_minute == 3
        assert found.seconds_left == 240

    def test_does_not_guess_from_a_few(self):
        run = run_rows.run()
        run_rows.step(run)
        run_rows.free(run)

        assert counted(run).seconds_left is counted(run).forecast is None

    def test_forecasts_the_cost_and_its_share_of_the_budget(self):
        run = run_rows.run(budget=Decimal("0.0014"))
        for _ in range(5):
            run_rows.call(run_rows.step(run))
        for _ in range(5):
            run_rows.free(run)

        found = counted(run)

        assert found.forecast == Decimal("0.0014")
        assert (found.spent_percent, found.forecast_percent) == (50, 100)

    def test_knows_no_currency_where_there_are_two(self):
        run = run_rows.run()
        run_rows.call(run_rows.step(run))
        run_rows.call(run_rows.step(run), endpoint=run_rows.endpoint("Harbour", currency="EUR"))

        assert counted(run).is_mixed
        assert counted(run).currency == ""


class TestWaiting:
    def test_is_told_while_an_endpoint_asks_for_it(self):
        run = run_rows.run()
        call = run_rows.call(run_rows.step(run))
        EndpointPace.objects.create(
            endpoint=call.endpoint, not_before=make.at(9), changed_at=make.NOW
        )

        assert counted(run).waits_until == make.at(9)
        assert counted(run, minutes=9).waits_until is None

    def test_is_none_of_a_run_that_is_over(self):
        run = run_rows.run(state=Run.State.DONE)
        call = run_rows.call(run_rows.step(run))
        EndpointPace.objects.create(
            endpoint=call.endpoint, not_before=make.at(9), changed_at=make.NOW
        )

        assert counted(run).waits_until is None


class TestAdjusted:
    def test_tells_what_an_endpoint_refused(self):
        run = run_rows.run()
        step = run_rows.step(run)
        notes = {"left_out": "seed", "limit_name": "max_completion_tokens"}
        call = run_rows.call(step, reply={"finish": "stop", "notes": notes})

        (told,) = counted(run).adjusted

        assert told == run_progress.Adjusted(call.endpoint.name, "max_completion_tokens", "seed")
