"""What a file looks like: its format, its encoding, how its rows are written, and its columns.

All is found out from its beginning; what only a person can say is asked, and what they said is binding.
"""

import contextlib
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from annotation.files import makers, messages
from annotation.files.asks import FileAsk, Told, open_ones
from annotation.files.cells import (
    BadFile,
    FileRecord,
    Unfit,
    broken,
    excerpt,
    is_blank,
    is_missing,
    is_number,
)
from annotation.files.look import documents, objects, tables
from annotation.files.look.archives import ARCHIVE, GZIP, packing, unpacked
from annotation.files.look.encodings import (
    MAX_LINE,
    DecodedLines,
    EncodingReading,
    first,
    look,
    newline_of,
)
from annotation.files.look.tables import MAX_COLUMNS, TableHead
from annotation.files.shapes import Rows, Sample, Shape, as_it_is

HEAD = 256 * 1024
SAMPLED = 1000
#: Columns are looked for in so many bytes: one line of any length that is read, and some more.
SAMPLED_BYTES = MAX_LINE + HEAD
SHOWN = 3
#: So many records tell a known shape, and so many different values of a column are kept as evidence.
TELLING: Final = 50
VALUES: Final = 40
#: Longer values are no names, ids or grades.
SHORT: Final = 120

_PACKED: Final = re.compile(r"\.(?:gz|zst)$")
#: Names of files with a record a line, of which one may have a single record.
_LINES: Final = re.compile(r"\.(jsonl|ndjson)$")

