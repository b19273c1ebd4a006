import pytest

from evalsite import errors
from scoring.engine import estimating
from scoring.engine.models import Run
from scoring.kinds.fusion import task_operations as plan_writing
from tests import make
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


def wish(endpoint, number=1):
    return plan_writing.PlanWritten(**connected.head(number, "A plan", 1), endpoint=endpoint.name)


def asked(version, endpoint, number=1):
    return connected.begun(plan_writing.WRITE, version, wish(endpoint, number))


class TestRequestPlan:
    def test_is_one_run_however_often_it_is_asked_for(self):
        version, endpoint = fused.version(), connected.endpoint()

        assert asked(version, endpoint) == asked(version, endpoint)
        assert Run.objects.get().kind == Run.Kind.PLAN

    def test_refuses_an_endpoint_that_is_retired(self):
        endpoint = connected.endpoint()
        type(endpoint).objects.filter(pk=endpoint.pk).update(retired_at=make.NOW)

        with pytest.raises(errors.Invalid) as refused:
            asked(fused.version(), endpoint)

        assert "endpoint" in refused.value.fields


class TestEstimate:
    def test_refuses_a_task_that_is_too_long_for_the_planner(self):
        endpoint = connected.endpoint(context_length=500)

        with pytest.raises(estimating.TooLong):
            connected.reckoned(plan_writing.WRITE, fused.version(), wish(endpoint))
