import json

import pytest

from annotation.files import messages
from annotation.files.cells import Unfit
from annotation.files.parts import SpeakerRoles
from tests import cases


def refusal(parse, *args):
    with pytest.raises(Unfit) as unfit:
        parse(*args)
    return unfit.value.code


def lines(name):
    """Return the objects of a file of conversations as they are written."""
    data = cases.file(name).read_text()
    if data.startswith("["):
        return json.loads(data)
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def said(given):
    """Return who says what in an object."""
    found = messages.read_object(given).messages
    return [(one["role"], one["content"]) for one in found]


HI = {"role": "user", "content": "Hi"}


class TestConversation:
    def test_reads_both_known_forms(self):
        openai = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
        shared = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]

        assert messages.conversation(openai) == messages.conversation(shared) == openai

    def test_reads_text_parts_and_tool_calls(self):
        calls = [{"id": "1"}]
        value = [
            {"role": "user", "content": [{"type": "text", "text": "a"}, "b"]},
            {"role": "assistant", "content": None, "tool_calls": calls},
        ]

        assert messages.conversation(value) == [
            {"role": "user", "content": "a\nb"},
            {"role": "assistant", "content": "", "tool_calls": calls},
        ]

    def test_reads_the_json_text_of_a_cell(self):
        assert messages.conversation('[{"role": "user", "content": "Hi"}]')[0]["content"] == "Hi"
        assert messages.conversation("") == []

    @pytest.mark.parametrize(
        ("value", "code"),
        [
            ("not json", "no_conversation"),
            ({"role": "user"}, "no_conversation"),
            ([1], "no_conversation"),
            ([{"role": "judge", "content": "x"}], "unknown_role"),
            ([{"role": "user", "content": " "}], "empty_message"),
            ([{"content": "x"}], "no_role"),
            ([{"role": "user", "content": [{"type": "input_audio"}]}], "not_kept"),
            ([{"role": "assistant", "content": "", "audio": {"id": "a"}}], "not_kept"),
            ([{"role": "assistant", "content": None, "tool_calls": 1}], "bad_calls"),
            ([{"role": "user", "content": {"x": 1}}], "not_kept"),
            ([{"role": "user", "content": [5]}], "not_kept"),
            ([HI, {"type": "item_reference", "id": "i"}], "not_kept"),
            ({"messages": [HI], "contents": [HI]}, "not_kept"),
            ({"messages": [HI], "output": [HI]}, "not_kept"),
            ({"choices": [{"message": HI}, {"message": HI}]}, "not_kept"),
        ],
    )
    def test_refuses(self, value, code):
        assert refusal(messages.conversation, value) == code

    def test_splits_off_what_follows_the_last_question(self):
        roles = ["system", "user", "assistant", "user", "assistant", "tool", "assistant"]
        whole = [{"role": role, "content": "x"} for role in roles]

        seen, said = messages.split_answer(whole)

        assert [one["role"] for one in seen] == roles[:4]
        assert [one["role"] for one in said] == roles[4:]

    def test_keeps_reasoning_apart(self):
        value = [HI, {"role": "assistant", "content": "<think>Who?</think>Ho", "reasoning": "Why?"}]

        assert messages.conversation(value)[1] == {"role": "assistant", "content": "Ho"}
        assert messages.thought(value) == ["Why?", "Who?"]


class TestAnswer:
    def test_keeps_an_answer_of_several_messages(self):
        whole = [{"role": "assistant", "content": "x"}]

        assert messages.answer(whole) == messages.answer(json.dumps(whole)) == whole
        assert messages.answer("x") == whole

    def test_takes_the_reply_of_a_model_as_it_came(self):
        reply = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]}

        assert messages.answer(reply) == [{"role": "assistant", "content": "x"}]

    def test_keeps_reasoning_in_a_text_apart(self):
        written = "<think>a</think>b"

        assert messages.answer(written) == [{"role": "assistant", "content": "b"}]
        assert messages.thought(written) == ["a"]

    @pytest.mark.parametrize(
        "value", ['["a", "b"]', '{"a": 1}', '[{"type": "box", "content": "x"}]']
    )
    def test_leaves_data_a_text(self, value):
        assert messages.answer(value) == [{"role": "assistant", "content": value}]
        assert messages.thought(value) == []

    def test_refuses_lists_that_are_no_conversation(self):
        assert refusal(messages.answer, ["a"]) == "no_conversation"
        assert refusal(messages.answer, {"a": 1}) == "not_one_value"


