import json

import pytest

from tests.cases import file
from tests.files import looked_at

RATED = {"from_name": "tone", "type": "rating", "value": {"rating": 3}}
CHOSEN = {"from_name": "verdict", "type": "choices", "value": {"choices": ["Fine"]}}
BOTH = {"from_name": "flaws", "type": "choices", "value": {"choices": ["Long", "Rude"]}}
SAID = {"from_name": "why", "type": "textarea", "value": {"text": ["Too stiff."]}}


def task(*results, by=7, **more):
    annotation = {"id": 1, "completed_by": by, "result": list(results), "was_cancelled": False}
    data = {"qid": "T-1", "answer": "It floats.", "system": "Loon"}
    return {"id": 40, "data": data, "annotations": [annotation | more]}


def read(content, name="a.json"):
    data = content if isinstance(content, str) else json.dumps(content)
    return looked_at(data.encode(), name)


class TestJson:
    def test_gives_a_grade_for_each_result_of_each_annotator(self):
        one = task(RATED, CHOSEN)
        one["annotations"] += task(RATED, by={"id": 9, "email": "bo@example.org"})["annotations"]

        layout, rows = read([one])

        assert layout.shape == "label_studio"
        assert [(row["rater"], row["criterion"], row["value"]) for row in rows] == [
            ("7", "tone", 3),
            ("7", "verdict", "Fine"),
            ("bo@example.org", "tone", 3),
        ]
        assert {(row["item"], row["system"]) for row in rows} == {("T-1", "Loon")}

    def test_leaves_out_what_was_cancelled(self):
        _layout, rows = read([task(RATED), task(RATED, was_cancelled=True)])

        assert len(rows) == 1

    def test_keeps_what_was_written_as_a_comment(self):
        _layout, rows = read([task(RATED, SAID)])

        assert [(row["criterion"], row["comment"]) for row in rows] == [("tone", "Too stiff.")]

    def test_keeps_several_labels_together(self):
        _layout, rows = read([task(BOTH, RATED)])

        assert [row["criterion"] for row in rows] == ["flaws", "tone"]
        assert len(rows[0]["value"]) == 2


LINE = {
    "annotator": 7,
    "annotation_id": 1,
    "created_at": "2026-01-01T10:00:00Z",
    "updated_at": "2026-01-01T10:00:00Z",
    "lead_time": 2.5,
}


class TestMinimalJson:
    def test_takes_what_stands_after_the_id_as_results(self):
        record = {"qid": "T-1", "topic": "boats", "id": 4, "verdict": "Fine", **LINE}

        layout, rows = read([record])

        assert layout.shape == "label_studio_min"
        assert [(row["item"], row["criterion"], row["value"]) for row in rows] == [
            ("T-1", "verdict", "Fine")
        ]

    def test_goes_by_the_first_certain_result_where_the_id_is_of_the_data(self):
        record = {"id": 4, "qid": "T-1", "topic": "boats", "tone": [{"rating": 2}], **LINE}

        _layout, rows = read([record])

        assert [(row["criterion"], row["value"]) for row in rows] == [("tone", 2)]

    def test_names_the_task_where_nothing_else_names_the_question(self):
        record = {"topic": "boats", "id": 4, "tone": [{"rating": 2}], **LINE}

        _layout, rows = read([record])

        assert rows[0]["item"] == "4"


class TestTable:
    def test_reads_results_from_their_json_and_words_of_quality_as_words(self):
        head = "annotation_id,annotator,created_at,fluency,id,lead_time,qid,tone,topic,updated_at"
        line = '1,7,2026-01-01,Fine,4,2.5,T-1,"[{""rating"": 2}]",boats,2026-01-01'

        layout, rows = read(f"{head}\n{line}\n", "a.csv")

        assert layout.shape == "label_studio_csv"
        assert [(row["criterion"], row["value"]) for row in rows] == [
            ("fluency", "Fine"),
            ("tone", 2),
        ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("labelstudio.json", [("1", "fluency", 4)]),
        ("labelstudio_min.json", [("1", "fluency", 4), ("1", "overall", "Good")]),
        (
            "labelstudio.csv",
            [
                ("ada@example.org", "fluency", 4),
                ("ada@example.org", "overall", ["Good", "Polite"]),
                ("bo@example.org", "fluency", 5),
                ("bo@example.org", "overall", "Good"),
            ],
        ),
    ],
)
def test_a_file_as_people_have_it(name, expected):
    _layout, rows = looked_at(file(name))

    assert [
        row.get("problem") or (row["rater"], row["criterion"], row["value"]) for row in rows
    ] == expected
    assert {(row["item"], row["system"]) for row in rows if "item" in row} == {
        ("NP-003", "Kestrel 4")
    }
