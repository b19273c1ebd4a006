import json
from dataclasses import replace

import pytest

from annotation.files import choices as choice_sets
from annotation.files.choices import ChoiceKind, ChoiceMapping, ChoiceReader
from annotation.files.look import layouts
from annotation.files.mappings import ColumnTarget

ARC = {
    "id": "Harbour_1",
    "question": {
        "stem": "What holds a ship?",
        "choices": [{"text": "a rope", "label": "A"}, {"text": "a bell", "label": "B"}],
    },
    "answerKey": "A",
}
ARC_FLAT = {
    "id": "Harbour_2",
    "question": "What holds a ship?",
    "choices": {"text": ["a rope", "a bell"], "label": ["1", "2"]},
    "answerKey": "2",
}
HELLASWAG = {"ind": 7, "ctx_a": "A crane turns.", "ctx_b": "It", "endings": ["lifts", "sings"]}
MMLU = {"question": "How many?", "choices": ["one", "two"], "answer": 1, "subject": "sums"}


def opened(name, data):
    """Return what kind a file is, and its rows."""
    raw = data.encode() if isinstance(data, str) else data
    layout = layouts.recognise(name, lambda: [raw])
    columns, _n = layouts.columns_of(layouts.read_records(layout, [raw]))
    layout = replace(layout, columns=columns)
    kind = choice_sets.recognise(layout)
    return kind, layouts.read_records(layout, [raw])


def rows(name, data, mapping=None):
    found, records = opened(name, data)
    reader = ChoiceReader(mapping or ChoiceMapping(layout=str(found)), file_name=name)
    return [reader.read(one) for one in records]


def named(*columns):
    """Return the mapping of a table by its columns: its question, its two options, the right one, its id."""
    targets = ("question", "option", "option", "right", "external_id")
    return ChoiceMapping(tuple(map(ColumnTarget, columns, targets[: len(columns)])))


def asked(row):
    return row.question.messages[0]["content"]


def options(row):
    """Return the options of a question, and the label of the right one."""
    return row.question.extra["options"], row.question.extra["answer_label"]


def lines(*objects):
    return "\n".join(json.dumps(one) for one in objects)


class TestRecognise:
    @pytest.mark.parametrize(
        ("name", "data", "kind"),
        [
            ("arc.jsonl", lines(ARC), ChoiceKind.ARC),
            ("arc.jsonl", lines(ARC_FLAT), ChoiceKind.ARC),
            ("hellaswag.jsonl", lines(HELLASWAG | {"label": 1}), ChoiceKind.HELLASWAG),
            ("mmlu.jsonl", lines(MMLU), ChoiceKind.MMLU_OBJECTS),
            ("virology_test.csv", "Why?,a,b,c,d,B\nHow?,e,f,g,h,A\n", ChoiceKind.MMLU_TABLE),
            (
                "law_val.csv",
                "id,question,A,B,C,D,answer\n0,问?,甲,乙,丙,丁,C\n",
                ChoiceKind.LETTERED,
            ),
            ("own.csv", "question,A,B,correct,Heron\nWhy?,a,b,A,B\n", ChoiceKind.LETTERED),
            ("own.csv", "ask,first,second,right\nWhy?,a,b,a\n", None),
        ],
    )
    def test_knows_the_published_layouts(self, name, data, kind):
        assert opened(name, data)[0] == kind


