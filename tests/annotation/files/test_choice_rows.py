from annotation.files.cells import FileRecord
from annotation.files.choices import ChoiceMapping
from annotation.files.choices import ChoiceReader as Reader
from annotation.files.mappings import ColumnTarget

ARC = {
    "id": "Harbour_1",
    "question": "What holds a ship?",
    "choices.text": ["a rope", "a bell"],
    "choices.label": ["A", "B"],
    "answerKey": "A",
}
TABLE = ChoiceMapping(
    (
        ColumnTarget("ask", "question"),
        ColumnTarget("one", "option"),
        ColumnTarget("two", "option"),
        ColumnTarget("right", "right"),
        ColumnTarget("field", "subject"),
        ColumnTarget("why", "explanation"),
        ColumnTarget("page", "question_details"),
        ColumnTarget("dataset", "question_details"),
    ),
    dataset="Quay",
    subject="ships",
)
ROW = {"ask": "Why?", "one": "a", "two": "b", "right": "B", "page": 4, "dataset": "other"}


def read(mapping, *cells, name="quay.csv"):
    reader = Reader(mapping, file_name=name)
    return [reader.read(FileRecord(line, one)) for line, one in enumerate(cells, start=2)]


class TestReader:
    def test_makes_a_question_as_items_are(self):
        (row,) = read(ChoiceMapping(layout="ARC", dataset="ARC"), ARC)

        made = row.question
        assert (made.external_id, made.group, made.reference) == (
            "Harbour_1",
            "Harbour_1",
            "a rope",
        )
        assert made.messages == [{"role": "user", "content": "What holds a ship?"}]
        assert made.extra == {
            "options": {"A": "a rope", "B": "a bell"},
            "answer_label": "A",
            "dataset": "ARC",
            "subject": "quay",
        }

    def test_tells_questions_apart_by_their_options(self):
        same = ARC | {"choices.text": ["a rope", "a gong"], "id": "Harbour_2"}
        one, other = read(ChoiceMapping(layout="ARC", dataset="ARC"), ARC, same)

        assert one.question.prompt_sha == other.question.prompt_sha
        assert one.question.content_sha != other.question.content_sha

    def test_keeps_what_goes_with_the_question_and_nothing_in_the_place_of_its_own_fields(self):
        (row,) = read(TABLE, ROW | {"why": "because", "field": "docks"})

        assert row.question.extra == {
            "page": 4,
            "options": {"A": "a", "B": "b"},
            "answer_label": "B",
            "dataset": "Quay",
            "subject": "docks",
            "explanation": "because",
        }

    def test_takes_the_subject_of_the_file_where_a_row_names_none(self):
        (row,) = read(TABLE, ROW)

        assert row.question.extra["subject"] == "ships"
        assert row.question.external_id == "Quay 2"

    def test_says_where_something_is_wrong(self):
        wrong, more = read(TABLE, ROW | {"right": "C"}, ROW | {"unknown": "x"})

        assert [(one.code, one.line, one.column) for one in wrong.problems] == [
            ("answer_is_no_option", 2, "right")
        ]
        assert [(one.code, one.column) for one in more.problems] == [("new_column", "unknown")]

    def test_keeps_a_set_and_its_few_examples_apart(self):
        cells = dict(zip(("question", "A", "B", "answer"), ("Why?", "a", "b", "A"), strict=True))
        mapping = ChoiceMapping(layout="MMLU_TABLE", dataset="MMLU")

        (dev,) = read(mapping, cells, name="virology_dev.csv")
        (test,) = read(mapping, cells, name="virology_test.csv")

        assert dev.question.external_id == "MMLU dev virology 2"
        assert test.question.external_id == "MMLU virology 2"
        assert dev.question.extra["subject"] == test.question.extra["subject"] == "virology"
