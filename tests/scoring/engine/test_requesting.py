from decimal import Decimal

import pytest

from annotation.people.models import AuditEvent
from evalsite import queue
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.models import Run
from tests import make
from tests.scoring import running

pytestmark = pytest.mark.django_db


class TestRequestRun:
    def test_writes_it_down_and_rings(self, django_capture_on_commit_callbacks, settings):
        settings.RUN_WORKERS = 2

        with django_capture_on_commit_callbacks(execute=True):
            run = running.requested(n=2)

        assert (run.state, run.number, run.scripted) == (Run.State.STAGED, 1, False)
        assert queue.waiting("runs") == [("scoring.run_jobs.work", {"run_id": run.pk})] * 2
        assert AuditEvent.objects.filter(verb="run.requested", subject="run:1").exists()

    def test_is_the_same_run_when_asked_again(self):
        endpoint = running.endpoint().pk

        first = running.requested(endpoint=endpoint)
        again = running.requested(endpoint=endpoint)

        assert first == again
        assert running.requested(2, endpoint=endpoint).number == 2

    def test_keeps_the_prices_of_the_moment_out_of_what_decides_the_outcome(self):
        asked = running.endpoint(prompt_price=Decimal(1), completion_price=Decimal(2))
        first = running.requested(endpoint=asked.pk)
        asked.prompt_price = Decimal(3)
        asked.save()

        then = running.requested(2, endpoint=asked.pk)

        assert first.config["prices"][str(asked.pk)]["prompt"] == "1.000000"
        assert then.config["prices"][str(asked.pk)]["prompt"] == "3.000000"
        assert first.config_sha == then.config_sha

    def test_says_when_something_of_it_comes_from_a_script(self):
        asked = running.endpoint(kind="SCRIPTED")

        assert running.requested(endpoint=asked.pk).scripted

    @pytest.mark.parametrize("budget", [0, -1])
    def test_refuses_a_budget_of_nothing(self, budget):
        with pytest.raises(requesting.BudgetTooSmall):
            running.requested(budget=Decimal(budget))

    def test_refuses_a_budget_without_prices(self):
        with pytest.raises(requesting.BudgetNeedsPrices):
            running.requested(budget=Decimal(5))

    def test_refuses_an_endpoint_of_another_project(self):
        other = running.endpoint()
        other.project = make.project("elsewhere")
        other.save()

        with pytest.raises(requesting.OtherProject):
            running.requested(endpoint=other.pk)

    def test_refuses_prompts_that_are_too_long(self):
        small = running.endpoint(context_length=110)

        with pytest.raises(estimating.TooLong, match="step 0"):
            running.requested(endpoint=small.pk)

        assert not Run.objects.exists()

    def test_refuses_a_kind_that_nobody_knows(self):
        with pytest.raises(kinds.UnknownKind):
            kinds.kind_called("NOTHING")