class TestRead:
    def test_reads_both_forms_of_arc(self):
        one, other = rows("arc.jsonl", lines(ARC, ARC_FLAT))

        assert (one.question.external_id, asked(one)) == ("Harbour_1", "What holds a ship?")
        assert options(one) == ({"A": "a rope", "B": "a bell"}, "A")
        assert options(other) == ({"1": "a rope", "2": "a bell"}, "2")

    @pytest.mark.parametrize("label", [1, "1"], ids=repr)
    def test_reads_hellaswag_with_a_label_of_either_type(self, label):
        (row,) = rows("val.jsonl", lines(HELLASWAG | {"label": label}))

        assert asked(row) == "A crane turns. It"
        assert options(row) == ({"A": "lifts", "B": "sings"}, "B")
        assert row.question.external_id == "val 7"

    def test_reads_an_mmlu_table_whose_first_row_is_a_question(self):
        one, other = rows("virology_test.csv", "Why?,a,b,c,d,B\nHow?,e,f,g,h,A\n")

        assert (one.line, asked(one), options(one)[1]) == (1, "Why?", "B")
        assert one.question.extra["subject"] == "virology"
        assert [one.question.external_id, other.question.external_id] == [
            "virology 1",
            "virology 2",
        ]

    def test_reads_mmlu_as_objects(self):
        (row,) = rows("mmlu.jsonl", lines(MMLU))

        assert (options(row)[1], row.question.extra["subject"]) == ("B", "sums")

    def test_reads_chinese_questions_with_their_explanation(self):
        data = "id,question,A,B,C,D,answer,explanation\n0,问?,甲,乙,丙,丁,C,因为\n"

        (row,) = rows("law_val.csv", data.encode("gb18030"))

        assert options(row) == ({"A": "甲", "B": "乙", "C": "丙", "D": "丁"}, "C")
        assert row.question.extra["explanation"] == "因为"

    @pytest.mark.parametrize(("right", "answer"), [("a bell", "B"), ("b", "B"), ("A rope", "A")])
    def test_reads_a_table_whose_columns_are_named(self, right, answer):
        columns = named("ask", "first", "second", "right", "no")
        data = f"no,ask,first,second,right\nq-1,Why?,a rope,a bell,{right}\n"

        (row,) = rows("own.csv", data, columns)

        assert (row.question.external_id, options(row)[1]) == ("q-1", answer)

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"answerKey": "C"}, "answer_is_no_option"),
            ({"answerKey": ""}, "no_right_option"),
            ({"question": {"stem": "", "choices": []}}, "no_question"),
            ({"question": {"stem": "Why?", "choices": []}}, "too_few_options"),
            ({"question": {"stem": "Why?", "choices": "a"}}, "not_a_list"),
            (
                {"question": {"stem": "?", "choices": [{"text": "a", "label": "A"}] * 2}},
                "repeated_label",
            ),
            ({"question": {"stem": "?", "choices": ["a", "b"]}}, "too_few_options"),
        ],
    )
    def test_says_what_is_wrong_and_where(self, change, code):
        good, bad = rows("arc.jsonl", lines(ARC, ARC | {"id": "x"} | change))

        assert good.problems == []
        assert (bad.question, bad.line, bad.problems[0].code) == (None, 2, code)

    def test_takes_a_question_once(self):
        _one, again = rows("arc.jsonl", lines(ARC, ARC))

        assert again.problems[0].code == "repeated_question"
        assert again.problems[0].facts == {"line": "1"}

    @pytest.mark.parametrize("label", [4, "x", None, ""], ids=repr)
    def test_refuses_a_place_that_is_none(self, label):
        (row,) = rows("val.jsonl", lines(HELLASWAG | {"label": label, "x": 1}))

        assert row.problems[0].code in {"answer_is_no_option", "no_right_option"}

    def test_hands_on_what_is_wrong_with_a_row(self):
        _good, bad = rows("law.csv", "id,question,A,B,answer\n0,?,a,b,A\n1,?\n")

        assert bad.problems[0].code == "too_few_cells"

    def test_refuses_a_text_that_is_no_option_of_a_named_table(self):
        columns = named("ask", "first", "second", "right")

        (row,) = rows("own.csv", "ask,first,second,right\nWhy?,a,b,c\n", columns)

        assert (row.problems[0].code, row.problems[0].found) == ("answer_is_no_option", "c")

    def test_says_in_which_column_something_is_wrong(self):
        columns = named("ask", "first", "second", "right", "no")
        data = "no,ask,first,second,right\nq,Why?,a,b,a\nq,Why?,a,b,a\nr,,a,b,a\ns,Why?,a,,a\nt,?,a,b,c\n"

        found = [row.problems[0].column for row in rows("own.csv", data, columns) if row.problems]

        assert found == ["no", "ask", "first", "right"]
        assert [
            row.problems[0].column for row in rows("arc.jsonl", lines(ARC | {"answerKey": ""}))
        ] == ["answerKey"]

    def test_names_questions_that_only_count_by_their_set(self):
        raw = "Why?,a,b,c,d,B\nHow?,e,f,g,h,A\n"
        mapping = ChoiceMapping(layout="MMLU_TABLE", dataset="MMLU")

        made = rows("virology_dev.csv", raw, mapping)

        assert [row.question.external_id for row in made] == [
            "MMLU dev virology 1",
            "MMLU dev virology 2",
        ]
