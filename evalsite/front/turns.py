"""Whose request is served next: nobody holds all threads."""

from collections import Counter, deque
from typing import Generic, Protocol, TypeVar


class Waiting(Protocol):
    """A request that is whole: from which address, and by whom as far as it says."""

    address: str

    @property
    def credential(self) -> bytes: ...


W = TypeVar("W", bound=Waiting)


class Turns(Generic[W]):
    """Requests in the order in which they came, but nobody holds all threads.

    One address leaves two of them to others, one session or token half of them.
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self.of_one_address = max(1, n_threads - 2)
        self.of_one_credential = max(1, n_threads // 2)
        self._waiting: deque[W] = deque()
        self._addresses: Counter[str] = Counter()
        self._credentials: Counter[bytes] = Counter()
        self._held: dict[W, tuple[str, bytes]] = {}

    def add(self, one: W) -> None:
        self._waiting.append(one)

    def next(self) -> W | None:
        """Take the first request whose turn it is, if a thread is free for it."""
        if not self._waiting or len(self._held) >= self.n_threads:
            return None
        for place, one in enumerate(self._waiting):
            if self._may(one):
                del self._waiting[place]
                self._addresses[one.address] += 1
                self._credentials[one.credential] += 1
                self._held[one] = (one.address, one.credential)
                return one
        return None

    def done(self, one: W) -> None:
        """Note that a thread is free again."""
        address, credential = self._held.pop(one)
        self._addresses -= Counter([address])
        self._credentials -= Counter([credential])

    def _may(self, one: W) -> bool:
        if self._addresses[one.address] >= self.of_one_address:
            return False
        return not one.credential or self._credentials[one.credential] < self.of_one_credential