class TestRead:
    """What each maker writes comes out in one form."""

    CALL = {"type": "function", "function": {"name": "book", "arguments": '{"n": 1}'}}

    def test_takes_the_older_calls_of_openai(self):
        found = messages.read_messages(
            [
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": {"name": "book", "arguments": '{"n": 1}'},
                },
                {"role": "function", "name": "book", "content": "ok"},
                {"role": "developer", "content": "Be brief."},
            ]
        )

        assert found == [
            {"role": "assistant", "content": "", "tool_calls": [self.CALL]},
            {"role": "tool", "content": "ok", "name": "book"},
            {"role": "system", "content": "Be brief."},
        ]

    def test_takes_what_was_declined_as_what_was_said(self):
        found = messages.read_messages(
            [
                {"role": "assistant", "content": None, "refusal": "No."},
                {"role": "assistant", "content": [{"type": "refusal", "refusal": "Never."}]},
            ]
        )

        assert [one["content"] for one in found] == ["No.", "Never."]

    def test_takes_items_of_responses(self):
        found = messages.read_messages(
            [
                {"role": "user", "content": [{"type": "input_text", "text": "A room"}]},
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "One?"}]},
                {"type": "function_call", "call_id": "c", "name": "book", "arguments": '{"n": 1}'},
                {"type": "function_call_output", "call_id": "c", "output": "ok"},
                {"type": "web_search_call", "id": "w", "action": {"query": "quay"}},
                {"type": "message", "role": "assistant", "content": "Done."},
            ]
        )

        assert [(one["role"], one["content"]) for one in found] == [
            ("user", "A room"),
            ("assistant", ""),
            ("tool", "ok"),
            ("assistant", ""),
            ("assistant", "Done."),
        ]
        assert found[1] == {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", **self.CALL}],
            "reasoning": "One?",
        }
        assert found[2]["tool_call_id"] == "c"
        assert found[3]["tool_calls"][0]["function"]["name"] == "web_search"

    def test_takes_parts_of_anthropic_apart(self):
        found = messages.read_messages(
            [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "One?"},
                        {"type": "text", "text": "I book."},
                        {"type": "tool_use", "id": "t", "name": "book", "input": {"n": 1}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t",
                            "content": [{"type": "text", "text": "full"}],
                            "is_error": True,
                        },
                        {"type": "text", "text": "Try again"},
                    ],
                },
            ]
        )

        assert found == [
            {
                "role": "assistant",
                "content": "I book.",
                "tool_calls": [{"id": "t", **self.CALL}],
                "reasoning": "One?",
            },
            {"role": "tool", "content": "full", "tool_call_id": "t", "error": True},
            {"role": "user", "content": "Try again"},
        ]

    def test_takes_parts_of_gemini(self):
        found = messages.read_object(
            {
                "systemInstruction": {"parts": [{"text": "Be kind."}]},
                "contents": [
                    {"role": "user", "parts": [{"text": "A room"}]},
                    {
                        "role": "model",
                        "parts": [
                            {"text": "One?", "thought": True},
                            {"functionCall": {"name": "book", "args": {"n": 1}}},
                        ],
                    },
                    {
                        "role": "user",
                        "parts": [{"functionResponse": {"name": "book", "response": {"ok": 1}}}],
                    },
                ],
                "candidates": [{"content": {"parts": [{"text": "Done."}], "role": "model"}}],
            }
        ).messages

        assert found == [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "A room"},
            {"role": "assistant", "content": "", "tool_calls": [self.CALL], "reasoning": "One?"},
            {"role": "tool", "content": '{"ok": 1}', "name": "book"},
            {"role": "assistant", "content": "Done."},
        ]

    @pytest.mark.parametrize(
        "message",
        [
            {"type": "ai", "data": {"content": "Ho", "type": "ai"}},
            {"type": "ai", "content": "Ho", "tool_calls": [], "additional_kwargs": {}},
            {"lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": "Ho"}},
            {"from": "gpt", "value": "Ho"},
            {"role": "model", "parts": [{"text": "Ho"}]},
            {"speaker": "bot", "utterance": "Ho"},
            {"author": {"role": "assistant"}, "content": {"parts": ["Ho"]}},
            {"role": "assistant", "content": [{"type": "text", "text": {"value": "Ho"}}]},
        ],
    )
    def test_takes_a_text_however_it_is_wrapped(self, message):
        assert messages.read_messages([message]) == [{"role": "assistant", "content": "Ho"}]

    def test_takes_calls_of_langchain_and_sharegpt(self):
        own = {"name": "book", "args": {"n": 1}, "id": "t", "type": "tool_call"}
        found = messages.read_messages(
            [
                {"type": "ai", "content": "", "tool_calls": [own]},
                {"type": "tool", "content": "ok", "tool_call_id": "t"},
                {"from": "function_call", "value": '{"name": "book", "arguments": {"n": 1}}'},
                {"from": "observation", "value": "ok"},
                {"from": "function_call", "value": "book a room"},
            ]
        )

        assert found[0]["tool_calls"] == [{"id": "t", **self.CALL}]
        assert found[1] == {"role": "tool", "content": "ok", "tool_call_id": "t"}
        assert found[2] == {"role": "assistant", "content": "", "tool_calls": [self.CALL]}
        assert (found[3]["role"], found[4]["content"]) == ("tool", "book a room")

    @pytest.mark.parametrize(
        ("part", "shown"),
        [
            (
                {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
                "https://x.test/a.png",
            ),
            ({"type": "input_image", "image_url": "a.png"}, "a.png"),
            ({"type": "image", "source": {"type": "url", "url": "a.png"}}, "a.png"),
            ({"type": "image", "source": {"type": "file", "file_id": "f1"}}, "f1"),
            ({"fileData": {"mimeType": "image/png", "fileUri": "gs://a"}}, "gs://a"),
        ],
    )
    def test_keeps_images_as_references(self, part, shown):
        (found,) = messages.read_messages([{"role": "user", "content": ["See", part]}])

        assert found == {"role": "user", "content": f"See\n[image: {shown}]", "images": [shown]}

    @pytest.mark.parametrize(
        "part",
        [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "QUFB" * 999}},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "QUFB" * 999},
            },
            {"inlineData": {"mimeType": "image/png", "data": "QUFB" * 999}},
        ],
    )
    def test_keeps_images_within_a_file_short(self, part):
        (found,) = messages.read_messages([{"role": "user", "content": [part]}])

        (shown,) = found["images"]
        assert shown.startswith("data:image/png;sha256=")
        assert len(shown) < 50

    def test_keeps_images_beside_a_text(self):
        (found,) = messages.read_messages([{"role": "user", "content": "See", "images": ["a.png"]}])

        assert found["content"] == "See\n[image: a.png]"

    def test_reads_its_own_form_again_as_it_is(self):
        parts = [{"type": "text", "text": "See"}, {"type": "image", "image": "a.png"}]
        own = [
            {"role": "user", "content": parts},
            {"role": "assistant", "content": "<think>One?</think>", "function_call": {"name": "f"}},
            {"role": "user", "content": [{"type": "tool_result", "content": {"a": 1}}]},
        ]

        once = messages.read_messages(own)

        assert messages.read_messages(once) == once

    def test_finds_a_part_that_it_does_not_know_by_name(self):
        with pytest.raises(Unfit) as unfit:
            messages.read_messages([HI, {"role": "user", "content": [{"type": "hologram"}]}])

        assert (unfit.value.code, unfit.value.found) == ("not_kept", "hologram")
        assert unfit.value.facts == {"number": "2"}

    def test_keeps_what_else_a_message_says_where_that_is_wanted(self):
        (found,) = messages.read_messages([{**HI, "latency": 2}], more=True)

        assert found == {**HI, "latency": 2}

    def test_does_not_look_for_reasoning_in_what_a_user_says(self):
        (found,) = messages.read_messages([{"role": "user", "content": "<think>a</think>b"}])

        assert found == {"role": "user", "content": "<think>a</think>b"}


