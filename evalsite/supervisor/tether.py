"""Become another program that is told to stop when the supervisor dies.

Run as a file: `python -S tether.py <pid of the supervisor> <program> <argument>…`.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, argv: list[str]) -> None:
    """Tie this process to its parent, then become the program. A parent that is gone already ends it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            sys.exit(0)
    os.execvp(argv[0], argv)  # noqa: S606  the supervisor made this list


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
