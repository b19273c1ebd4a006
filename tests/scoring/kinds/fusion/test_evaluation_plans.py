import pytest
from django.db import DatabaseError, transaction

from scoring.kinds.fusion import task_operations as evaluation_plans
from scoring.kinds.fusion.models import Plan
from tests.scoring import fused

pytestmark = pytest.mark.django_db


class TestWrite:
    def test_keeps_ticks_in_the_order_of_the_task(self):
        fused.scored()
        task = fused.version("overlap", "entailment")

        plan = fused.plan(task, " Look. \r\nScore. ", clear=["entailment", "overlap"])

        assert plan.alignment == {"clear": ["overlap", "entailment"], "right": []}
        assert plan.text == "Look. \nScore."
        assert fused.plan(task).number == plan.number + 1

    @pytest.mark.parametrize(
        ("text", "alignment", "field"),
        [
            (" ", {"clear": []}, "text"),
            ("x" * 20_001, {"clear": []}, "text"),
            ("Look.", {"odd": []}, "alignment"),
            ("Look.", {"clear": ["nobody"]}, "alignment"),
        ],
    )
    def test_refuses_what_the_task_does_not_have(self, text, alignment, field):
        with pytest.raises(evaluation_plans.BadPlan) as refusal:
            fused.plan(fused.version(), text, **alignment)

        assert list(refusal.value.fields) == [field]
        assert not Plan.objects.exists()

    def test_is_never_changed_by_anything(self):
        plan = fused.plan(fused.version(), clear=[])

        with pytest.raises(DatabaseError, match="stays as it was written"), transaction.atomic():
            Plan.objects.filter(pk=plan.pk).update(text="x")
