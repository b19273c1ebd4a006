"""One supervisor for each data folder."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from evalsite.supervisor import refusals


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
        raise refusals.CannotStart(
            f"The file {path} cannot be opened ({problem.strerror}). "
            "Make it writable for this account, or name another data folder in EVALSITE_DATA."
        ) from problem
    with os.fdopen(handle, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            pid = file.read().strip() or "unknown"
            raise refusals.AlreadyRunning(
                f"evalsite is already running for {path.parent} (process {pid}). "
                "Use that one, stop it with Ctrl-C, or name another data folder in EVALSITE_DATA."
            ) from problem
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
