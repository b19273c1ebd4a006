"""Tables as text: which sign divides the cells, and the rows one by one."""

import csv
from collections.abc import Iterator, Sequence

from annotation.rules.tabular.encodings import MAX_LINE, Lines
from annotation.rules.tabular.problems import Unreadable
from annotation.rules.tabular.records import Record, broken

DELIMITERS = (",", ";", "\t", "|")
MAX_COLUMNS = 1000


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the sign that divides the most cells the most evenly; a comma if none does."""
    return max(DELIMITERS, key=lambda sign: _evenness(lines, sign))


def _evenness(lines: Sequence[str], sign: str) -> tuple[float, int]:
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=sign) if row]
    except csv.Error:
        return (0.0, 0)
    if not widths or widths[0] < 2:
        return (0.0, 0)
    return (sum(width == widths[0] for width in widths) / len(widths), widths[0])


def read(lines: Lines, delimiter: str, names: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows below the header, or all rows of a file without one if its columns are named.

    Raises:
        Unreadable: the header cannot be used, or a quotation mark leaves the rest unclear.
    """
    csv.field_size_limit(MAX_LINE)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            first, line = line, reader.line_num + 1
            if not any(row) and not lines.flaw(first, line - 1):
                continue
            if names is None:
                names = header(row, first)
            else:
                yield _record(names, row, first, lines.flaw(first, line - 1))
    except csv.Error as problem:
        code = "cell_too_long" if "field limit" in str(problem) else "broken_quotes"
        raise Unreadable(code, line) from problem
    if names is None:
        raise Unreadable("no_rows")


def header(row: Sequence[str], line: int) -> list[str]:
    """Return the names of the columns.

    Raises:
        Unreadable: two columns have the same name, or there are too many.
    """
    names = [name.strip() or f"column {place}" for place, name in enumerate(row, start=1)]
    if len(names) > MAX_COLUMNS:
        raise Unreadable("too_many_columns", line, n=str(len(names)), most=str(MAX_COLUMNS))
    for name in names:
        if names.count(name) > 1:
            raise Unreadable("duplicate_header", line, name)
    return names


def _record(names: Sequence[str], row: list[str], line: int, flaw: str) -> Record:
    if flaw:
        return broken(flaw, line)
    while len(row) > len(names) and not row[-1].strip():
        row.pop()
    if len(row) != len(names):
        code = "too_many_cells" if len(row) > len(names) else "too_few_cells"
        return broken(code, line, n=str(len(row)), expected=str(len(names)))
    return Record(line, dict(zip(names, row, strict=True)))
