import json

from scoring.kinds.suites.protocol import tools_v1
from scoring.llm.base import ToolCall


def call(own, at, name="map"):
    given = json.dumps({"gate": at})
    return {"id": own, "type": "function", "function": {"name": name, "arguments": given}}


def gave(content, **given):
    return {"role": "tool", "content": content, **given}


TALK = [
    {"role": "user", "content": "Where are they?"},
    {"role": "assistant", "content": None, "tool_calls": [call("a", 1), call("b", 2)]},
    gave("west", tool_call_id="b"),
    gave("east", tool_call_id="a"),
    {"role": "assistant", "content": "Here.", "tool_calls": [call("c", 3)]},
    gave("north"),
]


class TestResults:
    def test_belong_to_calls_by_id_else_by_order(self):
        found = tools_v1.results(TALK)

        assert [(one.arguments["gate"], one.content) for one in found] == [
            (2, "west"),
            (1, "east"),
            (3, "north"),
        ]

    def test_belong_to_calls_by_name_where_ids_are_missing(self):
        calls = [call("", 1), call("", 2, "tide")]
        talk = [{"role": "assistant", "content": "", "tool_calls": calls}, gave("low", name="tide")]

        assert [one.name for one in tools_v1.results(talk)] == ["tide"]

    def test_without_a_call_are_nobodys(self):
        assert tools_v1.results([TALK[0], gave("alone")]) == []


class TestRecorded:
    def given(self, *asked):
        recorded = tools_v1.Recorded(tools_v1.results(TALK))
        calls = [ToolCall("x", name, arguments) for name, arguments in asked]
        return [recorded.results([one]) for one in calls]

    def test_gives_the_result_of_the_same_call_again_and_again(self):
        found = self.given(("map", '{"gate": 1}'), ("map", '{ "gate":1 }'))

        assert [one["content"] for made, _missing in found for one in made] == ["east", "east"]
        assert {one["recorded"] for made, _missing in found for one in made} == {"same"}

    def test_gives_the_next_result_of_the_tool_and_says_that_it_is_another_calls(self):
        found = self.given(("map", '{"gate": 9}'), ("map", "gate nine"))

        assert [(one["content"], one["recorded"]) for made, _missing in found for one in made] == [
            ("west", "other"),
            ("east", "other"),
        ]

    def test_names_a_tool_that_has_none(self):
        assert self.given(("tide", "{}")) == [([], "tide")]
