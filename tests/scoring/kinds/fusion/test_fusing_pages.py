import re
from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.pages import squeezed
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/judges/tasks/1/run/"


def sent(deed, **given):
    usual = {
        "deed": deed,
        "key": str(uuid4()),
        "name": "Notes",
        "over": "import:1",
        "variants": ["FE", "DE"],
        "endpoint": connected.endpoint().name,
        "predictions": 2,
        "fewest_valid": 1,
        "temperature": "0",
        "max_tokens": 800,
        "seed": 3,
    }
    return {**usual, **given}


class TestFusionNew:
    def test_says_what_lacks_and_what_it_takes_and_starts(self, as_curator):
        fused.scored()
        plan = fused.plan(fused.version("overlap", "entailment"))
        form = sent("estimate", plan=plan.number)

        counted = squeezed(as_curator.post(PAGE, form).content.decode())
        started = as_curator.post(PAGE, {**form, "deed": "start"})

        assert "“not available”: entailment (1)." in counted
        assert re.search(r"<dt>Calls</dt>\s*<dd>\s*16<", counted)
        run = Run.objects.get()
        assert started.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert [one["variant"] for one in run.config["judges"]] == ["FE", "DE"]

    def test_says_that_a_plan_is_missing(self, as_curator):
        fused.scored()
        fused.version("overlap")

        answer = as_curator.post(PAGE, sent("start"))

        assert answer.status_code == 422
        assert "needs a plan of this version" in answer.content.decode()
        assert not Run.objects.exists()

    def test_says_that_nobody_assists(self, as_curator):
        fused.scored()
        fused.version()

        answer = as_curator.post(PAGE, sent("start", variants=["FE_NO_PLAN"]))

        assert answer.status_code == 422
        assert "there is nothing to fuse" in answer.content.decode()

    def test_begins_with_a_run_that_is_started_again(self, as_curator):
        batch = fused.scored()
        task = fused.version("overlap")
        run = fused.requested(fused.wish(task, batch=batch, predictions=5))

        page = as_curator.get(f"{PAGE}?from={run.number}").content.decode()

        assert re.search(r'name="predictions" value="5"', page)
        assert re.search(r'value="DE"[^>]*checked', page)
