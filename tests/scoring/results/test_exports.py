import csv
import io
import json
from collections import defaultdict

import pytest

from annotation.grading.models import Grade, Remark
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item, System
from scoring.figures.snapshots import table
from scoring.results import exports
from scoring.shown import names
from scoring.shown import sheet as shown_sheet
from scoring.stats import frame
from tests import make, tampering
from tests.scoring import preferred, rounds


def text_of(lines, round_, *, shown=True):
    return "".join(lines(round_, names.names(round_, shown=shown)))


def rows_of(lines, round_, **more):
    return list(csv.DictReader(io.StringIO(text_of(lines, round_, **more), newline="")))


def records_of(round_, **more):
    text = text_of(exports.jsonl_lines, round_, **more)
    return [json.loads(line) for line in text.split("\n") if line]


class TestSafe:
    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    def test_disarms_what_a_spreadsheet_takes_for_a_formula(self, text):
        assert shown_sheet.safe(text) == f"'{text}"

    @pytest.mark.parametrize("text", ["", "a=b", "Kestrel 4", " =1"])
    def test_leaves_other_texts_alone(self, text):
        assert shown_sheet.safe(text) == text


class TestNumber:
    @pytest.mark.parametrize(
        ("value", "text"),
        [("2.0000", "2"), ("2.5000", "2.5"), ("-1.0000", "-1"), ("0.0000", "0"), ("20", "20")],
    )
    def test_is_short_and_exact(self, value, text):
        assert shown_sheet.number(Grade._meta.get_field("value").to_python(value)) == text

    def test_of_nothing_is_nothing(self):
        assert shown_sheet.number(None) == ""


@pytest.mark.django_db
class TestChoices:
    def test_say_which_answer_stood_beside_and_what_was_chosen_in_words(self):
        round_ = preferred.chosen(n_items=1, n_raters=2)

        rows = rows_of(exports.csv_lines, round_)

        assert len(rows) == 3 * 2
        by_key = {str(one["grade"]): one for one in records_of(round_)}
        for row in rows:
            stored = Grade.objects.get(pk=row["grade"])
            words = stored.criterion.levels.get(value=stored.value).label
            assert row["system"] == stored.response.release.system.name
            assert row["against"] == stored.against.release.system.name
            assert (row["position"], row["label"]) == ("A", words)
            told = by_key[row["grade"]]
            names_of = ("system", "release", "against", "against_release", "label")
            assert [told[one] for one in names_of] == [row[one] for one in names_of]

    def test_are_empty_beside_grades(self):
        round_ = rounds.graded(n_items=1)

        assert {one["against"] for one in rows_of(exports.csv_lines, round_)} == {""}
        assert {one["against_release"] for one in records_of(round_)} == {None}

    def test_stand_in_the_wide_table_by_their_words(self):
        round_ = preferred.chosen(n_items=1, n_raters=1)

        [row] = rows_of(exports.wide_lines, round_)

        assert any("is better" in one for one in row.values())


@pytest.mark.django_db
class TestLongTable:
    def test_has_a_line_a_grade(self):
        round_ = rounds.graded(n_items=2)

        rows = rows_of(exports.csv_lines, round_)

        assert len(rows) == 12
        assert rows[0] | {"grade": "", "at": ""} == {
            "grade": "",
            "round": "1",
            "item": "Q1-0",
            "question": "Q1-0",
            "capability": "Factuality",
            "difficulty": "",
            "domain": "",
            "priority": "",
            "level": "",
            "turn": "",
            "tool_call": "",
            "system": "Kestrel",
            "release": "1",
            "criterion": "grade",
            "rubric": "factuality v1",
            "scale_min": "0",
            "scale_max": "2",
            "pass_at": "1",
            "rater": "northport-annotator-0",
            "rater_kind": "PERSON",
            "purpose": "NORMAL",
            "occasion": "1",
            "position": "A",
            "kind": "GIVEN",
            "outcome": "VALUE",
            "value": "2",
            "reason": "",
            "comment": "",
            "at": "",
            "active_ms": "1000",
            "late": "false",
            "valid": "true",
            "label": "Level 2",
            "text": "",
            "against": "",
            "against_release": "",
        }

    def test_says_the_same_as_csv_and_as_json(self):
        round_ = rounds.graded(marks=lambda system, item, rater: None if item == 1 else 1)

        records = records_of(round_)

        assert [list(record) for record in records] == [list(exports.COLUMNS)] * 24
        assert [
            ["" if value is None else str(value).lower() for value in record.values()]
            for record in records
        ] == [
            [value.lower() for value in row.values()] for row in rows_of(exports.csv_lines, round_)
        ]

    def test_disarms_formulas_in_csv_and_keeps_texts_exact_in_json(self):
        round_ = rounds.graded(n_items=1, n_raters=1, systems=("Kestrel",))
        grade = round_.grades.get()
        hostile = '=HYPERLINK("http://x","y")\n"quoted" \u2028 \\'
        Remark.objects.create(
            slot=grade.slot, rater=grade.rater, kind="COMMENT", text=hostile, at=make.NOW
        )
        System.objects.update(name="@Kestrel")
        with tampering.unguarded():
            Item.objects.update(external_id="-1")

        (row,) = rows_of(exports.csv_lines, round_)
        (record,) = records_of(round_)

        assert (row["comment"], row["system"], row["item"]) == (f"'{hostile}", "'@Kestrel", "'-1")
        assert (record["comment"], record["system"], record["item"]) == (hostile, "@Kestrel", "-1")

    def test_leaves_negative_numbers_alone(self):
        round_ = rounds.graded(marks=lambda system, item, rater: -1)
        with tampering.unguarded():
            Criterion.objects.update(minimum=-2)

        rows = rows_of(exports.csv_lines, round_)

        assert {(row["value"], row["scale_min"]) for row in rows} == {("-1", "-2")}

    def test_names_nobody_while_names_are_hidden(self):
        round_ = rounds.graded()

        for lines in (exports.csv_lines, exports.jsonl_lines, exports.wide_lines):
            text = text_of(lines, round_, shown=False)
            assert "Kestrel" not in text
            assert "System 1" in text


@pytest.mark.django_db
class TestWideTable:
    def test_is_the_wide_form_of_the_ratings(self):
        round_ = rounds.graded(
            n_items=3, marks=lambda system, item, rater: None if item == 1 else 1 + system
        )
        ratings = frame.default_filter(table([round_]))
        known = names.names(round_, shown=True)
        lines = defaultdict(dict)
        for one in ratings.to_dict("records"):
            mark = one["outcome"] if one["value"] != one["value"] else f"{one['value']:g}"
            place = (one["item"], one["criterion"], one["rater"], one["occasion"])
            lines[place][one["release"]] = mark

        rows = rows_of(exports.wide_lines, round_)

        assert len(rows) == len(lines) == 9
        assert {tuple(row[name.text] for name in known.values()) for row in rows} == {
            tuple(line[release] for release in known) for line in lines.values()
        }

    def test_leaves_out_late_and_invalid_grades(self):
        round_ = rounds.graded(n_items=1, n_raters=1)
        Grade.objects.filter(pk=round_.grades.first().pk).update(is_current=False, late=True)

        (row,) = rows_of(exports.wide_lines, round_)

        assert sorted((row["Kestrel"], row["Harbour"])) == ["", "1"]

    def test_stands_in_the_order_of_the_round(self):
        rows = rows_of(exports.wide_lines, rounds.graded(n_items=3, n_raters=2))

        assert [row["item"] for row in rows] == ["Q1-0", "Q1-0", "Q1-1", "Q1-1", "Q1-2", "Q1-2"]
