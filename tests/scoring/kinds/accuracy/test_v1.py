import asyncio

import pytest

from scoring.kinds.accuracy import v1
from scoring.kinds.accuracy.v1 import Config, Question
from scoring.llm.base import MachineryFailed, Message, Reply, Role, SystemFailed, Trouble
from tests.scoring.protocols.answering import Answering

ROPE = Question("q", "What holds a ship?", ("a rope", "a bell", "a crane"), 0)
SHOT = Question("s", "What rings?", ("a bell", "a rope"), 0)


class Knows:
    """A system that finds the option with this text, wherever it stands."""

    def __init__(self, text="a rope", form="Answer: {}"):
        self.text, self.form, self.requests = text, form, []

    async def reply(self, request):
        self.requests.append(request)
        for line in request.messages[-1].content.splitlines():
            label, dot, option = line.partition(". ")
            if dot and option == self.text:
                return Reply(self.form.format(label))
        return Reply("I do not know")


class AlwaysFirst:
    async def reply(self, request):
        return Reply("A")


def answer(model, question=ROPE, examples=(), **config):
    return asyncio.run(v1.answer(model, question, examples, Config(**config), seed=3))


class TestAnswer:
    def test_finds_the_option_in_every_order(self):
        model = Knows()

        found = answer(model, orders=4)

        assert (found["mean"], found["strict"], found["vote"], found["n"]) == (1, True, True, 4)
        assert len({tuple(one["order"]) for one in found["asked"]}) == 4
        assert len({one.sha() for one in model.requests}) == 4
        assert {one.role for one in model.requests} == {Role.CANDIDATE}

    def test_sees_through_a_system_that_always_takes_the_first(self):
        found = answer(AlwaysFirst(), orders=6)

        assert found["asked"][0]["chosen"] == 0  # right, in the question's own order
        assert found["mean"] == pytest.approx(1 / 3)
        assert (found["strict"], found["vote"]) == (False, False)

    def test_counts_a_reply_that_names_no_option(self):
        found = answer(Knows("a sail"), orders=2)

        assert (found["mean"], found["unread"]) == (0, 2)
        assert {one["how"] for one in found["asked"]} == {"none"}

    def test_keeps_the_first_reply_where_the_second_fails(self):
        gone = SystemFailed(Trouble.EMPTY, "The reply was empty.")

        both = "Answer: A. Answer: B."

        found = answer(Answering(both, gone, "Answer: A"), orders=2)

        first, second = found["asked"]
        assert (first["reply"], first["chosen"]) == (both, None)
        assert (first["how"], second["how"]) == ("several", "stated")
        assert (found["n"], found["unread"]) == (2, 1)

    def test_fails_with_the_machinery(self):
        gone = MachineryFailed(Trouble.SERVER, "gone")

        with pytest.raises(MachineryFailed):
            answer(Answering("Answer: A. Answer: B.", gone))

    def test_puts_examples_before_the_question_with_their_answers(self):
        model = Knows()

        answer(model, examples=[SHOT], language="zh")

        (request,) = model.requests
        assert request.messages == (
            Message("system", v1.TELLS["zh"]["system"]),
            Message("user", "What rings?\n\nA. a bell\nB. a rope"),
            Message("assistant", "答案：A"),
            Message("user", "What holds a ship?\n\nA. a rope\nB. a bell\nC. a crane"),
        )

    def test_asks_the_same_for_the_same_seed(self):
        one, other = (v1.requests(ROPE, [], Config(orders=3), seed=seed) for seed in (3, 4))

        assert one == v1.requests(ROPE, [], Config(orders=3), seed=3)
        assert [each.sha() for each in one] != [each.sha() for each in other]

    def test_has_a_hash_of_its_words(self):
        assert len(v1.sha()) == 64
