from decimal import Decimal

import pytest

from scoring.engine import estimating
from tests.scoring import running

pytestmark = pytest.mark.django_db


def estimated(most=estimating.MOST, n_in_all=None, *, config=None, **endpoint):
    asked = running.endpoint(**endpoint)
    run = running.requested(endpoint=asked.pk, **(config or {"n": 10, "calls": 2}))
    return estimating.estimate(run, most=most, n_in_all=n_in_all)


class TestEstimate:
    def test_adds_up_calls_and_tokens(self):
        found = estimated()

        assert (found.calls, found.prompt_tokens, found.completion_tokens) == (20, 2000, 400)
        assert (found.cost, found.longest, found.sampled) == (None, 120, False)

    def test_says_what_they_cost(self):
        found = estimated(prompt_price=Decimal(10), completion_price=Decimal(50), currency="EUR")

        assert (found.cost, found.currency) == (pytest.approx(0.04), "EUR")

    def test_says_how_long_it_takes_by_what_was_measured(self):
        found = estimated(max_in_flight=5, found={"latency": {"value": 0.5}})

        assert found.seconds == 2.0

    def test_says_how_long_it_takes_at_so_many_a_minute(self):
        assert estimated(per_minute=10).seconds == 120

    def test_scales_up_what_it_looked_at(self):
        found = estimated(most=5, n_in_all=10)

        assert (found.calls, found.sampled) == (20, True)

    def test_of_a_run_that_asks_nobody_is_nothing(self):
        run = running.requested(computes=True)

        assert estimating.estimate(run).calls == 0
