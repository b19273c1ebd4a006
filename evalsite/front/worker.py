"""The server's worker: a loop that gathers requests and passes answers on, and threads that answer.

gunicorn's own threaded worker gives a thread to whoever connects: eight visitors who send a byte a
second hold all eight. Here a thread gets a request that is whole, writes its answer without waiting
for the visitor, and is free again. Framing, answers and shutdown stay gunicorn's.
"""

import contextlib
import errno
import resource
import selectors
import shutil
import socket
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from gunicorn.http.errors import NoMoreData
from gunicorn.http.parser import RequestParser
from gunicorn.http.wsgi import create
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker

from evalsite import addresses
from evalsite.front import doors
from evalsite.front.incoming import ANYBODY_MOST, Incoming, Refused, Stage
from evalsite.front.lines import Doing, Line, least_wanted
from evalsite.front.outgoing import Outlet, Shelf
from evalsite.front.turns import Turns

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
LINGER_SECONDS: Final = 2.0
LINGER_MOST: Final = 4 * 1024 * 1024
TIDY_SECONDS: Final = 0.5
#: Large bodies at a time: of one account, and of all.
LARGE_OF_ONE, LARGE_OF_ALL = 4, 16
#: A file stands on the disk so many times for a moment: as it came, as the form has it, in the database.
TIMES_ON_DISK: Final = 3
LEAST_LINES: Final = 32
#: Lines that are given up, or taken, at a time: to choose among a thousand takes a millisecond.
AT_A_TIME: Final = 32
#: Seconds after which a busy thread lets the loop go on, which waits for that after each call of the system.
SWITCH_SECONDS: Final = 0.0005
FULL: Final = {errno.EMFILE, errno.ENFILE}
GONE: Final = {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}


