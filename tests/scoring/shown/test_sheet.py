import csv
import io
from decimal import Decimal

from scoring.shown import sheet
from scoring.shown.sheet import Sheet


class TestSheet:
    def test_ends_every_line_with_its_convention(self):
        made = Sheet("s", ("a", "b"), [("x", 1), ("y", None)], "by rule")

        rows = list(csv.DictReader(io.StringIO("".join(made.lines()))))

        assert rows == [
            {"a": "x", "b": "1", "convention": "by rule"},
            {"a": "y", "b": "", "convention": "by rule"},
        ]

    def test_is_read_line_by_line(self):
        def endless():
            while True:
                yield ("x",)

        lines = Sheet("s", ("a",), endless(), "").lines()

        assert next(lines).startswith("a,convention")
        assert next(lines).count("\r\n") == 500

    def test_has_records(self):
        assert list(Sheet("s", ("a", "b"), [(1, 2)], "").records()) == [{"a": 1, "b": 2}]


class TestCell:
    def test_disarms_texts_and_leaves_numbers(self):
        values = ("=1", -1.5, True, None, Decimal("-2.5"))

        assert [sheet.cell(one) for one in values] == ["'=1", -1.5, "true", "", Decimal("-2.5")]
