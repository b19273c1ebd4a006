import pytest

from annotation.files.cells import FileRecord, broken
from annotation.files.mappings import ColumnTarget
from annotation.files.scores import FigureMapping
from annotation.files.scores import FigureReader as Reader

MAPPING = FigureMapping(
    (
        ColumnTarget("who", "system"),
        ColumnTarget("set", "dataset"),
        ColumnTarget("what", "figure"),
        ColumnTarget("n", "value"),
    ),
    release="2",
)


def read(mapping=MAPPING, **cells):
    usual = {"who": "Kestrel", "set": "Quay", "what": "accuracy", "n": "71.5"}
    return Reader(mapping).read(FileRecord(3, usual | cells), 0)


class TestReader:
    def test_reads_who_what_where_and_how_much(self):
        row = read()

        assert (row.system, row.release, row.dataset, row.figure) == (
            "Kestrel",
            "2",
            "Quay",
            "accuracy",
        )
        assert (row.value, row.problems, row.is_empty) == (71.5, [], False)

    @pytest.mark.parametrize(
        ("written", "value"),
        [("55 %", None), ("55%", 55.0), ("−0.2", -0.2), (3, 3.0), ("1e2", 100)],
    )
    def test_reads_numbers_as_people_write_them(self, written, value):
        assert read(n=written).value == value

    def test_leaves_an_empty_cell_out(self):
        row = read(n=" ")

        assert (row.value, row.is_empty, row.problems) == (None, True, [])

    @pytest.mark.parametrize(
        ("cells", "code", "column"),
        [
            ({"n": "good"}, "no_figure_value", "n"),
            ({"n": "nan"}, "no_figure_value", "n"),
            ({"n": "1e999"}, "no_figure_value", "n"),
            ({"who": ""}, "empty_cell", "who"),
            ({"what": None}, "empty_cell", "what"),
            ({"more": 1}, "new_column", "more"),
        ],
    )
    def test_says_what_is_wrong_and_where(self, cells, code, column):
        (problem,) = read(**cells).problems

        assert (problem.code, problem.line, problem.column) == (code, 3, column)

    def test_refuses_a_name_that_is_too_long(self):
        (problem,) = read(set="x" * 121).problems

        assert problem.column == "set"

    def test_takes_the_figure_of_the_whole_file(self):
        mapping = FigureMapping(MAPPING.places[:2] + MAPPING.places[3:], figure="MT-Bench")

        assert (
            Reader(mapping).read(FileRecord(1, {"who": "K", "set": "", "n": 1}), 0).figure
            == "MT-Bench"
        )

    def test_hands_on_what_is_wrong_with_a_row(self):
        assert Reader(MAPPING).read(broken("too_few_cells", 4), 0).problems[0].line == 4
