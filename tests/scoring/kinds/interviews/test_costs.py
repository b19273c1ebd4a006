from decimal import Decimal

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine import progress
from scoring.engine import working as planning
from scoring.engine.models import LLMCall
from scoring.kinds.interviews import results as costs
from scoring.kinds.interviews.results import InterviewShare
from tests import make
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db


def priced(**given):
    """Return a finished run of interviews by endpoints that have prices."""
    run = interviewed.requested(**{"n": 2} | given)
    Endpoint.objects.update(prompt_price=Decimal(10), completion_price=Decimal(30))
    prices = {str(pk): {"prompt": "10", "completion": "30"} for pk in run.config["prices"]}
    run.config["prices"] = prices
    run.save(update_fields=["config"])
    return interviewed.done(run)


def verified():
    """Return a finished run with prices whose interviewer and evaluator know the answers."""
    script = {"seed": 5, "replies": [{"contains": "a bell", "reply": "The answer is A."}]}
    connected.endpoint("Interactor", script=script)
    return priced(n=6, questions=2, verify=True, by=interviewed.evaluator(script=script))


def total(run, n):
    return costs.costs_of(costs.shares(run), n)["USD"]


class TestShares:
    def test_come_to_what_a_run_of_as_many_systems_did_cost(self):
        run = priced()

        spent = progress.progress_of(run, make.NOW)

        assert spent.cost > 0
        assert total(run, 2) == pytest.approx(spent.cost)
        assert total(run, 100) == pytest.approx(50 * spent.cost)
        assert sum(one.calls for one in costs.shares(run)) == pytest.approx(spent.n_calls / 2)

    def test_count_the_verification_once(self):
        run = verified()

        first, *others = costs.shares(run)

        assert (first.role, first.is_once) == ("verification", True)
        assert {one.role for one in others} == {"candidate", "interactor", "evaluator"}
        assert first.of(100) == first.of(1) > 0
        assert total(run, 2) == pytest.approx(progress.progress_of(run, make.NOW).cost)

    def test_reckon_interviews_to_come_as_those_that_ended(self):
        run = interviewed.requested(n=2)
        planning.plan(run=run, clock=lambda: make.NOW)
        step = run.steps.first()
        run.steps.filter(pk=step.pk).update(state="DONE", outcome="OK", result={})
        LLMCall.objects.create(
            step=step,
            run=run,
            endpoint=Endpoint.objects.first(),
            role="candidate",
            prompt_tokens=10,
            completion_tokens=5,
            cost=Decimal(3),
            at=make.NOW,
        )

        (one,) = costs.shares(run)

        # One of two interviews of each system has ended.
        assert (one.calls, one.prompt_tokens, one.cost) == (2, 20, 6)

    def test_do_not_invent_a_price(self):
        run = interviewed.held(n=2)

        assert {one.cost for one in costs.shares(run)} == {None}
        assert costs.costs_said(costs.shares(run)) == ""

    def test_are_not_known_before_an_interview_has_ended(self):
        assert costs.shares(interviewed.requested(n=2)) == []


class TestCosts:
    def test_are_those_of_the_paper_for_one_system_and_for_more(self):
        price = (Decimal(10), Decimal(30))
        paid = [
            InterviewShare(role, "USD", 1, n, m, (n * price[0] + m * price[1]) / 10**6)
            for role, n, m in (("interactor", 557_000, 28_000), ("evaluator", 1_546_000, 203_000))
        ]

        found = [costs.costs_of(paid, n)["USD"] for n in costs.SYSTEMS]

        assert found == [Decimal("27.96"), Decimal("279.6"), Decimal(2796)]
        assert costs.costs_said(paid).startswith("1 system: 27.96")

    def test_of_two_currencies_are_never_added(self):
        paid = [
            InterviewShare("interactor", "USD", 1, 1, 1, Decimal(2)),
            InterviewShare("evaluator", "EUR", 1, 1, 1, Decimal(3)),
            InterviewShare("candidate", "EUR", 1, 1, 1, None),
        ]

        assert costs.costs_of(paid, 10) == {"USD": Decimal(20), "EUR": None}


class TestTable:
    def test_has_a_line_for_each_role_and_the_total(self):
        (table,) = costs.cost_table(verified())

        rows = list(table.records())

        roles = ["verification", "candidate", "interactor", "evaluator", "total"]
        assert [one["role"] for one in rows] == roles
        assert rows[-1]["cost_10"] == pytest.approx(sum(one["cost_10"] for one in rows[:-1]))
        assert rows[0]["cost_1"] == rows[0]["cost_100"]

    def test_says_why_a_cost_is_missing(self):
        (table,) = costs.cost_table(interviewed.held(n=2))

        assert table.texts == ["An endpoint has no prices."]
        assert {one["cost_1"] for one in table.records()} == {None}

    def test_is_not_there_for_interviews_that_took_no_calls(self):
        run = interviewed.held(n=2)
        run.config = {}

        assert list(costs.cost_table(run)) == []