class TestRoles:
    def test_that_are_only_likely_are_taken_where_somebody_says_so(self):
        talk = [{"role": "Agent", "content": "In transit."}]
        told = {name.casefold(): role for name, role in messages.unsure_roles(["Agent"]).items()}

        assert refusal(messages.read_messages, talk) == "unknown_role"
        assert messages.read_messages(talk, roles=SpeakerRoles(told))[0]["role"] == "assistant"

    def test_that_nobody_knows_stay_where_that_is_allowed(self):
        (found,) = messages.read_messages(
            [{"role": "Narrator", "content": "x"}], roles=SpeakerRoles(others=True)
        )

        assert found["role"] == "narrator"


class TestReadObject:
    @pytest.mark.parametrize(
        "prompt", ["You book rooms.", "Be kind\nalways", [{"type": "text", "text": "x"}]]
    )
    def test_puts_a_prompt_beside_the_messages_before_them(self, prompt):
        assert (
            messages.read_object({"messages": [HI], "system": prompt}).messages[0]["role"]
            == "system"
        )

    def test_knows_the_name_of_a_system_from_a_prompt(self):
        found = messages.read_object({"messages": [HI], "system": "Harbour 70B Instruct"})

        assert (found.messages, found.details) == ([HI], {"system": "Harbour 70B Instruct"})

    def test_takes_requests_and_replies_out_of_what_is_around_them(self):
        batch = {
            "custom_id": "q1",
            "response": {"status_code": 200, "body": {"choices": [{"message": HI}]}},
        }
        request = {"custom_id": "q1", "method": "POST", "body": {"model": "pine", "messages": [HI]}}
        other = {"custom_id": "q1", "result": {"type": "succeeded", "message": HI}}

        for one in (batch, request, other):
            found = messages.read_object(one)
            assert (found.messages, found.details["custom_id"]) == ([HI], "q1")

    def test_takes_one_text_as_what_the_user_said(self):
        reply = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Ho"}],
        }

        assert said({"instructions": "Be kind.", "input": "Hi", "output": [reply]}) == [
            ("system", "Be kind."),
            ("user", "Hi"),
            ("assistant", "Ho"),
        ]

    def test_takes_the_marks_of_chatml_out_of_every_message(self):
        text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"

        for end in ("", "\n", "<|endoftext|>\n"):
            assert said({"text": text + end}) == [("user", "Hi"), ("assistant", "Ho")]

    def test_lets_a_system_speak_in_a_text_only_first(self):
        log = "Sure, here is a log:\nSystem: booted\n"

        assert said({"text": f"User: Hi\nAssistant: {log}"}) == [("user", "Hi"), ("assistant", log)]
        assert said({"text": "System: Be kind.\nUser: Hi\nAssistant: Ho"}) == [
            ("system", "Be kind."),
            ("user", "Hi"),
            ("assistant", "Ho"),
        ]

    def test_keeps_what_stands_beside_both_sides_of_an_exchange(self):
        pair = {"id": "t1", "user": "Hi", "bot": "Ho", "image": "x.png", "reasoning": "Hm."}

        asked, answered = messages.read_object({"messages": [pair]}).messages

        assert (asked["images"], answered["reasoning"]) == (["x.png"], "Hm.")

    @pytest.mark.parametrize("more", [{"rosa": "Hello"}, {"system": ["Be kind."]}, {"tools": [{}]}])
    def test_refuses_by_name_what_neither_side_says(self, more):
        pair = {"user": "Hi", "bot": "Ho", "note": "", **more}

        with pytest.raises(Unfit) as refused:
            messages.read_object({"messages": [pair]})

        assert (refused.value.code, refused.value.found) == ("not_kept", next(iter(more)))


