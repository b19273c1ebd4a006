"""Files that are packed: with gzip or Zstandard, several in a ZIP, or as the archive that a log of Inspect is.

A log has a part a sample; each becomes a line that says of which model it is. Newer logs are packed with Zstandard,
which the standard library reads from Python 3.14 on.
"""

import json
import math
import re
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, Final

from annotation.files.cells import BadFile

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError, zipfile

GZIP, LOG, ZSTD = "gzip", "inspect", "zstd"
#: How an archive begins, and how files of logs end.
ARCHIVE: Final = b"PK\x03\x04"
_ENDING: Final = ".eval"
_STEP = 1024 * 1024
#: A gzip file is read in such bites, and has at most so many parts: what follows a part is copied for the
#: next one, and millions of empty parts fit into a file of some megabytes.
_BITE, MOST_PARTS = 16 * 1024, 100_000
_SPOOLED: Final = 8 * 1024 * 1024
#: Where a log says what was evaluated; one that did not end has only the second.
_HEADS: Final = ("header.json", "_journal/start.json")
#: What is read of a sample; events and stores of tools take most of its room.
_READ: Final = ("id", "epoch", "input", "choices", "target", "output", "scores", "score", "error")
_DAMAGED: Final = (
    zipfile.BadZipFile,
    ZstdError,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
#: What else a file in a ZIP may raise that is damaged; in a log it says that it is none.
_BROKEN: Final = (*_DAMAGED, ValueError, LookupError, struct.error)
#: What systems put beside the files of people.
_NOBODYS: Final = re.compile(r"(?:^|/)(?:__MACOSX/|\.|~\$|Thumbs\.db$|desktop\.ini$)")


def packing(head: bytes, name: str) -> str:
    """Return how a file is packed that begins like this: GZIP, ZSTD, LOG, or not."""
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return ZSTD
    if head.startswith(b"\x1f\x8b"):
        return GZIP
    return LOG if head.startswith(ARCHIVE) and name.lower().endswith(_ENDING) else ""


def unpacked(packed: str, chunks: Iterable[bytes], most: float = math.inf) -> Iterable[bytes]:
    """Return the bytes of a text file out of what it is packed in; there may be `most` of them."""
    if packed == LOG:
        return unpack_log(chunks, most)
    if packed == ZSTD:
        return unpack_zstd(chunks, most)
    return unzip(chunks, most) if packed == GZIP else chunks


def unpack_zstd(chunks: Iterable[bytes], most: float = math.inf) -> Iterator[bytes]:
    """Yield the content of a file packed with Zstandard, never more at once than a piece.

    Raises:
        BadFile: it is damaged, or holds more than an import may.
    """
    unpacker, total = ZstdDecompressor(), 0
    try:
        for bite in _bites(chunks):
            rest = bite
            while rest or not (unpacker.needs_input or unpacker.eof):
                piece = unpacker.decompress(rest, max_length=_STEP)
                total += len(piece)
                if total > most:
                    raise BadFile("unpacked_too_large", most=megabytes(most))
                yield piece
                rest = b""
                if unpacker.eof:
                    rest, unpacker = unpacker.unused_data, ZstdDecompressor()
    except ZstdError as problem:
        raise BadFile("damaged_archive") from problem
    if total == 0 or not unpacker.needs_input:
        raise BadFile("damaged_archive")


def unzip(chunks: Iterable[bytes], most: float = math.inf) -> Iterator[bytes]:
    """Yield the content of a gzip file, never more at once than a piece.

    Args:
        chunks: the bytes of the file.
        most: it may hold so many bytes; reading stops where there are more.

    Raises:
        BadFile: it is damaged, or holds more than an import may.
    """
    unpacker, total, n_parts, is_open = zlib.decompressobj(wbits=31), 0, 0, False
    try:
        for bite in _bites(chunks):
            rest = bite
            while rest:
                piece = unpacker.decompress(rest, _STEP)
                total += len(piece)
                if total > most:
                    raise BadFile("unpacked_too_large", most=megabytes(most))
                yield piece
                rest, is_open = unpacker.unconsumed_tail, not unpacker.eof
                if unpacker.eof:
                    rest, n_parts = unpacker.unused_data, n_parts + 1
                    if n_parts > MOST_PARTS:
                        raise BadFile("damaged_archive")
                    unpacker = zlib.decompressobj(wbits=31)
    except zlib.error as problem:
        raise BadFile("damaged_archive") from problem
    if is_open:  # its end is missing
        raise BadFile("damaged_archive")


def _bites(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for at in range(0, len(chunk), _BITE):
            yield chunk[at : at + _BITE]


def megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1024**2:.0f}"


class Parts:
    """The files in a ZIP, without folders and what systems put beside them.

    Raises:
        BadFile: it is damaged.
    """

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._parts = zipfile.ZipFile(file)
        except _BROKEN as problem:
            raise BadFile("damaged_archive") from problem
        listed = self._parts.infolist()
        named = [one.filename for one in listed if not one.is_dir() and one.filename.isprintable()]
        self.names = sorted(name for name in set(named) if not _NOBODYS.search(name))

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield a file, never more of it than it says of itself.

        Raises:
            BadFile: it is damaged, or protected by a password.
        """
        try:
            if self._parts.getinfo(name).flag_bits & 1:
                raise BadFile("locked_archive")
            with self._parts.open(name) as part:
                while piece := part.read(_STEP):
                    yield piece
        except _BROKEN as problem:
            raise BadFile("damaged_archive") from problem


def unpack_log(chunks: Iterable[bytes], most: float = math.inf) -> Iterator[bytes]:
    """Yield the samples of a log, each as a line of JSON with what was evaluated.

    Args:
        chunks: the bytes of the archive.
        most: its parts may hold so many bytes.

    Raises:
        BadFile: it is damaged, is no log, or holds more than an import may.
    """
    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED) as file:
        for chunk in chunks:
            file.write(chunk)
        try:
            with zipfile.ZipFile(file) as parts:
                yield from _lines(parts, most)
        except _DAMAGED as problem:
            raise BadFile("damaged_archive") from problem
        except (ValueError, RecursionError) as problem:
            raise BadFile("no_log") from problem


def _lines(parts: zipfile.ZipFile, most: float) -> Iterator[bytes]:
    names = parts.namelist()
    head = next((name for name in _HEADS if name in names), "")
    samples = sorted(one for one in names if one.startswith("samples/") and one.endswith(".json"))
    if not head or not samples:
        raise BadFile("no_log")
    log, left = _part(parts, head, most)
    told = log.get("eval")
    of = {"task": told.get("task"), "model": told.get("model")} if isinstance(told, dict) else {}
    for name in samples:
        sample, left = _part(parts, name, left)
        kept = {key: sample[key] for key in _READ if key in sample}
        yield json.dumps({"eval": of, **kept}).encode() + b"\n"


def _part(parts: zipfile.ZipFile, name: str, most: float) -> tuple[dict[str, Any], float]:
    """Return the object in a part, and how much room is left for others."""
    size = parts.getinfo(name).file_size  # no more than it says of itself is read
    if size > most:
        raise BadFile("unpacked_too_large", most=megabytes(most))
    found = json.loads(parts.read(name))
    if not isinstance(found, dict):
        raise ValueError(name)
    return found, most - size
