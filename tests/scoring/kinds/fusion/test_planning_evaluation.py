import pytest

from scoring.engine.models import Step
from scoring.kinds.fusion.models import Plan
from tests.scoring import connected, fused
from tests.scoring.kinds.fusion.test_plan_writing import asked

pytestmark = pytest.mark.django_db


def written(script):
    fused.scored()
    version = fused.version("overlap", "entailment")
    run = fused.done(asked(version, connected.endpoint(script=script)))
    return run, Plan.objects.filter(run=run).first()


class TestPlanningEvaluation:
    def test_keeps_the_plan_with_who_wrote_it(self):
        run, plan = written({"seed": 1})

        assert (plan.source, plan.run, plan.created_by) == ("ENDPOINT", run, run.requested_by)
        assert set(plan.alignment) == {"clear", "right"}
        assert run.scripted

    def test_keeps_a_plan_without_alignment_and_says_so(self):
        replies = [{"contains": "plan", "reply": "Just read it."}]

        _run, plan = written({"replies": replies})

        assert plan.text == "Just read it."
        assert plan.problem
        assert plan.alignment == {"clear": [], "right": []}

    def test_makes_no_plan_of_nothing(self):
        run, plan = written({"empty": 1.0})

        assert plan is None
        assert run.steps.get().outcome in {Step.Outcome.NO_READING, Step.Outcome.MACHINERY_FAILED}