_OTHER_KINDS = (
    (b"\xd0\xcf\x11\xe0", "old_workbook"),
    (b"PAR1", "parquet"),
    (b"ARROW1", "not_text"),
    (b"%PDF", "not_text"),
    (b"\x89PNG", "not_text"),
    (b"{\\rtf", "not_text"),
)
#: What a workbook holds, however it is called.
_BOOK: Final = b"xl/workbook.xml"
#: Texts that are no tables, by how they begin or are called.
_MARKUP: Final = re.compile(
    r"\s*(?:<(?:!doctype|\?xml|html|head|body|table|div)\b|(?:insert into|create table)\s)",
    re.IGNORECASE,
)
_NO_TABLES: Final = re.compile(r"\.(ya?ml|toml|xml|html?)$")


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column, and what its first cells tell.

    `values` are the different short ones among them, in order; `n_distinct` counts all different ones, as
    far as they were counted; `longest` is in signs.
    """

    name: str
    samples: tuple[str, ...] = ()
    n_filled: int = 0
    is_text: bool = True
    values: tuple[str, ...] = ()
    n_numbers: int = 0
    longest: int = 0
    #: Whether the first of its conversations end with what an assistant said.
    is_answered: bool = False

    @property
    def is_numeric(self) -> bool:
        """Say whether nearly all that stands in it are numbers."""
        return self.n_filled > 0 and self.n_numbers >= 0.9 * self.n_filled


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is written.

    `format` is csv, workbook, lines (an object a line), stream (objects one after the other), list, rows
    (a list of lists), object (records inside of one object, at `path`; see `objects.turned` for `turn`), or
    texts (a file each). `shape` is the key of a known maker's; `inner` the column whose lists hold the rows.
    `asks` is what only a person can say of it, `told` what they said. `packed` is how it is packed: GZIP, a log
    of Inspect (LOG), or not. `members` are the files of a ZIP that are read, all written like this.
    """

    format: str
    encoding: str = ""
    delimiter: str = ""
    newline: str = "\n"
    packed: str = ""
    members: tuple[str, ...] = ()
    #: Whether texts of a table stand between quotation marks where they hold its signs; and whether such
    #: marks within them have a backslash before them.
    quoted: bool = True
    escaped: bool = False
    quote: str = '"'
    columns: tuple[FileColumn, ...] = ()
    n_sampled: int = 0
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    #: How a text that is no Unicode may be read; `doubtful` until a person says which is right.
    readings: tuple[EncodingReading, ...] = ()
    doubtful: bool = False
    head: TableHead = field(default_factory=TableHead)
    path: str = ""
    turn: str = ""
    shape: str = ""
    inner: str = ""
    #: Columns of a table whose cells hold objects as JSON, which are opened to columns of their own.
    opened: tuple[str, ...] = ()
    asks: tuple[FileAsk, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Layout":
        stored = dict(stored)
        n_sheets = stored.pop("n_sheets", 0)  # as layouts of earlier versions have it
        stored.setdefault("packed", GZIP if stored.pop("zipped", False) else "")
        stored["columns"] = tuple(
            FileColumn(
                **{**one, "samples": tuple(one["samples"]), "values": tuple(one.get("values", ()))}
            )
            for one in stored["columns"]
        )
        stored["readings"] = tuple(EncodingReading(**one) for one in stored.get("readings", ()))
        stored["members"] = tuple(stored.get("members", ()))
        stored["opened"] = tuple(stored.get("opened", ()))
        stored["asks"] = tuple(FileAsk.from_dict(one) for one in stored.get("asks", ()))
        head = stored.get("head") or {}
        stored["head"] = TableHead(
            **{**head, **{key: tuple(head[key]) for key in ("names", "fill") if key in head}}
        )
        stored["sheets"] = tuple(stored.get("sheets", ())) or (stored.get("sheet", ""),) * n_sheets
        return cls(**stored)

    @property
    def known_shape(self) -> Shape | None:
        return makers.shape_of(self.shape) if self.shape else None

    def open_asks(self) -> list[FileAsk]:
        """Return what has to be answered before the file can be read."""
        return open_ones(self.asks, self.told)


def recognise(name: str, chunks: Callable[[], Iterable[bytes]], told: Told | None = None) -> Layout:
    """Return the layout of a file without its columns; of a workbook, that it is one.

    Args:
        name: of the file.
        chunks: begins to read the file from its start each time it is called.
        told: what a person said of it, by the key of what was asked.

    Raises:
        BadFile: this is no file that can be brought in.
    """
    told = dict(told or {})
    lowered = _PACKED.sub("", name.lower())
    head = _head(chunks())
    packed = packing(head, name)
    head = _head(unpacked(packed, chunks())) if packed else head
    for mark, code in _OTHER_KINDS:
        if head.startswith(mark):
            raise BadFile(code)
    if not packed and documents.are_here(head[: documents.LOOKED_AT], lowered):
        return Layout("workbook", told=told)
    if head.startswith(ARCHIVE):
        if packed or not (lowered.endswith((".xlsx", ".xlsm")) or _BOOK in head):
            raise BadFile("archive")
        return Layout("workbook", told=told)
    if lowered.endswith(".xlsx"):
        raise BadFile("no_workbook")
    layout = _of_text(head, lowered, packed=packed, told=told)

    def plain() -> Iterable[bytes]:
        return unpacked(packed, chunks())

    return (
        _of_table(layout, name, plain) if layout.format == "csv" else _of_json(layout, name, plain)
    )


def read_records(
    layout: Layout, chunks: Iterable[bytes], most: float = math.inf
) -> Iterator[FileRecord]:
    """Yield the records of a text file.

    Args:
        layout: how it is written.
        chunks: its bytes.
        most: unpacked it may hold so many.

    Raises:
        BadFile: the rest cannot be read.
    """
    return _parsed(layout, unpacked(layout.packed, chunks, most))


def sample(layout: Layout, chunks: Iterable[bytes]) -> Iterator[FileRecord]:
    """Yield the records that begin a text file; the last one may be cut."""
    plain = unpacked(layout.packed, chunks)
    # One object is read to its end: its records may be anywhere in it.
    return _parsed(layout, plain if layout.format == "object" else first(plain, SAMPLED_BYTES))


def shaped(layout: Layout, written: Iterable[FileRecord]) -> Iterator[FileRecord]:
    """Yield rows as the rest of the product knows them of records as they are written."""
    shape = layout.known_shape
    rows = shape.reading() if shape else as_it_is
    for number, record in enumerate(written):
        if shape is None or record.problems:
            opened = objects.with_opened(record, layout.opened)
            yield from map(objects.flattened, objects.unrolled(opened, layout.inner))
        elif number >= shape.skipped:
            yield from _rows(rows, record, {})


def _rows(rows: Rows, record: FileRecord, outer: Mapping[str, Any]) -> Iterator[FileRecord]:
    try:
        for row in rows(record.cells, outer):
            yield FileRecord(record.line, row)
    except Unfit as unfit:
        yield broken(unfit.code, record.line, unfit.found, **unfit.facts)


def _parsed(layout: Layout, plain: Iterable[bytes]) -> Iterator[FileRecord]:
    lines = _lines(layout, plain)
    if layout.format != "object":
        yield from shaped(layout, _written(layout, lines))
        return
    value, outer = objects.whole_object(lines, layout.path)
    rows = objects.turned(value, layout.turn) if layout.turn else value
    shape = layout.known_shape
    unrolled = shape.reading() if shape else as_it_is
    for number, one in enumerate(rows if isinstance(rows, list) else [], start=1):
        record = objects.of_value(one, number)
        if shape is None or record.problems:
            yield from map(objects.flattened, objects.unrolled(record, layout.inner))
        else:
            yield from _rows(unrolled, record, outer)


def _lines(layout: Layout, plain: Iterable[bytes]) -> DecodedLines:
    return DecodedLines(plain, layout.encoding, layout.newline.encode())


def _cells(layout: Layout, lines: DecodedLines) -> Iterator[tables.TableLine]:
    return tables.lines_of(
        lines,
        layout.delimiter,
        quote=layout.quote,
        quoted=layout.quoted,
        escaped=layout.escaped,
    )


def _written(layout: Layout, lines: DecodedLines) -> Iterator[FileRecord]:
    """Yield the records of a text as they are written."""
    if layout.format == "csv":
        rows = _cells(layout, lines)
        return tables.records(rows, layout.head)
    if layout.format == "rows":
        return tables.records(tables.lines_of_lists(objects.values_of_list(lines)), layout.head)
    if layout.format == "lines":
        return objects.read_lines(lines)
    return objects.read_stream(lines) if layout.format == "stream" else objects.read_list(lines)


def columns_of(records: Iterable[FileRecord]) -> tuple[tuple[FileColumn, ...], int]:
    """Return the columns of the first records, with sample values, and how many records these were.

    Raises:
        BadFile: none of them has a column.
    """
    found: dict[str, _ColumnTally] = {}
    n_sampled = 0
    reason = None
    try:
        for record in itertools.islice(records, SAMPLED):
            n_sampled += 1
            reason = reason or next(iter(record.problems), None)
            for name, value in record.cells.items():
                found.setdefault(name, _ColumnTally()).add(value)
    except BadFile:
        if not found:
            raise
        # The check tells where reading stopped, with its row.
    if not found:
        stop = BadFile("no_rows")
        stop.problem = reason or stop.problem  # what is wrong with the first row says more
        raise stop
    if len(found) > MAX_COLUMNS:
        n, most = str(len(found)), str(MAX_COLUMNS)
        raise BadFile("too_many_columns", n=n, most=most)
    return tuple(tally.column(name) for name, tally in found.items()), n_sampled


@dataclass(slots=True)
class _ColumnTally:
    samples: list[str] = field(default_factory=list)
    n_filled: int = 0
    is_text: bool = True
    values: dict[str, None] = field(default_factory=dict)
    n_numbers: int = 0
    longest: int = 0
    is_answered: bool = False

    def add(self, value: object) -> None:
        if is_blank(value):
            return
        self.n_filled += 1
        if self.n_filled <= SHOWN:
            self.is_answered = self.is_answered or messages.ends_answered(value)
        self.is_text = self.is_text and isinstance(value, str)
        self._weigh(value)
        shown = excerpt(_said(value))
        if len(self.samples) < SHOWN and shown not in self.samples:
            self.samples.append(shown)

    def _weigh(self, value: object) -> None:
        said = value.strip() if isinstance(value, str) else value
        if isinstance(said, str) and is_missing(said):
            self.n_filled -= 1
            return
        if isinstance(said, str | int | float):
            said = str(said).lower() if isinstance(said, bool) else str(said)
            self.n_numbers += is_number(said)
            self.longest = max(self.longest, len(said))
            if (
                len(said) <= SHORT
                and len(self.values) < VALUES
                and not objects.UNSTORABLE.search(said)
            ):
                self.values.setdefault(said)
        else:
            self.longest = max(self.longest, SHORT + 1)

    def column(self, name: str) -> FileColumn:
        return FileColumn(
            name,
            tuple(self.samples),
            self.n_filled,
            self.is_text,
            tuple(self.values),
            self.n_numbers,
            self.longest,
            self.is_answered,
        )


def _said(value: object) -> object:
    """Return a list in words, as whoever wrote the file knows it: what its messages say, its texts."""
    if not isinstance(value, list):
        return value
    said = [one.get("content", one) if isinstance(one, Mapping) else one for one in value[:SHOWN]]
    return "; ".join(one if isinstance(one, str) else excerpt(one) for one in said)


def _of_text(head: bytes, name: str, *, packed: str, told: Told) -> Layout:
    if not head.strip():
        raise BadFile("empty")
    found = look(head, whole=len(head) < HEAD, said=told.get("encoding", ""))
    encoding = found.encoding
    newline = newline_of(head)
    lines = list(DecodedLines([head], encoding, newline))
    if len(lines) > 1 and len(head) >= HEAD:
        lines.pop()  # the head may end within it
    text = "".join(lines).lstrip()
    if not text:
        raise BadFile("empty")
    form = _form(text)
    if form == "csv" and (_MARKUP.match(text) or _NO_TABLES.search(name)):
        raise BadFile("no_table")
    quote = tables.quote_of(lines[: tables.LOOKED_AT]) if form == "csv" else '"'
    return Layout(
        form,
        encoding,
        tables.delimiter_of(lines[: tables.LOOKED_AT], quote) if form == "csv" else "",
        newline.decode(),
        packed,
        quote=quote,
        readings=found.readings,
        doubtful=found.doubtful,
        told=told,
    )


def _form(text: str) -> str:
    if text.startswith("["):
        return "list"
    if not text.startswith("{"):
        return "csv"
    line = text.split("\n", 1)[0].strip().removesuffix(",")
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        # A line that is an object in itself but for a mistake is one of many; else it goes on below.
        return "lines" if line.endswith("}") and len(line) > 1 else "stream"
    return "lines"


def _of_table(layout: Layout, name: str, plain: Callable[[], Iterable[bytes]]) -> Layout:
    """Return the layout of a table as text, with where its columns are named."""
    rows: list[tables.TableLine] = []
    text = _lines(layout, first(plain(), HEAD))
    lines = _cells(layout, text)
    try:
        rows += itertools.islice(lines, tables.LOOKED_AT)
    except BadFile as stop:
        if stop.problem.code == "broken_quotes" and layout.quoted:
            # Programs write a mark within a text with a backslash, or a table with tabs as it is.
            if not layout.escaped and f"\\{layout.quote}" in "".join(
                _lines(layout, first(plain(), HEAD))
            ):
                with contextlib.suppress(BadFile):
                    return _of_table(replace(layout, escaped=True), name, plain)
            if layout.delimiter == "\t":
                return _of_table(replace(layout, quoted=False, escaped=False), name, plain)
            if layout.escaped:
                raise
        if not rows:
            raise
    if tables.are_wrapped(rows):
        raise BadFile("rows_in_quotes", rows[0].number)
    return with_head(layout, name, rows)


def with_head(
    layout: Layout, name: str, rows: Sequence[tables.TableLine], *, gaps: bool = False
) -> Layout:
    """Return the layout of a table with where its columns are named, and its maker.

    Args:
        gaps: cells of it may be merged, which leaves gaps below them.
    """
    head, asks = tables.find_head(rows, layout.told)
    if gaps:
        head, more = tables.fill_asked(rows, head, layout.told)
        asks += more
    over = head.rows > 1 and "header_rows" not in layout.told
    if over or (not head.row and "header" not in layout.told):
        row = head.row or tables.first_of(rows, asks)
        first_line = replace(head, row=row, rows=1, names=())
        named = _of_maker(layout, name, rows, first_line)
        if named is not None:
            return named
    layout = replace(layout, head=head, asks=(*layout.asks, *asks))
    try:
        sample = _rows_of(layout, name, rows, head)
    except BadFile:
        named = _of_maker(layout, name, rows, head)
        if named is None:
            raise
        return named
    return _with_shape(layout, sample)


def _of_maker(
    layout: Layout, name: str, rows: Sequence[tables.TableLine], head: TableHead
) -> Layout | None:
    """Return the layout if a line has the names of a known maker's columns, several alike or not."""
    try:
        sample = _rows_of(layout, name, rows, head)
    except BadFile as stop:
        if stop.problem.code != "duplicate_header":
            return None  # what stands in the line cannot be names
        head = tables.with_names_apart(rows, head)
        sample = _rows_of(layout, name, rows, head)
    found = _with_shape(replace(layout, head=head), sample)
    return found if found.shape and found.head.row else None


def _rows_of(
    layout: Layout, name: str, rows: Sequence[tables.TableLine], head: TableHead
) -> Sample:
    names = head.names or tuple(tables.names_of(rows, head))
    records = tuple(one.cells for one in tables.records(rows, head) if not one.problems)
    return Sample(name, layout.format, names, records[:TELLING])


def _of_lists(layout: Layout, name: str, plain: Callable[[], Iterable[bytes]]) -> Layout | None:
    """Return the layout of a table that is a list of lists; None if its first value is no list of cells."""
    rows: list[tables.TableLine] = []
    values = objects.values_of_list(_lines(layout, first(plain(), SAMPLED_BYTES)))
    with contextlib.suppress(BadFile):  # further rows may follow what is looked at
        rows += itertools.islice(tables.lines_of_lists(values), tables.LOOKED_AT)
    if not rows or rows[0].flaw or any(isinstance(one, dict | list) for one in rows[0].cells):
        return None
    return with_head(replace(layout, format="rows"), name, rows)


def _of_json(layout: Layout, name: str, plain: Callable[[], Iterable[bytes]]) -> Layout:
    """Return the layout of a file of objects: one that is alone in its file may hold the records."""
    if layout.format == "list" and (found := _of_lists(layout, name, plain)):
        return found
    records: list[FileRecord] = []
    try:
        written = _written(layout, _lines(layout, first(plain(), SAMPLED_BYTES)))
        records += itertools.islice(written, TELLING)
    except BadFile:
        pass  # the beginning of one large object; else the first record says what is wrong
    told = [one.cells for one in records if not one.problems]
    found = _with_shape(layout, _sample(name, layout.format, told))
    if layout.format in {"lines", "stream"} and len(records) <= 1 and not found.shape:
        return _of_object(layout, name, plain) or found
    return found


def _of_object(layout: Layout, name: str, plain: Callable[[], Iterable[bytes]]) -> Layout | None:
    """Return the layout of a file that is one object with the records inside; None if it is a record."""
    try:
        value, _outer = objects.whole_object(_lines(layout, plain()))
    except BadFile as stop:
        if layout.format == "stream" and stop.problem.code == "object_too_large":
            raise
        return None
    if not isinstance(value, dict):
        return None
    inside = replace(layout, format="object")
    for shape in makers.known() if layout.told.get("shape") != "no" else ():
        if shape.path and (found := _inside_as(shape, name, value)):
            return _with_shape(replace(inside, path=shape.path), found)
    many = _LINES.search(_PACKED.sub("", name.lower()))
    if not many and (places := objects.places_inside(value)):
        return _at_path(inside, name, value, places)
    if turn := objects.turn_of(value):
        rows = objects.turned(value, turn)[:TELLING]
        return _with_shape(replace(inside, turn=turn), _sample(name, "object", rows))
    return None


def _inside_as(shape: Shape, name: str, value: dict[str, Any]) -> Sample | None:
    found, outer = objects.inside(value, shape.path)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return None
    sample = _sample(name, "object", found[:TELLING], outer)
    return sample if shape.fits(sample) else None


def _at_path(
    layout: Layout, name: str, value: dict[str, Any], places: list[tuple[str, int]]
) -> Layout:
    paths = tuple(path for path, _n in places)
    named = ", ".join(value) if paths[0] == objects.EVERY else paths[0]
    facts = {"n": str(places[0][1]), "path": named}
    ask = FileAsk("path", "path", paths, paths[0], facts=facts)
    path = ask.answer(layout.told)
    found, outer = objects.inside(value, path)
    layout = replace(layout, path=path, asks=(*layout.asks, ask))
    return _with_shape(layout, _sample(name, "object", found[:TELLING], outer))


def _sample(
    name: str,
    form: str,
    records: Sequence[Mapping[str, Any]],
    outer: Mapping[str, Any] | None = None,
) -> Sample:
    columns = dict.fromkeys(key for record in records for key in record)
    return Sample(name, form, tuple(columns), tuple(records), outer or {})


def _with_shape(layout: Layout, sample: Sample) -> Layout:
    """Return the layout with the maker of such files, unless a person says that it is none of his."""
    shape = makers.recognise(sample)
    if shape is None and sample.is_table:
        return replace(layout, opened=tuple(objects.columns_of_objects(sample.records)))
    if shape is None:
        return _with_inner(layout, sample)
    ask = FileAsk("shape", "shape", ("yes", "no"), "yes", facts={"name": shape.name})
    asks = (*layout.asks, ask)
    if ask.answer(layout.told) == "no":
        return replace(layout, asks=asks)
    head = layout.head
    if shape.header:
        head = replace(head, row=0, names=shape.header)
        asks = tuple(one for one in asks if one.key != "header")
    return replace(layout, shape=shape.key, head=head, asks=asks)


def _with_inner(layout: Layout, sample: Sample) -> Layout:
    """Return the layout with the lists that hold the rows, where records of nobody's shape have such."""
    names = tuple(objects.inner_lists(sample.records))
    if not names:
        return layout
    # Beside an answer a list may be what was marked of it: then only a person knows what is wanted.
    answered = {"response", "output", "completion", "answer"} & set(sample.columns)
    ask = FileAsk("inner", "inner", (*names, "no"), "" if answered else names[0], found=names[0])
    inner = ask.answer(layout.told)
    return replace(layout, inner=inner if inner != "no" else "", asks=(*layout.asks, ask))


def _head(chunks: Iterable[bytes]) -> bytes:
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= HEAD:
            break
    return head[:HEAD]
