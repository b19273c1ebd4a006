"""Tables in documents that are no workbooks of Excel: OpenDocument (ODS), Word (DOCX) and pages of the web (HTML).

Each table is read as a sheet of a workbook is; a document has one for each sheet, or each table in it.
"""

import math
import re
import zipfile
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import IO, Any, Final
from xml.etree import ElementTree

from annotation.files.cells import BadFile, FileProblem, excerpt
from annotation.files.look.archives import ARCHIVE
from annotation.files.look.encodings import look
from annotation.files.look.tables import MAX_COLUMNS, TableLine

#: So many cells a sheet may have because it says that a row comes again, and so many a row before its empty end is cut.
MOST_AGAIN, MOST_WIDE = 100_000, 20_000
#: How much of a file tells what it is.
LOOKED_AT: Final = 4096
_ODS: Final = b"application/vnd.oasis.opendocument.spreadsheet"
_PAGE: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body|table|div|meta)\b",
    re.IGNORECASE | re.DOTALL,
)
_OFFICE, _TABLE, _TEXT = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("office", "table", "text")
)
_ERROR: Final = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
_WORD: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
#: The lines of each table, by its name.
Tables = dict[str, list[TableLine]]


def are_here(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this has tables that are read here."""
    if head.startswith(ARCHIVE):
        return _ODS in head[:200] or name.endswith(".docx")
    return is_page(head)


def is_page(head: bytes) -> bool:
    """Say whether this begins a page of the web."""
    return _PAGE.match(head) is not None


def tables_of(file: IO[bytes]) -> Tables | None:
    """Return the tables of a document by their names; None where it is a workbook of Excel.

    Raises:
        BadFile: there is no table in it.
        ValueError, KeyError: it is damaged.
    """
    file.seek(0)
    if file.read(4) != ARCHIVE:
        file.seek(0)
        return _with_tables(_of_page(file.read()))
    with zipfile.ZipFile(file) as parts:
        names = parts.namelist()
        if "content.xml" in names:
            return _with_tables(_of_sheets(_xml(parts, "content.xml")))
        if "word/document.xml" in names:
            return _with_tables(_of_word(_xml(parts, "word/document.xml")))
    return None


def _with_tables(found: Tables) -> Tables:
    if not found:
        raise BadFile("no_table")
    return found


def _xml(parts: zipfile.ZipFile, name: str) -> ElementTree.Element:
    data = parts.read(name)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("A document of an office program declares nothing of its own.")
    return ElementTree.fromstring(data)  # noqa: S314  it has no entities


def _named(tables: Iterable[list[TableLine]]) -> Tables:
    found = [one for one in tables if one]
    return {f"table {number}": one for number, one in enumerate(found, start=1)}


def _add(cells: list[Any], value: Any, times: int = 1, beside: Any = None) -> None:
    """Add a cell as often as it comes, or with so many others beside it."""
    n = min(times, MAX_COLUMNS + 1)
    cells += [value, *[value if beside is None else beside] * (n - 1)] if n > 0 else []
    if len(cells) > MOST_WIDE:
        raise BadFile("workbook_too_heavy")


def _line(
    number: int, cells: list[Any], problems: Iterable[tuple[int, FileProblem]] = ()
) -> TableLine:
    while cells and cells[-1] in (None, ""):
        cells.pop()
    if len(cells) > MAX_COLUMNS:
        raise BadFile("too_many_columns", n=str(len(cells)), most=str(MAX_COLUMNS))
    return TableLine(number, cells, "", tuple(problems), padded=True)


# OpenDocument -----------------------------------------------------------------------------------


def _of_sheets(root: ElementTree.Element) -> Tables:
    return {
        sheet.get(f"{_TABLE}name", ""): list(_rows_of_sheet(sheet))
        for sheet in root.iter(f"{_TABLE}table")
    }


def _rows_of_sheet(sheet: ElementTree.Element) -> Iterator[TableLine]:
    number = n_again = 0
    for row in sheet.iter(f"{_TABLE}table-row"):
        times = int(row.get(f"{_TABLE}number-rows-repeated", "1"))
        cells: list[Any] = []
        problems: list[tuple[int, str, str]] = []
        for cell in row:
            if code := _trouble(cell):
                said = cell.get(f"{_TABLE}formula") or _spoken(cell)
                problems.append((len(cells), code, excerpt(said)))
            again = int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
            _add(cells, _value(cell), again)
        line = _line(number + 1, cells)
        if line.cells:
            n_again += (times - 1) * len(line.cells)
            if n_again > MOST_AGAIN:
                raise BadFile("workbook_too_heavy")
            for at in range(number + 1, number + times + 1):
                told = (
                    (place, FileProblem(code, at, found=said)) for place, code, said in problems
                )
                yield _line(at, list(line.cells), told)
        number += times


def _trouble(cell: ElementTree.Element) -> str:
    if cell.get(_ERROR) == "error":
        return "cell_error"
    return "formula" if cell.get(f"{_TABLE}formula") else ""


def _value(cell: ElementTree.Element) -> Any:
    """Return what stands in a cell: a number, a day, or a text."""
    kind = cell.get(f"{_OFFICE}value-type", "")
    if kind in {"float", "percentage", "currency"}:
        number = float(cell.get(f"{_OFFICE}value", ""))
        if math.isfinite(number):
            return int(number) if number.is_integer() else number
    if kind == "date":
        return cell.get(f"{_OFFICE}date-value", "").removesuffix("T00:00:00")
    if kind == "boolean":
        return cell.get(f"{_OFFICE}boolean-value") == "true"
    return _spoken(cell) or None


def _spoken(cell: ElementTree.Element) -> str:
    """Return the paragraphs of a cell, without notes beside it."""
    return "\n".join("".join(_words(one)) for one in cell if one.tag == f"{_TEXT}p")


def _words(part: ElementTree.Element) -> Iterator[str]:
    yield part.text or ""
    for one in part:
        if one.tag == f"{_TEXT}s":
            yield " " * min(int(one.get(f"{_TEXT}c", "1")), MAX_COLUMNS)
        elif one.tag in {f"{_TEXT}tab", f"{_TEXT}line-break"}:
            yield "\n" if one.tag.endswith("break") else "\t"
        elif not one.tag.startswith(_OFFICE):
            yield from _words(one)
        yield one.tail or ""


# Word --------------------------------------------------------------------------------------------


def _of_word(root: ElementTree.Element) -> Tables:
    """Return the tables of a document; cells that are merged leave gaps below and beside the first."""
    return _named(list(_rows_of_word(one)) for one in root.iter(f"{_WORD}tbl"))


def _rows_of_word(table: ElementTree.Element) -> Iterator[TableLine]:
    for number, row in enumerate(table.findall(f"{_WORD}tr"), start=1):
        cells: list[Any] = []
        for cell in row.findall(f"{_WORD}tc"):
            merged = cell.find(f"{_WORD}tcPr/{_WORD}vMerge")
            wide = cell.find(f"{_WORD}tcPr/{_WORD}gridSpan")
            goes_on = merged is not None and merged.get(f"{_WORD}val") != "restart"
            n_wide = int(wide.get(f"{_WORD}val", "1")) if wide is not None else 1
            _add(cells, "" if goes_on else _said_in_word(cell), n_wide, "")
        line = _line(number, cells)
        if line.cells:
            yield line


def _said_in_word(cell: ElementTree.Element) -> str:
    breaks = {f"{_WORD}br": "\n", f"{_WORD}tab": "\t"}
    return "\n".join(
        "".join(
            (part.text or "") if part.tag == f"{_WORD}t" else breaks.get(part.tag, "")
            for part in paragraph.iter()
        )
        for paragraph in cell.findall(f"{_WORD}p")
    ).strip()


# Pages of the web ---------------------------------------------------------------------------------


def _of_page(data: bytes) -> Tables:
    page = _PageTables()
    try:
        page.feed(data.decode(look(data, whole=True).encoding, "replace"))
        page.close()
    except AssertionError as problem:  # so the parser says that a declaration is broken
        raise ValueError(str(problem)) from problem
    return _named(map(_of_cells, page.tables))


def _of_cells(rows: "list[list[_Cell]]") -> list[TableLine]:
    """Return the lines of a table; a cell that covers others stands in the first place."""
    covered: dict[int, int] = {}  # up to which row, by column
    lines = []
    for number, row in enumerate(rows, start=1):
        cells: list[Any] = []
        for cell in row:
            while covered.get(len(cells), 0) >= number:
                _add(cells, "")
            last = number + cell.rows - 1
            covered |= {len(cells) + n: last for n in range(cell.columns)}
            _add(cells, cell.said, cell.columns, "")
        lines.append(_line(number, cells))
    return [line for line in lines if line.cells]


class _Cell:
    def __init__(self, about: dict[str, str | None]) -> None:
        self.pieces: list[str] = []
        self.rows, self.columns = (_covers(about.get(name)) for name in ("rowspan", "colspan"))

    @property
    def said(self) -> str:
        lines = "".join(self.pieces).split("\v")
        return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _covers(written: str | None) -> int:
    return min(max(int(written), 1), MAX_COLUMNS) if written and written.isdecimal() else 1


class _PageTables(HTMLParser):
    """Gathers the tables of a page, those within others too; what is not shown is left out."""

    HIDDEN: Final = frozenset(("script", "style", "template", "noscript", "select"))
    BREAKS: Final = frozenset(("br", "p", "div", "li", "tr"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[_Cell]]] = []
        self._open: list[list[list[_Cell]]] = []
        self._cell: list[_Cell | None] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._open.append([])
            self._cell.append(None)
            self.tables.append(self._open[-1])
        elif tag in self.HIDDEN:
            self._hidden = self._hidden or tag
        elif self._open and tag == "tr":
            self._open[-1].append([])
            self._cell[-1] = None
        elif self._open and tag in {"td", "th"}:
            rows, cell = self._open[-1], _Cell(dict(attrs))
            self._cell[-1] = cell
            if not rows:
                rows.append([])
            rows[-1].append(cell)
        elif tag in self.BREAKS:
            self.handle_data("\v")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden:
            self._hidden = ""
        elif tag == "table" and self._open:
            self._open.pop()
            self._cell.pop()
        elif tag in {"td", "th", "tr"} and self._cell:
            self._cell[-1] = None

    def handle_data(self, data: str) -> None:
        if not self._hidden and self._cell and (cell := self._cell[-1]):
            cell.pieces.append(data)
