import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common.scales import Scale
from scoring.protocols import reading
from scoring.protocols.reading import Unreadable, Wanted
from tests.scoring.protocols import hostile

FIVE = Scale(Decimal(1), Decimal(5), Decimal(1))
HALVES = Scale(Decimal(1), Decimal(5), Decimal("0.5"))
SHARE = Scale(Decimal(0), Decimal(1))
TEN = Scale(Decimal(1), Decimal(10), Decimal(1))
LABELS = {"poor": Decimal(1), "Fair": Decimal(3), "Very good": Decimal(5)}


def wanted(scale=FIVE, key="accuracy", name="Accuracy", labels=None):
    return Wanted(key, name, scale, labels or {})


BOTH = (wanted(), wanted(key="fluency", name="Wording and flow"))


def said(reply, *criteria):
    found = reading.scores(reply, criteria or (wanted(),))
    return {key: one.value for key, one in found.items()}


class TestValue:
    @pytest.mark.parametrize(
        ("raw", "scale", "value"),
        [
            (4, FIVE, "4"),
            (4.0, FIVE, "4"),
            ("4", FIVE, "4"),
            (" **4** ", FIVE, "4"),
            ("4/5", FIVE, "4"),
            ("4 / 5", FIVE, "4"),
            ("4 out of 5", FIVE, "4"),
            ("4.5 (out of 5)", HALVES, "4.5"),
            ("4,5", HALVES, "4.5"),
            ("4,5/5", HALVES, "4.5"),
            ("Score: 4", FIVE, "4"),
            ("score is 4.", FIVE, "4"),
            ("[[4]]", FIVE, "4"),
            ("４", FIVE, "4"),
            ("4分", FIVE, "4"),
            ("4 points", FIVE, "4"),
            ("“4”", FIVE, "4"),
            ("10", TEN, "10"),
            ("1", TEN, "1"),
            ("80 %", Scale(Decimal(0), Decimal(100)), "80"),
            (".25", SHARE, "0.25"),
            (0, SHARE, "0"),
        ],
        ids=repr,
    )
    def test_reads_a_score_as_people_write_it(self, raw, scale, value):
        assert reading.value(raw, wanted(scale)) == Decimal(value)

    @pytest.mark.parametrize(
        ("raw", "value"),
        [("Fair", "3"), ("very GOOD.", "5"), ("3 (Fair)", "3"), ("5 – very good", "5")],
    )
    def test_reads_the_words_of_a_level(self, raw, value):
        assert reading.value(raw, wanted(labels=LABELS)) == Decimal(value)

    @pytest.mark.parametrize(
        "raw",
        [
            0, 6, -1, 3.5, "3.5", "0", "6", "999", "4/10", "8/10", "80%", "3 (very good)", "4 or 5",
            "4-5", "3 to 4", "", "good", "N/A", None, True, [4], {"a": 4}, "1,000", "1e3", "NaN", "inf",
            float("nan"), float("inf"), "9" * 60, "IV", "+-4", "4/5/5", "not 4",
        ],
        ids=repr,
    )  # fmt: skip
    def test_takes_nothing_that_is_no_value_of_the_scale(self, raw):
        with pytest.raises(Unreadable):
            reading.value(raw, wanted(labels=LABELS))

    @given(st.text(max_size=40) | st.floats() | st.integers())
    def test_gives_nothing_outside_the_scale_whatever_comes(self, raw):
        try:
            value = reading.value(raw, wanted())
        except Unreadable:
            return

        assert value in FIVE.levels()


class TestObjects:
    @pytest.mark.parametrize(
        "text",
        [
            '{"a": 1}',
            '```json\n{"a": 1}\n```',
            'Here it is:\n{"a": 1}\nI hope that helps.',
            '{"a": 1,}',
            '{see below}\n{"a": 1}',
        ],
    )
    def test_finds_an_object_whatever_stands_around_it(self, text):
        assert reading.objects(text) == [{"a": 1}]

    def test_takes_only_outermost_objects_and_all_of_them(self):
        assert reading.objects('{"a": {"b": 1}} and {"c": "}"}') == [{"a": {"b": 1}}, {"c": "}"}]

    @pytest.mark.parametrize("text", ['{"a": 1', "{'a': 1}", '{"a": 1, "a": 2}', "{" * 9_999, ""])
    def test_finds_none_where_there_is_none(self, text):
        assert reading.objects(text) == []


