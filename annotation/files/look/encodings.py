"""Bytes to lines of text: which encoding a file has, and its lines one by one."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from annotation.files.cells import BadFile

MAX_LINE = 8 * 1024 * 1024

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
#: Signs that texts do not have: bytes that are letters in another encoding.
_UNSEEN: Final = re.compile("[\x80-\x9f]")
#: Encodings of old machines, which are offered behind those in use.
_OLD: Final = re.compile(r"cp(?!874)[478]\d\d$|hp-")
_MOST_SAID = 40
#: Readings that are offered, and signs that are shown of each.
OFFERED, SHOWN_OF_ENCODING = 5, 120
#: How much of a file the detector looks at.
_LOOKED_AT = 64 * 1024


@dataclass(frozen=True, slots=True)
class EncodingReading:
    """One encoding that a text may have, and what is not plain Latin in it when read so."""

    encoding: str
    sample: str


@dataclass(frozen=True, slots=True)
class FoundEncoding:
    """The encoding of a text. Where it is no Unicode, how it may be read; doubtful if that is open."""

    encoding: str
    readings: tuple[EncodingReading, ...] = ()
    doubtful: bool = False


def first(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield the beginning of what the pieces hold."""
    for chunk in chunks:
        yield chunk[:most]
        most -= len(chunk)
        if most <= 0:
            return


def recognise_encoding(head: bytes, *, whole: bool) -> str:
    """Return the encoding of a text that begins like this, where it is certain.

    Args:
        whole: there is no more than this head, so that it cannot end within a character.

    Raises:
        BadFile: no text in an encoding that is known, or one that has to be asked for.
    """
    found = look(head, whole=whole)
    if found.doubtful:
        raise unsure(found)
    return found.encoding


class Readable(Protocol):
    @property
    def readings(self) -> "tuple[EncodingReading, ...]": ...


def unsure(found: Readable) -> BadFile:
    """Return why a text cannot be read before somebody says in which encoding it is."""
    names = ", ".join(f"{one.encoding} ({one.sample[:40]})" for one in found.readings)
    return BadFile("encoding_unsure", readings=names)


def look(head: bytes, *, whole: bool, said: str = "") -> FoundEncoding:
    """Return the encoding of a text that begins like this, with what else it may be.

    Args:
        said: the encoding that a person says it has.

    Raises:
        BadFile: no text in an encoding that is known, or not in the one that was said.
    """
    for mark, name in _BOMS:
        if head.startswith(mark):
            return FoundEncoding(name)
    if wide := _utf16_without_mark(head):
        return FoundEncoding(wide)
    if _strange(head):
        raise BadFile("not_text")
    if said:
        return _as_said(head, whole, said)
    if _decodes(head, "utf-8", whole):
        return FoundEncoding("utf-8")
    readings = sorted(_readings(head, whole), key=lambda one: bool(_OLD.match(one[0].encoding)))
    if not readings:
        raise BadFile("unknown_encoding")
    (best, sure), others = readings[0], readings[1:]
    least = SURE_WIDE if best.encoding in _WIDE else SURE
    doubtful = sure < least or any(other >= NEAR * sure for _reading, other in others)
    n_beyond = len(head) - len(head.translate(None, bytes(range(0x80, 0x100))))
    shown = tuple(reading for reading, _sure in readings[:OFFERED])
    return FoundEncoding(best.encoding, shown, doubtful or n_beyond < FEW)


def _as_said(head: bytes, whole: bool, said: str) -> FoundEncoding:
    name = known(said)
    text = _text(head, name, whole) if name else None
    if not name:
        shown = said.strip()[:_MOST_SAID].encode("utf-8", "replace").decode()
        raise BadFile("unknown_codec", found=shown, known=", ".join(sorted(KNOWN)))
    if text is None:
        raise BadFile("other_encoding", found=name)
    others = [] if name == "utf-8" else [one for one, _sure in _readings(head, whole)]
    mine = EncodingReading(name, _sample(text))
    return FoundEncoding(name, (mine, *(one for one in others if one.encoding != name))[:OFFERED])


def known(said: str) -> str:
    """Return the usual name of an encoding of texts that is read here, or nothing."""
    try:
        name = codecs.lookup(said.strip()).name if len(said) <= _MOST_SAID else ""
    except (LookupError, ValueError):
        return ""
    return name if name in KNOWN else ""


def _readings(head: bytes, whole: bool) -> Iterator[tuple[EncodingReading, float]]:
    """Yield how a text may be read, the likeliest first; what reads the same is told once."""
    import chardet  # its tables take 30 MB: they are loaded for the first file that needs them

    told: set[str] = set()
    for one in chardet.detect_all(head[:_LOOKED_AT]):
        name = known(one["encoding"] or "")
        text = _text(head, name, whole) if name else None
        if text is not None and text not in told and not _UNSEEN.search(text):
            told.add(text)
            yield EncodingReading(name, _sample(text)), one["confidence"]


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


class DecodedLines:
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
