import json

import pytest

from annotation.common import identity
from annotation.files.answers import AnswersReader
from annotation.files.cells import FileProblem, FileRecord
from annotation.files.mappings import AnswerMapping, ColumnTarget
from annotation.people.rules import Masks


def reader(*places, **options):
    return AnswersReader(AnswerMapping(tuple(ColumnTarget(*place) for place in places), **options))


def codes(row):
    return [(one.code, one.column) for one in row.problems]


WIDE = (("q", "question"), ("a", "answer", "K"), ("b", "answer", "H", "v2"))


class TestReader:
    def test_reads_a_wide_row(self):
        row = reader(*WIDE).read(FileRecord(2, {"q": "What?", "a": "It.", "b": " "}))

        assert [(one.system, one.release, one.sample_no) for one in row.answers] == [("K", "1", 1)]
        assert row.n_empty == 1
        assert row.question.external_id.startswith("q-")

    def test_takes_an_empty_text_in_a_row_of_its_own_for_an_answer(self):
        long = reader(("q", "question"), ("s", "system"), ("r", "response"))

        row = long.read(FileRecord(2, {"q": "What?", "s": "K", "r": ""}))
        none = long.read(FileRecord(3, {"q": "What?", "s": "K", "r": None}))

        assert [one.messages for one in row.answers] == [[{"role": "assistant", "content": ""}]]
        assert [(one.code, one.warning) for one in row.problems] == [("empty_response", True)]
        assert (none.answers, none.n_empty) == ([], 1)

    def test_keeps_several_reference_texts_with_the_question(self):
        wanted = reader(*WIDE, ("refs", "references"))

        two = wanted.read(FileRecord(2, {"q": "What?", "refs": ["One.", "Two."]})).question
        none = wanted.read(FileRecord(3, {"q": "What?", "refs": None})).question

        assert two.extra == {"references": ["One.", "Two."]}
        assert none.extra == {}
        assert two.content_sha != none.content_sha
        assert two.prompt_sha == none.prompt_sha

    @pytest.mark.parametrize("target", ["response_details", "ignore"])
    @pytest.mark.parametrize("column", ["scripted", "Scripted", "details.scripted"])
    @pytest.mark.parametrize(
        ("cell", "marked"),
        [(True, True), ("TRUE", True), ("1", True), (False, None), ("false", None), ("", None)],
    )
    def test_marks_what_a_file_says_a_script_wrote(self, target, column, cell, marked):
        marking = reader(*WIDE, (column, target))

        row = marking.read(FileRecord(2, {"q": "What?", "a": "It.", column: cell}))

        found = row.answers[0].details.get("scripted")
        assert (found is True) is bool(marked)

    def test_takes_the_release_of_the_column(self):
        row = reader(*WIDE).read(FileRecord(2, {"q": "What?", "a": "", "b": "It."}))

        assert [(one.system, one.release) for one in row.answers] == [("H", "v2")]

    def test_hands_the_problems_of_a_broken_row_on(self):
        row = reader(*WIDE).read(FileRecord(2, {}, (FileProblem("too_few_cells", 2),)))

        assert codes(row) == [("too_few_cells", "")]
        assert row.question is None

    def test_needs_the_question_or_a_name_for_it(self):
        assert codes(reader(*WIDE).read(FileRecord(2, {"q": ""}))) == [("empty_cell", "q")]

    def test_gives_equal_content_an_equal_fingerprint(self):
        places = (("q", "question"), ("k", "key_points"), ("x", "question_details"))
        cells = {"q": "What?", "k": "a | b", "x": 1}
        first = reader(*places).read(FileRecord(2, cells)).question
        second = reader(*places).read(FileRecord(9, {**cells, "k": ["a", "b"]})).question
        third = reader(*places).read(FileRecord(9, {**cells, "k": ["a"]})).question

        assert first.content_sha == second.content_sha != third.content_sha
        assert first.prompt_sha == third.prompt_sha

    def test_names_the_system_for_the_whole_file(self):
        long = (("q", "question"), ("r", "response"))
        row = reader(*long, system="K", release="7").read(FileRecord(2, {"q": "What?", "r": "It."}))

        assert [(one.system, one.release) for one in row.answers] == [("K", "7")]

    def test_takes_an_answer_of_several_messages(self):
        said = [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]
        row = reader(*WIDE, whole_conversation=True).read(FileRecord(2, {"q": "What?", "a": said}))

        assert row.answers[0].messages == said

    def test_tells_a_cell_that_cannot_be_used(self):
        row = reader(*WIDE).read(FileRecord(2, {"q": "What?", "a": "x\x00"}))

        assert codes(row) == [("zero_byte", "a")]
        assert row.answers == []


