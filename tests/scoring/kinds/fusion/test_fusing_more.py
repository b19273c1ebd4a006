import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


class TestCheck:
    def test_counts_calls_answers_and_scores_and_writes_nothing(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")
        by = connected.endpoint(prompt_price=1, completion_price=2)
        wish = fused.wish(task, Variant.FE_NO_PLAN, Variant.DE, by=by, batch=batch, predictions=4)

        estimate, asked = connected.reckoned(fusing.START, *wish)

        assert estimate.calls == 4 * 2 * 4
        assert estimate.cost > 0
        assert asked.told["answers"] == 4
        assert asked.told["without_score"] == {"entailment": 1}
        assert not Run.objects.exists()
        assert not Judge.objects.exists()


class TestStart:
    def test_is_one_run_however_often_it_is_asked_for(self):
        wish = fused.wish(fused.version(), batch=fused.scored())

        assert fused.requested(wish) == fused.requested(wish)
        assert Run.objects.count() == 1

    def test_uses_the_judges_that_are_there(self):
        wish = fused.wish(fused.version(), batch=fused.scored())

        fused.requested(wish, 1)
        fused.requested(wish, 2)

        assert Judge.objects.count() == 1
