import pytest

from scoring.endpoints.queries import EndpointRetired
from scoring.engine import kinds
from scoring.engine.models import LLMCall, Run, Step
from scoring.kinds.losses import operations as weighing
from tests import make
from tests.scoring import connected, weighed

pytestmark = pytest.mark.django_db


class TestWeighing:
    def test_asks_each_system_how_likely_it_finds_each_text(self):
        run = weighed.done(n=2)

        steps = list(Step.objects.filter(run=run))
        assert run.state == Run.State.DONE
        assert [one.spec["split"] for one in steps].count("train") == 4
        assert all(one.result["logprobs"] for one in steps)
        assert all(max(one.result["logprobs"]) <= 0 for one in steps)
        assert set(LLMCall.objects.values_list("completion_tokens", flat=True)) == {0}

    @pytest.mark.parametrize("lacking", ["train", "test", "releases"])
    def test_refuses_what_lacks_one_side(self, lacking):
        config = {"train": [1], "test": [2], "releases": [{"endpoint": 1}]} | {lacking: []}
        run = Run(project=make.project(), kind=Run.Kind.LOSSES, config=config)

        with pytest.raises(weighing.NothingToWeigh):
            kinds.kind_called(run.kind).check(run)

    def test_refuses_an_endpoint_that_was_retired(self):
        endpoint = connected.endpoint("Gone")
        type(endpoint).objects.filter(pk=endpoint.pk).update(retired_at=make.NOW)
        config = {"train": [1], "test": [2], "releases": [{"endpoint": endpoint.pk}]}
        run = Run(project=make.project(), kind=Run.Kind.LOSSES, config=config)

        with pytest.raises(EndpointRetired):
            kinds.kind_called(run.kind).check(run)
