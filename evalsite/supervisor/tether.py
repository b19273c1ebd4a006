"""Tie a process to its parent: when that dies, it ends too, and holds no port that its successor needs.

Run as a file: `python -S tether.py <pid of the supervisor> <program> <argument>…` becomes the program.
As gunicorn's configuration (`--config python:evalsite.supervisor.tether`) it ties the web server's
workers to their master.
"""

import ctypes
import os
import signal
import sys
from typing import Any

PR_SET_PDEATHSIG = 1


def main(parent: int, argv: list[str]) -> None:
    """Tie this process to its parent, then become the program. A parent that is gone already ends it."""
    tie(parent, signal.SIGTERM)
    os.execvp(argv[0], argv)  # noqa: S606  the supervisor made this list


def post_fork(server: Any, worker: Any) -> None:
    """Have a worker of the web server end at once with a master that was killed (gunicorn calls this).

    It would go on for as long as a request takes, and nobody could listen meanwhile.
    """
    tie(worker.ppid, signal.SIGKILL)


def tie(parent: int, how: signal.Signals) -> None:
    """Have the system send this process a signal when its parent dies; end it if that has happened."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, how)
        if os.getppid() != parent:
            sys.exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
