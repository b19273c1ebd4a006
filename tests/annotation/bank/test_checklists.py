import pytest

from annotation.bank import checklists
from annotation.bank.checklists import Checked, ChecklistLine

LINES = (
    ChecklistLine("correct", "The answer is right", "answer", "wrong"),
    ChecklistLine("new", "The bank has nothing like it", "turns", "duplicate"),
)
PASSED = (Checked("correct", "PASS"), Checked("new", "NOT_APPLICABLE"))


def failed(reason="wrong", field="answer", note="") -> tuple[Checked, ...]:
    return (Checked("correct", "FAIL", reason, field, note), PASSED[1])


class TestProblems:
    @pytest.mark.parametrize(("checked", "verdict"), [(PASSED, "ACCEPT"), (failed(), "RETURN")])
    def test_are_none_where_every_line_is_answered(self, checked, verdict):
        assert checklists.problems(LINES, checked, verdict) == {}

    @pytest.mark.parametrize("outcome", ["", "MAYBE", "pass"])
    def test_name_a_line_that_is_not_answered(self, outcome):
        checked = (Checked("correct", outcome), PASSED[1])

        found = checklists.problems(LINES, checked, "ACCEPT")

        assert found == {"correct": ["Say pass, fail or not applicable."]}

    def test_name_a_line_that_nothing_was_said_of(self):
        assert list(checklists.problems(LINES, PASSED[:1], "ACCEPT")) == ["new"]

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ({"reason": ""}, "Say why it fails."),
            ({"reason": "taste"}, "Say why it fails."),
            ({"field": ""}, "Say which field it is about."),
            ({"field": "author"}, "Say which field it is about."),
            ({"reason": "other"}, "Something else: say in words what it is."),
            ({"reason": "other", "note": "  "}, "Something else: say in words what it is."),
        ],
    )
    def test_ask_what_a_failed_line_lacks(self, given, problem):
        assert checklists.problems(LINES, failed(**given), "RETURN") == {"correct": [problem]}

    def test_take_something_else_with_words(self):
        assert checklists.problems(LINES, failed("other", note="Too long."), "RETURN") == {}

    def test_refuse_what_cannot_be_kept(self):
        long = (Checked("correct", "PASS", note="x" * 1001), PASSED[1])

        found = checklists.problems(LINES, long, "ACCEPT", note="x" * 10_001)

        assert list(found) == ["correct", "note"]

    @pytest.mark.parametrize("verdict", ["", "accept", "RETURNED"])
    def test_refuse_a_verdict_that_is_none(self, verdict):
        found = checklists.problems(LINES, failed(), verdict)

        assert found == {"verdict": ["Accept the question or return it."]}

    def test_refuse_to_accept_with_a_failed_line(self):
        found = checklists.problems(LINES, failed(), "ACCEPT")

        assert found == {"verdict": ["A line failed. Return the question, or change the line."]}

    def test_refuse_to_return_without_one(self):
        assert list(checklists.problems(LINES, PASSED, "RETURN")) == ["verdict"]

    def test_do_not_count_lines_of_another_checklist(self):
        strange = Checked("strange", "FAIL", "wrong", "answer")

        assert checklists.problems(LINES, (*PASSED, strange), "ACCEPT") == {}
        assert list(checklists.problems(LINES, (*PASSED, strange), "RETURN")) == ["verdict"]


class TestSuggested:
    STANDS = {
        "question": "What is it?",
        "answer": "A base.\nFlat.",
        "key_points": ["a base", "flat"],
        "principle": "",
    }

    def test_is_nothing_where_nothing_was_changed(self):
        as_a_form_sends_it = {
            "question": " What is it? ",
            "answer": "A base.\r\nFlat.\r\n",
            "key_points": ["a base", "", " flat "],
            "principle": "",
        }

        assert checklists.suggested(as_a_form_sends_it, self.STANDS) == {}

    def test_keeps_what_differs(self):
        given = {"question": "What for?", "key_points": ("a base",), "principle": "Be strict."}

        assert checklists.suggested(given, self.STANDS) == {
            "question": "What for?",
            "key_points": ["a base"],
            "principle": "Be strict.",
        }

    @pytest.mark.parametrize(
        "given", [{"key_points": "a base"}, {"answer": ""}, {"author": "me"}, {"question": None}]
    )
    def test_leaves_out_what_is_no_text_for_a_field(self, given):
        assert checklists.suggested(given, self.STANDS) == {}


class TestSuggestionProblems:
    def test_name_the_text_that_is_too_long(self):
        found = checklists.suggestion_problems(
            {"answer": "x" * 100_001, "key_points": ["x"], "question": "?"}
        )

        assert list(found) == ["suggest_answer"]

    def test_measure_key_points_together(self):
        assert list(checklists.suggestion_problems({"key_points": ["x" * 60_000] * 2}))


class TestDefault:
    def test_can_be_used_as_it_is(self):
        assert checklists.line_problems(checklists.DEFAULT) == {}

    def test_points_every_line_at_a_field(self):
        assert {line.field for line in checklists.DEFAULT} <= set(checklists.FIELDS)


class TestRows:
    def test_are_read_back_as_they_were_written(self):
        assert checklists.from_rows(checklists.rows(checklists.DEFAULT)) == checklists.DEFAULT

    def test_may_lack_what_has_a_usual_value(self):
        assert checklists.from_rows([{"key": "a", "text": "A"}]) == (
            ChecklistLine("a", "A", "", "other"),
        )


class TestLineProblems:
    def test_ask_for_a_line(self):
        assert list(checklists.line_problems([])) == ["lines"]

    def test_refuse_too_many(self):
        many = [ChecklistLine(f"line-{n}", "Something") for n in range(41)]

        assert list(checklists.line_problems(many)) == ["lines"]

    @pytest.mark.parametrize(
        ("line", "place"),
        [
            (ChecklistLine("b", " "), "lines.1.text"),
            (ChecklistLine("b", "x" * 301), "lines.1.text"),
            (ChecklistLine("a", "Twice"), "lines.1.key"),
            (ChecklistLine("", "Nameless"), "lines.1.key"),
            (ChecklistLine("b" * 41, "Long"), "lines.1.key"),
            (ChecklistLine("b", "Where", "author"), "lines.1.field"),
            (ChecklistLine("b", "Why", "answer", "taste"), "lines.1.reason"),
        ],
    )
    def test_say_which_line_and_what(self, line, place):
        assert list(checklists.line_problems([ChecklistLine("a", "Good"), line])) == [place]
