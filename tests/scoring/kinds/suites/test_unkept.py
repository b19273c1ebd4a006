import pytest

from scoring.kinds.suites.protocol import files


def problem(*messages, **more):
    return files.of_object({"messages": list(messages), **more}, 7, "talk").problem


HI = {"role": "user", "content": "Hi"}


class TestCheck:
    @pytest.mark.parametrize(
        ("message", "lost"),
        [
            (
                {"role": "assistant", "content": None, "function_call": {"name": "book"}},
                "function_call",
            ),
            ({"type": "human", "data": {"content": "Hi"}}, "text under “data”"),
            ({"role": "model", "parts": [{"text": "Hi"}]}, "text under “parts”"),
            ({"role": "assistant", "content": "", "refusal": "No."}, "refusal"),
            ({"role": "assistant", "content": "", "audio": {"id": "a"}}, "audio"),
            ({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, "image_url"),
            ({"role": "user", "content": [{"type": "input_image"}]}, "input_image"),
            ({"role": "assistant", "content": [{"type": "tool_use", "name": "b"}]}, "tool_use"),
            (
                {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]},
                "tool_result",
            ),
            ({"role": "user", "content": [{"text": {"value": "x"}}]}, "part without text"),
            ({"role": "user", "content": [5]}, "neither text nor an object"),
            ({"from": "function_call", "value": "{}"}, "role “function_call”"),
            ({"from": "observation", "value": "ok"}, "role “observation”"),
            ({"type": "web_search_call", "id": "w"}, "role “web_search_call”"),
            (
                {"role": "ai", "content": "", "additional_kwargs": {"tool_calls": [{"id": 1}]}},
                "additional_kwargs",
            ),
            (
                {"role": "assistant", "tool_calls": [{"name": "b", "input": {"n": 1}}]},
                "without “arguments”",
            ),
        ],
    )
    def test_refuses_a_message_by_what_would_be_lost(self, message, lost):
        said = problem(HI, message)

        assert said.startswith("Message 2 has ")
        assert lost in said

    @pytest.mark.parametrize("name", ["system", "output", "contents"])
    def test_refuses_what_stands_beside_the_messages(self, name):
        assert f"“{name}” beside the messages is not kept" in problem(HI, **{name: ["x"]})

    @pytest.mark.parametrize("said", ["You book rooms.", "Be kind\nalways", "x" * 61])
    def test_knows_a_prompt_from_the_name_of_a_system(self, said):
        assert "Write it as the first message" in problem(HI, system=said)
        assert problem(HI, system="Harbour 70B Instruct") == ""

    @pytest.mark.parametrize(
        "message",
        [
            HI,
            {"role": "assistant", "content": None},
            {"role": "assistant", "content": [{"type": "output_text", "text": "a"}, "b"]},
            {"role": "assistant", "content": "", "refusal": None, "tool_calls": []},
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}, "b"]},
            {"role": "assistant", "content": [{"type": "reasoning", "summary": []}, "b"]},
            {"role": "assistant", "tool_calls": [{"name": "f"}]},
            {"role": "tool", "tool_call_id": "t1", "content": "ok"},
            {"role": "function", "name": "book", "content": "ok"},
            {"type": "ai", "content": "Ho", "tool_calls": [], "additional_kwargs": {}},
        ],
    )
    def test_takes_what_is_kept(self, message):
        assert problem(message) == ""
