import ast
import json

import pytest

from scoring.kinds.suites.protocol import catalogue, conversations
from scoring.kinds.suites.protocol.catalogue import BadArguments, Level, NoSuchMetric
from scoring.kinds.suites.protocol.conversations import Turn
from scoring.kinds.suites.protocol.writing import EXAMPLES

METRICS = catalogue.builtin()


def place(row):
    return {"Thread": 0, "Turn": row["turn"], "Message": row["message"]}[row["level"]]


def at(conversation, level, number):
    return list(catalogue.parts(conversation, level))[number]


class TestBuiltin:
    def test_has_an_example_of_each(self):
        assert set(EXAMPLES) == set(METRICS)
        assert all(one.about for one in METRICS.values())

    @pytest.mark.parametrize("name", [one for one in EXAMPLES if not METRICS[one].asks])
    def test_gives_what_its_example_says(self, name):
        example = EXAMPLES[name]
        talk = conversations.read(example.conversation)
        part = at(talk, example.level, example.place)

        found = METRICS[name].measure(part, example.kwargs, talk)

        assert found == pytest.approx(dict(example.value), abs=0.01)

    def test_gives_the_known_values_of_the_reference_program(self, golden):
        folder = golden / "flexeval"
        lines = (folder / "own_fixture.jsonl").read_text().splitlines()
        known = {one["id"]: conversations.read(one) for one in map(json.loads, lines)}
        rows = json.loads((folder / "own_expected.json").read_text())["rows"]
        apart, wrong = [], []
        for row in rows:
            level = Level(row["level"])
            part = at(known[row["conv"]], level, place(row))
            found = METRICS[row["name"]].measure(part, ast.literal_eval(row["kwargs"]))
            value = found.get(row["metric"])
            if row["name"] == "count_emojis":
                continue  # theirs counts runs, and Chinese characters: see the next test
            if row["name"].startswith("flesch"):
                # Theirs calls the ease of nothing 0; ours is undefined without English words.
                if value is not None:
                    apart.append(abs(value - row["value"]))
                elif row["conv"] not in {"cjk", "empty"}:
                    wrong.append(row)
            elif value != row["value"]:
                wrong.append(row | {"ours": found})

        assert len(rows) == 526
        assert wrong == []
        assert sum(apart) / len(apart) <= 4
        assert len(apart) == 86

    def test_take_a_call_of_a_tool_and_any_argument_where_flexeval_does(self):
        call = {"id": "c", "function": {"name": "locate", "arguments": '{"truck": 7}'}}
        talk = conversations.read(
            {"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}
        )
        (part,) = catalogue.parts(talk, Level.TOOL_CALL)

        found = {
            name: METRICS[name].measure(part, {"note": "x"}, talk)
            for name in ("identity", "constant")
        }

        assert found["identity"] == {'locate({"truck": 7})': 1}
        assert found["constant"] == {"constant": 0}
        assert METRICS["count_errors"].measure(part, {}, talk) == {"count_errors": 0}
        with pytest.raises(BadArguments, match="no parameter “note”"):
            METRICS["string_length"].check(Level.TURN, {"note": "x"})

    def test_counts_emoji_as_readers_see_them(self, golden):
        lines = (golden / "flexeval" / "own_fixture.jsonl").read_text().splitlines()
        known = {one["id"]: conversations.read(one) for one in map(json.loads, lines)}

        count = METRICS["count_emojis"].measure

        assert count(known["emoji"], {}) == {"count_emojis": 4}
        assert count(known["cjk"], {}) == {"count_emojis": 0}


class TestMetricOf:
    def test_finds_levels_by_the_type_of_the_first_parameter(self):
        def of_text(text: str) -> int:
            return 1

        def of_turn(turn: Turn) -> int:
            return 1

        assert catalogue.metric_of(of_text).levels == catalogue.SPOKEN
        assert catalogue.metric_of(of_turn).levels == {Level.TURN}

    def test_refuses_a_function_over_something_else(self):
        def wrong(number: int) -> int:
            return 1

        with pytest.raises(BadArguments, match="first parameter of “wrong”"):
            catalogue.metric_of(wrong)


class TestCheck:
    @pytest.mark.parametrize(
        ("name", "level", "kwargs", "why"),
        [
            (
                "is_role",
                Level.CONVERSATION,
                {"role": "user"},
                "works at the level of Message, Turn",
            ),
            ("is_role", Level.TURN, {}, "needs “role”"),
            ("is_role", Level.TURN, {"role": "user", "rule": 1}, "no parameter “rule”"),
        ],
    )
    def test_says_what_a_metric_takes(self, name, level, kwargs, why):
        with pytest.raises(BadArguments, match=why):
            METRICS[name].check(level, kwargs)


class TestMeasure:
    @pytest.mark.parametrize(
        ("made", "values"),
        [
            (True, {"own": 1}),
            (None, {"own": None}),
            ({"a": 1, "b": None}, {"a": 1, "b": None}),
            ([{"name": "a", "value": 2}], {"a": 2}),
        ],
    )
    def test_takes_numbers_dicts_and_lists_of_named_values(self, made, values):
        def own(text: str) -> object:
            return made

        talk = conversations.read(EXAMPLES["identity"].conversation)

        assert catalogue.metric_of(own).measure(talk, {}) == values

    @pytest.mark.parametrize("made", ["text", float("nan"), [1], {"a": "b"}])
    def test_refuses_what_is_no_number(self, made):
        def own(text: str) -> object:
            return made

        talk = conversations.read(EXAMPLES["identity"].conversation)

        with pytest.raises(BadArguments, match="“own” returned"):
            catalogue.metric_of(own).measure(talk, {})


class TestFind:
    def test_names_one_that_is_alike(self):
        assert catalogue.find("latency", METRICS).name == "latency"
        with pytest.raises(NoSuchMetric, match="Did you mean “count_turns”"):
            catalogue.find("CountTurns", METRICS)
        with pytest.raises(NoSuchMetric, match="no function metric “nothing”"):
            catalogue.find("nothing", METRICS)
