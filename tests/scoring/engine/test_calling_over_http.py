"""What replies cost that cannot be used, over real HTTP."""

from decimal import Decimal

import pytest
from django.db.models import Sum

from scoring.engine import progress as run_progress
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import LLMCall, Run
from tests import make
from tests.scoring import running
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
PRICE = Decimal("0.001")
PAID = ["empty", "filtered", "tool_call", "cut_off", "refused", "truncated", "thinking", "no_usage"]


@pytest.fixture(autouse=True)
def _near(settings):
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)


def asked(server, *, budget=None, **config):
    endpoint = running.endpoint(
        url=server.url, model_name="scripted", prompt_price=PRICE * 1_000_000,
        completion_price=PRICE * 1_000_000, max_in_flight=1, timeout=2,
    )  # fmt: skip
    run = running.requested(endpoint=endpoint.pk, budget=budget, **config)
    return worked(run)


def worked(run):
    working.work(run.pk, running.clock, Means(patience=running.QUICK))
    run.refresh_from_db()
    return run


class TestCalls:
    @pytest.mark.parametrize("fault", PAID)
    def test_cost_what_the_server_counted_whatever_is_in_them(self, fault):
        with serving.in_thread(faults={fault: 1.0}) as server:
            run = asked(server, n=2)

        calls = list(run.calls.all())
        assert len(calls) == 2
        for one in calls:
            if fault == "no_usage":
                assert one.prompt_tokens is None
                assert one.cost > 0
            else:
                assert one.prompt_tokens > 0
                assert one.cost == PRICE * (one.prompt_tokens + one.completion_tokens)

    def test_cost_in_every_attempt(self):
        body = (
            b'{"id": "x", "choices": null, "usage": {"prompt_tokens": 7, "completion_tokens": 3}}'
        )
        with serving.saying(body) as server:
            run = asked(server, n=1)

        calls = LLMCall.objects.filter(run=run)
        assert {one.trouble for one in calls} == {"GARBAGE"}
        assert {one.cost for one in calls} == {PRICE * 10}
        assert calls.count() == running.QUICK.attempts

    def test_cost_where_a_body_breaks_off_behind_its_count(self):
        with serving.saying(
            b'{"usage": {"prompt_tokens": 7, "completion_tokens": 3}, "choices": [{"mes'
        ) as server:
            run = asked(server, n=1)

        assert {one.cost for one in run.calls.all()} == {PRICE * 10}

    def test_cost_nothing_where_the_server_was_not_there(self):
        with serving.in_thread(faults={"500": 1.0}) as server:
            run = asked(server, n=1)

        assert {one.cost for one in run.calls.all()} == {None}

    @pytest.mark.parametrize("fault", ["empty", "filtered", "tool_call", "cut_off"])
    def test_count_against_the_budget_at_once(self, fault):
        with serving.in_thread(faults={fault: 1.0}) as server:
            run = asked(server, n=40, budget=Decimal("1.0"))

        spent = run.calls.aggregate(cost=Sum("cost"))["cost"]
        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.BUDGET)
        assert 0 < spent <= 1
        assert run.calls.count() < 40

    def test_keep_what_came(self):
        with serving.in_thread(faults={"cut_off": 1.0}) as server:
            run = asked(server, n=1)

        call = run.calls.get()
        assert call.trouble == "EMPTY"
        assert call.reply["finish"] == "length"
        assert call.reply["notes"]["reasoning"] == "Let me see. It"
        assert "still reasoning" in call.problem


class TestProgress:
    def test_says_of_how_many_calls_the_tokens_are_estimated(self):
        with serving.in_thread(faults={"no_usage": 1.0}) as server:
            run = asked(server, n=2)

        found = run_progress.progress_of(run, make.NOW)
        assert found.n_estimated == 2
        assert found.cost > 0
