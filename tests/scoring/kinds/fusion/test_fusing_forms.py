import pytest

from scoring.engine import starting as run_start
from scoring.kinds.fusion.forms import FusionForm, PlanForm
from tests import make
from tests.scoring import fused, rounds

pytestmark = pytest.mark.django_db


def form(version):
    return FusionForm(project=make.project(), version=version, **run_start.fresh())


class TestFusionForm:
    def test_offers_rounds_and_imports(self):
        fused.scored()
        rounds.graded(number=4)

        offered = form(fused.version()).fields["over"].choices

        options = [value for _group, rows in offered[1:] for value, _label in rows]
        assert options == ["round:4", "import:1"]

    def test_is_empty_in_a_new_project(self):
        assert form(fused.version(helpers=())).is_empty


class TestPlanForm:
    def test_has_a_tick_for_each_assistant_of_each_criterion(self):
        fused.scored()
        content = fused.content("overlap", "entailment")

        form = PlanForm({"text": "Look.", "align.clear": ["entailment"]}, content=content)

        assert form.is_valid()
        assert form.alignment() == {"clear": ["entailment"], "right": []}

    def test_begins_with_the_plan_it_is_made_from(self):
        fused.scored()
        plan = fused.plan(fused.version("overlap"), "Look.")

        form = PlanForm(None, content=fused.content("overlap"), based_on=plan)

        assert (form.initial["text"], form.initial["align.clear"]) == ("Look.", ["overlap"])
