import json

import pytest

from annotation.files import shapes
from tests import cases
from tests.files import looked_at

HI = {"role": "user", "content": "Hi"}
HO = {"role": "assistant", "content": "Ho"}
BOTH = [HI, HO]


def rows(*records, name="a.jsonl"):
    """Return the shape and the rows of objects, a line each."""
    layout, found = looked_at("\n".join(map(json.dumps, records)).encode(), name)
    return layout.shape, found


class TestConversations:
    @pytest.mark.parametrize(
        ("record", "shape"),
        [
            ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}, "gemini"),
            ({"input": "Hi", "output": [{"type": "message", **HO}]}, "openai_responses"),
            ({"conversation_id": "c", "model": "heron", "conversation": BOTH}, "lmsys"),
            ({"id": "c", "conversations": [{"from": "human", "value": "Hi"}]}, "sharegpt"),
            ({"messages": [{"type": "human", "content": "Hi"}]}, "langchain"),
            ({"system": "You are brief.", "messages": BOTH}, "anthropic"),
            ({"messages": [{"role": "developer", "content": "x"}, *BOTH]}, "openai_chat"),
            ({"messages": BOTH, "tools": []}, ""),
            ({"input": BOTH, "id": "c"}, "flexeval"),
            ({"input": BOTH, "ideal": "Ho"}, ""),
            ({"messages": BOTH}, ""),
            ({"id": 1, "messages": [HI], "response": "Ho"}, ""),
            ({"id": 1, "system": "heron", "messages": BOTH}, ""),
        ],
    )
    def test_are_told_from_each_other(self, record, shape):
        found, made = rows(record)

        assert found == shape
        assert not shape or made[0]["messages"]

    def test_name_the_system_and_their_id(self):
        _shape, (row,) = rows({"conversation_id": "c", "model": "heron", "conversation": BOTH})

        assert row == {"messages": BOTH, "external_id": "c", "system": "heron"}

    def test_without_a_word_are_refused_alone(self):
        shape, found = rows(
            {"id": "a", "conversations": []},
            {"id": "b", "conversations": [{"from": "human", "value": "Hi"}]},
        )

        assert shape == "sharegpt"
        assert [one.get("problem") for one in found] == ["no_conversation", None]

    def test_of_one_that_cannot_be_kept_are_refused_by_name(self):
        sound = {"role": "user", "content": [{"type": "input_audio"}]}

        _shape, found = rows({"conversation": BOTH}, {"conversation": [sound]})

        assert [one.get("problem") for one in found] == [None, "not_kept"]


class TestBatches:
    def reply(self, *said):
        choices = [{"index": place, "message": one} for place, one in enumerate(said)]
        body = {"model": "heron", "choices": choices}
        return {"custom_id": "q7", "response": {"status_code": 200, "body": body}, "error": None}

    def test_have_a_row_for_each_choice(self):
        shape, found = rows(self.reply(HO, {**HO, "content": "Hey"}))

        assert shape == "batch_output"
        assert [(one["messages"][0]["content"], one["sample_no"]) for one in found] == [
            ("Ho", 1),
            ("Hey", 2),
        ]
        assert {(one["external_id"], one["system"]) for one in found} == {("q7", "heron")}

    @pytest.mark.parametrize(
        "failed",
        [
            {"response": None, "error": {"code": "expired", "message": "Too late"}},
            {"response": {"status_code": 400, "body": {"error": {"message": "Too late"}}}},
            {"result": {"type": "errored", "error": {"error": {"message": "Too late"}}}},
        ],
    )
    def test_tell_a_failure(self, failed):
        _shape, found = rows(self.reply(HO), {"custom_id": "q8", **failed})

        assert found[1] == {"problem": "failed_answer"}

    def test_are_read_in_other_layouts(self):
        _shape, found = rows(
            {"custom_id": "q1", "result": {"type": "succeeded", "message": {"model": "owl", **HO}}},
            {"custom_id": "q2", "body": {"model": "owl", "messages": [HI]}},
        )

        assert [one["messages"] for one in found] == [[HO], [HI]]

    def test_of_anthropic_and_gemini_name_the_model_that_replied(self):
        said = {"content": {"role": "model", "parts": [{"text": "Ho"}]}}
        answer = {"type": "message", "model": "owl", "content": [{"type": "text", "text": "Ho"}]}
        batches = (
            {"custom_id": "q1", "result": {"message": {**answer, "role": "assistant"}}},
            {"key": "q1", "response": {"candidates": [said], "modelVersion": "owl"}},
        )
        for one in batches:
            shape, found = rows(one)

            assert shape == "batch_output"
            assert (found[0]["system"], found[0]["external_id"]) == ("owl", "q1")
            assert [message["content"] for message in found[0]["messages"]] == ["Ho"]


class TestStoredCompletions:
    def test_are_replies_with_what_was_asked_and_no_ids_of_questions(self):
        reply = {"object": "chat.completion", "id": "chatcmpl-1", "model": "owl"}

        shape, found = rows({**reply, "messages": [HI], "choices": [{"index": 0, "message": HO}]})

        assert shape == "completions"
        assert (found[0]["system"], found[0]["messages"]) == ("owl", [HI, HO])
        assert (found[0].get("external_id"), found[0]["completion_id"]) == (None, "chatcmpl-1")


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "shape"),
        [
            ("conv_anthropic.jsonl", "anthropic"),
            ("conv_batch_out.jsonl", "batch_output"),
            ("conv_gemini.jsonl", "gemini"),
            ("conv_langchain.jsonl", "langchain"),
            ("conv_lmsys.jsonl", "lmsys"),
            ("conv_openai_ft.jsonl", "openai_chat"),
            ("conv_reasoning.jsonl", "openai_chat"),
            ("conv_responses_api.jsonl", "openai_responses"),
            ("conv_sharegpt.json", "sharegpt"),
        ],
    )
    def test_of_conversations_are_known(self, name, shape):
        layout, found = looked_at(cases.file(name))

        assert layout.shape == shape
        assert layout.known_shape.kind == shapes.CONVERSATIONS
        assert all(one["messages"] for one in found)


class TestRasa:
    SAID = (
        {"event": "user", "text": "Never mind"},
        {"event": "session_started"},
        {"event": "action", "name": "action_listen"},
        {"event": "user", "text": "Hi"},
        {"event": "bot", "text": "Book?", "data": {"buttons": [{"title": "Yes"}, {"title": "No"}]}},
        {"event": "user", "text": "Yess"},
        {"event": "rewind"},
        {"event": "user", "text": "Yes"},
        {"event": "slot", "name": "booked"},
        {"event": "bot", "text": "Booked.", "metadata": {"model_id": "m7"}},
    )

    def test_events_become_what_was_said_since_the_session_began(self):
        one = {"sender_id": "s1", "events": self.SAID}

        layout, (row,) = looked_at(json.dumps(one).encode(), "tracker.json")

        assert layout.shape == "rasa"
        assert (row["external_id"], row["system"]) == ("s1", "m7")
        assert [(each["role"], each["content"]) for each in row["messages"]] == [
            ("user", "Hi"),
            ("assistant", "Book?\n[Yes]\n[No]"),
            ("user", "Yes"),
            ("assistant", "Booked."),
        ]
