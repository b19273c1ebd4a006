import asyncio
import json

import pytest

from scoring.kinds.judging import prompts_v1
from scoring.kinds.judging.direct.v1 import Config
from scoring.kinds.judging.single import v1 as v1
from tests.scoring.kinds.judging import tasks
from tests.scoring.protocols.answering import Answering


def judged(model, task=None, **config):
    made = Config(**config)
    return asyncio.run(v1.judge(model, task or tasks.task(), made, fence=tasks.FENCE, seed=7))


class TestJudge:
    def test_gives_one_score_whatever_the_rubric_asks(self):
        model = Answering('{"overall": {"reasoning": "Good.", "score": 8}}')

        found = judged(model)["criteria"]

        assert {key: one["value"] for key, one in found.items()} == {"overall": 8.0}
        text = model.requests[0].messages[1].content
        assert "Overall quality" in text
        assert "Accuracy" not in text

    @pytest.mark.parametrize("said", ["11", "0", '{"overall": 7.5}', "none"])
    def test_a_score_outside_the_ten_steps_is_none(self, said):
        found = judged(Answering(said))["criteria"]["overall"]

        assert (found["outcome"], found["value"]) == ("UNSCORED", None)

    def test_several_readings_have_a_mean_and_a_spread(self):
        model = Answering(*[json.dumps({"overall": one}) for one in (6, 8)])

        found = judged(model, repeats=2)["criteria"]["overall"]

        assert (found["value"], found["n_valid"]) == (7.0, 2)
        assert found["sd"] == pytest.approx(2**0.5)

    def test_leaves_out_the_principle_of_a_rubric(self):
        model = Answering('{"overall": 8}')

        judged(model, tasks.task(principle="Nobody gets more than 2."))

        assert "Nobody gets" not in model.requests[0].messages[1].content


class TestRequests:
    def test_is_one_for_each_reading(self):
        found = v1.requests(tasks.task(), Config(), fence=tasks.FENCE, seed=7)

        assert [one.schema["required"] for one in found] == [["overall"]]


class TestSha:
    def test_covers_the_words_it_shares_with_the_direct_judge(self):
        assert v1.sha("en") not in {v1.sha("zh"), prompts_v1.sha("en")}
