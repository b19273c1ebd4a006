"""HTTP/1.1 as a scripted server needs it: small, kept alive, and able to fail in the middle."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

MAX_HEAD = 64 * 1024
MAX_BODY = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Incoming:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is sent back. `cut` drops the connection after so many bytes; `after` waits so many seconds."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    after: float = 0.0
    cut: int | None = None


class Handler(Protocol):
    """Who answers: `take` decides at once, `done` hears that the answer is out or the caller gone."""

    def take(self, request: Incoming) -> Outgoing: ...
    def done(self, request: Incoming) -> None: ...


class Connection(asyncio.Protocol):
    """One connection; its requests are answered one after the other."""

    def __init__(self, handler: Handler, closed: Callable[["Connection"], None]) -> None:
        self._handler, self._closed = handler, closed
        self._buffer = bytearray()
        self._open: Incoming | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._end()
        self._closed(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._open is None:
            self._next()

    def _next(self) -> None:
        """Take the next whole request, if there is one."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD:
                self._refuse(431)
            return
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = headers.get("content-length", "0")
        if not length.isdecimal() or "transfer-encoding" in headers or first.count(" ") != 2:
            self._refuse(400)
            return
        if int(length) > MAX_BODY:
            self._refuse(413)
            return
        stop = end + 4 + int(length)
        if len(self._buffer) < stop:
            return
        method, path, _ = first.split(" ")
        request = Incoming(method, path, headers, bytes(self._buffer[end + 4 : stop]))
        del self._buffer[:stop]
        self._answer(request)

    def _answer(self, request: Incoming) -> None:
        self._open = request
        self._last = request.headers.get("connection", "").lower() == "close"
        answer = self._handler.take(request)
        if answer.after > 0:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(answer.after, self._send, answer)
        else:
            self._send(answer)

    def _send(self, answer: Outgoing) -> None:
        assert self.transport is not None
        self._timer = None
        self._end()
        raw = _written(answer)
        if answer.cut is not None:
            self.transport.write(raw[: answer.cut])
            # A reset could overtake what was written; an end of file is as rude to the caller.
            self.transport.close() if answer.cut else self.transport.abort()
            return
        self.transport.write(raw)
        if self._last:
            self.transport.close()
        elif self._buffer:
            self._next()

    def _refuse(self, status: int) -> None:
        assert self.transport is not None
        self.transport.write(_written(Outgoing(status=status)))
        self.transport.close()

    def _end(self) -> None:
        if self._open is not None:
            request, self._open = self._open, None
            self._handler.done(request)


def _written(answer: Outgoing) -> bytes:
    phrase = HTTPStatus(answer.status).phrase
    extra = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    head = (
        f"HTTP/1.1 {answer.status} {phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(answer.body)}\r\n{extra}\r\n"
    )
    return head.encode("latin-1") + answer.body
