import datetime

import pytest

from annotation.common import texts as common_texts
from annotation.files import questions
from annotation.files.answers import CitedPlace
from annotation.files.cells import FileProblem, FileRecord, Unfit, broken
from annotation.files.mappings import ColumnTarget, QuestionMapping


def reader(*targets, shielded=False, **options):
    places = tuple(ColumnTarget(name, name) for name in targets)
    return questions.QuestionsReader(QuestionMapping(places, **options), shielded=shielded)


def read(cells, shielded=False, **options):
    return reader(*cells, shielded=shielded, **options).read(FileRecord(2, cells))


def codes(row):
    return [(one.code, one.column) for one in row.problems]


class TestReader:
    def test_reads_all_that_a_row_says(self):
        row = read(
            {
                "external_id": " C-1 ",
                "question": "What?",
                "standard_answer": "It.",
                "key_points": "- a | b",
                "capability": "Reading",
                "domain": "Sea › FOB",
                "difficulty": "中等",
                "type": "open",
                "principle": "Say it.",
                "as_of": "2026-01-01",
                "valid_until": "2026/2/28",
                "tags": "a, b；a",
                "language": "en",
                "sources": "Handbook | p. 3",
                "note": "Mind this.",
            }
        )

        assert row.problems == []
        assert row.question == questions.FileQuestion(
            external_id="C-1",
            turns=[{"role": "user", "content": "What?"}],
            answer="It.",
            key_points=["a", "b"],
            capability="Reading",
            domain="Sea › FOB",
            difficulty="INTERMEDIATE",
            question_type="OPEN",
            principle="Say it.",
            as_of="2026-01-01",
            valid_until=datetime.date(2026, 2, 28),
            tags=["a", "b"],
            language="en",
            cited=[CitedPlace("Handbook", locator="p. 3")],
            note="Mind this.",
        )

    def test_fills_in_what_holds_for_the_whole_file(self):
        row = read({"question": "What?", "language": "zh"}, capability="Reading", language="en")

        assert (row.question.capability, row.question.language) == ("Reading", "zh")

    def test_names_a_question_without_an_id_by_what_it_asks(self):
        one, same, other = (read({"question": text}) for text in ("What?", "What?", "Who?"))

        assert one.question.external_id == same.question.external_id != other.question.external_id
        assert one.question.external_id.startswith("q-")

    def test_takes_shields_off_in_tables_alone(self):
        assert read({"question": "'=1+1"}, shielded=True).question.turns[0]["content"] == "=1+1"
        assert read({"question": "'=1+1"}).question.turns[0]["content"] == "'=1+1"

    def test_keeps_listed_points_as_they_are(self):
        assert read({"question": "?", "key_points": '["- a", "b | c"]'}).question.key_points == [
            "- a",
            "b | c",
        ]

    @pytest.mark.parametrize(
        ("cells", "problem"),
        [
            ({"question": " "}, ("empty_cell", "question")),
            ({"external_id": "", "question": "?"}, ("empty_cell", "external_id")),
            ({"question": "?", "difficulty": "odd"}, ("unknown_difficulty", "difficulty")),
            ({"question": "?", "valid_until": "soon"}, ("no_date", "valid_until")),
            ({"question": "?", "valid_until": "2026-02-30"}, ("no_such_day", "valid_until")),
            ({"question": "?", "tags": "x" * 101}, ("name_too_long", "tags")),
            ({"question": "?", "language": "x" * 36}, ("name_too_long", "language")),
            ({"question": "?", "external_id": "x" * 201}, ("name_too_long", "external_id")),
            (
                {"question": "?", "source_place": "p. 3", "source_title": ""},
                ("empty_cell", "source_title"),
            ),
            ({"question": "x" * (common_texts.MAX_TEXT + 1)}, ("text_too_long", "question")),
            ({"question": "a\x00b"}, ("zero_byte", "question")),
        ],
    )
    def test_says_what_is_wrong_and_in_which_column(self, cells, problem):
        assert codes(read(cells)) == [problem]

    def test_joins_the_parts_of_a_source(self):
        row = read(
            {
                "question": "?",
                "source_title": "",
                "source_address": "https://a.example/b",
                "source_place": "p. 3",
            }
        )

        address = "https://a.example/b"
        assert row.question.cited == [CitedPlace(address, address, "p. 3")]

    def test_leaves_broken_rows_and_new_columns_to_be_mended(self):
        assert codes(reader("question").read(broken("undecodable", 3))) == [("undecodable", "")]
        row = reader("question").read(FileRecord(2, {"question": "?", "other": "x"}))
        assert row.problems == [FileProblem("new_column", 2, "other")]

    def test_knows_what_the_file_speaks_of(self):
        found = reader("question", "external_id", "tags", "source_title", "note", language="en")

        assert found.said == {"turns", "tags", "cited", "language"}


class TestConversation:
    @pytest.mark.parametrize("value", ["[]", [], [{"role": "user", "content": ""}]])
    def test_is_none_where_nothing_was_asked_yet(self, value):
        assert questions.conversation(value) == []

    @pytest.mark.parametrize(
        ("value", "code"),
        [
            ([{"role": "user", "content": "?"}, {"role": "tool", "content": "x"}], "tools_in_bank"),
            (
                [{"role": "user", "content": "?"}, {"role": "gpt", "content": "x"}],
                "answer_in_conversation",
            ),
            (
                [{"role": "system", "content": ""}, {"role": "user", "content": "?"}],
                "empty_message",
            ),
            ([{"role": "gpt", "content": " "}, {"role": "user", "content": "?"}], "empty_message"),
            ([{"role": "user", "content": "?"}] * 41, "too_many_turns"),
            ("no json", "no_conversation"),
        ],
    )
    def test_is_one_that_the_bank_can_hold(self, value, code):
        with pytest.raises(Unfit) as refused:
            questions.conversation(value)

        assert refused.value.code == code


class TestWritten:
    def test_is_known_by_all_that_it_says(self):
        one = read({"question": "?", "tags": "a"}).question

        assert one.sha == read({"question": "?", "tags": "a"}).question.sha
        assert one.sha != read({"question": "?", "tags": "b"}).question.sha
