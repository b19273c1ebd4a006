"""What a file looks like: its format, its encoding and its columns, found out from its beginning."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.rules.tabular import delimited, encodings, objects
from annotation.rules.tabular.encodings import Reading
from annotation.rules.tabular.problems import Unreadable, excerpt
from annotation.rules.tabular.records import Record, is_blank

HEAD = 256 * 1024
SAMPLED = 1000
#: Columns are looked for in so many bytes: one line of any length that is read, and some more.
SAMPLED_BYTES = encodings.MAX_LINE + HEAD
SHOWN = 3

#: How files may be called; a gzip file is called by what is in it.
NAMES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".xlsx")

_OTHER_KINDS = (
    (b"\xd0\xcf\x11\xe0", "old_workbook"),
    (b"PAR1", "parquet"),
    (b"%PDF", "not_text"),
    (b"\x89PNG", "not_text"),
)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    samples: tuple[str, ...] = ()
    n_filled: int = 0
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class Layout:
    format: str  # csv, lines, list or workbook
    encoding: str = ""
    delimiter: str = ""
    newline: str = "\n"
    zipped: bool = False
    columns: tuple[Column, ...] = ()
    n_sampled: int = 0
    sheet: str = ""
    n_sheets: int = 0
    #: How a text that is no Unicode may be read; `doubtful` until a person says which is right.
    readings: tuple[Reading, ...] = ()
    doubtful: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Layout":
        columns = tuple(
            Column(**{**one, "samples": tuple(one["samples"])}) for one in stored["columns"]
        )
        readings = tuple(Reading(**one) for one in stored.get("readings", ()))
        return cls(**{**stored, "columns": columns, "readings": readings})


def recognise(name: str, chunks: Callable[[], Iterable[bytes]], encoding: str = "") -> Layout:
    """Return the layout of a file without its columns.

    Args:
        chunks: begins to read the file from its start each time it is called.
        encoding: that a person says it has; else it is found out.

    Raises:
        Unreadable: this is no file that can be brought in.
    """
    lowered = name.lower().removesuffix(".gz")
    if not lowered.endswith(NAMES):
        raise Unreadable("unknown_file_type", found=name)
    head = _head(chunks())
    zipped = head.startswith(b"\x1f\x8b")
    if zipped:
        head = _head(encodings.unzip(chunks()))
    for mark, code in _OTHER_KINDS:
        if head.startswith(mark):
            raise Unreadable(code)
    if head.startswith(b"PK\x03\x04"):
        if zipped or not lowered.endswith(".xlsx"):
            raise Unreadable("not_text")
        return Layout("workbook")
    if lowered.endswith(".xlsx"):
        raise Unreadable("no_workbook")
    return _of_text(head, zipped=zipped, said=encoding)


def read(layout: Layout, chunks: Iterable[bytes], most: float = math.inf) -> Iterator[Record]:
    """Yield the records of a text file.

    Args:
        layout: how it is written.
        chunks: its bytes.
        most: unpacked it may hold so many.

    Raises:
        Unreadable: the rest cannot be read.
    """
    return _parsed(layout, encodings.unzip(chunks, most) if layout.zipped else chunks)


def sample(layout: Layout, chunks: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records that begin a text file; the last one may be cut."""
    plain = encodings.unzip(chunks) if layout.zipped else chunks
    return _parsed(layout, encodings.first(plain, SAMPLED_BYTES))


def _parsed(layout: Layout, plain: Iterable[bytes]) -> Iterator[Record]:
    lines = encodings.Lines(plain, layout.encoding, layout.newline.encode())
    if layout.format == "csv":
        return delimited.read(lines, layout.delimiter)
    return objects.read_lines(lines) if layout.format == "lines" else objects.read_list(lines)


def columns_of(records: Iterable[Record]) -> tuple[tuple[Column, ...], int]:
    """Return the columns of the first records, with sample values, and how many records these were.

    Raises:
        Unreadable: none of them has a column.
    """
    found: dict[str, _Tally] = {}
    n_sampled = 0
    try:
        for record in itertools.islice(records, SAMPLED):
            n_sampled += 1
            for name, value in record.cells.items():
                found.setdefault(name, _Tally()).add(value)
    except Unreadable:
        if not found:
            raise
        # The check tells where reading stopped, with its row.
    if not found:
        raise Unreadable("no_rows")
    if len(found) > delimited.MAX_COLUMNS:
        n, most = str(len(found)), str(delimited.MAX_COLUMNS)
        raise Unreadable("too_many_columns", n=n, most=most)
    return tuple(tally.column(name) for name, tally in found.items()), n_sampled


@dataclass(slots=True)
class _Tally:
    samples: list[str] = field(default_factory=list)
    n_filled: int = 0
    is_text: bool = True

    def add(self, value: object) -> None:
        if is_blank(value):
            return
        self.n_filled += 1
        self.is_text = self.is_text and isinstance(value, str)
        shown = excerpt(_said(value))
        if len(self.samples) < SHOWN and shown not in self.samples:
            self.samples.append(shown)

    def column(self, name: str) -> Column:
        return Column(name, tuple(self.samples), self.n_filled, self.is_text)


def _said(value: object) -> object:
    """Return a list in words, as whoever wrote the file knows it: what its messages say, its texts."""
    if not isinstance(value, list):
        return value
    said = [one.get("content", one) if isinstance(one, Mapping) else one for one in value[:SHOWN]]
    return "; ".join(one if isinstance(one, str) else excerpt(one) for one in said)


def _of_text(head: bytes, *, zipped: bool, said: str) -> Layout:
    if not head.strip():
        raise Unreadable("empty")
    found = encodings.look(head, whole=len(head) < HEAD, said=said)
    encoding = found.encoding
    newline = encodings.newline_of(head)
    lines = list(encodings.Lines([head], encoding, newline))
    if len(lines) > 1 and len(head) >= HEAD:
        lines.pop()  # the head may end within it
    text = "".join(lines).lstrip()
    if not text:
        raise Unreadable("empty")
    form = "csv"
    if text.startswith("["):
        form = "list"
    elif text.startswith("{"):
        form = "lines"
    sign = delimited.delimiter_of(lines[:50]) if form == "csv" else ""
    return Layout(
        form,
        encoding,
        sign,
        newline.decode(),
        zipped,
        readings=found.readings,
        doubtful=found.doubtful,
    )


def _head(chunks: Iterable[bytes]) -> bytes:
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= HEAD:
            break
    return head[:HEAD]
