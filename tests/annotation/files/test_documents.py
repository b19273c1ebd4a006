import io
import zipfile

import pytest

from annotation.files.cells import BadFile
from annotation.files.look import documents
from evalsite import env
from tests.files import looked_at

EXAMPLES = env.BASE_DIR / "fixtures" / "examples"
MERGED = ["item", "system", "rater"]


def page(body, name="a.html", **told):
    return looked_at(f"<html><body>{body}</body></html>".encode(), name, told)


def sheet(rows, **parts):
    """Return an OpenDocument workbook of one sheet with these rows, as XML."""
    names = ("office", "table", "text")
    spaces = " ".join(
        f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in names
    )
    content = (
        f'<office:body {spaces}><table:table table:name="A">{rows}</table:table></office:body>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        for name, text in ({"content.xml": content} | parts).items():
            made.writestr(name, text)
    return out.getvalue()


def row(*cells, times=1):
    again = f' table:number-rows-repeated="{times}"'
    return f"<table:table-row{again}>{''.join(cells)}</table:table-row>"


def cell(text, about=""):
    return f"<table:table-cell {about}><text:p>{text}</text:p></table:table-cell>"


_AGAIN = 'table:number-columns-repeated="9999"'


class TestOpenDocument:
    def test_is_read_as_a_workbook_is(self):
        layout, rows = looked_at(EXAMPLES / "tides.ods")

        assert (layout.sheet, layout.sheets) == ("Answers", ("Notes", "Answers"))
        assert rows[0] == {
            "id": "T-1",
            "question": "When is high tide at Northport?",
            "answer_Heron": "At noon.",
            "answer_Loon": "At  6.\nTwice a day.",
            "minutes": 2,
            "date": "2026-03-05",
        }
        assert (rows[1]["answer_Heron"], rows[1]["minutes"]) == ("The lock keeper.", 1.5)

    def test_repeats_rows_and_keeps_their_numbers(self):
        data = sheet(row(cell("id"), cell("n")) + row(times=3) + row(cell("a"), cell("b"), times=2))

        tables = documents.tables_of(io.BytesIO(data))

        assert [(one.number, one.cells) for one in tables["A"]] == [
            (1, ["id", "n"]),
            (5, ["a", "b"]),
            (6, ["a", "b"]),
        ]

    def test_refuses_formulas_by_their_row(self):
        head, sum_ = row(cell("id"), cell("n")), cell("3", 'table:formula="of:=1+2"')

        _layout, rows = looked_at(sheet(head + row(cell("a"), sum_)), "a.ods")

        assert rows == [{"problem": "formula"}]

    @pytest.mark.parametrize(
        ("data", "code"),
        [
            (sheet(row(cell("a")) + row(cell("x"), times=999_999)), "workbook_too_heavy"),
            (sheet(row(*[cell("x", _AGAIN)] * 30)), "workbook_too_heavy"),
            (sheet("<table:table-row>"), "damaged_workbook"),
            (
                sheet("", **{"content.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}),
                "damaged_workbook",
            ),
            (sheet("", **{"content.xml": "<x/>"}), "no_table"),
        ],
    )
    def test_refuses(self, data, code):
        with pytest.raises(BadFile, match=code):
            looked_at(data, "a.ods")


class TestWord:
    def test_has_a_table_whose_merged_cells_are_asked_about(self):
        layout, rows = looked_at(EXAMPLES / "grades_merged.docx")

        assert [(one.key, one.facts["columns"]) for one in layout.asks] == [
            ("fill_down", ", ".join(MERGED))
        ]
        assert [one["grade"] for one in rows] == ["3", "2", "1", "0"]

    def test_is_read_with_what_merged_cells_mean(self):
        _layout, rows = looked_at(EXAMPLES / "grades_merged.docx", told={"fill_down": "yes"})

        assert [tuple(one[name] for name in MERGED) for one in rows] == [
            ("NP-003", "Kestrel 4", "lena"),
            ("NP-003", "Kestrel 4", "lena"),
            ("NP-005", "Kestrel 4", "kofi"),
            ("NP-005", "Kestrel 4", "kofi"),
        ]


class TestPage:
    def test_has_several_tables_of_which_the_first_with_columns_is_suggested(self):
        layout, rows = looked_at(EXAMPLES / "grades_page.html", told={"fill_down": "yes"})

        assert (layout.sheet, layout.sheets) == ("table 2", ("table 1", "table 2"))
        assert [tuple(one.values()) for one in rows] == [
            ("NP-003", "Kestrel 4", "lena", "fluency", "3"),
            ("NP-003", "Kestrel 4", "lena", "depth", "2"),
            ("NP-005", "Kestrel 4", "kofi", "fluency", "1"),
        ]

    def test_may_be_called_a_workbook_as_programs_export_it(self):
        _layout, rows = page("<table><tr><td>id<td>n<tr><td>a<td>1<br>2</table>", "a.xls")

        assert rows == [{"id": "a", "n": "1\n2"}]

    def test_may_have_tables_within_tables(self):
        inner = "<table><tr><th>id<th>n</tr><tr><td>a<td>1</tr></table>"

        layout, _rows = page(f"<table><tr><td>Menu</td><td>{inner}</td></tr></table>")

        assert layout.sheets == ("table 1", "table 2")

    def test_stops_at_cells_that_cover_more_than_anybody_could_mean(self):
        wide = '<td rowspan="9999" colspan="9999">x</td>' * 99

        with pytest.raises(BadFile, match="workbook_too_heavy"):
            page(f"<table><tr>{wide}</tr></table>")

    def test_without_a_table_is_refused(self):
        with pytest.raises(BadFile, match="no_table"):
            page("<p>id, question</p>")
