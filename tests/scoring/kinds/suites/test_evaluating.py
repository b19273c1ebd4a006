import pytest

from scoring.kinds.suites.protocol import catalogue, conversations, evaluating
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.conversations import Turn
from scoring.kinds.suites.protocol.definition import Dependency, Entry
from scoring.kinds.suites.protocol.writing import TALK

TALKED = conversations.read(TALK)


def entry(name, *depends, level=Level.TURN, **kwargs):
    return Entry("function", name, level, kwargs, tuple(depends))


def found(*entries, metrics=None):
    linked = evaluating.link(entries, metrics or catalogue.builtin())
    return evaluating.functions(TALKED, linked, metrics or catalogue.builtin())[0]


def of(findings, name):
    return [
        one.value if one.outcome == "SCORED" else one.reason for one in findings if one.name == name
    ]


class TestFunctions:
    def test_are_left_out_where_a_dependency_is_not_met(self):
        findings = found(
            entry("count_messages", Dependency("string_length", minimum=21, maximum=50))
        )

        assert of(findings, "count_messages") == [
            "“string_length” is 20, below 21.",
            "“string_length” is 59, above 50.",
            1,
        ]

    def test_look_at_what_a_part_lies_in(self):
        findings = found(
            entry(
                "count_numeric_tool_call_params_by_name",
                Dependency("is_role", kwargs={"role": "assistant"}, level="Turn", minimum=1),
                level=Level.TOOL_CALL,
            ),
            entry(
                "index_in_thread",
                Dependency("count_turns", level="Thread", minimum=9),
                level=Level.MESSAGE,
            ),
        )

        assert of(findings, "truck") == [1]
        assert of(findings, "index_in_thread") == ["“count_turns” is 3, below 9."] * 5

    def test_look_at_the_part_before(self):
        findings = found(
            entry("string_length", Dependency("count_messages", relative=-1, maximum=1))
        )

        assert of(findings, "string_length") == [
            "There is no Turn before this one to look at “count_messages” in.",
            59,
            "“count_messages” is 3, above 1.",
        ]

    def test_wait_for_values_by_name(self):
        by_name = Dependency(
            "count_messages_per_role", level="Thread", metric_name="tool", minimum=1
        )
        findings = found(
            entry("count_messages", by_name),
            entry("string_length", Dependency("count_messages_per_role", level="Thread")),
            entry("count_messages_per_role", level=Level.CONVERSATION),
            entry(
                "count_errors",
                Dependency("count_messages_per_role", level="Thread", metric_name="nobody"),
            ),
        )

        assert of(findings, "count_messages") == [1, 3, 1]
        assert "Say which by “metric_name”" in of(findings, "string_length")[0]
        assert "has no value “nobody”" in of(findings, "count_errors")[0]

    def test_say_why_there_is_no_value(self):
        findings = found(
            entry("latency"),
            entry("message_matches_regex", level=Level.MESSAGE, expression="("),
            entry("count_turns", Dependency("flesch_reading_ease"), level=Level.CONVERSATION),
        )

        assert of(findings, "latency")[0] == evaluating.NOTHING
        assert "no regular expression" in of(findings, "message_matches_regex")[0]
        assert of(findings, "count_turns") == [3]

    def test_that_stop_spoil_one_part_alone(self):
        def own(turn: Turn) -> float:
            return 1 / (turn.index - 1)

        def many(turn: Turn) -> object:
            return {str(number): number for number in range(101)}

        own_metrics = {
            one: catalogue.metric_of(f, one) for one, f in (("own", own), ("many", many))
        }

        findings = found(entry("own"), entry("many"), metrics=own_metrics)

        assert of(findings, "own") == [-1, "The metric stopped: ZeroDivisionError.", 1]
        assert of(findings, "many") == ["More than 100 values in one place."] * 3


class TestNeeded:
    def test_follows_dependencies_of_dependencies(self):
        linked = evaluating.link(
            [
                entry("latency", Dependency("string_length")),
                entry("string_length", Dependency("count_messages")),
                entry("count_errors"),
            ],
            catalogue.builtin(),
        )

        assert evaluating.needed(linked, [0]) == {1, 3}
        assert evaluating.needed(linked, [2]) == set()


class TestPlaceOf:
    @pytest.mark.parametrize(
        ("level", "place"), [(Level.CONVERSATION, 0), (Level.TURN, 1), (Level.MESSAGE, 1)]
    )
    def test_finds_what_a_tool_call_lies_in(self, level, place):
        call = TALKED.tool_calls[0]

        assert evaluating.place_of(TALKED, call, level) == place
