"""Rows of tables: which sign divides the cells, which line names the columns, and the rows below it.

Tables as text and sheets of workbooks are the same here: lines of cells.
"""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from annotation.files import synonyms
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import (
    BadFile,
    FileProblem,
    FileRecord,
    broken,
    excerpt,
    is_blank,
    is_number,
)
from annotation.files.look.encodings import MAX_LINE, DecodedLines

DELIMITERS = (",", ";", "\t", "|", "^", "~")
#: Stand for the sign between cells where columns are aligned by spaces, of which one or more divide them.
ALIGNED, WORDS = "  ", " "
MAX_COLUMNS = 1000
#: So many lines are looked at for the one that names the columns.
LOOKED_AT: Final = 50
#: A text of so many signs, or one that ends a sentence, names no column.
LONG_NAME: Final = 60
#: Nobody draws a longer line.
LONGEST_RULE: Final = 2_000

#: What Markdown draws below the names of the columns.
_RULE, _LONG_RULE = re.compile(r":?-+:?"), re.compile(r":?-{3,}:?")
_SENTENCE = re.compile(r".*\s.*[.?!？。！]", re.DOTALL)
_DIGITS = re.compile(r"\d+")
#: Spreadsheets write so which sign divides the cells.
_SEP = re.compile(r"sep=(.)\s*", re.IGNORECASE)
#: Cells between single quotation marks, and between double ones.
_SINGLE, _DOUBLE = (
    re.compile(rf"(?:^|[,;\t|^~])\s*{mark}(?:[^{mark}]|{mark}{mark})*{mark}\s*(?:[,;\t|^~]|$)")
    for mark in ("'", '"')
)
#: What is written between two gaps of aligned columns, and the line that some programs draw below the names.
_PIECES: Final = {ALIGNED: re.compile(r"\S+(?: \S+)*"), WORDS: re.compile(r"\S+")}
#: Lines that programs draw around tables, and what databases write below them.
_DRAWN: Final = re.compile(r"[-=─+┼├┤ ]*[-=─]{2}[-=─+┼├┤| ]*|\(?\d+ rows?(?: in set.*)?\)?")


@dataclass(slots=True)
class TableLine:
    """A line of a table before its cells have names."""

    number: int
    cells: list[Any]
    flaw: str = ""
    problems: tuple[tuple[int, FileProblem], ...] = ()
    padded: bool = False  # empty cells at its end are left out


@dataclass(frozen=True, slots=True)
class TableHead:
    """Where the columns are named: from line `row` on, in `rows` lines; in none where `row` is 0.

    `names` are the columns where no line has them, or several have one name there; `fill` are columns
    whose empty cells mean what stands above them, as merged cells do.
    """

    row: int = 1
    rows: int = 1
    names: tuple[str, ...] = ()
    fill: tuple[str, ...] = ()


def delimiter_of(lines: Sequence[str], quote: str = '"') -> str:
    """Return the sign that divides the most cells the most evenly; a comma if none does."""
    if lines and (said := _SEP.fullmatch(lines[0].removeprefix("\ufeff"))):
        return said[1]
    plain = [line for line in lines if not (line.startswith("#") or _is_drawn(line))]
    best = max(DELIMITERS, key=lambda sign: _evenness(plain, sign, quote))
    if _evenness(plain, best, quote)[0] == 1:
        return best
    return next((one for one in _PIECES if _are_aligned(plain, _PIECES[one])), best)


def _is_drawn(line: str) -> bool:
    return len(line) < LONGEST_RULE and _DRAWN.fullmatch(line.strip()) is not None


def quote_of(lines: Sequence[str]) -> str:
    """Return the mark between which texts stand: a single one where most lines have it, and none a double one."""
    single = sum(_SINGLE.search(line.rstrip()) is not None for line in lines)
    doubled = any(_DOUBLE.search(line.rstrip()) for line in lines)
    return "'" if 2 * single > len(lines) and not doubled else '"'


def _evenness(lines: Sequence[str], sign: str, quote: str) -> tuple[float, int]:
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=sign, quotechar=quote) if row]
    except csv.Error:
        return (0.0, 0)
    usual = max(set(widths), key=widths.count, default=0)
    if not widths or usual < 2:
        return (0.0, 0)
    return (sum(width == usual for width in widths) / len(widths), usual)


