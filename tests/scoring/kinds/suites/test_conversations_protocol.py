import pytest

from scoring.kinds.suites.protocol import conversations
from scoring.kinds.suites.protocol.conversations import NoConversation


def said(*pairs):
    return {"messages": [{"role": role, "content": content} for role, content in pairs]}


class TestRead:
    def test_keeps_parts_that_are_reasoning_beside_what_is_said(self):
        parts = [{"type": "thinking", "thinking": "Is it a?"}, {"type": "text", "text": "b"}]

        (message,) = conversations.read(said(("assistant", parts))).messages

        assert (message.content, message.details) == ("b", {"reasoning": ["Is it a?"]})

    def test_makes_turns_of_runs_of_one_side(self):
        found = conversations.read(
            said(
                ("system", "Be kind."),
                ("user", "a"),
                ("user", "b"),
                ("assistant", "c"),
                ("tool", "d"),
                ("ai", "e"),
                ("user", "f"),
            ),
            name="one",
        )

        assert (found.external_id, found.system) == ("one", "Be kind.")
        assert [[one.content for one in turn.messages] for turn in found.turns] == [
            ["a", "b"],
            ["c", "d", "e"],
            ["f"],
        ]
        assert [one.index for one in found.messages] == [0, 1, 2, 3, 4, 5]
        assert [turn.is_last for turn in found.turns] == [False, False, True]

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (None, ""),
            ([{"type": "text", "text": "a"}, {"type": "image"}, "b"], "a\n[image]\nb"),
            ("", ""),
            (5, "5"),
        ],
    )
    def test_takes_content_that_is_null_or_in_parts(self, content, text):
        found = conversations.read(said(("assistant", content)))

        assert found.messages[0].content == text

    def test_reads_exports_of_other_tools(self):
        line = {
            "id": 3,
            "topic": "x",
            "conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "ho"}],
        }

        found = conversations.read(line)

        assert [(one.role, one.content) for one in found.messages] == [
            ("user", "hi"),
            ("assistant", "ho"),
        ]
        assert (found.external_id, found.details) == ("3", {"topic": "x"})

    def test_keeps_tool_calls_in_either_layout(self):
        calls = [
            {"function": {"name": "find", "arguments": '{"n": 1}'}},
            {"name": "find", "args": {"n": [2, {"m": 3}]}},
            {"name": "bad", "arguments": "no json"},
        ]
        found = conversations.read(
            {"messages": [{"role": "assistant", "content": None, "tool_calls": calls}]}
        )

        assert [one.name for one in found.tool_calls] == ["find", "find", "bad"]
        assert list(conversations.leaves(found.tool_calls[1].arguments)) == [
            ("n.0", 2),
            ("n.1.m", 3),
        ]
        assert [one.index for one in found.tool_calls] == [0, 1, 2]

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ({}, "no list of “messages”"),
            ({"messages": "hi"}, "not a list"),
            ({"messages": []}, "not a list"),
            ({"messages": ["hi"]}, "Message 1 is not an object"),
            ({"messages": [{"content": "x"}]}, "Message 1 has no role"),
            ({"messages": [{"role": "user", "content": {"x": 1}}]}, "Message 1 has “x”"),
            ({"messages": [{"role": "user", "content": "\ud800"}]}, "half a character"),
            ({"messages": [{"role": "user", "content": "x" * 2_000_001}]}, "longer than"),
            ({"messages": [{"role": "user", "content": "x"}] * 10_001}, "at most 10000"),
            ({"messages": [{"role": "user", "content": "x", "tool_calls": 1}]}, "not a list"),
            ({"messages": [{"role": "user", "content": "x", "tool_calls": [1]}]}, "not an object"),
            ({"messages": [{"role": "user", "content": "x", "tool_calls": [{}]}]}, "no name"),
            (said(("system", "Be kind.")), "no messages"),
        ],
    )
    def test_says_what_is_wrong(self, line, why):
        with pytest.raises(NoConversation, match=why):
            conversations.read(line)


class TestToolCalls:
    @pytest.mark.parametrize(
        ("given", "kept"), [("[1, 2]", {"": [1, 2]}), (3, {"": 3}), (None, {})]
    )
    def test_keep_arguments_that_are_no_object(self, given, kept):
        call = {"function": {"name": "f", "arguments": given}}
        found = conversations.read({"messages": [{"role": "assistant", "tool_calls": [call]}]})

        assert found.tool_calls[0].arguments == kept


class TestLeaves:
    def test_of_endless_nesting_end(self):
        deep = {}
        inner = deep
        for _ in range(5000):
            inner["a"] = {}
            inner = inner["a"]

        ((name, _value),) = conversations.leaves(deep)

        assert name.count(".") == conversations.MOST_DEPTH
