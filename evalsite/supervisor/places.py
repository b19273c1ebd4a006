"""Why a start is refused: one sentence with its remedy.

* Where things lie in the data folder.
* One supervisor for each data folder.
* Can the web server listen where it was told to?
"""

import contextlib
import errno
import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evalsite import env, errors


class CannotStart(errors.Refusal):
    """The site cannot be started as things are."""


class AlreadyRunning(CannotStart):
    """Another supervisor holds this data folder."""

    code = "already_running"


class GaveUp(CannotStart):
    """A process ends again and again."""

    code = "gave_up"


# sizeof(sockaddr_un.sun_path), less the closing zero.
MAX_SOCKET_PATH = 107 if sys.platform == "linux" else 103


@dataclass(frozen=True)
class SitePlaces:
    """The files and folders of one installation."""

    data: Path

    @property
    def lock(self) -> Path:
        return self.data / "up.lock"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def socket(self) -> Path:
        return env.socket_path(self.data)

    @property
    def demo_accounts(self) -> Path:
        return self.data / "demo_accounts.txt"

    @property
    def address(self) -> Path:
        """Where the site was last told to listen, for commands that print a link to it."""
        return self.data / "address"

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"


def lay_out(places: SitePlaces) -> None:
    """Make the folders, closed to other people.

    Raises:
        CannotStart: a folder cannot be made or written.
    """
    for folder in (places.data, places.logs, places.socket.parent):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise CannotStart(_unwritable(folder, problem.strerror or "")) from problem
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise CannotStart(_unwritable(folder, "permission denied"))
    places.socket.parent.chmod(0o700)


def check_socket_path(socket: Path) -> None:
    """Refuse a socket path that the operating system would cut.

    Raises:
        CannotStart: the path is too long.
    """
    length = len(os.fsencode(socket))
    if length > MAX_SOCKET_PATH:
        raise CannotStart(
            f"The path of Valkey's socket is {length} bytes long, and the system allows {MAX_SOCKET_PATH}. "
            "Name a data folder with a shorter path in EVALSITE_DATA, or a server in REDIS_URL."
        )


def _unwritable(folder: Path, reason: str) -> str:
    return (
        f"The folder {folder} cannot be written ({reason.lower()}). "
        "Make it writable for this account, or name another data folder in EVALSITE_DATA."
    )


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a data folder for as long as the block runs, or this process lives.

    Raises:
        AlreadyRunning: another process holds it.
        CannotStart: the lock file cannot be opened.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise CannotStart(
            f"The file {path} cannot be opened ({problem.strerror}). "
            "Make it writable for this account, or name another data folder in EVALSITE_DATA."
        ) from problem
    with os.fdopen(handle, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            pid = file.read().strip() or "unknown"
            raise AlreadyRunning(
                f"evalsite is already running for {path.parent} (process {pid}). "
                "Use that one, stop it with Ctrl-C, or name another data folder in EVALSITE_DATA."
            ) from problem
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def check_free(host: str, port: int) -> None:
    """Refuse an address on which nothing can listen.

    Raises:
        CannotStart: the port is taken or reserved, or the host is not one of this machine's.
    """
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as problem:
        raise CannotStart(_sentence(host, port, problem)) from problem


def _sentence(host: str, port: int, problem: OSError) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is taken by another program. Stop that one, "
            f"or choose another port: make run PORT={port + 1}"
        )
    if problem.errno == errno.EACCES:
        return (
            f"Port {port} is reserved for the system's administrator. "
            "Choose one above 1023: make run PORT=8000"
        )
    return (
        f"Nothing can listen on {host} port {port} ({problem.strerror}). "
        "Give an address of this machine with --host; 127.0.0.1 is for this machine alone."
    )
