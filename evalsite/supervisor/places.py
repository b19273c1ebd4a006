"""Where things lie in the data folder."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from evalsite import env
from evalsite.supervisor import refusals

# sizeof(sockaddr_un.sun_path), less the closing zero.
MAX_SOCKET_PATH = 107 if sys.platform == "linux" else 103


@dataclass(frozen=True)
class Places:
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


def lay_out(places: Places) -> None:
    """Make the folders, closed to other people.

    Raises:
        CannotStart: a folder cannot be made or written.
    """
    for folder in (places.data, places.logs, places.socket.parent):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise refusals.CannotStart(_unwritable(folder, problem.strerror or "")) from problem
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise refusals.CannotStart(_unwritable(folder, "permission denied"))
    places.socket.parent.chmod(0o700)


def check_socket_path(socket: Path) -> None:
    """Refuse a socket path that the operating system would cut.

    Raises:
        CannotStart: the path is too long.
    """
    length = len(os.fsencode(socket))
    if length > MAX_SOCKET_PATH:
        raise refusals.CannotStart(
            f"The path of Valkey's socket is {length} bytes long, and the system allows {MAX_SOCKET_PATH}. "
            "Name a data folder with a shorter path in EVALSITE_DATA, or a server in REDIS_URL."
        )


def _unwritable(folder: Path, reason: str) -> str:
    return (
        f"The folder {folder} cannot be written ({reason.lower()}). "
        "Make it writable for this account, or name another data folder in EVALSITE_DATA."
    )