class Worker(ThreadWorker):
    """Answers whole requests by threads."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.folder: Path | None = None
        self.worker_connections: int = self.cfg.worker_connections
        self.lines: set[Line] = set()
        self.shelf = Shelf()
        self.turns: Turns[Line] = Turns(self.cfg.threads)
        self._tidied = 0.0

    def init_process(self) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = (
            4 * self.worker_connections
        )  # a line may have a file for its body, one for its answer
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            # Where there may not be so many files, lines must not take those of databases and bodies.
            allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            self.worker_connections = min(self.worker_connections, max(LEAST_LINES, allowed // 4))
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        # Bodies and answers are kept beside the data, where there is room, not in what may be memory.
        self.folder = self.shelf.folder = settings.DATA_DIR if settings.DATA_DIR.is_dir() else None
        self.wsgi: Any = doors.marked(self.wsgi)

    # -------------------------------------------------------------- the loop

    def run(self) -> None:
        wakes = self.method_queue
        self.poller.register(wakes.fileno(), READ, wakes.run_callbacks)
        self.set_accept_enabled(True)
        while self.alive:
            self._turn(1.0)
            if not self.is_parent_alive():
                break
        self.set_accept_enabled(False)
        until = time.monotonic() + self.cfg.graceful_timeout
        for line in self.lines:
            if line.doing is Doing.IDLE:  # its visitor may be sending the next request already
                line.until = min(line.until, time.monotonic() + STOP_KEEPALIVE_LINGER)
        while self.lines and time.monotonic() < until:
            self._turn(0.1)
        for line in list(self.lines):
            self._close(line)
        self.tpool.shutdown(wait=False)
        self.poller.close()
        wakes.close()
        for one in self.sockets:
            one.close()

    def _turn(self, timeout: float) -> None:
        self.notify()
        self.wait_for_and_dispatch_events(timeout=timeout)
        now = time.monotonic()
        if now - self._tidied > TIDY_SECONDS:
            self._tidied = now
            self._tidy(now)

    def _tidy(self, now: float) -> None:
        if self.alive:
            self.set_accept_enabled(True)
        for line in list(self.lines):
            if line.sock.is_overdue(now):
                self._cut(line)
            elif line.doing is Doing.RECEIVING:
                assert line.incoming is not None
                if now > line.incoming.deadline:
                    self._refuse(line, 408)
            elif line.doing in (Doing.IDLE, Doing.LINGERING) and now > line.until:
                self._close(line)

    def _cut(self, line: Line) -> None:
        self.log.info("A visitor was cut off: an answer was read too slowly.")
        if line.doing is Doing.ANSWERING:
            self._watch(line, 0)
            line.sock.is_cut = True  # its thread finds out with its next piece
        else:
            self._close(line)

    def accept(self, listener: socket.socket) -> None:
        for _line in range(AT_A_TIME):
            if not self._accept(listener):
                return

    def _accept(self, listener: socket.socket) -> bool:
        """Take a line; return whether there may be another one."""
        if len(self.lines) >= self.worker_connections and not self._make_room():
            self.set_accept_enabled(False)
            return False
        try:
            raw, client = listener.accept()
        except OSError as problem:
            if problem.errno in FULL:
                if not self._make_room():
                    self.set_accept_enabled(False)
            elif problem.errno not in GONE:
                raise
            return False
        raw.setblocking(False)
        line = Line(raw, client, listener.getsockname(), None)  # type: ignore[arg-type]
        wake = partial(self.method_queue.defer, self._pass_on, line)
        line.sock = Outlet(raw, wake, self.shelf)
        self.lines.add(line)
        self.nr_conns = len(self.lines)
        self._listen(line)
        self._hear(line)
        return True

    def _make_room(self) -> bool:
        given_up = least_wanted(self.lines, most=AT_A_TIME)
        for line in given_up:
            self._close(line)
        return bool(given_up)

    # -------------------------------------------------------------- receiving

    def _listen(self, line: Line) -> None:
        """Wait for the next request on a line."""
        line.doing = Doing.IDLE
        line.incoming = None
        linger = self.cfg.keepalive if self.alive else STOP_KEEPALIVE_LINGER
        line.until = time.monotonic() + linger
        self._watch(line, READ)

    def _hear(self, line: Line, _sock: object = None) -> None:
        try:
            data = line.raw.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._close(line)
        elif line.doing is Doing.LINGERING:
            line.until -= LINGER_SECONDS * len(data) / LINGER_MOST
        else:
            self._take(line, data)

    def _take(self, line: Line, data: bytes) -> None:
        if line.incoming is None:
            line.incoming = Incoming(time.monotonic(), self.folder)
            line.doing = Doing.RECEIVING
        before = line.incoming.stage
        try:
            line.rest = line.incoming.take(data)
        except Refused as refusal:
            self._refuse(line, refusal.status)
        except OSError:  # the disk is full
            self._refuse(line, 507)
        else:
            self._go_on(line, before)

    def _go_on(self, line: Line, before: Stage) -> None:
        assert line.incoming is not None
        stage = line.incoming.stage
        if stage in (Stage.WHOLE, Stage.SIZE):
            self._queue(line)
        elif stage is Stage.BODY and before is not Stage.BODY:
            if line.incoming.expects:
                with contextlib.suppress(OSError):
                    line.sock.sendall(CONTINUE)
            self._watch(line, READ)

    def _refuse(self, line: Line, status: int) -> None:
        """Have a request answered that is not taken; what its head does not tell, in a bare line."""
        incoming = line.incoming
        assert incoming is not None
        line.rest, line.keep = b"", False
        if incoming.head_size:
            incoming.cut_body()
            line.sock.refused = status
            self._queue(line)
            return
        if not incoming.is_empty:
            with contextlib.suppress(OSError):
                line.sock.sendall(doors.bare(status))
        self._hang_up(line)

    # -------------------------------------------------------------- answering

    def _queue(self, line: Line) -> None:
        assert line.incoming is not None
        line.doing = Doing.WAITING
        line.sock.account = None
        self._watch(line, 0)
        if settings.PRODUCTION and line.incoming.forwarded_for:
            named = line.incoming.forwarded_for.rpartition(b",")[2].strip()
            line.address = addresses.line_of(named.decode("latin-1"))
        line.sock.owner = self.turns.who(line)
        self.turns.add(line)
        self._hand_out()

    def _hand_out(self) -> None:
        while (line := self.turns.next()) is not None:
            assert line.incoming is not None
            line.doing = Doing.ANSWERING
            asks = line.incoming.stage is Stage.SIZE and not line.sock.refused
            deed, then = (self.ask, self._sized) if asks else (self.handle, self._answered)
            future = self.tpool.submit(deed, line)
            future.add_done_callback(partial(self._tell, then, line))

    def _tell(self, then: Any, line: Line, future: Any) -> None:
        self.method_queue.defer(then, line, future)

    def ask(self, line: Line) -> int:
        """Ask how much its sender may send. Runs in a thread."""
        assert line.incoming is not None
        request = next(RequestParser(self.cfg, [line.incoming.head()], line.client))
        request._expected_100_continue = False
        _response, environ = create(request, line.sock, line.client, line.server, self.cfg)
        return doors.most_of(self.wsgi, environ)

    def _sized(self, line: Line, future: Any) -> None:
        self.turns.done(line, line.sock.account)
        incoming = line.incoming
        assert incoming is not None
        line.doing, line.account = Doing.RECEIVING, line.sock.account or ""
        try:
            most = ANYBODY_MOST if future.exception() else future.result()
            line.rest = incoming.allow(most)
            self._count_large(line)
        except Refused as refusal:
            self._refuse(line, refusal.status)
        except OSError:
            self._refuse(line, 507)
        else:
            self._go_on(line, Stage.SIZE)
        self._hand_out()

    def _count_large(self, line: Line) -> None:
        large = [one for one in self.lines if one.is_large]
        if sum(one.account == line.account for one in large) > LARGE_OF_ONE:
            raise Refused(429)
        if len(large) > LARGE_OF_ALL:
            raise Refused(503)
        coming = sum(one.incoming.missing for one in large if one.incoming is not None)
        free = shutil.disk_usage(self.folder or tempfile.gettempdir()).free
        if free < TIMES_ON_DISK * coming + settings.LEAST_SPACE:
            raise Refused(507)

    def handle(self, line: Line) -> bool:
        """Answer a request; return whether the line is kept. Runs in a thread."""
        request = None
        assert line.incoming is not None
        try:
            request = next(RequestParser(self.cfg, line.incoming.pieces(), line.client))
            request._expected_100_continue = False  # it was told already
            if line.sock.refused:
                request.force_close()
            return bool(self.handle_request(request, line))
        except (NoMoreData, StopIteration, BrokenPipeError, ConnectionError) as problem:
            self.log.debug("The visitor is gone. %s", problem)
        except OSError:
            self.log.exception("A request could not be answered.")
        except Exception as problem:  # noqa: BLE001  as gunicorn answers it
            self.handle_error(request, line.sock, line.client, problem)
        return False

    def _answered(self, line: Line, future: Any) -> None:
        self.turns.done(line, line.sock.account)
        line.keep = not future.exception() and bool(future.result()) and not line.sock.refused
        if line.incoming is not None:
            line.incoming.close()
        line.doing = Doing.SENDING
        if line.sock.is_cut:
            self._close(line)
        elif not line.sock.kept:
            self._end(line)
        self._hand_out()

    # -------------------------------------------------------------- sending

    def _pass_on(self, line: Line) -> None:
        """Begin to pass on what an answer left behind."""
        if line in self.lines and line.sock.kept:
            self._watch(line, WRITE)

    def _send(self, line: Line, _sock: object = None) -> None:
        try:
            is_done = line.sock.flush()
        except OSError:
            self._cut(line)
            return
        if not is_done:
            return
        self._watch(line, READ if line.doing is Doing.RECEIVING else 0)
        if line.doing is Doing.SENDING:
            self._end(line)

    def _end(self, line: Line) -> None:
        """Go on with a line whose answer is out."""
        line.sock.forget()
        if not line.keep:
            self._hang_up(line)
            return
        rest, line.rest = line.rest, b""
        self._listen(line)
        if rest:
            self._take(line, rest)

    def _hang_up(self, line: Line) -> None:
        """Say that nothing more comes, and read on for a moment, so that the answer is not lost."""
        line.doing = Doing.LINGERING
        line.until = time.monotonic() + LINGER_SECONDS
        try:
            line.raw.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(line)
        else:
            self._watch(line, READ)

    def _close(self, line: Line) -> None:
        if line not in self.lines:
            return
        self._watch(line, 0)
        if line.doing is Doing.WAITING:
            self.turns.drop(line)
        self.lines.discard(line)
        self.nr_conns = len(self.lines)
        if line.doing is not Doing.ANSWERING:  # what a thread is at ends with the process
            if line.incoming is not None:
                line.incoming.close()
            line.sock.close()
        line.raw.close()
        if self.alive:
            self.set_accept_enabled(True)

    def _watch(self, line: Line, events: int) -> None:
        if events == line.events:
            return
        if not events:
            self.poller.unregister(line.raw)
        else:
            deed = partial(self._hear if events == READ else self._send, line)
            change = self.poller.modify if line.events else self.poller.register
            change(line.raw, events, deed)
        line.events = events
