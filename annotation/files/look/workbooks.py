"""Spreadsheets: the one door to openpyxl. Formulas are refused, values come as text or numbers."""

import contextlib
import io
import itertools
import math
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING, Any, Final

from annotation.files.asks import FileAsk
from annotation.files.cells import BadFile, FileProblem, FileRecord, excerpt
from annotation.files.look import documents, layouts, tables
from annotation.files.look.archives import megabytes
from annotation.files.look.layouts import Layout
from annotation.files.look.tables import TableLine

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell

MAX_CELL = 32_767
#: So many sheets of a workbook are looked at.
MOST_SHEETS = 50
#: All sheets that are alike, and the column of the name of each.
EVERY: Final = "*"
SHEET: Final = "name of the sheet"
MAX_SHARE = 200  # a part that unpacks to more than so many times its size is an attack
#: A sheet has no more rows. What numbers stand at rows and cells is believed no further: a sheet of a
#: kilobyte may say that it ends in row 999,999,999, and every row before it would be made.
MAX_ROWS = 1_048_576
#: So many cells are looked at in rows that are wider than may be: one cell far to the right makes all before it.
MAX_WIDE = 5_000_000

#: What unpacking and reading a damaged workbook may raise, beside openpyxl's own; tests/fuzz finds out.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    LookupError,
    ArithmeticError,
    AttributeError,
    EOFError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def describe(layout: Layout, file: IO[bytes], name: str) -> Layout:
    """Return the layout with the sheet that is read, and where its columns are named.

    Of several sheets the first that looks like a table is suggested, or all that have its columns.

    Raises:
        BadFile: the workbook is damaged or unpacks to too much.
    """
    with _opened(file) as book:
        titles = book.titles
        heads = {
            title: list(itertools.islice(book.lines(title), tables.LOOKED_AT))
            for title in titles[:MOST_SHEETS]
        }
    sheet, asks = titles[0], layout.asks
    if len(titles) > 1:
        best = next((title for title in heads if _is_table(heads[title])), titles[0])
        alike = _alike(heads, best)
        every = (EVERY,) if alike else ()
        ask = FileAsk("sheet", "sheet", (*titles[:MOST_SHEETS], *every), EVERY if alike else best)
        sheet, asks = ask.answer(layout.told), (*asks, ask)
        titles = alike if sheet == EVERY else titles
    layout = replace(layout, sheet=sheet, sheets=titles, asks=asks)
    rows = heads[titles[0] if sheet == EVERY else sheet]
    return layouts.with_head(layout, name, rows, gaps=True)


def _alike(heads: Mapping[str, Sequence[TableLine]], best: str) -> tuple[str, ...]:
    """Return the sheets whose columns are named as those of one, in the same line; none where it is alone."""
    head = next(((row.number, row.cells) for row in heads[best] if len(row.cells) > 1), None)
    found = [
        title
        for title, rows in heads.items()
        if head and head in [(row.number, row.cells) for row in rows if len(row.cells) > 1][:1]
    ]
    return tuple(found) if len(found) > 1 else ()


def read_sheet(layout: Layout, file: IO[bytes]) -> Iterator[FileRecord]:
    """Yield the rows of the sheet that was chosen, or of all that are alike, with the name of theirs.

    Raises:
        BadFile: the workbook is damaged, or its header cannot be used.
    """
    with _opened(file) as book:
        if layout.sheet == EVERY:
            for title in layout.sheets:
                for record in layouts.shaped(layout, _named(book, title, layout)):
                    record.part = title
                    yield record
            return
        title = layout.sheet if layout.sheet in book.titles else book.titles[0]
        yield from layouts.shaped(layout, tables.records(book.lines(title), layout.head))


def _named(book: "_Book", title: str, layout: Layout) -> Iterator[FileRecord]:
    for record in tables.records(book.lines(title), layout.head):
        record.cells = {**record.cells, SHEET: title}
        yield record


def _is_table(rows: Sequence[TableLine]) -> bool:
    return sum(len(row.cells) > 1 for row in rows) > 1


