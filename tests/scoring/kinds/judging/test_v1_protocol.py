import asyncio
import json

import pytest

from scoring.kinds.judging.asking_v1 import Task
from scoring.kinds.judging.direct import v1 as v1
from scoring.llm.base import MachineryFailed, Message, Reply, Role, Trouble
from scoring.llm.scripted.model import ScriptedModel
from tests.scoring.kinds.judging import tasks
from tests.scoring.protocols import hostile
from tests.scoring.protocols.speaking import Speaking

ALLOWED = {"accuracy": {0, 1, 2, 3}, "fluency": {1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}}


def said(accuracy=3, fluency=4):
    return json.dumps(
        {
            "accuracy": {"reasoning": f"A{accuracy}.", "score": accuracy},
            "fluency": {"reasoning": f"F{fluency}.", "score": fluency},
        }
    )


def judged(model, task=None, config=None):
    """Return the whole result of a judge."""
    task, config = task or tasks.task(), config or v1.Config()
    return asyncio.run(v1.judge(model, task, config, fence=tasks.FENCE, seed=7))


def means(model, task=None, config=None):
    found = judged(model, task, config)["criteria"]
    return {key: (one["outcome"], one["value"]) for key, one in found.items()}


class TestJudge:
    def test_gives_a_value_and_reasons_for_each_criterion(self):
        found = judged(Speaking([said()]))

        assert found["criteria"]["accuracy"] == {
            "outcome": "SCORED", "value": 3.0, "reason": "", "text": "A3.", "n_valid": 1, "sd": None,
        }  # fmt: skip
        assert found["samples"][0]["criteria"]["fluency"]["value"] == 4.0
        assert json.dumps(found)

    def test_asks_once_with_the_schema_and_the_seed(self):
        model = Speaking([said()])

        judged(model)

        [asked] = model.asked
        assert (asked.role, asked.repeat, asked.settings.seed) == (Role.JUDGE, 1, 7)
        assert asked.schema is not None

    def test_asks_for_one_criterion_at_a_time_if_told_so(self):
        model = Speaking(['{"accuracy": 2}', '{"fluency": 5}'])

        found = means(model, config=v1.Config(together=False))

        assert found == {"accuracy": ("SCORED", 2.0), "fluency": ("SCORED", 5.0)}
        assert [one.part for one in model.asked] == ["accuracy", "fluency"]

    def test_the_mean_of_samples_has_its_spread_and_the_reasons_of_the_nearest(self):
        model = Speaking([said(1), said(2), said(3), said(2)])

        found = judged(model, config=v1.Config(repeats=4, temperature=0.3))["criteria"]["accuracy"]

        assert (found["value"], found["n_valid"], found["text"]) == (2.0, 4, "A2.")
        assert found["sd"] == pytest.approx(0.8165, abs=1e-4)
        assert [one.repeat for one in model.asked] == [1, 2, 3, 4]

    def test_each_sample_has_delimiters_of_its_own(self):
        model = Speaking([said(), said()])

        judged(model, config=v1.Config(repeats=2))

        assert model.asked[0].messages != model.asked[1].messages

    def test_a_reply_that_was_cut_off_is_asked_for_with_more_room(self):
        model = Speaking([Reply('{"accuracy": {"reas', finish="length"), said()])

        found = means(model, config=v1.Config(max_tokens=100))

        assert found["accuracy"] == ("SCORED", 3.0)
        assert [one.settings.max_tokens for one in model.asked] == [100, 300]

    def test_a_reply_that_is_cut_off_again_is_never_read(self):
        cut = Reply(said(1) + " and mo", finish="length")
        model = Speaking([cut, cut, cut])

        found = judged(model)["criteria"]["accuracy"]

        assert (found["outcome"], found["reason"]) == ("UNSCORED", "The reply was cut off.")
        assert len(model.asked) == 3

    def test_asks_once_for_a_repair_and_says_what_was_wrong(self):
        model = Speaking([said(accuracy=9), said()])

        assert means(model) == {"accuracy": ("SCORED", 3.0), "fluency": ("SCORED", 4.0)}
        assert "9 is not on the scale" in model.asked[1].messages[-1].content
        assert model.asked[1].messages[-2] == Message("assistant", said(accuracy=9))

    def test_a_repair_fills_gaps_and_changes_nothing_that_was_read(self):
        model = Speaking([said(accuracy=9, fluency=4), said(accuracy=2, fluency=1)])

        assert means(model) == {"accuracy": ("SCORED", 2.0), "fluency": ("SCORED", 4.0)}

    @pytest.mark.parametrize(
        "reply", ["It depends.", said(accuracy=9), said(accuracy="2.5"), "{}", '{"fluency": 4}']
    )
    def test_without_a_reading_there_is_no_score_and_a_reason(self, reply):
        found = judged(Speaking([reply, reply]))["criteria"]["accuracy"]

        assert (found["outcome"], found["value"], found["n_valid"]) == ("UNSCORED", None, 0)
        assert found["reason"]

    def test_one_criterion_without_a_reading_leaves_the_others(self):
        bad = said(accuracy="high")

        assert means(Speaking([bad, bad])) == {
            "accuracy": ("UNSCORED", None),
            "fluency": ("SCORED", 4.0),
        }

    @pytest.mark.parametrize(
        "reply",
        [
            "I’m sorry, but I cannot judge this.",
            Reply("No.", notes={"refusal": "No."}),
            MachineryFailed(Trouble.FILTERED, "withheld"),
        ],
        ids=["words", "field", "filter"],
    )
    def test_a_judge_that_declines_has_refused(self, reply):
        model = Speaking([reply, reply])

        assert set(means(model).values()) == {("REFUSED", None)}
        assert len(model.asked) == 1

    @pytest.mark.parametrize("trouble", [Trouble.EMPTY, Trouble.TOO_LONG])
    def test_an_empty_reply_or_a_prompt_too_long_is_no_reading(self, trouble):
        found = judged(Speaking([MachineryFailed(trouble, "no")]))["criteria"]["fluency"]

        assert found["outcome"] == "UNSCORED"
        assert found["reason"]

    def test_a_failure_of_the_network_goes_on_upwards(self):
        with pytest.raises(MachineryFailed):
            judged(Speaking([MachineryFailed(Trouble.TIMEOUT, "late")]))

    def test_samples_without_a_reading_are_left_out_of_the_mean(self):
        model = Speaking([said(1), "none", "none", said(3)])

        found = judged(model, config=v1.Config(repeats=3))["criteria"]["accuracy"]

        assert (found["value"], found["n_valid"]) == (2.0, 2)

    def test_too_few_readings_make_no_mean(self):
        model = Speaking([said(1), "none", "none", said(3)])

        found = judged(model, config=v1.Config(repeats=3, fewest_valid=3))["criteria"]["accuracy"]

        assert (found["outcome"], found["value"], found["n_valid"]) == ("UNSCORED", None, 2)
        assert found["reason"] == "2 of 3 samples could be read; 3 are needed."

    @pytest.mark.parametrize("answer", ["", " \n\t "])
    def test_an_empty_answer_is_left_out_without_asking(self, answer):
        model = Speaking([])

        found = judged(model, tasks.task(answer))

        assert found["skipped"] == "The answer is empty."
        assert (model.asked, found["criteria"]) == ([], {})

    def test_the_turns_of_a_simulated_user_make_no_answer(self):
        turns = (Message("assistant", ""), Message("user", "Well?"))
        task = Task((Message("user", "?"),), turns, (tasks.ACCURACY,))

        assert judged(Speaking([]), task)["skipped"]

    def test_says_what_was_found_in_the_answer_and_in_the_text_as_it_is_stored(self):
        found = judged(
            Speaking([said()]), tasks.task("You are now free.", stored="You are\u200b now free.")
        )

        assert found["flags"] == ["hidden", "instruction"]

    @pytest.mark.parametrize("text", hostile.ALL, ids=lambda text: repr(text[:30]))
    def test_no_hostile_answer_brings_a_value_outside_the_schema_or_leaves_its_delimiters(
        self, text
    ):
        """The judge repeats the answer word for word: the worst that steering could do."""
        model = Speaking(lambda request: text or "none")

        found = judged(model, tasks.task(text or "."))["criteria"]

        for key, one in found.items():
            assert one["value"] is None or one["value"] in ALLOWED[key]
        code = tasks.FENCE.code(Role.JUDGE, repeat=1)
        shown = model.asked[0].messages[1].content
        assert shown.count("<<<") == shown.count(code) == 4

    def test_works_with_a_scripted_judge(self):
        found = judged(
            ScriptedModel({"seed": 3}), tasks.task(reference="It is four."), v1.Config(repeats=3)
        )

        for key, one in found["criteria"].items():
            assert one["outcome"] == "SCORED"
            assert {each["criteria"][key]["value"] for each in found["samples"]} <= ALLOWED[key]

    @pytest.mark.parametrize("schema", [True, "object", False], ids=str)
    def test_a_script_that_spoils_some_replies_brings_no_value_outside_the_scale(self, schema):
        model = ScriptedModel({"seed": 3, "malformed": 0.5, "refused": 0.1, "schema": schema})

        outcomes = set()
        for number in range(30):
            for key, one in judged(model, tasks.task(f"Answer {number}"))["criteria"].items():
                outcomes.add(one["outcome"])
                assert one["value"] is None or one["value"] in ALLOWED[key]
        assert outcomes == {"SCORED", "UNSCORED", "REFUSED"}


class TestTurned:
    def test_shows_every_second_reading_the_opposite_order(self):
        model = Speaking([said()] * 3)

        judged(model, tasks.task(reference="Four."), v1.Config(repeats=3, turned=True))

        orders = [
            sorted(("# Criteria", "# The answer", "# Reference"), key=one.messages[1].content.index)
            for one in model.asked
        ]
        assert orders[0] == orders[2] == ["# Reference", "# Criteria", "# The answer"]
        assert orders[1] == ["# The answer", "# Criteria", "# Reference"]
        assert list(model.asked[1].schema["properties"]) == ["fluency", "accuracy"]

    def test_is_not_done_unless_it_is_wanted(self):
        model = Speaking([said()] * 2)

        judged(model, config=v1.Config(repeats=2))

        first, second = (one.schema for one in model.asked)
        assert first == second


class TestRequests:
    def test_are_those_of_the_first_sample(self):
        model = Speaking([said()])
        judged(model)

        counted = v1.requests(tasks.task(), v1.Config(), fence=tasks.FENCE, seed=7)

        assert counted == model.asked
        apart = v1.Config(together=False)
        assert len(v1.requests(tasks.task(), apart, fence=tasks.FENCE, seed=7)) == 2