class TestScores:
    def test_reads_the_form_that_was_asked_for(self):
        reply = json.dumps(
            {
                "accuracy": {"reasoning": "Right.", "score": 4},
                "fluency": {"reasoning": "Stiff.", "score": 2},
            }
        )

        found = reading.scores(reply, BOTH)

        assert {key: (one.value, one.text) for key, one in found.items()} == {
            "accuracy": (4, "Right."),
            "fluency": (2, "Stiff."),
        }

    @pytest.mark.parametrize(
        "reply",
        [
            '{"accuracy": 4, "fluency": "2/5"}',
            '{"scores": {"accuracy": 4, "Wording and flow": 2}}',
            '[{"x": 1}] {"criteria": [{"criterion": "Accuracy", "score": 4}, {"name": "fluency", "rating": 2}]}',
            'First {"accuracy": {"score": 4}}, then {"fluency": {"score": 2}}.',
            "Accuracy: 4\nWording and flow: 2/5",
            "**Accuracy**: 4 – mostly right\n**Wording and flow**: 2, because it is stiff.",
            "## accuracy\nReasoning: Right in all.\nScore: 4\n\n## fluency\nReasoning: Stiff.\nScore: 2",
            "1. Accuracy\nScore: **4**\n2. Wording and flow\nScore: 2 out of 5",
            "accuracy：4\nfluency：2",
        ],
    )
    def test_reads_other_forms_too(self, reply):
        assert said(reply, *BOTH) == {"accuracy": 4, "fluency": 2}

    @pytest.mark.parametrize(
        ("reply", "values"),
        [
            ("### Accuracy\nScore: 4/5\n### Wording and flow\nScore: 2,0", (4, 2)),
            ("**Accuracy**\n- Score: 4.0 (out of 5)\n**Wording and flow**\n- Score: 2", (4, 2)),
            ("## accuracy\nExplanation: 2 of 3 facts.\nScore: 4\n## fluency\nScore: 2", (4, 2)),
            ("## accuracy\nScore: 4\n## fluency\nExplanation: stiff.", (4, None)),
            ("## accuracy\nScore: 4\n## fluency\nScore: 7", (4, None)),
            ("## accuracy\nScore: 4\n## fluency\nScore: 2\n## accuracy\nScore: 4", (4, 2)),
            ("## accuracy\nScore: 4\n## fluency\nScore: 2\n## accuracy\nScore: 5", (None, 2)),
            ("## accuracy\nScore: 0\n## fluency\nScore: –", (None, None)),
        ],
        ids=lambda given: repr(given)[-40:],
    )
    def test_reads_headings_however_they_are_written_and_guesses_nothing(self, reply, values):
        assert said(reply, *BOTH) == dict(zip(("accuracy", "fluency"), values, strict=True))

    @pytest.mark.parametrize(
        "reply", ["4", "Score: 4", "Explanation: fine.\nScore: 4/5", '{"score": 4}']
    )
    def test_needs_no_name_where_there_is_one_criterion(self, reply):
        assert said(reply) == {"accuracy": 4}

    def test_keeps_the_reasons_of_a_reply_in_words(self):
        found = reading.scores("Explanation: It is right.\nScore: 4", [wanted()])

        assert found["accuracy"].text == "It is right."

    @pytest.mark.parametrize(
        ("reply", "problem"),
        [
            ('{"accuracy": {"reasoning": "x", "score": 9}}', "not on the scale"),
            ('{"accuracy": {"reasoning": "x"}}', "no number"),
            ('{"accuracy": 4} {"accuracy": 5}', "two different"),
            ('{"fluency": 4}', "no score"),
            ("Score: 4\nScore: 5", "no score"),
            ("It depends.", "no score"),
            ("", "missing"),
            ('{"accuracy": {"score": 4, "score": 5}}', "no score"),
        ],
    )
    def test_says_why_there_is_no_reading(self, reply, problem):
        found = reading.scores(reply, [wanted()])["accuracy"]

        assert found.value is None
        assert problem in found.problem

    def test_one_criterion_without_a_reading_spoils_no_other(self):
        assert said('{"accuracy": 4, "fluency": "high"}', *BOTH) == {"accuracy": 4, "fluency": None}

    @pytest.mark.parametrize("text", hostile.ALL, ids=lambda text: repr(text[:30]))
    def test_gives_no_value_outside_the_scale_when_a_judge_repeats_a_hostile_answer(self, text):
        found = said(text, *BOTH)

        assert all(value is None or value in FIVE.levels() for value in found.values())


class TestDeclines:
    @pytest.mark.parametrize(
        "reply",
        [
            "I'm sorry, but I cannot assess this.",
            "I can’t help with that.",
            "抱歉，我无法对此评分。",
        ],
    )
    def test_knows_a_refusal(self, reply):
        assert reading.declines(reply)

    @pytest.mark.parametrize("reply", ["It depends.", '{"accuracy": "I cannot tell"}', ""])
    def test_takes_nothing_else_for_one(self, reply):
        assert not reading.declines(reply)
