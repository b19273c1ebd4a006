import pytest

from scoring.kinds.fusion.forms import Answers, PlanForm
from tests import make
from tests.scoring import fused, rounds

pytestmark = pytest.mark.django_db


class TestAnswers:
    def test_are_rounds_and_imports_and_know_what_an_option_means(self):
        fused.scored()
        round_ = rounds.graded(number=4)

        found = Answers(make.project())

        options = [value for _group, rows in found.choices()[1:] for value, _label in rows]
        assert options == ["round:4", "import:1"]
        assert (found.round("round:4"), found.batch("round:4")) == (round_, None)
        assert (found.round("import:1"), found.batch("import:1")) == (None, 1)

    def test_are_empty_in_a_new_project(self):
        assert Answers(make.project()).is_empty


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
