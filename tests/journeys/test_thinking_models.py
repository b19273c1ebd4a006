"""Models that think aloud: whatever they play, their reasoning is never judged and reaches nobody."""

import asyncio
import json

import pytest

from scoring.kinds.assistants import v1 as assistants
from scoring.kinds.assistants.asking_v1 import Config as AssistantConfig
from scoring.kinds.assistants.asking_v1 import Kind, Pair
from scoring.kinds.drafting import v1 as drafting
from scoring.kinds.fusion import plans_v1 as plans
from scoring.kinds.fusion import v1 as fusion
from scoring.kinds.judging.direct import v1 as direct
from scoring.kinds.judging.geval import v1 as geval
from scoring.kinds.judging.single import v1 as single
from scoring.kinds.pairs import v1 as pairs
from scoring.kinds.suites.protocol import completing_v1 as completing
from scoring.kinds.suites.protocol import v1 as suite
from scoring.llm.base import Message, Reply, Role
from scoring.protocols import collect_v1 as collecting
from tests.scoring.kinds.accuracy import test_v1 as quiz
from tests.scoring.kinds.fusion import notes
from tests.scoring.kinds.interviews import table
from tests.scoring.kinds.judging import tasks
from tests.scoring.kinds.judging import test_v1_geval as forms
from tests.scoring.kinds.pairs import test_v1_pairs as two_answers
from tests.scoring.kinds.suites import test_completing_v1 as starts
from tests.scoring.kinds.suites import test_v1 as rubrics
from tests.scoring.protocols.answering import Answering

SECRET = "I think of a heron"
#: How a draft and an answer come from models that think: within the text, and beside it.
WAYS = {
    "tags": lambda draft, said: f"<think>\n{SECRET}. {draft}\n</think>\n\n{said}",
    "no opening": lambda draft, said: f"{SECRET}. {draft}\n</think>\n\n{said}",
    "after it": lambda draft, said: f"{said}\n<think>{SECRET}. {draft}",
    "channels": lambda draft, said: (
        f"<|channel|>analysis<|message|>{SECRET}. {draft}<|end|><|start|>assistant<|channel|>final<|message|>{said}"
    ),
    "beside": lambda draft, said: Reply(said, notes={"reasoning": f"{SECRET}. {draft}"}),
}


@pytest.fixture(params=WAYS)
def thinking(request):
    return WAYS[request.param]


def told(model):
    """Return all that a model, or another one, was told."""
    return "\n".join(one.content for request in model.requests for one in request.messages)


def run(made):
    return asyncio.run(made)


class TestJudges:
    def test_direct(self, thinking):
        draft = "accuracy: 1\nfluency: 1"
        model = Answering(thinking(draft, "Accuracy: 3\nFluency: 4.5"))

        found = run(direct.judge(model, tasks.task(), direct.Config(), fence=tasks.FENCE, seed=1))

        assert {key: one["value"] for key, one in found["criteria"].items()} == {
            "accuracy": 3,
            "fluency": 4.5,
        }
        assert SECRET not in json.dumps(found)

    def test_direct_with_a_draft_in_json(self, thinking):
        draft = '{"accuracy": {"score": 0}, "fluency": {"score": 1}}'
        model = Answering(thinking(draft, "Accuracy: 3\nFluency: 4.5"))

        found = run(direct.judge(model, tasks.task(), direct.Config(), fence=tasks.FENCE, seed=1))

        assert found["criteria"]["accuracy"]["value"] == 3

    def test_single(self, thinking):
        model = Answering(thinking("Score: 2", "Score: 9"))

        found = run(single.judge(model, tasks.task(), direct.Config(), fence=tasks.FENCE, seed=1))

        assert found["criteria"]["overall"]["value"] == 9

    def test_fusion(self, thinking):
        model = Answering(thinking(notes.said(clear=1, true=0), notes.said(clear=4, true=1)))
        config = fusion.Config(variant=fusion.Variant.DE, predictions=1)
        made = fusion.evaluate(model, notes.DESIGN, notes.NOTE, config, fence=notes.FENCE, seed=5)

        found = run(made)

        assert found["criteria"]["clear"]["value"] == 4
        assert SECRET not in json.dumps(found)

    def test_geval_by_samples(self, thinking):
        found = forms.evaluate(Answering(thinking("2", "4")), weighted=False)

        assert found["criteria"]["clear"]["value"] == 4

    def test_entailment(self, thinking):
        said = [json.dumps({"entailment": {"score": one}}) for one in (0.1, 0.9)]
        config = AssistantConfig(Kind.ENTAILMENT, 0.0, 1.0)
        made = assistants.score(
            Answering(thinking(*said)), [Pair("a", ("b",))], config, fence=notes.FENCE, seed=1
        )

        assert run(made)[0]["value"] == 0.9

    def test_pairs(self, thinking):
        said = [thinking('{"choice": "B"}', '{"choice": "A"}'), thinking("[[A]]", "[[B]]")]
        model = Answering(*said)

        found = run(
            pairs.compare(
                model, two_answers.task(), pairs.PairConfig(), fence=two_answers.FENCE, seed=1
            )
        )

        assert found["chosen"] == "LEFT"
        assert SECRET not in json.dumps(found)
        assert SECRET not in told(model)

    def test_rubrics_of_suites(self, thinking):
        model = rubrics.Model(*[thinking('{"choice": "NO"}', '{"choice": "YES"}')] * 9)
        only = "\n".join(one for one in rubrics.SUITE.splitlines() if "name: why" not in one)

        found = rubrics.judge(model, rubrics.task(only))

        assert {one["value"] for one in found if one["outcome"] == "SCORED"} == {1}
        assert SECRET not in json.dumps(found)


