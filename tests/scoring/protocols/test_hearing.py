import asyncio
import re
from pathlib import Path

import pytest

import scoring
from scoring.llm import base, failures
from scoring.llm.base import Message, Reply, Request, Role, Settings, TokenChance, Trouble
from scoring.protocols import hearing
from tests.scoring.protocols.answering import Answering

THOUGHT = "<think>Is it A?</think>It is B."
#: What asks for no chat: vectors, numbers, categories, weights of a text.
BESIDE_CHAT = {
    "protocols/hearing.py",
    "kinds/assistants/v1.py",
    "kinds/losses/v1.py",
    "kinds/suites/protocol/moderation.py",
}


def asked(role=Role.JUDGE):
    return Request(role, (Message("user", "A or B?"),), Settings(max_tokens=100), part="all")


def heard(*lines, role=Role.JUDGE, words=False):
    model = Answering(*lines)
    ask = hearing.ask_for_words if words else hearing.ask
    return asyncio.run(ask(model, asked(role))), model.requests


class TestAsk:
    def test_returns_the_answer_and_keeps_the_reasoning_beside_it(self):
        reply, _asked = heard(THOUGHT)

        assert (reply.text, reply.notes["reasoning"]) == ("It is B.", "Is it A?")

    def test_returns_the_tokens_of_the_answer_alone(self):
        pieces = ("<think>", "4", "</think>", "5")
        tokens = tuple(TokenChance(one, 0.0) for one in pieces)

        assert heard(Reply("".join(pieces), tokens=tokens))[0].tokens == tokens[-1:]

    def test_returns_no_tokens_where_they_are_not_those_of_the_answer(self):
        tokens = (TokenChance("4", 0.0),)

        assert heard(Reply("<think>4</think>5", tokens=tokens))[0].tokens is None

    def test_fails_where_a_system_only_thought(self):
        with pytest.raises(base.SystemFailed, match="still reasoning") as failed:
            heard(Reply("<think>Is it", finish="length"), role=Role.CANDIDATE)

        assert failed.value.trouble is Trouble.EMPTY

    def test_hands_an_empty_reply_with_reasoning_to_whoever_may_ask_again(self):
        came = Reply("", finish="length", notes={"reasoning": "Is it"})
        empty = failures.failed(asked(), Trouble.EMPTY, "empty", reply=came)

        assert hearing.is_only_thought(heard(empty)[0])

    def test_fails_as_before_where_nothing_came(self):
        with pytest.raises(base.MachineryFailed):
            heard(base.MachineryFailed(Trouble.EMPTY, "The reply was empty."))


class TestAskForWords:
    def test_asks_once_more_with_room_to_think(self):
        reply, requests = heard(Reply("<think>Is it", finish="length"), THOUGHT, words=True)

        assert reply.text == "It is B."
        assert (requests[1].part, requests[1].settings.max_tokens) == ("all longer", 4000)

    def test_gives_up_where_only_reasoning_comes_again(self):
        with pytest.raises(base.MachineryFailed, match="reasoning and no answer"):
            heard("<think>Is it", words=True)


class TestTries:
    def tries(self, said, *lines):
        model = Answering(*lines)
        told = hearing.tries(
            model,
            hearing.Said(asked(), said),
            lambda reply: reply.text,
            fails=lambda text: "B" not in text,
            tell=lambda _text: "Once more.",
        )
        return [one.found for one in asyncio.run(told)], model.requests

    def test_are_one_where_a_reply_is_of_use(self):
        assert self.tries(Reply("B")) == (["B"], [])

    def test_tell_a_model_its_answer_without_its_reasoning(self):
        found, (again,) = self.tries(hearing.heard(Reply("<think>B?</think>It is A.")), "It is B.")

        assert found == ["It is A.", "It is B."]
        assert [one.content for one in again.messages] == ["A or B?", "It is A.", "Once more."]

    def test_make_no_message_without_a_word(self):
        _found, (again,) = self.tries(Reply(""), "B")

        assert [one.content for one in again.messages] == ["A or B?\n\nOnce more."]

    def test_keep_the_room_that_a_reply_took(self):
        model = Answering(Reply("Let me", finish="length"), "It is A.", "It is B.")

        said = asyncio.run(hearing.ask_with_room(model, asked()))
        asyncio.run(
            hearing.tries(
                model,
                said,
                lambda reply: reply.text,
                fails=lambda text: "B" not in text,
                tell=lambda _text: "Once more.",
            )
        )

        rooms = [one.settings.max_tokens for one in model.requests]
        assert rooms == [rooms[0], 3 * rooms[0], 3 * rooms[0]]
        assert [one.part for one in model.requests] == ["all", "all longer", "all repair"]


class TestProcedures:
    def test_hear_of_models_by_this_alone(self):
        room = Path(scoring.__file__).parent
        asking = {
            file.relative_to(room).as_posix()
            for folder in ("protocols", "kinds")
            for file in (room / folder).rglob("*.py")
            if re.search(r"model\.reply\(", file.read_text())
        }

        # In samples several replies come as one, and are heard one by one; a tuned judge, one that is
        # asked for each criterion by itself, and one of single calls hand on what the model says, unheard.
        passing_on = {
            "protocols/samples.py",
            "kinds/judging/tuned/v1.py",
            "kinds/fusion/v2.py",
            "kinds/suites/protocol/v2.py",
        }
        assert asking - BESIDE_CHAT == passing_on


class TestChoice:
    OPTIONS = {"A": "a rope", "B": "a bell"}
    BOTH = Reply("Answer: A. Answer: B.")

    def choice(self, reply, *lines):
        model = Answering(*lines)
        told = hearing.choice(model, hearing.Said(asked(), reply), self.OPTIONS, "One only.")
        made = asyncio.run(told)
        return made.reply, made.found, model.requests

    def test_is_that_of_a_reply_that_names_one(self):
        reply, found, more = self.choice(Reply("Answer: A"), "Answer: B")

        assert (reply.text, found.label, more) == ("Answer: A", "A", [])

    def test_is_asked_for_once_more_where_a_reply_names_several(self):
        reply, found, (again,) = self.choice(self.BOTH, "Answer: B")

        assert (reply.text, found.label) == ("Answer: B", "B")
        assert again.messages[-1].content == "One only."

    def test_is_none_of_the_first_reply_where_the_system_fails_then(self):
        gone = base.SystemFailed(Trouble.EMPTY, "The reply was empty.")
        reply, found, _more = self.choice(self.BOTH, gone)

        assert (reply, found.label, found.how) == (self.BOTH, None, "several")
