"""Several workers from one process: they share the memory of what was imported before they part."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

PAUSE: Final = 1.0
#: So many ends within so many seconds, and starting them again would not help.
MOST_ENDS, WITHIN = 10, 60.0
PR_SET_PDEATHSIG: Final = 1
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Lanes:
    """One process for each name, doing a deed until told to stop; one that ends is started again.

    A signal to stop is passed on to all of them, as often as it comes.
    """

    def __init__(self, names: Sequence[str], deed: Callable[[str], object]) -> None:
        self._waiting = list(names)
        self._deed = deed
        self._running: dict[int, str] = {}
        self._ends: deque[float] = deque(maxlen=MOST_ENDS)
        self._stopping = False

    def run(self) -> None:
        """Return once all have ended after a stop.

        Raises:
            SystemExit: they end again and again by themselves.
        """
        for number in SIGNALS:
            signal.signal(number, self._stop)
        while self._waiting or self._running:
            while self._waiting and not self._stopping:
                self._start(self._waiting.pop())
            self._await()
            if self._stopping:
                self._waiting.clear()

    def _start(self, name: str) -> None:
        parent = os.getpid()
        # A signal that came between the two would not be passed on to the new one.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        pid = os.fork()
        if pid:
            self._running[pid] = name
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            return
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        code = 1
        try:
            if os.getppid() == parent:
                self._deed(name)
                code = 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _await(self) -> None:
        with contextlib.suppress(ChildProcessError):
            pid, _status = os.wait()
            name = self._running.pop(pid, None)
            if name is None or self._stopping:
                return
            self._waiting.append(name)
            self._ends.append(time.monotonic())
            if len(self._ends) == MOST_ENDS and self._ends[-1] - self._ends[0] < WITHIN:
                self._stop(signal.SIGTERM)
                raise SystemExit(f"The worker {name!r} ends again and again.")
            time.sleep(PAUSE)

    def _stop(self, number: int, *_frame: object) -> None:
        self._stopping = True
        for pid in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
