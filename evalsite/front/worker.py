"""Whose request is served next: nobody holds all threads.

* The line to one visitor, and what it is doing.
* The server's worker: a loop that gathers requests and passes answers on, and threads that answer.
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
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from django.conf import settings
from gunicorn.http.errors import NoMoreData
from gunicorn.http.parser import RequestParser
from gunicorn.http.wsgi import create
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker

from evalsite.front import doors
from evalsite.front.incoming import ANYBODY_MOST, IncomingRequest, RequestNotTaken, Stage
from evalsite.front.outgoing import Outlet, Shelf
from evalsite.web import addresses

#: Of so many sessions and tokens it is remembered whose they are.
REMEMBERED: Final = 10_000


Who = tuple[str, str]
LARGE: Final[Who] = ("large", "")


class WaitingRequest(Protocol):
    """A request that is whole: from which address, by whom as far as it says, and whether it is large."""

    address: str

    @property
    def credential(self) -> bytes: ...

    @property
    def brings_much(self) -> bool: ...


W = TypeVar("W", bound=WaitingRequest)


class Turns(Generic[W]):
    """Requests in the order in which they came, but nobody has more than half of the threads.

    Whoever showed a session or a token that was good before is an account. Everybody else is an
    address, whatever they show: it may be made up, or new. An account and its address together leave
    a thread to others. Of requests with a large body no more than half of the threads are at any,
    whosever they are.
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        half = n_threads // 2
        self.most = {
            "account": max(1, half),
            "address": max(1, half - 1),
            "large": max(1, half),
        }
        #: By whose they are and whether they are large, each with the number under which it came.
        self._waiting: dict[tuple[Who, bool], deque[tuple[int, W]]] = {}
        self._places: dict[W, tuple[Who, bool]] = {}
        self._came = 0
        self._busy: Counter[Who] = Counter()
        self._held: dict[W, tuple[Who, ...]] = {}
        self._owners: OrderedDict[bytes, str] = OrderedDict()

    def add(self, one: W) -> None:
        place = self._places[one] = self.who(one), one.brings_much
        self._came += 1
        self._waiting.setdefault(place, deque()).append((self._came, one))

    def drop(self, one: W) -> None:
        """Forget a request that waits; nobody waits for its answer."""
        place = self._places.pop(one)
        left = deque(each for each in self._waiting.pop(place) if each[1] is not one)
        if left:
            self._waiting[place] = left

    def next(self) -> W | None:
        """Take the first request whose turn it is, if a thread is free for it."""
        if len(self._held) >= self.n_threads:
            return None
        # Of a thousand requests of one visitor the first is looked at.
        free = [place for place in self._waiting if self._is_free(place)]
        if not free:
            return None
        place = min(free, key=lambda each: self._waiting[each][0][0])
        _number, one = self._waiting[place].popleft()
        if not self._waiting[place]:
            del self._waiting[place]
        del self._places[one]
        self._held[one] = _counted(place)
        self._busy.update(self._held[one])
        return one

    def _is_free(self, place: tuple[Who, bool]) -> bool:
        return all(self._busy[who] < self.most[who[0]] for who in _counted(place))

    def done(self, one: W, account: str | None = None) -> None:
        """Note that a thread is free again, and for which account it was.

        Args:
            one: the request.
            account: "" where it is nobody's; None where nobody has looked, as for a file that is
                open to all: what is known of its sender still holds then.
        """
        self._busy -= Counter(self._held.pop(one))
        if not one.credential or account is None:
            return
        self._owners.pop(one.credential, None)
        if account:
            self._owners[one.credential] = account
            if len(self._owners) > REMEMBERED:
                self._owners.popitem(last=False)

    def who(self, one: W) -> Who:
        """Return under whom a request is counted."""
        if account := self._owners.get(one.credential):
            return "account", account
        return "address", one.address


def _counted(place: tuple[Who, bool]) -> tuple[Who, ...]:
    """Return under what requests of a place in the queue are counted."""
    who, brings_much = place
    return (who, LARGE) if brings_much else (who,)


class Doing(Enum):
    IDLE = "idle"  # between requests
    RECEIVING = "receiving"
    WAITING = "waiting"  # for a thread
    ANSWERING = "answering"
    SENDING = "sending"  # a thread is done, the visitor has not read all of it
    LINGERING = "lingering"  # all is said; the visitor hangs up


#: Which are given up first where there are too many lines.
_SPARED = {
    Doing.LINGERING: 0,
    Doing.IDLE: 1,
    Doing.RECEIVING: 2,
    Doing.SENDING: 3,
    Doing.WAITING: 4,
}


class ClientLine:
    """A connection. The server takes it for its own, so some names are the server's."""

    def __init__(self, raw: socket.socket, client: Any, server: Any, outlet: Outlet) -> None:
        self.raw, self.client, self.server = raw, client, server
        self.sock = outlet  # what the server writes to
        self.address = addresses.line_of(client[0] if isinstance(client, tuple) else "")
        self.account = ""  # who sends a large body
        self.doing = Doing.IDLE
        self.events = 0
        self.until = 0.0
        self.rest = b""
        self.keep = False
        self.incoming: IncomingRequest | None = None

    @property
    def credential(self) -> bytes:
        return self.incoming.credential if self.incoming else b""

    @property
    def brings_much(self) -> bool:
        """Say whether its request has a large body that was taken."""
        return self.incoming is not None and self.incoming.is_large and not self.sock.refused

    @property
    def is_large(self) -> bool:
        """Say whether a large body is being received."""
        return (
            self.doing is Doing.RECEIVING
            and self.incoming is not None
            and self.incoming.is_large
            and self.incoming.stage is Stage.BODY
        )


