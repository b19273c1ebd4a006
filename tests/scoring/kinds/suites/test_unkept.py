import pytest

from scoring.kinds.suites.protocol import files


def problem(*messages, **more):
    return files.of_object({"messages": list(messages), **more}, 7, "talk").problem


HI = {"role": "user", "content": "Hi"}


class TestObjects:
    @pytest.mark.parametrize(
        ("message", "lost"),
        [
            ({"role": "assistant", "content": "", "audio": {"id": "a"}}, "audio"),
            ({"role": "user", "content": [{"type": "input_audio"}]}, "input_audio"),
            ({"role": "user", "content": [{"text_of": {"value": "x"}}]}, "text_of"),
            ({"role": "user", "content": [5]}, "5"),
            ({"type": "image_generation_call", "id": "w"}, "image_generation_call"),
        ],
    )
    def test_are_refused_by_what_would_be_lost(self, message, lost):
        assert problem(HI, message) == f"Message 2 has “{lost}”, which cannot be kept."

    @pytest.mark.parametrize("name", ["output", "contents"])
    def test_are_refused_with_messages_beside_the_messages(self, name):
        assert f"“{name}” beside the messages is not kept" in problem(HI, **{name: ["x"]})

    @pytest.mark.parametrize(
        ("said", "prompt"),
        [("You book rooms.", "You book rooms."), ("Harbour 70B Instruct", "")],
    )
    def test_tell_a_prompt_from_the_name_of_a_system(self, said, prompt):
        found = files.of_object({"messages": [HI], "system": said}, 7, "talk")

        assert found.conversation.system == prompt
        assert ("system" in found.details) is not bool(prompt)

    @pytest.mark.parametrize(
        "message",
        [
            HI,
            {"role": "assistant", "content": None},
            {"role": "assistant", "content": [{"type": "output_text", "text": "a"}, "b"]},
            {"role": "assistant", "content": "", "refusal": "No."},
            {"role": "assistant", "content": None, "function_call": {"name": "book"}},
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            {"role": "assistant", "tool_calls": [{"name": "b", "input": {"n": 1}}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}, "b"]},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "b"}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {}}]},
            {"role": "tool", "tool_call_id": "t1", "content": "ok"},
            {"role": "function", "name": "book", "content": "ok"},
            {"role": "model", "parts": [{"text": "Hi"}]},
            {"type": "human", "data": {"content": "Hi"}},
            {"from": "observation", "value": "ok"},
        ],
    )
    def test_are_taken_with_what_is_kept(self, message):
        assert problem(message) == ""

    def test_keep_reasoning_and_images_beside_what_is_said(self):
        parts = [{"type": "thinking", "thinking": "x"}, {"type": "image", "image": "a.png"}]
        (message,) = files.of_object(
            {"messages": [{"role": "assistant", "content": parts}]}, 7, "talk"
        ).conversation.messages

        assert message.content == "[image: a.png]"
        assert message.details == {"reasoning": ["x"], "images": ["a.png"]}
