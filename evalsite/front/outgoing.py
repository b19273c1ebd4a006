"""An answer as it goes out: what a visitor does not take at once is kept, and no thread waits."""

import contextlib
import errno
import os
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final

IN_MEMORY: Final = 512 * 1024
PIECE: Final = 256 * 1024
#: All that may be kept for visitors who read slowly; beyond it something of whoever has most is cut off.
KEPT_MOST: Final = 2 * 1024**3
#: Seconds after which a visitor who has not read it all is cut off, beside those that what they
#: read takes at the least rate (bytes a second).
READ_SECONDS, LEAST_RATE = 60, 4096


class Shelf:
    """What is kept for all visitors together."""

    def __init__(self, most: int = KEPT_MOST, folder: Path | None = None) -> None:
        self.folder = folder
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[Outlet, int] = {}

    def note(self, outlet: "Outlet", n_bytes: int) -> None:
        """Note how much is kept for an answer; if it is too much in all, cut off one of whoever has most.

        Who has a hundred answers waiting does not have somebody else's cut off, however large that is.
        """
        with self._lock:
            if n_bytes:
                self._kept[outlet] = n_bytes
            else:
                self._kept.pop(outlet, None)
            if sum(self._kept.values()) > self._most:
                by_owner: Counter[object] = Counter()
                for one, kept in self._kept.items():
                    by_owner[one.owner] += kept
                largest = max(self._kept, key=lambda one: (by_owner[one.owner], self._kept[one]))
                largest.is_cut = True
                del self._kept[largest]


class Outlet:
    """What a thread is given in place of a visitor's socket.

    A thread writes and goes on; `flush`, by the loop, passes on what was kept. The two never wait
    for each other: only the thread moves the end of what is kept, and only the loop its beginning;
    the thread writes to the socket itself while nothing is kept.

    Args:
        wake: called where something is kept and the loop does not know of it.
    """

    def __init__(self, sock: socket.socket, wake: Callable[[], object], shelf: Shelf) -> None:
        self.is_cut = False
        self.refused = 0  # the status of a request that was not taken
        #: Whose request it answers, once the application has looked; "" is nobody's.
        self.account: str | None = None
        self.owner: object = self  # under whom it is counted
        self._sock, self._wake, self._shelf = sock, wake, shelf
        self._memory = bytearray()  # the first of what is kept,
        self._file: IO[bytes] | None = None  # and the rest
        self._place = self._end = 0
        self._is_known = False
        self._since = 0.0

    @property
    def kept(self) -> int:
        return max(0, self._end - self._place)

    def sendall(self, data: bytes) -> None:
        if self.is_cut:
            raise BrokenPipeError("The visitor reads too slowly, or is gone.")
        rest = memoryview(data)
        if not self.kept:
            rest = rest[self._send(rest) :]
            if rest:
                self._begin()
        if rest:
            self._keep(rest)

    def send(self, data: bytes) -> int:
        self.sendall(data)
        return len(data)

    def sendfile(self, file: Any, offset: int = 0, count: int = 0) -> None:
        while count > 0 and (piece := os.pread(file.fileno(), min(PIECE, count), offset)):
            self.sendall(piece)
            offset, count = offset + len(piece), count - len(piece)

    def flush(self) -> bool:
        """Pass on what the visitor takes now; return whether nothing is kept any more.

        Raises:
            OSError: the visitor is gone.
        """
        if self.kept:
            self._place += self._send(memoryview(self._first()))
        if not self.kept:
            self._is_known = False
        # The thread may have kept more in between, and not have woken the loop.
        self._is_known = is_left = self.kept > 0
        return not is_left

    def is_overdue(self, now: float) -> bool:
        """Say whether the visitor has read too slowly, or was cut off."""
        late = self.kept and now > self._since + READ_SECONDS + self._place / LEAST_RATE
        return self.is_cut or bool(late)

    def close(self) -> None:
        """Keep nothing any more. No thread may be at it; where one is, set `is_cut`."""
        self.is_cut = True
        self.forget()

    def forget(self) -> None:
        """Give back the room of an answer that is out, or that nobody wants. No thread may be at it."""
        self._place = self._end = 0
        self._memory.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
        self._shelf.note(self, 0)

    # What the server does to a socket whose answer broke in the middle: the loop closes it.

    def shutdown(self, _how: int) -> None:
        raise OSError("The loop closes the line.")

    def gettimeout(self) -> float:
        return 0.0

    def _send(self, data: memoryview) -> int:
        sent = 0
        with contextlib.suppress(BlockingIOError):
            while sent < len(data):
                sent += self._sock.send(data[sent:])
        return sent

    def _begin(self) -> None:
        """Forget what was kept before; all of that was read."""
        self._end = 0  # first, so that the loop finds nothing in between
        self._place = 0
        self._memory.clear()
        self._since = time.monotonic()

    def _keep(self, data: memoryview) -> None:
        in_memory = data[: max(0, IN_MEMORY - self._end)]
        self._memory += in_memory
        if rest := data[len(in_memory) :]:
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0, dir=self._shelf.folder)  # noqa: SIM115
            place = self._end + len(in_memory) - IN_MEMORY
            if os.pwrite(self._file.fileno(), rest, place) < len(rest):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._end += len(data)
        self._shelf.note(self, self._end)  # what was read takes room as well
        if not self._is_known:
            self._is_known = True
            self._wake()

    def _first(self) -> bytes:
        if self._place < IN_MEMORY:
            return bytes(self._memory[self._place : min(self._end, self._place + PIECE)])
        assert self._file is not None
        return os.pread(self._file.fileno(), min(PIECE, self.kept), self._place - IN_MEMORY)