def _are_aligned(lines: Sequence[str], piece: re.Pattern[str]) -> bool:
    """Say whether what stands in nearly all lines begins or ends where a name of the first one does."""
    filled = [line.rstrip().expandtabs() for line in lines if line.strip()]
    pieces = [[one.span() for one in piece.finditer(line)] for line in filled]
    words = piece is _PIECES[WORDS]
    if len(pieces) < 2 or len(pieces[0]) < 2 + words:
        return False
    starts, ends = (set(places) for places in zip(*pieces[0], strict=True))
    found = [
        start in starts or end in ends or (not words and _touch_all(pieces[0], row))
        for row in pieces[1:]
        for start, end in row
        if start
    ]
    return bool(found) and sum(found) >= 0.9 * len(found)


def _touch_all(names: Sequence[tuple[int, int]], row: Sequence[tuple[int, int]]) -> bool:
    """Say whether each piece of a line stands below another name."""
    pairs = zip(names, row, strict=False)
    return len(names) == len(row) and all(_touch(name, piece) > 0 for name, piece in pairs)


def _aligned(lines: DecodedLines, pieces: re.Pattern[str]) -> Iterator[TableLine]:
    """Yield the lines of a table whose columns are aligned by spaces: a cell stands under the name it touches."""
    spans: list[tuple[int, int]] = []
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip().expandtabs()
        if flaw := lines.flaw(number, number):
            yield TableLine(number, [], flaw)
        if flaw or not line or _is_drawn(line):
            continue
        found = list(pieces.finditer(line))
        if not spans:
            # What counts the rows before the first column has no name.
            spans = [(0, 0)] * line.startswith("  ") + [one.span() for one in found]
        cells = [""] * len(spans)
        for piece in found:
            place = max(range(len(spans)), key=lambda n: _touch(spans[n], piece.span()))
            cells[place] = f"{cells[place]} {piece[0]}".strip()
        yield TableLine(number, cells)


