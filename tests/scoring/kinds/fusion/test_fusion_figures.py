import pytest

from scoring.engine.models import Judgment
from scoring.kinds.fusion import figure as fusion_figures
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import fused

pytestmark = pytest.mark.django_db


def values(found, coefficient="spearman"):
    return {
        (row["criterion"], row["assistant"]): next(
            cell["correlation"]["value"]
            for cell in row["cells"]
            if cell["correlation"]["coefficient"] == coefficient
        )
        for row in found["rows"]
    }


class TestCompute:
    def test_correlates_the_judge_with_what_it_was_told_and_marks_what_the_plan_names(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")
        plan = fused.plan(task, clear=["overlap"])
        run = fused.requested(fused.wish(task, Variant.FE, plan=plan, batch=batch))
        fused.done(run)

        found = fusion_figures.compute(run, {"resamples": 20})

        named = {(row["criterion"], row["assistant"]) for row in found["rows"] if row["named"]}
        assert named == {("clear", "overlap")}
        (judge,) = run.config["judges"]
        given = {step.response_id: step.spec["scores"].get("overlap") for step in run.steps.all()}
        marks = dict(
            Judgment.objects.filter(
                run=run, repeat=0, criterion=judge["criteria"]["clear"]
            ).values_list("response_id", "value")
        )
        assert values(found)["clear", "overlap"] == pytest.approx(_spearman(given, marks))

    def test_says_that_nothing_was_evaluated(self):
        run = fused.requested(fused.wish(fused.version(), batch=fused.scored()))

        with pytest.raises(ValueError, match="Nothing was evaluated"):
            fusion_figures.compute(run, {})


def _spearman(one, other):
    """Return Spearman's coefficient by its definition: Pearson's over mid-ranks."""
    keys = sorted(one)
    a, b = _ranks([one[key] for key in keys]), _ranks([other[key] for key in keys])
    n = len(keys)
    mean = (n + 1) / 2
    top = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    return top / (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5


def _ranks(column):
    return [
        sum(other < one for other in column) + (sum(other == one for other in column) + 1) / 2
        for one in column
    ]
