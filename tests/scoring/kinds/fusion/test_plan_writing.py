from uuid import UUID

import pytest

from scoring.engine import estimating
from scoring.engine.models import Run
from scoring.kinds.fusion import kind as planning_evaluation
from scoring.kinds.fusion import task_operations as plan_writing
from tests import make
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


def asked(version, endpoint, number=1):
    home = make.project()
    return plan_writing.request_plan(
        version=version,
        endpoint=endpoint,
        key=UUID(int=number),
        name="A plan",
        seed=1,
        user=connected.owner(home),
        now=make.NOW,
    )


class TestRequestPlan:
    def test_is_one_run_however_often_it_is_asked_for(self):
        version, endpoint = fused.version(), connected.endpoint()

        assert asked(version, endpoint) == asked(version, endpoint)
        assert Run.objects.get().kind == Run.Kind.PLAN

    def test_refuses_an_endpoint_that_is_retired(self):
        endpoint = connected.endpoint()
        type(endpoint).objects.filter(pk=endpoint.pk).update(retired_at=make.NOW)

        with pytest.raises(planning_evaluation.PlannerRetired):
            asked(fused.version(), endpoint)


class TestEstimate:
    def test_refuses_a_task_that_is_too_long_for_the_planner(self):
        endpoint = connected.endpoint(context_length=500)

        with pytest.raises(estimating.TooLong):
            plan_writing.estimate(version=fused.version(), endpoint=endpoint)
