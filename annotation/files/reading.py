"""Bytes to lines of text: which encoding a file has, and its lines one by one.

* Tables as text: which sign divides the cells, and the rows one by one.
* JSON: one object a line, or one list of objects, flattened into columns with dotted names.
* What a file looks like: its format, its encoding and its columns, found out from its beginning.
"""

import codecs
import csv
import itertools
import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

from annotation.files.cells import Record, Unreadable, broken, excerpt, is_blank

MAX_LINE = 8 * 1024 * 1024

_STEP = 1024 * 1024
#: A gzip file is read in such bites, and has at most so many parts: what follows a part is copied for the
#: next one, and millions of empty parts fit into a file of some megabytes.
_BITE, MOST_PARTS = 16 * 1024, 100_000
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: How sure the detector is of a reading that is taken, of another one that makes it doubtful as a
#: share of that, and how many bytes beyond ASCII there are at least. (In ten languages and eighteen
#: encodings, in a few words each, every first reading was right; but the Windows encodings of
#: Western, Central European and Cyrillic texts had others close behind.)
SURE, NEAR, FEW = 0.4, 0.7, 12
#: Encodings of several bytes a sign, which other texts rarely fit by chance, and what is sure there.
_WIDE = {
    "gb18030",
    "gbk",
    "gb2312",
    "big5",
    "cp950",
    "cp932",
    "shift_jis",
    "euc_jp",
    "cp949",
    "euc_kr",
}
SURE_WIDE = 0.25
_FAMILIES = """
ascii utf-8 utf-8-sig utf-16 utf-16-le utf-16-be
iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9
iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-16
cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258
cp437 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp864 cp865
cp866 cp869 cp874 cp1006 cp1125 koi8-r koi8-t koi8-u kz1048 ptcp154 tis-620 hp-roman8
mac-cyrillic mac-greek mac-iceland mac-latin2 mac-roman mac-turkish
gb2312 gbk gb18030 hz big5 big5hkscs cp950
shift_jis shift_jis_2004 shift_jisx0213 cp932 euc_jp euc_jis_2004 euc_jisx0213
iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 iso2022_jp_ext
euc_kr cp949 johab
"""
#: The encodings of texts that are read: what the detector can name, and others of the same families.
#: A line ends in the same byte in all of them, and starts anew. Python's other codecs make something
#: else of a text: they unpack it, or read its escapes.
KNOWN: Final = frozenset(_FAMILIES.split())
_MOST_SAID = 40
#: Readings that are offered, and signs that are shown of each.
OFFERED, SHOWN_OF_ENCODING = 5, 120
#: How much of a file the detector looks at.
_LOOKED_AT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reading:
    """One encoding that a text may have, and what is not plain Latin in it when read so."""

    encoding: str
    sample: str


@dataclass(frozen=True, slots=True)
class Found:
    """The encoding of a text. Where it is no Unicode, how it may be read; doubtful if that is open."""

    encoding: str
    readings: tuple[Reading, ...] = ()
    doubtful: bool = False


def unzip(chunks: Iterable[bytes], most: float = math.inf) -> Iterator[bytes]:
    """Yield the content of a gzip file, never more at once than a piece.

    Args:
        chunks: the bytes of the file.
        most: it may hold so many bytes; reading stops where there are more.

    Raises:
        Unreadable: it is damaged, or holds more than an import may.
    """
    unpacker, total, n_parts, is_open = zlib.decompressobj(wbits=31), 0, 0, False
    try:
        for bite in _bites(chunks):
            rest = bite
            while rest:
                piece = unpacker.decompress(rest, _STEP)
                total += len(piece)
                if total > most:
                    raise Unreadable("unpacked_too_large", most=megabytes(most))
                yield piece
                rest, is_open = unpacker.unconsumed_tail, not unpacker.eof
                if unpacker.eof:
                    rest, n_parts = unpacker.unused_data, n_parts + 1
                    if n_parts > MOST_PARTS:
                        raise Unreadable("damaged_archive")
                    unpacker = zlib.decompressobj(wbits=31)
    except zlib.error as problem:
        raise Unreadable("damaged_archive") from problem
    if is_open:  # its end is missing
        raise Unreadable("damaged_archive")


