import asyncio
from collections.abc import Sequence

from scoring.llm.base import Message, Reply, Request, Role, Settings, SystemFailed, Trouble
from scoring.llm.scripted.model import ScriptedModel
from scoring.protocols import collect_v1 as v1


class Told:
    """A model that says what it was told to, one reply after the other."""

    def __init__(self, *replies: Reply | SystemFailed) -> None:
        self._replies = list(replies)
        self.requests: list[Request] = []

    async def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        found = self._replies.pop(0)
        if isinstance(found, SystemFailed):
            raise found
        return found


def said(text: str, finish: str = "stop") -> Reply:
    return Reply(text=text, finish=finish)


def user(text: str) -> Message:
    return Message("user", text)


def collect(model, asked: Sequence[Message], manner: v1.Manner | None = None, repeat: int = 0):
    return asyncio.run(v1.collect(model, asked, manner or v1.Manner(), repeat=repeat))


class TestCollect:
    def test_returns_the_reply_to_a_question(self):
        model = Told(said("A base."))

        found = collect(model, [user("What is a pallet?")])

        assert found.messages == ({"role": "assistant", "content": "A base."},)
        assert (found.truncated, found.failed) == (False, "")
        (request,) = model.requests
        assert request.role is Role.CANDIDATE
        assert request.messages == (user("What is a pallet?"),)

    def test_sends_a_history_that_the_item_holds_as_it_is(self):
        asked = [user("Hello"), Message("assistant", "Yes?"), user("What is a pallet?")]
        model = Told(said("A base."))

        found = collect(model, asked)

        assert model.requests[0].messages == tuple(asked)
        assert found.messages == ({"role": "assistant", "content": "A base."},)

    def test_sends_the_turns_of_a_script_one_by_one_with_its_own_replies_before(self):
        model = Told(said("A base."), said("Of wood."), said("For goods."))

        found = collect(model, [user("What is it?"), user("Of what?"), user("What for?")])

        assert [len(one.messages) for one in model.requests] == [1, 3, 5]
        assert [one.exchange for one in model.requests] == [1, 2, 3]
        assert [one["content"] for one in found.messages] == [
            "A base.",
            "Of what?",
            "Of wood.",
            "What for?",
            "For goods.",
        ]
        assert model.requests[2].messages[1] == Message("assistant", "A base.")

    def test_tells_the_system_its_prompt_before_that_of_the_item(self):
        manner = v1.Manner(system_prompt="Be brief.", settings=Settings(temperature=0.2))
        model = Told(said("A base."))

        collect(model, [Message("system", "You know freight."), user("What is it?")], manner)

        (request,) = model.requests
        assert request.messages[0] == Message("system", "Be brief.\n\nYou know freight.")
        assert request.settings.temperature == 0.2

    def test_says_that_a_reply_was_cut_off(self):
        assert collect(Told(said("A ba", finish="length")), [user("What?")]).truncated

    def test_takes_a_system_that_fails_for_an_empty_answer(self):
        model = Told(SystemFailed(Trouble.FILTERED, "Not this."))

        found = collect(model, [user("What?")])

        assert found.messages == ({"role": "assistant", "content": ""},)
        assert (found.failed, found.problem) == ("FILTERED", "Not this.")

    def test_keeps_what_was_said_before_a_system_failed(self):
        model = Told(said("A base."), SystemFailed(Trouble.TOO_LONG, "Too long."))

        found = collect(model, [user("What?"), user("More?"), user("And?")])

        assert [one["content"] for one in found.messages] == ["A base.", "More?", ""]
        assert found.failed == "TOO_LONG"
        assert len(model.requests) == 2

    def test_takes_a_blank_reply_for_none(self):
        assert collect(Told(said("  \n")), [user("What?")]).failed == "EMPTY"

    def test_fits_into_json(self):
        kept = collect(Told(said("A base.")), [user("What?")]).as_dict()

        assert kept["messages"] == [{"role": "assistant", "content": "A base."}]
        assert kept["finishes"] == ["stop"]

    def test_says_the_same_to_the_same_question_by_a_script(self):
        one, again = (collect(ScriptedModel(), [user("What is a pallet?")]) for _ in range(2))

        assert one == again
        assert one.messages[0]["content"]


class TestUnfit:
    def test_are_conversations_that_end_without_a_question_or_use_tools(self):
        question, tool = {"role": "user", "content": "?"}, {"role": "tool", "content": "3"}

        assert v1.unfit([question]) == ""
        assert v1.unfit([]) == "ends"
        assert v1.unfit([question, {"role": "assistant", "content": "!"}]) == "ends"
        assert v1.unfit([tool, question]) == "tools"
