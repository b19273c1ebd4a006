import pytest

from annotation.people.models import Rater, RaterKind
from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from scoring.kinds.fusion import combining
from scoring.kinds.fusion.combining import NothingToCombine
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


class TestCheck:
    def test_counts_what_there_is_and_writes_nothing(self):
        batch = fused.scored()
        wish = fused.mixed(fused.version("overlap", "entailment"), ("AVG",), batch=batch)

        _estimate, asked = connected.reckoned(combining.START, *wish)

        assert asked.told == {
            "answers": 4,
            "with_score": {"overlap": 4, "entailment": 3},
            "without_score": {"entailment": 1},
        }
        assert not Run.objects.exists()
        assert not Rater.objects.filter(kind=RaterKind.DERIVED).exists()

    def test_refuses_no_way_at_all(self):
        with pytest.raises(NothingToCombine, match="at least one way"):
            fused.combined(fused.mixed(fused.version(), (), batch=fused.scored()))


class TestStart:
    def test_makes_a_rater_once(self):
        batch = fused.scored()
        wish = fused.mixed(fused.version("overlap"), ("AVG",), batch=batch)

        fused.combined(wish, 1)
        fused.combined(wish, 2)

        assert Rater.objects.get(kind=RaterKind.DERIVED).ref == "AVG · Notes v1"

    def test_names_the_judge_that_is_taken_in_and_the_task_once(self):
        batch = fused.scored()
        task = fused.version("overlap")
        judged = fused.ran(fused.wish(task, Variant.DE, batch=batch))
        judge = Judge.objects.get(pk=judged.config["judges"][0]["judge"])

        fused.combined(fused.mixed(task, ("AVG",), judge=judge, batch=batch), 2)

        name = Rater.objects.get(kind=RaterKind.DERIVED).ref
        assert name == "AVG · with DE · Scripted · Notes v1"