CHAT = [
    {"role": "system", "content": "You are Pine of Harbour Labs."},
    {"role": "user", "content": "What is a quay?"},
    {"role": "assistant", "content": "I look it up.", "tool_calls": [{"name": "find"}]},
    {"role": "tool", "content": "wall"},
    {"role": "assistant", "content": "A wall by the water."},
]


class TestAnswersInMessages:
    PLACES = (
        ColumnTarget("id", "external_id"),
        ColumnTarget("q", "question"),
        ColumnTarget("a", "answer", system="Pine"),
    )

    def read(self, answer, **options):
        cells = {"id": "1", "q": "What is a quay?", "a": answer}
        return AnswersReader(AnswerMapping(self.PLACES, **options)).read(FileRecord(1, cells))

    @pytest.mark.parametrize("answer", [CHAT, json.dumps(CHAT)])
    def test_are_the_last_one_of_the_assistant(self, answer):
        (found,) = self.read(answer).answers

        assert found.messages == [{"role": "assistant", "content": "A wall by the water."}]
        assert [one["role"] for one in found.details["a"]] == [one["role"] for one in CHAT]

    def test_are_whole_conversations_where_that_is_said(self):
        (found,) = self.read(CHAT, whole_conversation=True).answers

        assert len(found.messages) == len(CHAT)

    def test_need_an_assistant(self):
        row = self.read(CHAT[:2])

        assert row.answers == []
        assert [one.code for one in row.problems] == ["no_answer_in_it"]

    @pytest.mark.parametrize("role", ["system", "user", "tool"])
    def test_need_an_assistant_where_there_is_one_message(self, role):
        row = self.read([{"role": role, "content": "You are Pine of Harbour Labs."}])

        assert row.answers == []
        assert [one.code for one in row.problems] == ["no_answer_in_it"]

    def test_are_none_that_hold_only_reasoning(self):
        thinks = {"role": "assistant", "content": "<think>Is that all?</think>"}

        (found,) = self.read([*CHAT, thinks]).answers
        none = self.read([CHAT[1], thinks])

        assert found.messages == [{"role": "assistant", "content": "A wall by the water."}]
        assert [one.code for one in none.problems] == ["no_answer_in_it"]

    @pytest.mark.parametrize("form", [list, json.dumps])
    def test_keep_parts_that_are_reasoning_in_the_details(self, form):
        parts = [
            {"type": "thinking", "thinking": "Is it a wall?"},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "It is."}]},
            {"type": "text", "text": "A wall."},
        ]
        row = self.read(form([{"role": "assistant", "content": parts}]))

        (found,) = row.answers
        assert row.problems == []
        assert found.messages == [{"role": "assistant", "content": "A wall."}]
        assert found.details == {"reasoning": ["Is it a wall?", "It is."]}

    def test_show_that_there_is_a_picture(self):
        parts = [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": "q.png"}]
        row = self.read([{"role": "assistant", "content": parts}])

        assert row.answers[0].messages[0]["content"] == "See:\n[image: q.png]"

    def test_refuse_parts_that_are_sounds(self):
        row = self.read([{"role": "assistant", "content": [{"type": "input_audio"}]}])

        assert [one.code for one in row.problems] == ["not_kept"]

    def test_that_are_texts_come_without_their_reasoning(self):
        (found,) = self.read("<think>Is it a wall?</think>A wall.").answers

        assert found.messages == [{"role": "assistant", "content": "A wall."}]
        assert found.details == {"reasoning": ["Is it a wall?"]}

    def test_that_are_a_list_in_a_text_stay_a_text(self):
        (found,) = self.read('["a", "b"]').answers

        assert found.messages[0]["content"] == '["a", "b"]'


class TestParts:
    """Of conversations, as a file holds them, turns or tool calls are graded one by one."""

    TALK = (
        {"role": "system", "content": "You are Pine."},
        {"role": "user", "content": "How deep is it?"},
        {
            "role": "assistant",
            "content": "Pine looks.",
            "tool_calls": [
                {"id": "1", "function": {"name": "depth", "arguments": '{"by": "Pine"}'}},
                {"id": "2", "function": {"name": "tide", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "2", "content": "low", "status": "error"},
        {"role": "tool", "tool_call_id": "1", "content": "12 m"},
        {"role": "assistant", "content": "12 metres."},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "11 metres."},
    )

    def rows(self, parts, talk=TALK, **cells):
        places: list[tuple[str, ...]] = [("id", "external_id"), ("t", "messages"), ("s", "system")]
        if cells:
            places = [("id", "external_id"), ("q", "question"), ("a", "answer", "Pine")]
        held = cells or {"t": list(talk), "s": "Pine"}
        return reader(*places, parts=parts).rows(FileRecord(1, {"id": "talk", **held}))

    def test_are_turns_with_what_was_said_before_them(self):
        first, second = self.rows("TURN")

        assert [one["role"] for one in first.question.messages] == ["system", "user"]
        (answer,) = first.answers
        assert [one["role"] for one in answer.messages] == [
            "assistant",
            "tool",
            "tool",
            "assistant",
        ]
        assert len(second.question.messages) == 7
        assert second.answers[0].messages == [{"role": "assistant", "content": "11 metres."}]
        assert [one.question.extra["part"] for one in (first, second)] == [
            {"level": "TURN", "turn": 2},
            {"level": "TURN", "turn": 4},
        ]
        assert {one.question.group for one in (first, second)} == {"talk"}
        assert first.question.external_id.startswith("talk / 2 / ")

    def test_are_calls_each_with_its_own_result(self):
        first, second = self.rows("TOOL_CALL")

        assert [one["content"] for one in first.answers[0].messages] == ["", "12 m"]
        assert [one["content"] for one in second.answers[0].messages] == ["", "low"]
        assert second.answers[0].messages[1]["error"] is True
        (sibling,) = second.question.messages[-1]["tool_calls"]
        assert sibling["function"]["name"] == "depth"
        assert [one.question.extra["part"]["tool_call"] for one in (first, second)] == [1, 2]

    @pytest.mark.parametrize("parts", ["TURN", "TOOL_CALL"])
    def test_cover_the_name_of_the_system_in_what_goes_before(self, parts):
        rows = self.rows(parts)

        assert "Pine" not in json.dumps([one.question.messages for one in rows])
        assert "Pine" in json.dumps([one.answers[0].messages for one in rows])

    def test_are_found_in_a_column_of_answers(self):
        rows = self.rows("TURN", q="How deep is it?", a=list(self.TALK))

        assert [len(one.question.messages) for one in rows] == [2, 7]

    def test_begin_after_the_question_of_the_file(self):
        rows = self.rows("TURN", q="How deep is it?", a="12 metres.")

        assert [one.question.extra["part"]["turn"] for one in rows] == [2]
        assert [one["content"] for one in rows[0].question.messages] == ["How deep is it?"]

    def test_have_words_of_the_project_covered_before_them(self):
        places = AnswerMapping(
            (
                ColumnTarget("id", "external_id"),
                ColumnTarget("t", "messages"),
                ColumnTarget("s", "system"),
            ),
            parts="TURN",
        )
        masks = Masks(words=("Harbour desk",), patterns=(r"\d+ metres",))
        talk = [*self.TALK[:6], {"role": "user", "content": "Says the Harbour Desk?"}, self.TALK[7]]

        _first, second = AnswersReader(places, lexicon=masks.lexicon).rows(
            FileRecord(1, {"id": "talk", "t": talk, "s": "Pine"})
        )

        before = [one["content"] for one in second.question.messages]
        assert before[-2:] == [f"{identity.MASK}.", f"Says the {identity.MASK}?"]
        assert second.answers[0].messages == [{"role": "assistant", "content": "11 metres."}]

    def test_say_that_a_pattern_of_the_project_cannot_be_used(self):
        places = AnswerMapping(
            (
                ColumnTarget("id", "external_id"),
                ColumnTarget("t", "messages"),
                ColumnTarget("s", "system"),
            ),
            parts="TURN",
        )
        (row,) = AnswersReader(places, lexicon=Masks(patterns=("(",)).lexicon).rows(
            FileRecord(1, {"id": "talk", "t": list(self.TALK), "s": "Pine"})
        )

        assert [one.code for one in row.problems] == ["bad_mask"]

    def test_are_missed_where_there_are_none(self):
        (row,) = self.rows("TOOL_CALL", q="How deep is it?", a="12 metres.")

        assert codes(row) == [("no_such_part", "a")]

    def test_leave_a_file_as_it_is_where_nobody_asks_for_them(self):
        (row,) = self.rows("")

        assert row.answers[0].messages == [{"role": "assistant", "content": "11 metres."}]
        assert "part" not in row.question.extra
