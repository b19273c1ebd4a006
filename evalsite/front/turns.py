"""Whose request is served next: nobody holds all threads."""

from collections import Counter, OrderedDict, deque
from typing import Final, Generic, Protocol, TypeVar

#: Of so many sessions and tokens it is remembered whose they are.
REMEMBERED: Final = 10_000


class Waiting(Protocol):
    """A request that is whole: from which address, and by whom as far as it says."""

    address: str

    @property
    def credential(self) -> bytes: ...


W = TypeVar("W", bound=Waiting)


class Turns(Generic[W]):
    """Requests in the order in which they came, but nobody has more than half of the threads.

    Whoever showed a session or a token that was good before is an account. Everybody else is an
    address: those who show something, known or made up, and those who show nothing, who together
    leave a thread to others.
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self.most = {
            "account": max(1, n_threads // 2),
            "shows": max(1, n_threads // 2),
            "nobody": max(1, n_threads // 2 - 1),
        }
        self._waiting: deque[W] = deque()
        self._busy: Counter[tuple[str, str]] = Counter()
        self._held: dict[W, tuple[str, str]] = {}
        self._owners: OrderedDict[bytes, str] = OrderedDict()

    def add(self, one: W) -> None:
        self._waiting.append(one)

    def next(self) -> W | None:
        """Take the first request whose turn it is, if a thread is free for it."""
        if not self._waiting or len(self._held) >= self.n_threads:
            return None
        for place, one in enumerate(self._waiting):
            who = self._who(one)
            if self._busy[who] < self.most[who[0]]:
                del self._waiting[place]
                self._busy[who] += 1
                self._held[one] = who
                return one
        return None

    def done(self, one: W, account: str = "") -> None:
        """Note that a thread is free again, and for which account it was, if any."""
        self._busy -= Counter([self._held.pop(one)])
        if not one.credential:
            return
        self._owners.pop(one.credential, None)
        if account:
            self._owners[one.credential] = account
            if len(self._owners) > REMEMBERED:
                self._owners.popitem(last=False)

    def _who(self, one: W) -> tuple[str, str]:
        if account := self._owners.get(one.credential):
            return "account", account
        return "shows" if one.credential else "nobody", one.address
