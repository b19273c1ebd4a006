"""The processes of a running site, and how one of them is started, watched and stopped."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evalsite.supervisor import tether

MAX_EXITS = 5
WINDOW = 60.0
PAUSE = 1.0
MAX_LOG_BYTES = 5_000_000
ORPHAN_ENDS_WITHIN = 5.0


@dataclass
class ChildProcess:
    """One process: started in a session of its own, so that Ctrl-C reaches only the supervisor."""

    name: str
    argv: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    clock: Callable[[], float] = time.monotonic
    process: "subprocess.Popen[bytes] | None" = None
    exits: "deque[float]" = field(default_factory=lambda: deque(maxlen=MAX_EXITS))

    def start(self) -> None:
        """Start the process, its output going to the end of its log."""
        _turn_over(self.log)
        command = [sys.executable, "-S", tether.__file__, str(os.getpid()), *self.argv]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  our own argument list, no shell
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**self.environment, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        self.pid_file.write_text(f"{self.process.pid}\n")

    @property
    def pid_file(self) -> Path:
        return self.log.with_suffix(".pid")

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_hopeless(self) -> bool:
        """Say whether it ended so often in so short a time that another start would not help."""
        return len(self.exits) == MAX_EXITS and self.exits[-1] - self.exits[0] <= WINDOW

    @property
    def is_due(self) -> bool:
        """Say whether its pause after the last end is over."""
        return not self.exits or self.clock() - self.exits[-1] >= PAUSE

    def note_exit(self) -> None:
        """Remember that it ended by itself; what it had started and left behind ends too."""
        if self.process is not None:
            _end_session(self.process.pid)
        self.process = None
        self.exits.append(self.clock())

    def end_orphan(self, sign: bytes) -> None:
        """End what a supervisor that was killed has left running. Only for the holder of the lock.

        Args:
            sign: what stands in the command of such a process: its number may be another one's by now.
        """
        if not sys.platform.startswith("linux"):
            return
        with contextlib.suppress(OSError, ValueError):
            pid = int(self.pid_file.read_text())
            if sign not in Path(f"/proc/{pid}/cmdline").read_bytes():
                return
            _end_session(pid)
            deadline = self.clock() + ORPHAN_ENDS_WITHIN
            while self.clock() < deadline:
                os.killpg(pid, 0)  # until none of them is left
                time.sleep(0.02)

    def ask_to_stop(self) -> None:
        """Ask it to finish what it has in hand and end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it and everything it started in its session."""
        if self.process is not None and self.is_alive:
            _end_session(self.process.pid)
            self.process.wait()

    def last_lines(self, n: int = 15) -> str:
        """Return the end of its log."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-n:])
        except OSError:
            return ""

    def _send(self, number: signal.Signals) -> None:
        if self.process is not None and self.is_alive:
            self.process.send_signal(number)


def _end_session(pid: int) -> None:
    """End every process of the session that this one began."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _turn_over(log: Path) -> None:
    """Keep the log of before as `.1` once it is long."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > MAX_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
