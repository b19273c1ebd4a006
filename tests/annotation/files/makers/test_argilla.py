import json

import pytest

from tests.cases import file
from tests.files import looked_at


def read(*records):
    return looked_at("\n".join(map(json.dumps, records)).encode(), "a.jsonl")


def grades(rows):
    return [row.get("problem") or (row["rater"], row["criterion"], row["value"]) for row in rows]


FLAT = {
    "id": "r1",
    "prompt": "Why?",
    "question_id": "T-1",
    "model": "Loon",
    "tone.responses": [3, 1],
    "tone.responses.users": ["ua", "ub"],
    "tone.responses.status": ["submitted", "draft"],
    "flaws.responses": [["Long", "Rude"]],
    "flaws.responses.users": ["ua"],
    "flaws.responses.status": ["submitted"],
    "tone.suggestion": 5,
}


class TestFlatRecords:
    def test_count_what_was_submitted_and_keep_several_labels_together(self):
        layout, rows = read(FLAT)

        assert layout.shape == "argilla"
        assert grades(rows) == [("ua", "tone", 3), ("ua", "flaws", ["Long", "Rude"])]
        assert (rows[0]["item"], rows[0]["system"]) == ("T-1", "Loon")

    def test_have_no_grades_where_nobody_answered(self):
        empty = {key: None if ".responses" in key else one for key, one in FLAT.items()}

        _layout, rows = read(FLAT, empty)

        assert len(rows) == 2


class TestNestedRecords:
    def test_have_answers_by_question(self):
        answers = {"tone": [{"value": 2, "user_id": "ua"}, {"value": 4, "user_id": "ub"}]}
        record = {"id": "r1", "fields": {"text": "x"}, "metadata": {"model": "Loon"}}

        layout, rows = read(record | {"responses": answers, "suggestions": {}})

        assert layout.shape == "argilla_records"
        assert grades(rows) == [("ua", "tone", 2), ("ub", "tone", 4)]
        assert (rows[0]["item"], rows[0]["system"]) == ("r1", "Loon")

    def test_of_version_1_have_answers_by_annotator(self):
        values = {"tone": {"value": 2}, "label": {"value": "fine"}}
        responses = [
            {"user_id": "ua", "values": values, "status": "submitted"},
            {"user_id": "ub", "values": values, "status": "discarded"},
        ]

        _layout, rows = read({"external_id": "T-1", "fields": {}, "responses": responses})

        assert grades(rows) == [("ua", "tone", 2), ("ua", "label", "fine")]

    def test_may_be_written_as_columns_and_have_long_texts_as_comments(self):
        why = "It takes its time, and then it does not say what was asked for at all."
        users, status = ["ua", "ub"], ["submitted", "discarded"]
        record = {
            "id": "T-1",
            "tone": {"user_id": users, "value": [3, 4], "status": status},
            "why": {"user_id": users, "value": [why, ""], "status": status},
        }

        _layout, rows = read(record)

        assert grades(rows) == [("ua", "tone", 3)]
        assert rows[0]["comment"] == why


class TestPotato:
    def test_has_one_label_of_each_scheme_and_what_was_typed(self):
        said = {"tone": {"scale_4": "4"}, "fits": {"no": "true"}, "why": {"text_box": "so so"}}
        layout, rows = read({"id": "T-1", "displayed_text": "Hi", "label_annotations": said})

        assert layout.shape == "potato"
        assert [(one["item"], one["criterion"], one["value"], one["comment"]) for one in rows] == [
            ("T-1", "tone", "4", "so so"),
            ("T-1", "fits", "no", "so so"),
        ]

    def test_as_a_table_has_a_column_for_each_label(self):
        text = b"user,instance_id,tone:::1,tone:::2\nua,T-1,,2\nub,T-1,1,\nuc,T-1,1,2\n"
        layout, rows = looked_at(text, "a.csv")

        assert layout.shape == "potato"
        assert [one.get("problem") or (one["rater"], one["value"]) for one in rows] == [
            ("ua", "2"),
            ("ub", "1"),
            ("uc", ["1", "2"]),
        ]


class TestDoccano:
    def test_has_labels_of_texts_whose_own_ids_name_no_question(self):
        meta = {"item_id": "T-1", "model": "Loon"}
        layout, rows = read(
            {"id": 7, "text": "Hi", "label": ["2"], "meta": meta},
            {"id": 8, "text": "Ho", "label": ["1", "2"], "meta": meta},
            {"id": 9, "text": "Hm", "label": []},
        )

        assert layout.shape == "doccano"
        assert [(one["item"], one["system"], one["value"]) for one in rows] == [
            ("T-1", "Loon", "2"),
            ("T-1", "Loon", ["1", "2"]),
        ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("argilla.jsonl", [("u1", "fluency", 4)]),
        ("argilla_old.jsonl", [("u1", "fluency", 4), ("u2", "fluency", 5)]),
    ],
)
def test_a_file_as_people_have_it(name, expected):
    _layout, rows = looked_at(file(name))

    assert grades(rows) == expected
    assert {(row["item"], row["system"]) for row in rows} == {("NP-003", "Kestrel 4")}