def _lines(sheet: Any) -> Iterator[TableLine]:
    for number, cells in enumerate(_rows(sheet), start=1):
        row = list(cells)
        while row and row[-1].value is None:
            row.pop()
        if row:
            problems = tuple(_problems(row, number))
            yield TableLine(number, [_plain(cell.value) for cell in row], "", problems, padded=True)


def _problems(row: Sequence[Any], line: int) -> Iterator[tuple[int, FileProblem]]:
    for place, cell in enumerate(row):
        if cell.data_type in {"f", "e"}:
            code = "formula" if cell.data_type == "f" else "cell_error"
            yield place, FileProblem(code, line, found=excerpt(_shown(cell.value)))


def weigh(file: IO[bytes], most: float, damaged: str = "damaged_workbook") -> int:
    """Return how many bytes an archive unpacks to. What its parts say of themselves is binding.

    Args:
        file: a workbook, or else what is `damaged` by its code.
        most: it may hold so many bytes.

    Raises:
        BadFile: it is damaged, or these are too many.
    """
    file.seek(0)
    if documents.is_page(file.read(documents.LOOKED_AT)):
        return file.seek(0, io.SEEK_END)
    try:
        with zipfile.ZipFile(file) as parts:
            listed = parts.infolist()
    except _DAMAGED as problem:
        raise BadFile(damaged) from problem
    total = sum(part.file_size for part in listed)
    if total > most:
        raise BadFile("unpacked_too_large", most=megabytes(most))
    if any(
        part.file_size > 10 * 1024**2 and part.file_size > MAX_SHARE * max(part.compress_size, 1)
        for part in listed
    ):
        raise BadFile("packed_too_well")
    return total


def write(rows: Iterable[Sequence[str]], *, title: str, widths: Sequence[int]) -> bytes:
    """Return a workbook of one sheet in which every cell is a text; signs it cannot hold are left out."""
    import openpyxl
    from openpyxl.utils import get_column_letter

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    for place, width in enumerate(widths):
        sheet.column_dimensions[get_column_letter(place + 1)].width = width
    for row in rows:
        sheet.append([_text_cell(sheet, text) for text in row])
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def _text_cell(sheet: Any, text: str) -> "WriteOnlyCell":
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment

    cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", text)[:MAX_CELL])
    cell.data_type = "s"
    cell.number_format = "@"  # what is typed into it stays a text too
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    return cell


@dataclass(frozen=True, slots=True)
class _Book:
    """The sheets of a workbook, or the tables of another document, by their names."""

    titles: tuple[str, ...]
    lines: Callable[[str], Iterator[TableLine]]


@contextlib.contextmanager
def _opened(file: IO[bytes]) -> Iterator[_Book]:
    weigh(file, math.inf)
    try:
        if (found := documents.tables_of(file)) is not None:
            yield _Book(tuple(found), lambda title: iter(found[title]))
            return
        with contextlib.closing(_of_excel(file)) as book:
            if not book.worksheets:
                raise BadFile("no_rows")
            yield _Book(tuple(book.sheetnames), lambda title: _lines(book[title]))
    except _DAMAGED as problem:
        raise BadFile("damaged_workbook") from problem


def _of_excel(file: IO[bytes]) -> Any:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    file.seek(0)
    try:
        return openpyxl.load_workbook(file, read_only=True, keep_links=False)
    except InvalidFileException as problem:
        raise BadFile("damaged_workbook") from problem


def _rows(sheet: Any) -> Iterator[Sequence[Any]]:
    """Yield the rows of a sheet, each as long as its own cells, whatever size the sheet says it has.

    Raises:
        ValueError: it has more rows than a workbook can.
        BadFile: its rows are so wide that nobody wrote them.
    """
    if not hasattr(sheet, "iter_rows"):  # a sheet of charts has none
        return
    sheet.reset_dimensions()
    n_wide = 0
    for n, row in enumerate(sheet.iter_rows(max_row=MAX_ROWS + 1)):
        if n >= MAX_ROWS:
            raise ValueError("There are more rows than a workbook can have.")
        if len(row) > tables.MAX_COLUMNS:
            n_wide += len(row)
            if n_wide > MAX_WIDE:
                raise BadFile("workbook_too_heavy")
        yield row


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value


def _shown(value: object) -> str:
    return "" if value is None else str(_plain(value))
