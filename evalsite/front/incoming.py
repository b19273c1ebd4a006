"""A request as it comes in: gathered whole before a thread is spent on it."""

import re
import tempfile
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import IO, Final

HEAD_MOST: Final = 64 * 1024
#: Bytes that anybody may send; more is for who is signed in.
ANYBODY_MOST: Final = 1024 * 1024
IN_MEMORY: Final = 256 * 1024
#: Seconds for a head, and for a body beside what its size takes at the least rate (bytes a second).
HEAD_SECONDS, BODY_SECONDS, LEAST_RATE = 20, 30, 4096
PIECE: Final = 256 * 1024
#: No length has more.
MOST_DIGITS: Final = 15

_FIELDS = re.compile(
    rb"\r\n(content-length|transfer-encoding|expect|cookie|authorization|x-forwarded-for)"
    rb"[ \t]*:[ \t]*([^\r\n]*)",
    re.IGNORECASE,
)
_SESSION = re.compile(rb"(?:^|[;\s])sessionid=([^;\s]+)")


class Stage(Enum):
    HEAD = "head"
    SIZE = "size"  # whether they may send so much is to be asked
    BODY = "body"
    WHOLE = "whole"


class RequestNotTaken(Exception):
    """The request is not taken, with this status; `status` 0 is for one that nobody waits for."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class IncomingRequest:
    """The bytes of one request. Of its framing this reads no more than how long it is.

    What the bytes mean is read later by the server's own parser, which gets these bytes and no
    others: where the two should disagree the line is closed, never read on.
    """

    def __init__(self, now: float, folder: Path | None = None) -> None:
        self.began = now
        self.stage = Stage.HEAD
        self.head_size = 0
        self.length = 0
        self.received = 0
        self.expects = False
        self.credential = b""
        self.forwarded_for = b""
        self._folder = folder
        self._held = bytearray()
        self._file: IO[bytes] | None = None

    def take(self, data: bytes) -> bytes:
        """Take bytes that came; return those behind the end of the request.

        Raises:
            RequestNotTaken: nothing more is read of it.
        """
        if self.stage is Stage.HEAD:
            searched = max(0, len(self._held) - 3)
            self._held += data
            end = self._held.find(b"\r\n\r\n", searched)
            if (end < 0 and len(self._held) > HEAD_MOST) or end > HEAD_MOST:
                raise RequestNotTaken(431)
            if end < 0:
                return b""
            self.head_size = end + 4
            data = bytes(self._held[self.head_size :])
            del self._held[self.head_size :]
            self._read_head()
        return self._take_body(data)

    def allow(self, most: int) -> bytes:
        """Go on with a body whose size was to be asked for; as `take`, with what was held back.

        Raises:
            RequestNotTaken: it is larger than that.
        """
        if self.length > most:
            raise RequestNotTaken(413)
        self.stage = Stage.BODY
        early = bytes(self._held[self.head_size :])
        del self._held[self.head_size :]
        return self._take_body(early)

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the request, for the parser."""
        yield bytes(self._held)
        if self._file is not None:
            self._file.seek(0)
            while piece := self._file.read(PIECE):
                yield piece

    def head(self) -> bytes:
        return bytes(self._held[: self.head_size])

    def cut_body(self) -> None:
        """Keep the head alone: it is answered without its body."""
        self.close()
        del self._held[self.head_size :]

    @property
    def is_empty(self) -> bool:
        return not self._held

    @property
    def is_large(self) -> bool:
        return self.length > ANYBODY_MOST

    @property
    def missing(self) -> int:
        """Return how many bytes of its body have yet to come."""
        return self.length - self.received

    @property
    def deadline(self) -> float:
        """The time after which it is not waited for any longer."""
        if self.stage is Stage.HEAD:
            return self.began + HEAD_SECONDS
        return self.began + BODY_SECONDS + self.received / LEAST_RATE

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read_head(self) -> None:
        fields: dict[bytes, bytes] = {}
        for name, value in _FIELDS.findall(self._held):
            fields[name.lower()] = value.strip()
        if b"transfer-encoding" in fields:
            # A body of unknown length would reach the application as an empty one.
            raise RequestNotTaken(411)
        said = fields.get(b"content-length", b"")
        if said.isdigit() and len(said) > MOST_DIGITS:
            raise RequestNotTaken(413)
        self.length = int(said) if said.isdigit() else 0  # what is no number the parser refuses
        self.expects = fields.get(b"expect", b"").lower() == b"100-continue"
        self.forwarded_for = fields.get(b"x-forwarded-for", b"")
        session = _SESSION.search(fields.get(b"cookie", b""))
        self.credential = fields.get(b"authorization", b"") or (session[1] if session else b"")
        if not self.is_large:
            self.stage = Stage.BODY
        elif self.credential:
            self.stage = Stage.SIZE
        else:
            raise RequestNotTaken(413)

    def _take_body(self, data: bytes) -> bytes:
        if self.stage is Stage.SIZE:
            self._held += data
            return b""
        mine = data[: self.length - self.received] if self.length else b""
        self.received += len(mine)
        room = max(0, IN_MEMORY - len(self._held))
        self._held += mine[:room]
        if rest := mine[room:]:  # a file is made for what came, not for what was announced
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
            self._file.write(rest)
        if self.received >= self.length:
            self.stage = Stage.WHOLE
        return data[len(mine) :]
