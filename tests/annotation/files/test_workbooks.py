import io
import time
import zipfile
from datetime import date

import openpyxl
import pytest

from annotation.files.cells import BadFile
from annotation.files.look import workbooks
from annotation.files.look.layouts import Layout


def book(*rows, sheets=1):
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for _ in range(sheets - 1):
        made.create_sheet()
    file = io.BytesIO()
    made.save(file)
    return file


def read(file):
    return workbooks.read_sheet(Layout("workbook"), file)


def with_rows(rows):
    """Make a workbook whose sheet holds these rows, as XML, below a header of one column."""
    whole = io.BytesIO()
    with zipfile.ZipFile(book(["a"])) as parts, zipfile.ZipFile(whole, "w") as made:
        for name in parts.namelist():
            data = parts.read(name)
            if name == "xl/worksheets/sheet1.xml":
                data = data.replace(b"</sheetData>", rows.encode() + b"</sheetData>")
                data = data.replace(b'ref="A1"', b'ref="A1:XFD1048576"')
            made.writestr(name, data)
    return whole


class TestRead:
    def test_gives_values_with_their_rows(self):
        file = book(["id", "n", "day"], [], ["Q1", 3.0, date(2026, 2, 1)], ["Q2", 2.5])

        records = list(read(file))

        assert [(one.line, one.cells) for one in records] == [
            (3, {"id": "Q1", "n": 3, "day": "2026-02-01"}),
            (4, {"id": "Q2", "n": 2.5, "day": None}),
        ]

    def test_refuses_formulas_but_not_texts_that_look_like_one(self):
        file = book(["a"], ["=1+1"], ["x"])
        records = list(read(file))

        assert [[one.code for one in record.problems] for record in records] == [["formula"], []]

    def test_tells_cells_outside_the_header(self):
        (record,) = read(book(["a"], ["x", "y"]))

        assert [one.code for one in record.problems] == ["too_many_cells"]

    @pytest.mark.parametrize(
        ("file", "code"),
        [
            (io.BytesIO(b"rubbish"), "damaged_workbook"),
            (book(), "no_rows"),
            (book(["a", "a"], ["x", "y"]), "duplicate_header"),
        ],
    )
    def test_refuses(self, file, code):
        with pytest.raises(BadFile, match=code):
            list(read(file))

    def test_believes_no_size_that_a_sheet_says_it_has(self):
        began = time.monotonic()
        (record,) = read(with_rows('<row r="1048576"><c r="A1048576"><v>1</v></c></row>'))

        assert (record.line, record.cells) == (1048576, {"a": 1})
        assert time.monotonic() - began < 10

    @pytest.mark.parametrize(
        ("rows", "code"),
        [
            ('<row r="999999999"><c r="A999999999"><v>1</v></c></row>', "damaged_workbook"),
            (
                "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(2, 3000)),
                "workbook_too_heavy",
            ),
        ],
    )
    def test_refuses_rows_that_nobody_wrote(self, rows, code):
        with pytest.raises(BadFile, match=code):
            list(read(with_rows(rows)))

    def test_tells_a_cell_far_to_the_right(self):
        (record,) = read(
            with_rows('<row r="2"><c r="A2"><v>1</v></c><c r="XFD2"><v>2</v></c></row>')
        )

        assert [one.code for one in record.problems] == ["too_many_cells"]

    def test_refuses_a_bomb(self):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
            parts.writestr("xl/worksheets/sheet1.xml", b"0" * 30_000_000)

        with pytest.raises(BadFile, match="packed_too_well"):
            list(read(file))


class TestDescribe:
    def test_says_which_sheet_is_read(self):
        layout = workbooks.describe(Layout("workbook"), book(["a"], ["x"], sheets=3), "a.xlsx")

        assert (layout.sheet, len(layout.sheets)) == ("Sheet", 3)
        assert [(one.key, one.suggested) for one in layout.asks] == [("sheet", "Sheet")]
