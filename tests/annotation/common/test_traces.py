import json

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import identity, parts, texts, traces


def call(name, arguments, own=""):
    function = {"name": name, "arguments": arguments}
    return {"function": function, **({"id": own} if own else {})}


def says(content="", *calls, **more):
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def gives(content, own="", **more):
    return {"role": "tool", "content": content, **({"tool_call_id": own} if own else {}), **more}


ASKS = {"role": "user", "content": "How deep is it?"}
WORDS = st.text(
    st.sampled_from("ab \t\n\r\u00a0\u0301\u200d\u202e\u2028“*#😀\ufe0f1\u20e3"), max_size=12
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": WORDS}
    ),
    min_size=1,
    max_size=4,
)


class TestLaidOut:
    @given(messages=MESSAGES)
    def test_is_the_text_that_it_was_before_calls_were_shown(self, messages):
        turns = [f"**{texts.ROLES[one['role']]}**\n\n{texts.spoken(one)}" for one in messages]
        before = texts.spoken(messages[0]) if len(messages) == 1 else "\n\n".join(turns)

        assert texts.conversation(messages) == texts.normalise(before)

    @given(messages=MESSAGES)
    def test_finds_in_its_text_what_everybody_says(self, messages):
        text, pieces = texts.laid_out(messages)

        found = [text[one.start : one.end].strip() for one in pieces]
        assert found == [texts.normalise(texts.spoken(one)) for one in messages]

    def test_holds_name_and_arguments_of_every_call(self):
        text, pieces = texts.laid_out(
            [says("I look.", call("depth", '{"berth": 4, "at": "x\\ny"}'))]
        )

        said = [(one.kind, text[one.start : one.end]) for one in pieces]
        assert said == [
            ("content", "I look."),
            ("tool", "depth"),
            ("key", "berth:"),
            ("value", "4"),
            ("key", "at:"),
            ("value", "x\ny"),
        ]

    def test_tells_a_number_from_a_text_that_looks_like_one(self):
        assert [texts.literal(one) for one in (4, "4", None, True, [])] == [
            "4",
            '"4"',
            "null",
            "true",
            "[]",
        ]

    def test_says_so_where_data_are_too_deep_to_be_written(self):
        deep: list[object] = []
        for _ in range(20_000):
            deep = [deep]

        assert "too deeply" in texts.literal(deep)


class TestTied:
    def test_go_by_ids_whatever_their_order(self):
        messages = [
            ASKS,
            says("", call("a", "{}", "1"), call("b", "{}", "2")),
            gives("of b", "2"),
            gives("of a", "1"),
        ]

        assert parts.tied(messages) == {(1, 0): 3, (1, 1): 2}

    def test_go_in_order_and_by_name_where_there_are_no_ids(self):
        messages = [
            says("", call("wind", "{}"), call("tide", "{}")),
            gives("high", name="tide"),
            gives("31 knots"),
        ]

        assert parts.tied(messages) == {(0, 1): 1, (0, 0): 2}

    @pytest.mark.parametrize(
        "messages",
        [
            [says("", call("a", "{}", "1")), gives("of another", "2")],
            [says("", call("a", "{}")), ASKS, gives("too late")],
            [gives("out of nowhere", "1")],
        ],
    )
    def test_leave_a_result_alone_whose_call_is_not_known(self, messages):
        assert parts.tied(messages) == {}
        assert "Tool result" in traces.html(messages)


