"""Spreadsheets: the one door to openpyxl. Formulas are refused, values come as text or numbers.

* A file that was handed in: its bytes from the database, its records by its layout.
"""

import io
import json
import math
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING, Any, Final

from django.conf import settings
from openpyxl.cell import WriteOnlyCell

from annotation.files import choices as choice_sets
from annotation.files import columns as targets
from annotation.files import reading
from annotation.files.cells import Problem, Record, Unreadable, excerpt
from annotation.files.columns import Guess
from annotation.files.models import ImportKind, Upload, UploadChunk
from annotation.files.reading import Column, Layout
from evalsite import env

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


SPOOLED = 8 * 1024 * 1024
CHILD: Final = "annotation.files.workbook_child"
#: Large workbooks that one process has opened at a time, seconds that one may take, and may wait for its turn.
_OPENED = threading.BoundedSemaphore(2)
PATIENCE: Final = 60
TURN: Final = 1.0


def chunks(upload: Upload) -> Iterator[bytes]:
    """Yield the bytes of a file, one stored piece at a time."""
    ordinal = 0
    # One short query a piece: no cursor stays open while something else is written.
    while piece := _piece(upload, ordinal):
        yield piece
        ordinal += 1


def weigh_file(upload: Upload, *, whole: bool = False) -> int | None:
    """Return how many bytes a file has when it is unpacked; None where that is for a worker to find out.

    Args:
        upload: the file.
        whole: unpack it to its end, however long that takes.

    Raises:
        Unreadable: more than may be, or it cannot be unpacked.
    """
    head = next(chunks(upload), b"")
    if head.startswith(b"PK\x03\x04"):
        if upload.size > Upload.SMALL and not whole:
            return None  # even its list of parts may be millions long
        with _spooled(upload) as file:
            return weigh(file, settings.FILE_MOST)
    if not head.startswith(b"\x1f\x8b"):
        return upload.size
    total = 0
    for piece in reading.unzip(chunks(upload), settings.FILE_MOST):
        total += len(piece)
        if total > Upload.LARGE and not whole:
            return None
    return total


def describe_file(upload: Upload, encoding: str = "") -> Layout:
    """Return the format, the encoding and the columns of a file, from its beginning.

    Args:
        encoding: that a person says it has; else it is found out.

    Raises:
        Unreadable: it cannot be brought in; the problem says why.
    """
    layout = reading.recognise(upload.name, lambda: chunks(upload), encoding)
    if layout.format == "workbook":
        return _describe_workbook(upload, layout)
    columns, n_sampled = reading.columns_of(reading.sample(layout, chunks(upload)))
    return replace(layout, columns=columns, n_sampled=n_sampled)


def _describe_workbook(upload: Upload, layout: Layout) -> Layout:
    if upload.is_large:
        with _real(upload) as file:
            return _described_apart(file)
    with _spooled(upload) as file:
        layout = describe(layout, file)
    columns, n_sampled = reading.columns_of(_records(upload, layout))
    return replace(layout, columns=columns, n_sampled=n_sampled)


def _described_apart(file: IO[bytes]) -> Layout:
    """Have a large workbook described by a process of its own."""
    if not _OPENED.acquire(timeout=TURN):
        raise Unreadable("workbooks_wait")
    try:
        done = subprocess.run(  # noqa: S603  our own module, no shell; the file goes in as bytes
            [sys.executable, "-m", CHILD, str(settings.FILE_MOST)],
            stdin=file,
            capture_output=True,
            cwd=env.BASE_DIR,
            timeout=PATIENCE,
            check=False,
        )
        found = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as problem:
        raise Unreadable("workbook_too_heavy") from problem
    finally:
        _OPENED.release()
    if "problem" in found:
        stop = Unreadable("damaged_workbook")
        stop.problem = Problem.from_dict(found["problem"])
        raise stop
    return Layout.from_dict(found["layout"])


def layout_of(upload: Upload) -> Layout:
    return Layout.from_dict(upload.layout)


def guesses(upload: Upload) -> list[tuple[Column, Guess]]:
    """Return the columns of a file, each with where it probably belongs."""
    columns = layout_of(upload).columns
    suggest = {
        ImportKind.ANSWERS: targets.suggest_answers,
        ImportKind.QUESTIONS: targets.suggest_questions,
        ImportKind.SCORES: targets.suggest_scores,
        ImportKind.CHOICES: targets.suggest_choices,
        ImportKind.FIGURES: targets.suggest_figures,
    }.get(ImportKind(upload.kind), targets.suggest_grades)
    return list(zip(columns, suggest(columns), strict=True))


def is_table(upload: Upload) -> bool:
    """Return whether a file is made for spreadsheets, whose texts may carry a shield."""
    return layout_of(upload).format in {"csv", "workbook"}


def records(upload: Upload) -> Iterator[Record]:
    """Yield the records of a file in their order.

    Raises:
        Unreadable: the rest of the file cannot be read.
    """
    layout = layout_of(upload)
    if upload.kind == ImportKind.CHOICES and lacks_header(layout):
        return choice_sets.without_header(layout, chunks(upload), settings.FILE_MOST)
    return _records(upload, layout)


def names_of(upload: Upload) -> set[str]:
    """Return the names of all columns of a file; its rest is not looked at where it cannot be read."""
    found: set[str] = set()
    try:
        for record in records(upload):
            found.update(record.cells)
    except Unreadable:
        pass  # the check tells where reading stopped, with its row
    return found


def beginning(upload: Upload) -> Iterator[Record]:
    """Yield the first records of a file, as far as a page may wait for; of a large workbook none.

    Raises:
        Unreadable: they cannot be read.
    """
    layout = layout_of(upload)
    if not upload.is_large:
        yield from records(upload)
    elif layout.format != "workbook":
        yield from reading.sample(layout, chunks(upload))


def lacks_header(layout: Layout) -> bool:
    """Return whether the first line of a file of multiple choice is a question already."""
    return choice_sets.recognise(layout) == choice_sets.Kind.MMLU_TABLE


def _records(upload: Upload, layout: Layout) -> Iterator[Record]:
    if layout.format != "workbook":
        yield from reading.read(layout, chunks(upload), settings.FILE_MOST)
        return
    with _spooled(upload) as file:
        yield from read(file)


def _spooled(upload: Upload) -> "tempfile.SpooledTemporaryFile[bytes]":
    file = tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # noqa: SIM115  the caller closes it
    for piece in chunks(upload):
        file.write(piece)
    file.seek(0)
    return file


def _real(upload: Upload) -> IO[bytes]:
    """Return a file that another process can read."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    for piece in chunks(upload):
        file.write(piece)
    file.seek(0)
    return file


def _piece(upload: Upload, ordinal: int) -> bytes:
    found = (
        UploadChunk.objects.filter(upload_id=upload.pk, ordinal=ordinal)
        .values_list("data", flat=True)
        .first()
    )
    return bytes(found) if found else b""