def least_wanted(lines: Iterable[ClientLine], most: int = 1) -> list[ClientLine]:
    """Return the lines to give up where there are too many; none where threads are at all of them.

    They are of the address that has most lines without a thread, and leave it no fewer than the next
    one has: those that say nothing before those that have sent little, these before those that have
    sent much, these before those that read, and these before those that wait for their turn.
    """
    idle = [one for one in lines if one.doing in _SPARED]
    if not idle:
        return []
    (first, n), *others = Counter(one.address for one in idle).most_common(2)
    of_first = [one for one in idle if one.address == first]
    of_first.sort(
        key=lambda one: (_SPARED[one.doing], one.incoming.received if one.incoming else 0)
    )
    return of_first[: max(1, min(most, n - (others[0][1] if others else 0)))]


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
        self.lines: set[ClientLine] = set()
        self.shelf = Shelf()
        self.turns: Turns[ClientLine] = Turns(self.cfg.threads)
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

    def _cut(self, line: ClientLine) -> None:
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
        line = ClientLine(raw, client, listener.getsockname(), None)  # type: ignore[arg-type]
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

    def _listen(self, line: ClientLine) -> None:
        """Wait for the next request on a line."""
        line.doing = Doing.IDLE
        line.incoming = None
        linger = self.cfg.keepalive if self.alive else STOP_KEEPALIVE_LINGER
        line.until = time.monotonic() + linger
        self._watch(line, READ)

    def _hear(self, line: ClientLine, _sock: object = None) -> None:
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

    def _take(self, line: ClientLine, data: bytes) -> None:
        if line.incoming is None:
            line.incoming = IncomingRequest(time.monotonic(), self.folder)
            line.doing = Doing.RECEIVING
        before = line.incoming.stage
        try:
            line.rest = line.incoming.take(data)
        except RequestNotTaken as refusal:
            self._refuse(line, refusal.status)
        except OSError:  # the disk is full
            self._refuse(line, 507)
        else:
            self._go_on(line, before)

    def _go_on(self, line: ClientLine, before: Stage) -> None:
        assert line.incoming is not None
        stage = line.incoming.stage
        if stage in (Stage.WHOLE, Stage.SIZE):
            self._queue(line)
        elif stage is Stage.BODY and before is not Stage.BODY:
            if line.incoming.expects:
                with contextlib.suppress(OSError):
                    line.sock.sendall(CONTINUE)
            self._watch(line, READ)

    def _refuse(self, line: ClientLine, status: int) -> None:
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

    def _queue(self, line: ClientLine) -> None:
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

    def _tell(self, then: Any, line: ClientLine, future: Any) -> None:
        self.method_queue.defer(then, line, future)

    def ask(self, line: ClientLine) -> int:
        """Ask how much its sender may send. Runs in a thread."""
        assert line.incoming is not None
        request = next(RequestParser(self.cfg, [line.incoming.head()], line.client))
        request._expected_100_continue = False
        _response, environ = create(request, line.sock, line.client, line.server, self.cfg)
        return doors.most_of(self.wsgi, environ)

    def _sized(self, line: ClientLine, future: Any) -> None:
        self.turns.done(line, line.sock.account)
        incoming = line.incoming
        assert incoming is not None
        line.doing, line.account = Doing.RECEIVING, line.sock.account or ""
        try:
            most = ANYBODY_MOST if future.exception() else future.result()
            line.rest = incoming.allow(most)
            self._count_large(line)
        except RequestNotTaken as refusal:
            self._refuse(line, refusal.status)
        except OSError:
            self._refuse(line, 507)
        else:
            self._go_on(line, Stage.SIZE)
        self._hand_out()

    def _count_large(self, line: ClientLine) -> None:
        large = [one for one in self.lines if one.is_large]
        if sum(one.account == line.account for one in large) > LARGE_OF_ONE:
            raise RequestNotTaken(429)
        if len(large) > LARGE_OF_ALL:
            raise RequestNotTaken(503)
        coming = sum(one.incoming.missing for one in large if one.incoming is not None)
        free = shutil.disk_usage(self.folder or tempfile.gettempdir()).free
        if free < TIMES_ON_DISK * coming + settings.LEAST_SPACE:
            raise RequestNotTaken(507)

    def handle(self, line: ClientLine) -> bool:
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

    def _answered(self, line: ClientLine, future: Any) -> None:
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

    def _pass_on(self, line: ClientLine) -> None:
        """Begin to pass on what an answer left behind."""
        if line in self.lines and line.sock.kept:
            self._watch(line, WRITE)

    def _send(self, line: ClientLine, _sock: object = None) -> None:
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

    def _end(self, line: ClientLine) -> None:
        """Go on with a line whose answer is out."""
        line.sock.forget()
        if not line.keep:
            self._hang_up(line)
            return
        rest, line.rest = line.rest, b""
        self._listen(line)
        if rest:
            self._take(line, rest)

    def _hang_up(self, line: ClientLine) -> None:
        """Say that nothing more comes, and read on for a moment, so that the answer is not lost."""
        line.doing = Doing.LINGERING
        line.until = time.monotonic() + LINGER_SECONDS
        try:
            line.raw.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(line)
        else:
            self._watch(line, READ)

    def _close(self, line: ClientLine) -> None:
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

    def _watch(self, line: ClientLine, events: int) -> None:
        if events == line.events:
            return
        if not events:
            self.poller.unregister(line.raw)
        else:
            deed = partial(self._hear if events == READ else self._send, line)
            change = self.poller.modify if line.events else self.poller.register
            change(line.raw, events, deed)
        line.events = events
