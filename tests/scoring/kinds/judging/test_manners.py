import pytest

from annotation.systems.models import Display, Item, Response
from scoring.kinds.judging import manners
from scoring.kinds.judging.direct.kind import Settings
from scoring.kinds.judging.single.kind import SingleSettings
from tests import make
from tests.scoring import judged

pytestmark = pytest.mark.django_db


class TestSettingsOf:
    def test_are_those_of_the_run_s_judge(self):
        run = judged.requested(make.open_round(), judged.judge(repeats=2))

        assert manners.settings_of(run, Settings).repeats == 2

    def test_are_of_one_kind_alone(self):
        run = judged.requested(make.open_round(), judged.judge())

        with pytest.raises(AssertionError):
            manners.settings_of(run, SingleSettings)


class TestTaskOf:
    def test_is_the_answer_as_people_see_it_with_the_criteria_asked_for(self):
        round_ = make.open_round(n_items=1, n_releases=1, criteria=("facts", "style"))
        run = judged.ran(round_, judged.judge())

        task = manners.task_of(run.steps.get(), Settings(), ["style"])

        assert [one.key for one in task.criteria] == ["style"]
        assert task.answer[0].content == "Answer 1, told in way 0."
        assert task.principle == "Wrong is 0."


class TestMaterialOf:
    def test_counts_what_stands_between_delimiters(self):
        judged.requested(make.open_round(n_items=1, n_releases=1), judged.judge())
        texts = (Item.objects.get(), Response.objects.get(), Display.objects.first())

        seen = manners.material_of(texts, Settings(reference=True))
        hidden = manners.material_of(texts, Settings(reference=False))

        assert seen >= hidden > 2 * manners.A_FENCE
