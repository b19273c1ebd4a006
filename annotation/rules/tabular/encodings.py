"""Bytes to lines of text: which encoding a file has, and its lines one by one."""

import codecs
import math
import zlib
from collections.abc import Iterable, Iterator

from annotation.rules.tabular.problems import Unreadable

MAX_LINE = 8 * 1024 * 1024

_STEP = 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COMMON_HANZI = (
    0.7  # share of double bytes in the common zones of GB 2312 that real Chinese text has
)


def unzip(chunks: Iterable[bytes], most: float = math.inf) -> Iterator[bytes]:
    """Yield the content of a gzip file, never more at once than a piece.

    Args:
        chunks: the bytes of the file.
        most: it may hold so many bytes; reading stops where there are more.

    Raises:
        Unreadable: it is damaged, or holds more than an import may.
    """
    unpacker, total = zlib.decompressobj(wbits=31), 0
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                piece = unpacker.decompress(rest, _STEP)
                total += len(piece)
                if total > most:
                    raise Unreadable("unpacked_too_large", most=megabytes(most))
                yield piece
                rest = unpacker.unconsumed_tail
                if unpacker.eof:
                    rest = unpacker.unused_data
                    unpacker = zlib.decompressobj(wbits=31)
    except zlib.error as problem:
        raise Unreadable("damaged_archive") from problem


def first(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield the beginning of what the pieces hold."""
    for chunk in chunks:
        yield chunk[:most]
        most -= len(chunk)
        if most <= 0:
            return


def megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1024**2:.0f}"


def recognise(head: bytes, *, whole: bool) -> str:
    """Return the encoding of a text that begins like this.

    Args:
        whole: there is no more than this head, so that it cannot end within a character.

    Raises:
        Unreadable: no text in an encoding that is known.
    """
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    if wide := _utf16_without_mark(head):
        return wide
    if _strange(head):
        raise Unreadable("not_text")
    if _decodes(head, "utf-8", whole):
        return "utf-8"
    if _looks_chinese(head) and _decodes(head, "gb18030", whole):
        return "gb18030"
    raise Unreadable("unknown_encoding")


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
        return encoding == "utf-8" and problem.start > 64 and _mostly_decodes(head)
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


def _looks_chinese(head: bytes) -> bool:
    n_pairs = n_common = place = 0
    while place < len(head) - 1:
        lead, trail = head[place], head[place + 1]
        if lead < 0x80:
            place += 1
            continue
        n_pairs += 1
        n_common += (0xA1 <= lead <= 0xA3 or 0xB0 <= lead <= 0xF7) and trail >= 0xA1
        place += 2
    return n_pairs > 0 and n_common >= _COMMON_HANZI * n_pairs