class TestFilesOfMakers:
    def test_of_anthropic(self):
        (line,) = lines("conv_anthropic.jsonl")
        found = messages.read_object(line).messages

        assert [one["role"] for one in found] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert found[0]["content"] == "You book rooms."
        (call,) = found[2]["tool_calls"]
        assert call["function"]["name"] == "book"
        assert json.loads(call["function"]["arguments"]) == {"n": 1}
        assert (found[3]["content"], found[3]["tool_call_id"]) == ("ok", call["id"])

    def test_of_fine_tuning(self):
        first, second = (
            messages.read_object(one).messages for one in lines("conv_openai_ft.jsonl")
        )

        assert [one["role"] for one in first] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert first[2]["tool_calls"][0]["function"]["name"] == "book"
        assert second[0] == {"role": "system", "content": "You book."}
        assert second[1]["content"].startswith("See this\n[image: data:image/png")
        assert len(second[1]["images"]) == 1

    def test_of_reasoning(self):
        (line,) = lines("conv_reasoning.jsonl")
        found = messages.read_object(line).messages

        assert found[1]["content"] == "4"
        assert "Two and two" in found[1]["reasoning"]

    @pytest.mark.parametrize(
        ("name", "whole"),
        [
            ("conv_langchain.jsonl", [[("user", "Hi"), ("assistant", "Hello!")]] * 2),
            ("conv_responses_api.jsonl", [[("user", "Hi"), ("assistant", "Hello!")]]),
            ("conv_gemini.jsonl", [[("user", "Hi"), ("assistant", "Hello!")]]),
            ("conv_batch_out.jsonl", [[("assistant", "Hello!")]]),
            ("conv_lmsys.jsonl", [[("user", "Hi"), ("assistant", "Hello!")]]),
            (
                "conv_sharegpt.json",
                [[("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello!")]],
            ),
        ],
    )
    def test_with_all_their_messages(self, name, whole):
        assert [said(line) for line in lines(name)] == whole
