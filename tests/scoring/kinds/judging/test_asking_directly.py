import json

import pytest

from annotation.rubrics.models import Criterion
from scoring.engine.models import Judgment, LLMCall
from tests import make
from tests.scoring import connected, judged

pytestmark = pytest.mark.django_db


def scores(run):
    return list(Judgment.objects.filter(run=run).order_by("pk"))


class TestAsAWhole:
    def test_gives_each_answer_one_score_whatever_the_rubric_asks(self):
        round_ = make.open_round(n_items=1, n_releases=2, criteria=("facts", "style"))

        run = judged.ran(round_, judged.judge(kind="single", repeats=2))

        means = [one for one in scores(run) if one.repeat == 0]
        assert len(means) == 2
        own = {one.criterion for one in scores(run)}
        assert [(one.name, one.minimum, one.maximum) for one in own] == [("Overall quality", 1, 10)]
        assert all(one.n_valid == 2 and 1 <= one.value <= 10 for one in means)
        assert run.estimate["calls"] == LLMCall.objects.filter(run=run).count() == 4

    def test_keeps_its_one_criterion_over_rounds(self):
        judge = judged.judge(kind="single")
        judged.ran(make.open_round(n_items=1), judge, 1)

        judged.ran(make.open_round(n_items=1, criteria=("facts", "style")), judge, 2)

        assert (
            Criterion.objects.filter(rubric_version__rubric__machine__rater=judge.rater).count()
            == 1
        )


class TestDirectly:
    def test_turns_the_order_round_in_every_second_reading(self):
        round_ = make.open_round(n_items=1, n_releases=1, criteria=("facts", "style"))
        said = json.dumps({key: {"reasoning": "So.", "score": 1} for key in ("facts", "style")})
        endpoint = connected.endpoint(script={"replies": [{"contains": "", "reply": said}]})

        run = judged.ran(round_, judged.judge(endpoint=endpoint, repeats=2, turned=True))

        first, second = LLMCall.objects.filter(run=run).order_by("repeat")
        texts = dict(run.texts.values_list("sha", "text"))
        for call, keys in ((first, ["facts", "style"]), (second, ["style", "facts"])):
            prompt = texts[call.messages[-1][1]]
            assert sorted(keys, key=lambda key: prompt.index(f"## {key}")) == keys
            assert prompt.index("# The answer") > prompt.index("# Criteria") or keys[0] == "style"