class TestEntries:
    def test_put_a_result_under_its_call(self):
        (entry,) = traces.entries([says("", call("depth", "{}", "1")), gives("12 m", "1")])

        assert entry.html.index("depth") < entry.html.index("12 m")

    def test_say_that_a_tool_failed_and_that_another_gave_nothing(self):
        messages = [
            says("", call("a", "{}", "1"), call("b", "{}", "2")),
            gives("berth taken", "1", error=True),
        ]

        shown = traces.html(messages)

        assert shown.count("Error") == 1
        assert (
            shown.index("Error") < shown.index("berth taken") < shown.index("no result up to here")
        )

    def test_show_arguments_that_are_no_object_as_they_are_written(self):
        shown = traces.html([says("", call("a", "{not json"))])

        assert "as written" in shown
        assert "{not json" in shown

    @pytest.mark.parametrize(
        "hostile", ["<script>alert(1)</script>", "</pre><img src=x onerror=y>"]
    )
    def test_let_no_markup_through_wherever_it_stands(self, hostile):
        messages = [
            {"role": "user", "content": hostile},
            says(hostile, call(hostile, json.dumps({hostile: {"inner": [hostile]}}), "1")),
            gives(json.dumps([hostile]), "1"),
            {"role": hostile, "content": hostile},
        ]

        shown = traces.html(messages)

        assert "<script" not in shown
        assert "<img" not in shown

    def test_fold_what_is_long_but_not_what_is_graded(self):
        long = "A word of many. " * 200
        messages = [{"role": "user", "content": long}, {"role": "assistant", "content": long}]

        graded, context = traces.entries(messages, graded=True), traces.entries(messages)

        assert [one.is_folded for one in graded] == [True, False]
        assert [one.is_folded for one in context] == [True, True]
        assert traces.html(messages).count("<details>") == 1

    def test_fold_every_system_prompt_and_long_arguments_and_results(self):
        messages = [
            {"role": "system", "content": "Be kind."},
            says("", call("a", json.dumps({"x": "y" * 500}), "1")),
            gives("line\n" * 30, "1"),
        ]

        assert traces.html(messages).count("<details>") == 3

    def test_show_an_image_as_a_placeholder(self):
        shown = traces.html([{"role": "user", "content": "[image: https://example.org/a.png]"}] * 2)

        assert "https://example.org/a.png" in shown
        assert "<img" not in shown
        assert "[image" not in shown


class TestCoveredNames:
    def test_are_covered_wherever_they_stand_and_nothing_else_is(self):
        messages = [
            says("Kestrel looks.", call("ask_Kestrel", '{"Kestrel": "by Kestrel", "n": 4}', "1")),
            gives('{"from": "Kestrel", "depth": 12}', "1"),
            {"role": "assistant", "content": "12 metres."},
        ]
        hits = identity.scan(texts.conversation(messages), identity.Lexicon(["Kestrel"]))

        shown = traces.html(messages, [(one.start, one.end) for one in hits])

        assert "Kestrel" not in shown
        assert shown.count(identity.MASK) == len(hits) == 5
        for kept in ("looks.", "depth", "12 metres."):
            assert kept in shown

    def test_are_covered_where_one_place_reaches_over_several_parts(self):
        messages = [says("Kes", call("trel", "{}")), gives("kept")]
        text = texts.conversation(messages)

        shown = traces.html(messages, [(text.index("Kes"), text.index("trel") + 4)])

        assert "Kes" not in shown
        assert "trel" not in shown
        assert "kept" in shown


class TestWorded:
    def test_says_the_labels_of_what_was_kept_in_the_language_of_its_reader(self):
        with translation.override("de"):
            kept = traces.html([ASKS, says("[image: a.png]")])

        assert "User" in kept
        assert "Benutzer" not in kept
        with translation.override("de"):
            assert "Benutzer" in traces.worded(kept)
            assert "Bild" in traces.worded(kept)
        assert traces.worded(kept).count("User") == 1
        assert "data-word" not in traces.worded(kept)

    def test_counts_and_leaves_alone_what_it_does_not_know(self):
        assert traces.worded(traces.word("characters", 1)) == "1 character"
        assert traces.worded(traces.word("arguments", 3)) == "3 arguments"
        assert traces.worded('<span data-word="odd">&lt;b&gt;</span>').endswith("&lt;b&gt;</span>")
