from uuid import uuid4

import pytest

from scoring.engine.models import Run
from scoring.kinds.fusion.models import Plan
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db
TASK = "/p/northport/judges/tasks/1/"


class TestFusionPlan:
    def test_shows_which_assistant_is_named_for_which_criterion(self, as_curator):
        fused.scored()
        fused.plan(fused.version("overlap", "entailment"), "Look.", clear=["entailment"])

        page = as_curator.get(f"{TASK}plans/1/").content.decode()

        row = page.split('<th scope="row">Clear</th>')[1].split("</tr>")[0]
        assert row.count("named") == 1
        assert row.index("–") < row.index("named")

    def test_knows_no_plan_of_another_task(self, as_curator):
        fused.version()

        assert as_curator.get(f"{TASK}plans/7/").status_code == 404


class TestFusionPlanNew:
    def test_makes_a_plan_of_another_and_keeps_that_one(self, as_curator):
        fused.scored()
        first = fused.plan(fused.version("overlap"), "Look.")
        form = {"text": "Look twice.", "align.right": ["overlap"]}

        shown = as_curator.get(f"{TASK}plans/new/?from=1").content.decode()
        answer = as_curator.post(f"{TASK}plans/new/?from=1", form)

        assert "Look." in shown
        assert answer.headers["Location"] == f"{TASK}plans/2/"
        made = Plan.objects.get(number=2)
        assert (made.based_on, made.source) == (first, "PERSON")
        assert made.alignment == {"clear": [], "right": ["overlap"]}
        assert Plan.objects.get(number=1).text == "Look."

    def test_says_that_a_plan_needs_words(self, as_curator):
        fused.version()

        answer = as_curator.post(f"{TASK}plans/new/", {"text": " "})

        assert answer.status_code == 422
        assert not Plan.objects.exists()


class TestFusionPlanWrite:
    def test_has_a_plan_written_and_leads_to_it(self, as_curator):
        fused.scored()
        fused.version("overlap", "entailment")
        by = connected.endpoint(script={"seed": 3})
        form = {"key": str(uuid4()), "name": "A plan", "endpoint": by.name, "seed": 5}

        counted = as_curator.post(f"{TASK}plans/write/", {**form, "deed": "estimate"})
        as_curator.post(f"{TASK}plans/write/", {**form, "deed": "start"})
        run = fused.done(Run.objects.get())

        assert "Estimate</h2>" in counted.content.decode()
        assert (run.kind, run.state) == ("PLAN", "DONE")
        plan = Plan.objects.get()
        assert (plan.source, plan.endpoint, plan.problem) == ("ENDPOINT", by, "")
        named = {key for keys in plan.alignment.values() for key in keys}
        assert named <= {"overlap", "entailment"}
        assert '{"alignment"' not in plan.text
        page = as_curator.get(f"/p/northport/runs/{run.number}/").content.decode()
        assert f"{TASK}plans/1/" in page
        assert f"{TASK}plans/write/?from={run.number}" in page

    def test_leads_to_the_endpoints_where_there_is_none(self, as_curator):
        fused.version()

        page = as_curator.get(f"{TASK}plans/write/").content.decode()

        assert "Nobody to ask" in page
