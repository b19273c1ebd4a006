from datetime import UTC, datetime
from decimal import Decimal

import pytest

from annotation.files.cells import FileProblem, FileRecord
from annotation.files.grades import GradesReader
from annotation.files.mappings import ColumnTarget, GradeMapping

WHO = (ColumnTarget("i", "item"), ColumnTarget("s", "system"))
WIDE = (
    *WHO,
    ColumnTarget("a_c", "grade", "", "", "a", "c"),
    ColumnTarget("b_c", "grade", "", "", "b", "c"),
)
LONG = (
    *WHO,
    ColumnTarget("c", "criterion"),
    ColumnTarget("r", "rater"),
    ColumnTarget("v", "value"),
    ColumnTarget("at", "at"),
    ColumnTarget("n", "sample_no"),
)


def read(places, cells, ordinal=0, **options):
    mapping = GradeMapping(places, "Old", "summary", **options)
    [row] = GradesReader(mapping).read(FileRecord(2, {"i": "Q1", "s": "K", **cells}), ordinal)
    return row


def codes(row):
    return [(one.code, one.column) for one in row.problems]


class TestReader:
    def test_takes_the_rater_of_a_row_for_its_columns_of_criteria(self):
        places = (*WHO, ColumnTarget("r", "rater"), ColumnTarget("c", "grade", criterion="depth"))

        (cell,) = read(places, {"r": "ada", "c": 3}).cells

        assert (cell.rater, cell.criterion, cell.value) == ("ada", "depth", Decimal(3))

    def test_takes_the_criterion_of_a_row_for_its_columns_of_raters(self):
        places = (*WHO, ColumnTarget("f", "criterion"), ColumnTarget("a@b", "grade", rater="a@b"))

        (cell,) = read(places, {"f": "depth", "a@b": 3}).cells

        assert (cell.rater, cell.criterion, cell.value) == ("a@b", "depth", Decimal(3))

    def test_numbers_the_cells_of_a_wide_row(self):
        row = read(WIDE, {"a_c": 3, "b_c": "4.5"}, ordinal=10)

        assert [(one.number, one.rater, one.value) for one in row.cells] == [
            (21, "a", Decimal(3)),
            (22, "b", Decimal("4.5")),
        ]

    def test_counts_empty_cells_as_no_grade(self):
        row = read(WIDE, {"a_c": "", "b_c": None})

        assert (row.cells, row.n_empty, row.problems) == ([], 2, [])

    def test_reads_a_long_row(self):
        row = read(LONG, {"c": "coh", "r": "lena", "v": "2", "at": "2026-03-10", "n": 2})

        (cell,) = row.cells
        assert (cell.number, cell.rater, cell.criterion) == (1, "lena", "coh")
        assert cell.at == datetime(2026, 3, 10, tzinfo=UTC)
        assert row.sample_no == 2

    def test_calls_criteria_as_the_rubric_does(self):
        row = read(WIDE, {"a_c": 3}, aliases={"c": "coherence"})

        assert row.cells[0].criterion == "coherence"

    def test_names_the_rater_for_the_whole_file(self):
        places = tuple(place for place in LONG if place.target != "rater")
        row = read(places, {"c": "coh", "v": 1}, rater="lena")

        assert row.cells[0].rater == "lena"

    def test_names_system_and_criterion_for_the_whole_file(self):
        places = (
            ColumnTarget("i", "item"),
            ColumnTarget("s", "ignore"),
            ColumnTarget("v", "value"),
        )

        row = read(places, {"v": 3}, rater="ada", system="Kestrel", criterion="depth")

        assert (row.system, row.cells[0].criterion) == ("Kestrel", "depth")

    def test_calls_criteria_as_the_rubric_does_whatever_their_capitals(self):
        mapping = GradeMapping(LONG, "Old", "summary", aliases={"Coh": "coherence"})
        reader = GradesReader(
            mapping, criteria={"coherence": "coherence", "fluencyoftext": "fluency"}
        )
        record = {"i": "Q1", "s": "K", "r": "ada", "v": 3}

        called = [
            reader.read(FileRecord(2, record | {"c": name}), 0)[0].cells[0].criterion
            for name in ("COH", "Coherence", "Fluency of  text", "Depth")
        ]

        assert called == ["coherence", "coherence", "fluency", "Depth"]

    def test_tells_everything_that_is_wrong(self):
        row = read(LONG, {"i": "", "c": "coh", "r": "", "v": "x", "at": "never", "n": 0, "new": 1})

        assert codes(row) == [
            ("new_column", "new"),
            ("empty_cell", "i"),
            ("no_whole_number", "n"),
            ("empty_cell", "r"),
            ("not_a_number", "v"),
            ("no_moment", "at"),
        ]

    def test_does_not_call_a_rater_missing_whose_name_cannot_be_used(self):
        row = read(LONG, {"c": "coh", "r": "le\u202ena", "v": 1})

        assert codes(row) == [("unseen_sign", "r")]

    def test_hands_the_problems_of_a_broken_row_on(self):
        mapping = GradeMapping(WIDE, "Old", "summary")
        [row] = GradesReader(mapping).read(FileRecord(2, {}, (FileProblem("broken_json", 2),)), 0)

        assert codes(row) == [("broken_json", "")]


class TestKindsOfMark:
    def cell(self, value, **options):
        mapping = GradeMapping(LONG, "Old", "summary")
        labels = {"style": {"long": Decimal(1), "stiff": Decimal(2), "twice": Decimal(3)}}
        criteria = {"style": "style", "wish": "wish", "c": "c"}
        reader = GradesReader(mapping, labels, None, criteria, sets={"style"}, texts={"wish"})
        given = {"i": "Q1", "s": "K", "r": "lena", "c": "style", "v": value, **options}
        [row] = reader.read(FileRecord(2, given), 0)
        return row

    @pytest.mark.parametrize(
        ("written", "number"),
        [
            ("Long; twice", 5),
            (["Stiff"], 2),
            ('["long", "stiff"]', 3),
            ("None of these", 0),
            ("5", 5),
        ],
    )
    def test_reads_several_labels_as_their_number(self, written, number):
        row = self.cell(written)

        assert [one.value for one in row.cells] == [number], row.problems

    def test_refuses_a_label_that_there_is_not(self):
        row = self.cell("long; green")

        assert (row.cells, codes(row)) == ([], [("no_such_label", "v")])

    def test_refuses_several_where_one_is_asked_for(self):
        assert codes(self.cell(["1", "2"], c="c")) == [("several_labels", "v")]

    def test_takes_a_text_as_it_is(self):
        [cell] = self.cell("Say when.", c="wish").cells

        assert (cell.value, cell.text) == (None, "Say when.")
