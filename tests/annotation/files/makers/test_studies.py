"""Grades of studies and of machine translation: SummEval, the alternative annotator test, WMT, Appraise."""

import json

import pytest

from tests.cases import file
from tests.files import looked_at

SUMMARY = {
    "id": "T-1",
    "model_id": "M7",
    "decoded": "x",
    "expert_annotations": [{"tone": 2, "depth": 3}],
    "turker_annotations": [{"tone": 4, "depth": 5}, {"tone": 1, "depth": 1}],
}


def test_summeval_has_raters_by_their_place_in_their_group():
    layout, rows = looked_at(json.dumps(SUMMARY).encode(), "a.jsonl")

    assert layout.shape == "summeval"
    assert [(one["rater"], one["rater_group"], one["criterion"], one["value"]) for one in rows] == [
        ("expert 1", "expert", "tone", 2),
        ("expert 1", "expert", "depth", 3),
        ("turker 1", "turker", "tone", 4),
        ("turker 1", "turker", "depth", 5),
        ("turker 2", "turker", "tone", 1),
        ("turker 2", "turker", "depth", 1),
    ]
    assert {(one["item"], one["system"]) for one in rows} == {("T-1", "M7")}


class TestGradesByAnnotator:
    def test_lead_from_a_rater_to_questions(self):
        layout, rows = looked_at(
            b'{"ua": {"T-1": 3, "T-2": 1}, "ub": {"T-1": 2, "T-2": null}}', "a.json"
        )

        assert layout.shape == "alt_test"
        assert [(one["rater"], one["item"], one["value"]) for one in rows] == [
            ("ua", "T-1", 3),
            ("ua", "T-2", 1),
            ("ub", "T-1", 2),
            ("ub", "T-2", None),
        ]

    @pytest.mark.parametrize(
        "content",
        [
            {"T-1": {"ua": 1, "ub": 2}, "T-2": {"ua": 1, "ub": 2}, "T-3": {"ua": 1, "ub": 2}},
            {"loon": {"T-1": 0.31, "T-2": 0.77}, "teal": {"T-1": 0.12, "T-2": 0.5}},
        ],
    )
    def test_are_not_guessed_where_it_may_be_otherwise(self, content):
        layout, _rows = looked_at(json.dumps(content).encode(), "a.json")

        assert layout.shape == ""


class TestSegments:
    def test_are_counted_for_each_system(self):
        layout, rows = looked_at(b"loon\t1.5\nloon\tNone\nteal\t-2\nloon\t3\n", "en-de.seg.score")

        assert (layout.shape, layout.known_shape.kind, layout.asks[0].key) == (
            "wmt_metric",
            "SCORES",
            "shape",
        )
        assert [(one["system"], one["item"], one["value"]) for one in rows] == [
            ("loon", "1", "1.5"),
            ("loon", "2", ""),
            ("teal", "1", "-2"),
            ("loon", "3", "3"),
        ]

    def test_are_grades_where_the_name_says_that_people_gave_them(self):
        layout, _rows = looked_at(b"loon\t1.5\nloon\t2\n", "en-de.mqm.seg.score")

        assert layout.known_shape.kind == "GRADES"

    def test_are_not_guessed_from_a_table_of_another_name(self):
        layout, _rows = looked_at(b"loon\t1.5\nloon\t2\n", "numbers.tsv")

        assert layout.shape == ""


class TestAppraise:
    def test_grades_what_is_no_control_item(self):
        layout, rows = looked_at(
            b"ua,loon,7,TGT,en,de,80,d1,False,1.0,2.0\nua,loon,8,BAD,en,de,5,d1,False,1.0,2.0\n"
            b"ua,ref,7,REF,en,de,99,d1,False,1.0,2.0\nua,loon,7,TGT,en,de,70,d1,True,1.0,2.0\n",
            "a.csv",
        )

        assert layout.shape == "appraise_11"
        assert [(one["item"], one["system"], one["rater"], one["value"]) for one in rows] == [
            ("7", "loon", "ua", "80"),
            ("d1", "loon", "ua", "70"),
        ]
        assert {(one["scale_min"], one["scale_max"]) for one in rows} == {(0, 100)}

    @pytest.mark.parametrize(
        ("more", "width"), [(b"1.0,2.0", 9), (b"d1,False,[],1.0,2.0,1,44", 14)]
    )
    def test_may_know_no_documents_or_name_errors_and_batches(self, more, width):
        line = b"ua,loon,7,TGT,en,de,80," + more + b"\n"

        layout, rows = looked_at(line * 2, "a.csv")

        assert (layout.shape, len(rows)) == (f"appraise_{width}", 2)


class TestFilesAsPeopleHaveThem:
    def test_summeval(self):
        _layout, rows = looked_at(file("summeval.jsonl"))

        raters = dict.fromkeys((one["rater"], one["rater_group"]) for one in rows)
        assert [group for _rater, group in raters] == ["expert"] * 3 + ["turker"] * 5
        assert {one["criterion"] for one in rows} == {"coherence", "fluency"}
        assert len(rows) == 16

    @pytest.mark.parametrize("name", ["coder_by_item.json", "coder_by_item_1line.json"])
    def test_by_annotator(self, name):
        _layout, rows = looked_at(file(name))

        assert [(one["rater"], one["item"], one["value"]) for one in rows] == [
            ("ada", "NP-003", 3),
            ("ada", "NP-005", 4),
            ("bo", "NP-003", 3),
            ("bo", "NP-005", 5),
        ]

    @pytest.mark.parametrize("name", ["wmt_seg_score.tsv", "wmt.seg.score"])
    def test_wmt(self, name):
        _layout, rows = looked_at(file(name))

        assert [(one["system"], one["item"], one["value"]) for one in rows] == [
            ("pine", "1", "0.5"),
            ("pine", "2", ""),
            ("oak", "1", "0.1"),
            ("oak", "2", "-3"),
        ]

    def test_appraise(self):
        _layout, rows = looked_at(file("appraise.csv"))

        assert [(one["system"], one["value"]) for one in rows] == [
            ("sysPine", "78"),
            ("sysOak", "55"),
        ]
