import asyncio
import math
from decimal import Decimal

import pytest

from annotation.common.scales import Scale
from scoring.kinds.judging.geval import v1 as v1
from scoring.kinds.judging.geval.v1 import Config
from scoring.llm import base as several
from scoring.llm.base import MachineryFailed, Message, Reply, Role, TokenChance, Trouble
from scoring.protocols.task_asking_v1 import Criterion, Design, Example
from scoring.protocols.untrusted import Fence
from tests.scoring.protocols.answering import Answering

CLEAR = Criterion(
    "clear",
    "Clear",
    Scale(Decimal(1), Decimal(5), Decimal(1)),
    "Easy to read.",
    ("Read.", "Score."),
)
DESIGN = Design("Judge a note to a customer.", (CLEAR,))
NOTE = Example((("Letter", "When does it come?"),), (Message("assistant", "On Monday."),))
FENCE = Fence("secret", "step")


def evaluate(model, example=NOTE, design=DESIGN, **config):
    made = Config(**{"samples": 3} | config)
    return asyncio.run(v1.evaluate(model, design, example, made, fence=FENCE, seed=5))


def weighed(text="4"):
    others = (("4", math.log(0.5)), ("2", math.log(0.5)))
    return Reply(text, tokens=(TokenChance(text, math.log(0.5), others),))


class TestEvaluate:
    def test_weighs_the_score_by_its_probabilities(self):
        model = Answering(weighed())

        found = evaluate(model)["criteria"]["clear"]

        assert (found["value"], found["how"], found["mass"]) == (
            pytest.approx(3),
            "weighted",
            pytest.approx(1),
        )
        (request,) = model.requests
        assert (request.settings.top_logprobs, request.settings.temperature) == (v1.TOP, 0)
        text = request.messages[1].content
        assert "1. Read.\n2. Score." in text
        assert "When does it come?" in text
        assert "On Monday." in text

    def test_takes_samples_where_there_are_no_probabilities_and_says_so(self):
        model = Answering("4", "4", "5", "3")

        found = evaluate(model)["criteria"]["clear"]

        assert (found["value"], found["n_valid"], found["how"]) == (4, 3, "samples")
        assert found["unweighted"] == "The endpoint returned no log-probabilities."
        assert [one.repeat for one in model.requests] == [0, 1, 2, 3]
        assert {one.settings.temperature for one in model.requests[1:]} == {1.0}

    def test_takes_samples_alone_if_it_is_told_to(self):
        model = Answering("2")

        found = evaluate(model, weighted=False)["criteria"]["clear"]

        assert (found["value"], found["sd"], found["unweighted"]) == (2, 0, "")
        assert len(model.requests) == 3

    def test_asks_for_no_weights_where_they_are_known_not_to_be_there(self):
        model = Answering("2")

        made = Config(samples=3)
        found = asyncio.run(
            v1.evaluate(model, DESIGN, NOTE, made, fence=FENCE, seed=5, unweighable={"clear": "no"})
        )

        assert [one.repeat for one in model.requests] == [1, 2, 3]
        assert found["criteria"]["clear"]["unweighted"] == "no"
        assert [one["repeat"] for one in found["samples"]] == [1, 2, 3]

    def test_without_samples_what_cannot_be_weighed_has_no_score(self):
        found = evaluate(Answering("4"), samples=0)["criteria"]["clear"]

        assert (found["outcome"], found["value"]) == ("UNSCORED", None)
        assert found["reason"] == "The endpoint returned no log-probabilities."

    def test_a_filtered_reply_is_a_refusal_and_a_failure_of_the_network_goes_upwards(self):
        filtered = MachineryFailed(Trouble.FILTERED, "no")

        assert evaluate(Answering(filtered), samples=0)["criteria"]["clear"]["outcome"] == "REFUSED"
        with pytest.raises(MachineryFailed):
            evaluate(Answering(MachineryFailed(Trouble.TIMEOUT, "late")))

    def test_turned_shows_the_answer_first_in_every_second_sample(self):
        model = Answering("4")

        evaluate(model, weighted=False, turned=True)

        firsts = [
            one.messages[1].content.index("On Monday.")
            < one.messages[1].content.index("When does it come?")
            for one in model.requests
        ]
        assert firsts == [False, True, False]

    def test_asks_for_the_samples_of_each_order_together(self):
        four, five = several.packed([Reply("4"), Reply("5")], like=Reply("")), Reply("5")
        model = Answering(four, five)
        made = Config(weighted=False, samples=3, turned=True)

        found = asyncio.run(
            v1.evaluate(model, DESIGN, NOTE, made, fence=FENCE, seed=5, together=True)
        )

        assert [(one.settings.n, one.repeat) for one in model.requests] == [(2, 1), (None, 2)]
        scored = [one["criteria"]["clear"]["value"] for one in found["samples"]]
        assert scored == [4, 5, 5]  # the third came with the first
        assert found["criteria"]["clear"]["n_valid"] == 3

    def test_never_scores_what_it_cannot_read(self):
        found = evaluate(Answering("9"), weighted=False)["criteria"]["clear"]

        assert (found["value"], found["outcome"], found["n_valid"]) == (None, "UNSCORED", 0)

    def test_does_not_judge_an_empty_answer(self):
        model = Answering("4")

        found = evaluate(model, Example((), (Message("assistant", " "),)))

        assert found["skipped"]
        assert model.requests == []


class TestSteps:
    def test_are_read_from_a_list(self):
        model = Answering("1. Read the letter.\n2) Read the note.\n\n- Compare.")

        found = asyncio.run(v1.steps(model, DESIGN, CLEAR))

        assert found == ("Read the letter.", "Read the note.", "Compare.")
        (request,) = model.requests
        assert (request.role, request.part) == (Role.PLANNER, "clear")
        assert "Easy to read." in request.messages[0].content

    def test_are_asked_for_in_the_language_of_the_task(self):
        model = Answering("1、阅读。")

        found = asyncio.run(v1.steps(model, Design("评价", (CLEAR,), language="zh"), CLEAR))

        assert found == ("阅读。",)
        assert v1.SAID["zh"]["steps"] in model.requests[0].messages[0].content


class TestSha:
    def test_covers_the_words(self):
        assert len(v1.sha()) == 64
