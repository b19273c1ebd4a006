"""The line to one visitor, and what it is doing."""

import socket
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import Any

from evalsite import addresses
from evalsite.front.incoming import Incoming, Stage
from evalsite.front.outgoing import Outlet


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


class Line:
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
        self.incoming: Incoming | None = None

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


def least_wanted(lines: Iterable[Line], most: int = 1) -> list[Line]:
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