class TestSystems:
    def test_accuracy(self, thinking):
        system = quiz.Knows()

        class Thinks:
            async def reply(self, request):
                said = (await system.reply(request)).text
                draft = "The answer is C." if "A" in said[-1:] else "The answer is A."
                return as_reply(thinking(draft, said))

        found = quiz.answer(Thinks(), orders=3)

        assert (found["mean"], found["unread"]) == (1, 0)

    def test_collected_answers_hold_none_of_it(self, thinking):
        model = Answering(thinking("draft", "It is B."), thinking("draft", "It is C."))

        found = starts_of(model, ["A or B?", "B or C?"])

        assert [one["content"] for one in found["messages"]] == ["It is B.", "B or C?", "It is C."]
        assert all(SECRET in one for one in found["reasoning"])
        assert SECRET not in told(model)

    def test_completions_hold_none_of_it_nor_does_who_plays_the_user_hear_it(self, thinking):
        said = [thinking("draft", one) for one in ("In the north.", "And then?", "Beside it.")]
        model = starts.Says(*said)
        task = completing.Task(starts.TALK[:3], turns=2, plays=True)

        found = starts.complete(model, task).as_dict()

        contents = [one["content"] for one in found["messages"]]
        assert contents == ["In the north.", "And then?", "Beside it."]
        heard = [one.content for request in model.asked for one in request.messages]
        assert SECRET not in "\n".join(heard)

    def test_that_come_to_no_answer_for_thinking_have_failed(self):
        found = starts_of(Answering(Reply(f"<think>{SECRET}", finish="length")), ["A or B?"])

        assert found["failed"] == "EMPTY"
        assert "still reasoning" in found["problem"]
        assert found["messages"] == [{"role": "assistant", "content": ""}]


class TestInterviews:
    def test_tell_nobody_what_another_one_thought(self, thinking):
        model = table.Scripted(
            candidate=[thinking("1", one) for one in ("first", "reply 0", "reply 1")],
            interactor=[thinking("Is it?", one) for one in ("ask 0", "ask 1")],
            evaluator=[thinking(table.verdict(1), table.verdict(4))],
        )

        found = table.interview(model, planned=2)

        assert SECRET not in told(model)
        assert SECRET not in json.dumps(found)
        assert [one["verdict"]["scores"]["overall"] for one in found["exchanges"]] == [4, 4]
        assert [one["question"] for one in found["exchanges"]] == ["ask 0", "ask 1"]


class TestDrafts:
    def test_plans(self, thinking):
        said = [json.dumps({"alignment": {"clear": [one]}}) for one in ("fit", "overlap")]

        found = run(plans.write(Answering(thinking(said[0], f"Look.\n{said[1]}")), notes.DESIGN))

        assert found.alignment["clear"] == ("overlap",)
        assert SECRET not in found.text

    def test_steps(self, thinking):
        model = Answering(thinking("1. Guess.", "1. Read.\n2. Score."))

        assert run(geval.steps(model, notes.DESIGN, notes.DESIGN.criteria[0])) == (
            "Read.",
            "Score.",
        )

    def test_key_points(self, thinking):
        said = [json.dumps({"key_points": [one]}) for one in ("wrong", "right")]
        material = drafting.Material(drafting.POINTS, question="Why?", answer="So.")

        found = run(drafting.draft(Answering(thinking(*said)), material, notes.FENCE))

        assert found.proposals == ({"key_points": ["right"]},)


class TestSeveralAnswers:
    @pytest.mark.parametrize("end", ["Accuracy: 2\nFluency: 3", '{"accuracy": 2, "fluency": 3}'])
    def test_that_differ_are_asked_for_once_more(self, end):
        model = Answering(
            f'{{"accuracy": 3, "fluency": 3}}\n\n{end}', '{"accuracy": 1, "fluency": 3}'
        )

        found = run(direct.judge(model, tasks.task(), direct.Config(), fence=tasks.FENCE, seed=1))

        assert len(model.requests) == 2
        assert [one["value"] for one in found["criteria"].values()] == [1, 3]

    def test_that_are_the_same_are_one(self):
        model = Answering('{"accuracy": 3, "fluency": 4}\n\nAccuracy: 3\nFluency: 4')

        found = run(direct.judge(model, tasks.task(), direct.Config(), fence=tasks.FENCE, seed=1))

        assert [one["value"] for one in found["criteria"].values()] == [3, 4]
        assert len(model.requests) == 1

    def test_of_a_rubric(self):
        choices = ["YES", "NO"]

        assert suite.read('{"choice": "NO"}\n{"choice": "YES"}', choices).problem == suite.SEVERAL
        assert suite.read("NO\nYES", choices).problem == suite.SEVERAL
        assert suite.read('{"choice": "YES"}\nAnswer: YES', choices).choice == "YES"
        assert suite.read('{"choice": "YES"}\nAnswer: NO', choices).choice == ""

    def test_of_multiple_choice(self):
        model = Answering("Answer: A\n\nHm.\n\nAnswer: B", "Answer: A")

        found = quiz.answer(model)

        assert (found["mean"], len(model.requests)) == (1, 2)

    def test_of_an_evaluator(self):
        two = f"{table.verdict(2)}\n{table.verdict(3)}"
        model = table.Scripted(evaluator=[two, table.verdict(4), f"{table.verdict(1)} " * 2])

        found = table.interview(model, planned=2)

        scores = [one["verdict"]["scores"]["overall"] for one in found["exchanges"]]
        assert scores == [4, 1]
        assert len(model.of(Role.EVALUATOR)) == 3


def as_reply(said):
    return said if isinstance(said, Reply) else Reply(said)


def starts_of(model, asked):
    messages = [Message("user", one) for one in asked]
    return run(collecting.collect(model, messages, collecting.Manner())).as_dict()
