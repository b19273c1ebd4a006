import pytest

from scoring.llm.base import Message, Role
from scoring.llm.scripted import reading

CODE = "0123456789abcdef0123"


def asked(text, system="", role=None):
    first = (Message("system", system),) if system else ()
    return reading.SeenRequest((*first, Message("user", text)), role=role)


def fenced(name, text):
    return f"<<<BEGIN {name} {CODE}>>>\n{text}\n<<<END {name} {CODE}>>>"


class TestWithoutMarks:
    def test_leaves_what_stands_between_and_no_word_of_a_code(self):
        text = f"Ask now.\n{fenced('ANSWER', 'It holds.')}\nNo comments."

        assert reading.without_marks(text).split() == [
            "Ask",
            "now.",
            "It",
            "holds.",
            "No",
            "comments.",
        ]


class TestJudgedText:
    def test_is_the_answer_between_its_delimiters(self):
        prompt = "\n".join(
            [
                "<<<BEGIN and <<<END mark it.",
                fenced("QUESTION", "Why?"),
                fenced("ANSWER", "So.\n\nYes."),
            ]
        )

        assert reading.judged_text(asked(prompt)) == "So.\n\nYes."

    def test_is_what_the_system_says_in_a_conversation(self):
        said = ["ANSWER ASSISTANT 1", "ANSWER USER 2", "ANSWER ASSISTANT 3"]
        prompt = "\n\n".join(fenced(name, name.lower()) for name in said)

        assert reading.judged_text(asked(prompt)) == "answer assistant 1\nanswer assistant 3"

    def test_is_still_the_answer_when_a_repair_is_asked_for(self):
        repaired = reading.SeenRequest(
            (
                Message("user", fenced("ANSWER", "So.")),
                Message("assistant", "?"),
                Message("user", "Once more."),
            )
        )

        assert reading.judged_text(repaired) == "So."

    def test_is_the_whole_message_where_there_is_no_delimiter(self):
        assert reading.judged_text(asked("all of it")) == "all of it"


class TestReferenceOf:
    @pytest.mark.parametrize(
        "prompt",
        [
            "Reference answer: forty\ntwo\n\nThe response",
            "## Standard answer\nforty\ntwo\n\n## Response",
            "参考答案：forty\ntwo\n\n",
            fenced("REFERENCE", "forty\ntwo"),
        ],
    )
    def test_is_what_follows_the_heading(self, prompt):
        assert reading.reference_of(asked(prompt)) == "forty\ntwo"

    def test_is_empty_where_there_is_none(self):
        assert reading.reference_of(asked("Why?")) == ""


class TestTaskOf:
    @pytest.mark.parametrize(
        ("system", "text", "role", "task"),
        [
            ("You are an expert interviewer.", "x", Role.INTERACTOR, reading.ScriptedTask.ASK),
            ("Solve it.", "x", Role.INTERACTOR, reading.ScriptedTask.ANSWER),
            ("You are an evaluator of an interview.", "x", None, reading.ScriptedTask.JUDGE),
            ("", "Give a score to this.", Role.JUDGE, reading.ScriptedTask.JUDGE),
            ("You are an expert interviewer.", "x", None, reading.ScriptedTask.ASK),
            ("Write a plan for this.", "x", None, reading.ScriptedTask.PLAN),
            ("You score answers.", "x", None, reading.ScriptedTask.JUDGE),
            ("Solve it.", "x", Role.EVALUATOR, reading.ScriptedTask.ANSWER),
            ("", "How do they score in rugby?", None, reading.ScriptedTask.ANSWER),
            ("You score answers.", "x", Role.CANDIDATE, reading.ScriptedTask.ANSWER),
        ],
    )
    def test_is_read_from_the_words_and_then_from_the_role(self, system, text, role, task):
        assert reading.task_of(asked(text, system, role)) is task


class TestChoicesOf:
    def test_are_the_letters_at_the_beginnings_of_lines(self):
        assert reading.choices_of("Which?\n(A) x\n B. y\nC、z") == {"A": "x", "B": "y", "C": "z"}

    def test_are_none_where_there_is_a_single_one(self):
        assert reading.choices_of("A. Smith wrote it.") == {}


class TestIsChinese:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("为什么?", True),
            ("Why?", False),
            ("Why 彩 is written so and not other", False),
            ("", False),
        ],
    )
    def test_counts_signs_against_words(self, text, expected):
        assert reading.is_chinese(text) is expected