def _touch(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return how many signs two pieces share; below 0, how far they are from each other."""
    return min(one[1], other[1]) - max(one[0], other[0])


def lines_of(
    lines: DecodedLines,
    delimiter: str,
    *,
    quote: str = '"',
    quoted: bool = True,
    escaped: bool = False,
) -> Iterator[TableLine]:
    """Yield the filled lines of a table as text; not `quoted`, a quotation mark is a sign like others.

    Args:
        quote: the mark between which texts stand.
        escaped: one within a text has a backslash before it.

    Raises:
        BadFile: a quotation mark leaves the rest unclear.
    """
    if delimiter in _PIECES:
        yield from _aligned(lines, _PIECES[delimiter])
        return
    csv.field_size_limit(MAX_LINE)
    reader = csv.reader(
        (line.replace(f"\\{quote}", quote * 2) for line in lines) if escaped else lines,
        delimiter=delimiter,
        quotechar=quote,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    line, framed = 1, None
    try:
        for row in reader:
            first, line = line, reader.line_num + 1
            flaw = lines.flaw(first, line - 1)
            if delimiter == "|" and not flaw:
                framed = _is_framed(row) if framed is None and len(row) > 1 else framed
                rule = len(row) == 1 and _is_drawn(row[0])
                row = [] if rule else _drawn(row, framed=bool(framed))
            if any(row) or flaw:
                yield TableLine(first, row, flaw)
    except csv.Error as problem:
        code = "cell_too_long" if "field limit" in str(problem) else "broken_quotes"
        raise BadFile(code, line) from problem


def _is_framed(row: Sequence[str]) -> bool:
    """Say whether a line has its dividing sign before its first cell and behind its last, as in Markdown."""
    return len(row) > 2 and not row[0].strip() and not row[-1].strip()


def _drawn(row: Sequence[str], *, framed: bool) -> list[str]:
    """Return the cells of a line divided by strokes; none of the line that Markdown draws below the names."""
    cells: list[str] = []
    for cell in row:
        if framed and cells and cells[-1].endswith("\\"):  # the stroke is of the text
            cells[-1] = f"{cells[-1][:-1]}|{cell}"
        else:
            cells.append(cell)
    if framed and _is_framed(cells):
        cells = cells[1:-1]
    cells = [cell.strip() for cell in cells]
    rule = _RULE if framed else _LONG_RULE
    return [] if len(cells) > 1 - framed and all(map(rule.fullmatch, cells)) else cells


def are_wrapped(rows: Sequence[TableLine]) -> bool:
    """Say whether each line is one cell that holds the whole of a row, with its dividing signs."""
    if len(rows) < 2 or any(len(row.cells) != 1 for row in rows):
        return False
    names = str(rows[0].cells[0])
    n = names.count(",")
    return n > 1 and ", " not in names and all(str(row.cells[0]).count(",") >= n for row in rows)


def find_head(rows: Sequence[TableLine], told: Told) -> tuple[TableHead, list[FileAsk]]:
    """Return where the columns of a table are named, and what has to be asked about it.

    Args:
        rows: the first lines of the table.
        told: what a person answered.
    """
    filled = [row for row in rows if not row.flaw]
    place = _begins_at(filled)
    asks: list[FileAsk] = []
    if (place and not _is_remark(filled[place - 1])) or "header_row" in told:
        asks.append(_ask_row(filled, place))
        place = _place_of(filled, asks[0].answer(told), place)
    if place >= len(filled):
        return TableHead(), asks
    head = TableHead(filled[place].number)
    if _may_be_data(filled[place], filled[place + 1 :]) or "header" in told:
        asks.append(_ask_header(filled[place]))
        if asks[-1].answer(told) != "yes":
            return replace(head, row=0, names=_numbered(filled[place:])), asks
    if _is_over_another(filled[place : place + 3]) or "header_rows" in told:
        asks.append(FileAsk("header_rows", "header_rows", ("2", "1"), "2"))
        head = replace(head, rows=int(asks[-1].answer(told)))
    return head, asks


def first_of(rows: Sequence[TableLine], asks: Sequence[FileAsk]) -> int:
    """Return the number of the line that would name the columns."""
    filled = [row for row in rows if not row.flaw]
    chosen = next((one.suggested for one in asks if one.key == "header_row"), "")
    return int(chosen) if chosen else filled[_begins_at(filled)].number


def fill_asked(
    rows: Sequence[TableLine], head: TableHead, told: Told
) -> tuple[TableHead, list[FileAsk]]:
    """Return the head of a sheet with the columns to be filled down, where merged cells left gaps."""
    names = head.names or tuple(names_of(rows, head))
    below = [row for row in rows if row.number >= head.row + head.rows or not head.row]
    places: set[int] = set()
    for place in reversed(range(len(names) - 1)):
        places |= (
            {place}
            if _has_gaps(below, place, set(range(place + 1, len(names))) - places)
            else set()
        )
    gaps = [name for place, name in enumerate(names) if place in places]
    asks = [FileAsk("fill_down", "fill_down", ("yes", "no"), facts={"columns": ", ".join(gaps)})]
    if not gaps:
        return head, []
    fill = tuple(gaps) if asks[0].answer(told) == "yes" else ()
    return replace(head, fill=fill), asks


def lines_of_lists(values: Iterable[tuple[int, Any]]) -> Iterator[TableLine]:
    """Yield the lines of a table that is a list of lists, by where each stands; others tell that they are none."""
    number = 0
    for at, value in values:
        number = max(number + 1, at)  # several may stand in one line of the file
        is_row = isinstance(value, list)
        yield TableLine(
            number, value if is_row else [], "" if is_row else "no_row_of_cells", padded=True
        )


def records(rows: Iterable[TableLine], head: TableHead) -> Iterator[FileRecord]:
    """Yield the rows below the names of the columns.

    Raises:
        BadFile: the names cannot be used, or there are no rows at all.
    """
    names = list(head.names) if head.names or not head.row else None
    begin = head.row + head.rows if head.row and head.names else head.row
    above: list[TableLine] = []
    last: dict[str, Any] = {}
    for row in rows:
        if row.number < begin:
            continue
        if names is None:
            above.append(row)
            names = names_of(above, head) if len(above) == head.rows else None
            continue
        record = _record(names, row)
        for name in head.fill if not row.flaw else ():
            _fill(record, name, last)
        yield record
    if names is None:
        raise BadFile("no_rows")


def names_of(rows: Sequence[TableLine], head: TableHead) -> list[str]:
    """Return the names of the columns; of two lines the lower name stands before the upper one.

    Raises:
        BadFile: two columns have the same name, or there are too many.
    """
    lines = [row for row in rows if row.number >= head.row][: head.rows]
    if not lines:
        return []
    if len(lines) < 2:
        return header(lines[0].cells, lines[0].number)
    upper, lower, last = lines[0].cells, lines[1].cells, ""
    names = []
    for place in range(max(len(upper), len(lower))):
        over = _said(upper, place)
        last = over or last
        under = _said(lower, place)
        names.append(f"{under}_{last}" if under and last else under or last)
    return header(names, lines[0].number)


def with_names_apart(rows: Sequence[TableLine], head: TableHead) -> TableHead:
    """Return a head whose columns of one name are told apart by numbers: "Score", then "Score (2)"."""
    line = next(row for row in rows if row.number == head.row)
    names: list[str] = []
    seen: Counter[str] = Counter()
    for place, cell in enumerate(line.cells, start=1):
        name = _name(cell) or f"column {place}"
        seen[name] += 1
        names.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return replace(head, rows=1, names=tuple(names))


def header(row: Sequence[Any], line: int) -> list[str]:
    """Return the names of the columns.

    Raises:
        BadFile: two columns have the same name, or there are too many.
    """
    names = [_name(cell) or f"column {place}" for place, cell in enumerate(row, start=1)]
    if len(names) > MAX_COLUMNS:
        raise BadFile("too_many_columns", line, n=str(len(names)), most=str(MAX_COLUMNS))
    for name in names:
        if names.count(name) > 1:
            raise BadFile("duplicate_header", line, name)
    return names


def _name(cell: object) -> str:
    return "" if cell is None else str(cell).strip()


def _said(cells: Sequence[Any], place: int) -> str:
    return _name(cells[place]) if place < len(cells) else ""


def _begins_at(rows: Sequence[TableLine]) -> int:
    """Return where the table begins: below remarks, and below titles that stand alone in their line."""
    widest = max((_n_filled(row) for row in rows), default=0)
    place = 0
    while place < len(rows) - 1 and _stands_above(rows[place], widest):
        place += 1
    return place


def _stands_above(row: TableLine, widest: int) -> bool:
    """Say whether a line is a remark, a title, or a fact of the whole table such as "Model: Heron"."""
    n, first = _n_filled(row), _said(row.cells, 0)
    named = first == "#" or (first[1:2].isalnum() and n == widest > 1)
    is_fact = n == 2 and widest > 3 and first.endswith((":", "：")) and bool(_said(row.cells, 1))
    return (_is_remark(row) and not named) or (n == 1 < widest) or is_fact


def _is_remark(row: TableLine) -> bool:
    first = _said(row.cells, 0)
    return first.startswith("#") or first.lower() == "sep="


def _n_filled(row: TableLine) -> int:
    return sum(not is_blank(cell) for cell in row.cells)


def _ask_row(rows: Sequence[TableLine], place: int) -> FileAsk:
    numbers = tuple(str(row.number) for row in rows[:LOOKED_AT])
    shown = excerpt(", ".join(_name(cell) for cell in rows[place].cells))
    return FileAsk("header_row", "header_row", numbers, str(rows[place].number), found=shown)


def _place_of(rows: Sequence[TableLine], said: str, default: int) -> int:
    return next((n for n, row in enumerate(rows) if str(row.number) == said), default)


def _ask_header(row: TableLine) -> FileAsk:
    shown = excerpt(", ".join(_name(cell) for cell in row.cells))
    return FileAsk("header", "header", ("yes", "no"), found=shown)


def _may_be_data(row: TableLine, below: Sequence[TableLine]) -> bool:
    """Say whether the first line may be a row: it has numbers as those below it, texts, or the same again."""
    named = sum(said in synonyms.HEADS for said in map(str.casefold, map(_name, row.cells))) > 1
    return any(
        (_is_text(said) and not named)
        or _is_number_as_below(said, place, below)
        or _is_numbered_as_below(said, place, below)
        or _comes_again(said, place, below)
        for place in range(len(row.cells))
        if (said := _said(row.cells, place))
    )


def _is_text(said: str) -> bool:
    short_for = said.casefold().endswith((" no.", " nr."))
    return len(said) > LONG_NAME or (_SENTENCE.fullmatch(said) is not None and not short_for)


def _is_number_as_below(said: str, place: int, below: Sequence[TableLine]) -> bool:
    if not is_number(said):
        return False
    others = [other for row in below if (other := _said(row.cells, place))]
    return not others or sum(is_number(one) for one in others) * 2 > len(others)


def _is_numbered_as_below(said: str, place: int, below: Sequence[TableLine]) -> bool:
    """Say whether a cell and those below it differ in their numbers only, as q1, q2 and q3 do."""
    kind = _DIGITS.sub("0", said)
    others = [_DIGITS.sub("0", other) for row in below if (other := _said(row.cells, place))]
    return kind != said and others.count(kind) * 2 > len(others)


def _comes_again(said: str, place: int, below: Sequence[TableLine]) -> bool:
    return any(said == _said(row.cells, place) for row in below)


def _numbered(rows: Sequence[TableLine]) -> tuple[str, ...]:
    widest = max((len(row.cells) for row in rows), default=0)
    return tuple(f"column {place}" for place in range(1, min(widest, MAX_COLUMNS) + 1))


def _is_over_another(rows: Sequence[TableLine]) -> bool:
    """Say whether two lines name the columns: the upper one has gaps where the lower one has names.

    The first column is named in one of them; below several upper names the same lower ones come again.
    """
    if len(rows) < 3:
        return False
    upper, lower = rows[0].cells, rows[1].cells
    width = max(len(upper), len(lower))
    names = [_said(lower, place) for place in range(width)]
    over = [_said(upper, place) for place in range(width)]
    if all(names) and _come_again(over) and len(set(zip(over, names, strict=True))) == width:
        return not any(map(is_number, names)) and any(map(is_number, map(_name, rows[2].cells)))
    gaps = [place for place in range(1, width) if not _said(upper, place)]
    if not gaps or any(not names[place] or _is_text(names[place]) for place in gaps):
        return False
    again = len(set(names)) < width and not any(map(is_number, names))
    return not names[0] or (not _said(upper, 0) and all(names) and again)


def _come_again(names: Sequence[str]) -> bool:
    """Say whether names stand in a line several times, each beside itself, as those of merged cells do."""
    filled = [name for name in names if name]
    runs = sum(name != before for before, name in itertools.pairwise(["", *filled]))
    return 1 < runs == len(set(filled)) < len(filled)


def _has_gaps(rows: Sequence[TableLine], place: int, others: Collection[int]) -> bool:
    """Say whether cells of a column are empty below filled ones, in rows where the others are full."""
    values = [bool(_said(row.cells, place)) for row in rows]
    if len(values) < 2 or not values[0] or all(values):
        return False
    return all(
        all(_said(row.cells, other) for other in others)
        for row, filled in zip(rows, values, strict=True)
        if not filled
    )


def _record(names: list[str], row: TableLine) -> FileRecord:
    if row.flaw:
        return broken(row.flaw, row.number)
    cells = row.cells
    while len(cells) > len(names) and is_blank(cells[-1]):
        cells.pop()
    if row.padded:
        cells = cells + [None] * (len(names) - len(cells))
    if len(cells) != len(names):
        code = "too_many_cells" if len(cells) > len(names) else "too_few_cells"
        return broken(code, row.number, n=str(len(cells)), expected=str(len(names)))
    named = tuple(replace(problem, column=names[place]) for place, problem in row.problems)
    return FileRecord(row.number, dict(zip(names, cells, strict=True)), named)


def _fill(record: FileRecord, name: str, last: dict[str, Any]) -> None:
    if is_blank(record.cells.get(name)):
        record.cells = {**record.cells, name: last.get(name)}
    else:
        last[name] = record.cells[name]
