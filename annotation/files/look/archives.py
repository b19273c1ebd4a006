"""Logs of Inspect as archives: a part a sample, unpacked as the one object that a log in JSON is.

Newer logs are packed with Zstandard, which the standard library reads from Python 3.14 on.
"""

import json
import math
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from annotation.files.cells import Unreadable
from annotation.files.look.encodings import megabytes

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

#: How files of such logs end.
ENDING: Final = ".eval"
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
    EOFError,
    OSError,
)


def unpack(chunks: Iterable[bytes], most: float = math.inf) -> Iterator[bytes]:
    """Yield a log as JSON: what was evaluated, then its samples, each in a line.

    Args:
        chunks: the bytes of the archive.
        most: its parts may hold so many bytes.

    Raises:
        Unreadable: it is damaged, is no log, or holds more than an import may.
    """
    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED) as file:
        for chunk in chunks:
            file.write(chunk)
        try:
            with zipfile.ZipFile(file) as parts:
                yield from _lines(parts, most)
        except _DAMAGED as problem:
            raise Unreadable("damaged_archive") from problem
        except (ValueError, RecursionError) as problem:
            raise Unreadable("no_log") from problem


def _lines(parts: zipfile.ZipFile, most: float) -> Iterator[bytes]:
    names = parts.namelist()
    head = next((name for name in _HEADS if name in names), "")
    samples = sorted(one for one in names if one.startswith("samples/") and one.endswith(".json"))
    if not head or not samples:
        raise Unreadable("no_log")
    text, left = _part(parts, head, most)
    yield json.dumps({"eval": text.get("eval")})[:-1].encode() + b', "samples": ['
    for place, name in enumerate(samples):
        sample, left = _part(parts, name, left)
        kept = {key: sample[key] for key in _READ if key in sample}
        yield (b"," if place else b"") + b"\n" + json.dumps(kept).encode()
    yield b"\n]}\n"


def _part(parts: zipfile.ZipFile, name: str, most: float) -> tuple[dict[str, Any], float]:
    """Return the object in a part, and how much room is left for others."""
    size = parts.getinfo(name).file_size  # no more than it says of itself is read
    if size > most:
        raise Unreadable("unpacked_too_large", most=megabytes(most))
    found = json.loads(parts.read(name))
    if not isinstance(found, dict):
        raise ValueError(name)
    return found, most - size