def _bites(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for at in range(0, len(chunk), _BITE):
            yield chunk[at : at + _BITE]


def first(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield the beginning of what the pieces hold."""
    for chunk in chunks:
        yield chunk[:most]
        most -= len(chunk)
        if most <= 0:
            return


def megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1024**2:.0f}"


def recognise_encoding(head: bytes, *, whole: bool) -> str:
    """Return the encoding of a text that begins like this, where it is certain.

    Args:
        whole: there is no more than this head, so that it cannot end within a character.

    Raises:
        Unreadable: no text in an encoding that is known, or one that has to be asked for.
    """
    found = look(head, whole=whole)
    if found.doubtful:
        raise unsure(found)
    return found.encoding


class Readable(Protocol):
    @property
    def readings(self) -> "tuple[Reading, ...]": ...


def unsure(found: Readable) -> Unreadable:
    """Return why a text cannot be read before somebody says in which encoding it is."""
    names = ", ".join(f"{one.encoding} ({one.sample[:40]})" for one in found.readings)
    return Unreadable("encoding_unsure", readings=names)


def look(head: bytes, *, whole: bool, said: str = "") -> Found:
    """Return the encoding of a text that begins like this, with what else it may be.

    Args:
        said: the encoding that a person says it has.

    Raises:
        Unreadable: no text in an encoding that is known, or not in the one that was said.
    """
    for mark, name in _BOMS:
        if head.startswith(mark):
            return Found(name)
    if wide := _utf16_without_mark(head):
        return Found(wide)
    if _strange(head):
        raise Unreadable("not_text")
    if said:
        return _as_said(head, whole, said)
    if _decodes(head, "utf-8", whole):
        return Found("utf-8")
    readings = list(_readings(head, whole))
    if not readings:
        raise Unreadable("unknown_encoding")
    (best, sure), others = readings[0], readings[1:]
    least = SURE_WIDE if best.encoding in _WIDE else SURE
    doubtful = sure < least or any(other >= NEAR * sure for _reading, other in others)
    n_beyond = len(head) - len(head.translate(None, bytes(range(0x80, 0x100))))
    shown = tuple(reading for reading, _sure in readings[:OFFERED])
    return Found(best.encoding, shown, doubtful or n_beyond < FEW)


def _as_said(head: bytes, whole: bool, said: str) -> Found:
    name = known(said)
    text = _text(head, name, whole) if name else None
    if not name:
        shown = said.strip()[:_MOST_SAID].encode("utf-8", "replace").decode()
        raise Unreadable("unknown_codec", found=shown, known=", ".join(sorted(KNOWN)))
    if text is None:
        raise Unreadable("other_encoding", found=name)
    others = [] if name == "utf-8" else [one for one, _sure in _readings(head, whole)]
    mine = Reading(name, _sample(text))
    return Found(name, (mine, *(one for one in others if one.encoding != name))[:OFFERED])


def known(said: str) -> str:
    """Return the usual name of an encoding of texts that is read here, or nothing."""
    try:
        name = codecs.lookup(said.strip()).name if len(said) <= _MOST_SAID else ""
    except (LookupError, ValueError):
        return ""
    return name if name in KNOWN else ""


def _readings(head: bytes, whole: bool) -> Iterator[tuple[Reading, float]]:
    """Yield how a text may be read, the likeliest first; what reads the same is told once."""
    import chardet  # its tables take 30 MB: they are loaded for the first file that needs them

    told: set[str] = set()
    for one in chardet.detect_all(head[:_LOOKED_AT]):
        name = known(one["encoding"] or "")
        text = _text(head, name, whole) if name else None
        if text is not None and text not in told:
            told.add(text)
            yield Reading(name, _sample(text)), one["confidence"]


def _text(head: bytes, encoding: str, whole: bool) -> str | None:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
        text.encode()  # half a character, which no page can carry, is no text
    except UnicodeError:
        return None
    return text


def _sample(text: str) -> str:
    """Return the lines of a text that tell one reading from another."""
    telling = [line.strip() for line in text.splitlines() if not line.isascii()]
    return " ".join(telling)[:SHOWN_OF_ENCODING]


class Lines:
    """The lines of a text, counted from 1; it notes which could not be decoded or are too long.

    Every line ends in a line feed. A line that is too long comes as an empty one.
    """

    def __init__(self, chunks: Iterable[bytes], encoding: str, newline: bytes = b"\n") -> None:
        self.undecodable: set[int] = set()
        self.too_long: set[int] = set()
        self.number = 0
        self._newline = newline
        self._encoding = "utf-8" if encoding.startswith("utf") else encoding
        self._chunks = _narrow(chunks, encoding) if encoding.startswith("utf-16") else chunks

    def __iter__(self) -> Iterator[str]:
        pending, skipping = b"", False
        for chunk in self._chunks:
            *complete, pending = (pending + chunk).split(self._newline)
            for raw in complete:
                yield self._line(raw, skipping)
                skipping = False
            if len(pending) > MAX_LINE:
                pending, skipping = b"", True
        if pending or skipping:
            yield self._line(pending, skipping)

    def flaw(self, first: int, last: int) -> str:
        """Return the code of what is wrong with these lines, or nothing."""
        if self.undecodable and not self.undecodable.isdisjoint(range(first, last + 1)):
            return "undecodable"
        if self.too_long and not self.too_long.isdisjoint(range(first, last + 1)):
            return "line_too_long"
        return ""

    def _line(self, raw: bytes, skipping: bool) -> str:
        self.number += 1
        if skipping or len(raw) > MAX_LINE:
            self.too_long.add(self.number)
            return "\n"
        try:
            text = raw.decode(self._encoding)
        except UnicodeDecodeError:
            self.undecodable.add(self.number)
            text = raw.decode(self._encoding, "replace")
        return (text.removeprefix("\ufeff") if self.number == 1 else text) + "\n"


def newline_of(head: bytes) -> bytes:
    """Return what ends a line in a text that begins like this: old files use a carriage return alone."""
    return b"\r" if b"\r" in head and b"\n" not in head else b"\n"


def _narrow(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    # Half characters go through as such, so that the line they stand in is found out.
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
    decoder.errors = "replace"
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


def _decodes(head: bytes, encoding: str, whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeDecodeError as problem:
        # One bad place far down is a problem of its line, not of the file.
        return problem.start > 64 and _mostly_decodes(head)
    return True


def _mostly_decodes(head: bytes) -> bool:
    text = head.decode("utf-8", "replace")
    beyond_ascii = sum(sign > "\x7f" for sign in text)
    return text.count("�") * 10 <= beyond_ascii


def _utf16_without_mark(head: bytes) -> str:
    pairs = len(head) // 2
    if pairs < 2:
        return ""
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if zeros.count(0) > 0.4 * pairs and head.count(0) < 0.6 * len(head):
            return name
    return ""


def _strange(head: bytes) -> bool:
    signs = sum(head.count(code) for code in range(32) if code not in {9, 10, 12, 13, 27})
    return signs > 0.02 * len(head) + 2


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


def read_table(
    lines: Lines, delimiter: str, names: Sequence[str] | None = None
) -> Iterator[Record]:
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


DEPTH = 4

_GAP = re.compile(r"[\s,]*")
_READ_AHEAD = 1024 * 1024


class _Refused(ValueError):
    """JSON that reads but cannot be used; the message is the code of the problem."""


def read_lines(lines: Lines) -> Iterator[Record]:
    """Yield the objects of a file with one on each line."""
    number = 0
    for number, line in enumerate(lines, start=1):
        if flaw := lines.flaw(number, number):
            yield broken(flaw, number)
        elif line.strip():
            yield _object_record(line, number)
    if number == 0:
        raise Unreadable("no_rows")


def read_list(lines: Lines) -> Iterator[Record]:
    """Yield the objects of a file that is one list.

    Raises:
        Unreadable: the list is broken; what follows the break cannot be found.
    """
    window = _Window(lines)
    window.open()
    while not window.at_end():
        line = window.line()
        yield _of(window.value(), line)


class _Window:
    """A moving part of a long JSON list."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._source = iter(lines)
        self._buffer = ""
        self._place = 0
        self._counted = 0  # how far into the buffer lines were counted,
        self._number = 1  # and the line that is there
        self._ended = False
        self._more()

    def line(self) -> int:
        self._number += self._buffer.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._number

    def open(self) -> None:
        self._skip()
        if not self._buffer.startswith("[", self._place):
            raise Unreadable("broken_list", 1)
        self._place += 1

    def at_end(self) -> bool:
        self._skip()
        if self._place >= len(self._buffer) and self._ended:
            raise Unreadable("broken_list", self.line())
        if not self._buffer.startswith("]", self._place):
            return False
        self._more()
        if rest := self._buffer[self._place + 1 :].strip():
            raise Unreadable("broken_list", self.line(), rest)
        return True

    def value(self) -> Any:
        while True:
            try:
                value, self._place = _decoder.raw_decode(self._buffer, self._place)
            except _Refused as problem:
                raise Unreadable(str(problem), self.line()) from problem
            except RecursionError as problem:
                raise Unreadable("too_deep", self.line()) from problem
            except ValueError as problem:
                if self._ended or len(self._buffer) - self._place > MAX_LINE:
                    raise Unreadable("broken_list", self.line()) from problem
                self._more()
            else:
                return value

    def _skip(self) -> None:
        while True:
            gap = _GAP.match(self._buffer, self._place)
            self._place = gap.end() if gap else self._place
            if self._place < len(self._buffer) or self._ended:
                return
            self._more()

    def _more(self) -> None:
        self.line()
        rest = self._buffer[self._place :]
        parts, size, wanted = [rest], 0, max(_READ_AHEAD, len(rest))
        self._ended = True
        for line in self._source:
            parts.append(line)
            size += len(line)
            if size >= wanted:
                self._ended = False
                break
        self._buffer, self._place = "".join(parts), 0
        self._counted = 0
        if flaw := self._lines.flaw(1, self._lines.number):
            raise Unreadable(flaw, self._lines.number)


def flatten(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object as columns: {"a": {"b": 1}} has the column "a.b". Lists stay as they are.

    Raises:
        ValueError: two values come to stand in one column.
    """
    flat: dict[str, Any] = {}
    _flatten(value, "", DEPTH, flat)
    return flat


def _flatten(value: dict[str, Any], prefix: str, depth: int, flat: dict[str, Any]) -> None:
    for key, inner in value.items():
        name = prefix + key.strip()
        if isinstance(inner, dict) and inner and depth > 1:
            _flatten(inner, f"{name}.", depth - 1, flat)
        elif name in flat:
            raise _Refused("duplicate_column")
        else:
            flat[name] = inner


def _object_record(text: str, line: int) -> Record:
    try:
        value = _decoder.decode(text)
    except _Refused as problem:
        return broken(str(problem), line)
    except RecursionError:
        return broken("too_deep", line)
    except json.JSONDecodeError as problem:
        return broken("broken_json", line, text[problem.pos :], place=str(problem.pos + 1))
    except ValueError:  # a number with thousands of digits
        return broken("broken_json", line, text, place="1")
    return _of(value, line)


def _of(value: object, line: int) -> Record:
    if not isinstance(value, dict):
        return broken("not_an_object", line, value)
    try:
        return Record(line, flatten(value))
    except _Refused as problem:
        return broken(str(problem), line)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("duplicate_key")
    return value


def _constant(name: str) -> None:
    """Read NaN as no value, which programs mean by it; there is no reading of Infinity."""
    if name != "NaN":
        raise _Refused("not_finite")


_decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


HEAD = 256 * 1024
SAMPLED = 1000
#: Columns are looked for in so many bytes: one line of any length that is read, and some more.
SAMPLED_BYTES = MAX_LINE + HEAD
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
        head = _head(unzip(chunks()))
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
    return _parsed(layout, unzip(chunks, most) if layout.zipped else chunks)


def sample(layout: Layout, chunks: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records that begin a text file; the last one may be cut."""
    plain = unzip(chunks) if layout.zipped else chunks
    return _parsed(layout, first(plain, SAMPLED_BYTES))


def _parsed(layout: Layout, plain: Iterable[bytes]) -> Iterator[Record]:
    lines = Lines(plain, layout.encoding, layout.newline.encode())
    if layout.format == "csv":
        return read_table(lines, layout.delimiter)
    return read_lines(lines) if layout.format == "lines" else read_list(lines)


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
    if len(found) > MAX_COLUMNS:
        n, most = str(len(found)), str(MAX_COLUMNS)
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
    found = look(head, whole=len(head) < HEAD, said=said)
    encoding = found.encoding
    newline = newline_of(head)
    lines = list(Lines([head], encoding, newline))
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
    sign = delimiter_of(lines[:50]) if form == "csv" else ""
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
