"""Spreadsheets: the one door to openpyxl. Formulas are refused, values come as text or numbers."""

import io
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING, Any

from annotation.files import reading
from annotation.files.cells import Problem, Record, Unreadable, excerpt
from annotation.files.reading import Layout

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell

MAX_CELL = 32_767
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


def describe(layout: Layout, file: IO[bytes]) -> Layout:
    """Return the layout with the sheet that is read: the first.

    Raises:
        Unreadable: the workbook is damaged or unpacks to too much.
    """
    book = _open(file)
    try:
        return replace(layout, sheet=book.sheetnames[0], n_sheets=len(book.sheetnames))
    finally:
        book.close()


def read(file: IO[bytes]) -> Iterator[Record]:
    """Yield the rows of the first sheet below its header.

    Raises:
        Unreadable: the workbook is damaged, or its header cannot be used.
    """
    book = _open(file)
    names: list[str] | None = None
    try:
        for line, cells in enumerate(_rows(book.worksheets[0]), start=1):
            row = list(cells)
            while row and row[-1].value is None:
                row.pop()
            if not row:
                continue
            if names is None:
                names = reading.header([_shown(cell.value) for cell in row], line)
            else:
                yield _record(names, row, line)
    except _DAMAGED as problem:
        raise Unreadable("damaged_workbook") from problem
    finally:
        book.close()
    if names is None:
        raise Unreadable("no_rows")


def weigh(file: IO[bytes], most: float) -> int:
    """Return how many bytes a workbook unpacks to. What its parts say of themselves is binding.

    Raises:
        Unreadable: it is damaged, or these are too many.
    """
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as parts:
            listed = parts.infolist()
    except _DAMAGED as problem:
        raise Unreadable("damaged_workbook") from problem
    total = sum(part.file_size for part in listed)
    if total > most:
        raise Unreadable("unpacked_too_large", most=reading.megabytes(most))
    if any(
        part.file_size > 10 * 1024**2 and part.file_size > MAX_SHARE * max(part.compress_size, 1)
        for part in listed
    ):
        raise Unreadable("packed_too_well")
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


def _open(file: IO[bytes]) -> Any:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    weigh(file, math.inf)
    file.seek(0)
    try:
        book = openpyxl.load_workbook(file, read_only=True, keep_links=False)
    except (*_DAMAGED, InvalidFileException) as problem:
        raise Unreadable("damaged_workbook") from problem
    if not book.worksheets:
        raise Unreadable("no_rows")
    return book


def _rows(sheet: Any) -> Iterator[Sequence[Any]]:
    """Yield the rows of a sheet, each as long as its own cells, whatever size the sheet says it has.

    Raises:
        ValueError: it has more rows than a workbook can.
        Unreadable: its rows are so wide that nobody wrote them.
    """
    sheet.reset_dimensions()
    n_wide = 0
    for n, row in enumerate(sheet.iter_rows(max_row=MAX_ROWS + 1)):
        if n >= MAX_ROWS:
            raise ValueError("There are more rows than a workbook can have.")
        if len(row) > reading.MAX_COLUMNS:
            n_wide += len(row)
            if n_wide > MAX_WIDE:
                raise Unreadable("workbook_too_heavy")
        yield row


def _record(names: list[str], row: list[Any], line: int) -> Record:
    problems: list[Problem] = []
    values: dict[str, Any] = dict.fromkeys(names)
    for place, cell in enumerate(row):
        if place >= len(names):
            facts = {"n": str(len(row)), "expected": str(len(names))}
            problems.append(Problem("too_many_cells", line, facts=facts))
            break
        values[names[place]] = _plain(cell.value)
        if cell.data_type in {"f", "e"}:
            code = "formula" if cell.data_type == "f" else "cell_error"
            problems.append(Problem(code, line, names[place], excerpt(_shown(cell.value))))
    return Record(line, values, tuple(problems))


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
