"""Whose request is served next: nobody holds all threads."""

from collections import Counter, OrderedDict, deque
from typing import Final, Generic, Protocol, TypeVar

#: Of so many sessions and tokens it is remembered whose they are.
REMEMBERED: Final = 10_000


Who = tuple[str, str]
LARGE: Final[Who] = ("large", "")


class Waiting(Protocol):
    """A request that is whole: from which address, by whom as far as it says, and whether it is large."""

    address: str

    @property
    def credential(self) -> bytes: ...

    @property
    def brings_much(self) -> bool: ...


W = TypeVar("W", bound=Waiting)


class Turns(Generic[W]):
    """Requests in the order in which they came, but nobody has more than half of the threads.

    Whoever showed a session or a token that was good before is an account. Everybody else is an
    address, whatever they show: it may be made up, or new. An account and its address together leave
    a thread to others. Of requests with a large body no more than half of the threads are at any,
    whosever they are.
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        half = n_threads // 2
        self.most = {
            "account": max(1, half),
            "address": max(1, half - 1),
            "large": max(1, half),
        }
        self._waiting: deque[W] = deque()
        self._busy: Counter[Who] = Counter()
        self._held: dict[W, tuple[Who, ...]] = {}
        self._owners: OrderedDict[bytes, str] = OrderedDict()

    def add(self, one: W) -> None:
        self._waiting.append(one)

    def drop(self, one: W) -> None:
        """Forget a request that waits; nobody waits for its answer."""
        self._waiting.remove(one)

    def next(self) -> W | None:
        """Take the first request whose turn it is, if a thread is free for it."""
        if not self._waiting or len(self._held) >= self.n_threads:
            return None
        for place, one in enumerate(self._waiting):
            counted = (self.who(one), LARGE) if one.brings_much else (self.who(one),)
            if all(self._busy[who] < self.most[who[0]] for who in counted):
                del self._waiting[place]
                self._busy.update(counted)
                self._held[one] = counted
                return one
        return None

    def done(self, one: W, account: str | None = None) -> None:
        """Note that a thread is free again, and for which account it was.

        Args:
            one: the request.
            account: "" where it is nobody's; None where nobody has looked, as for a file that is
                open to all: what is known of its sender still holds then.
        """
        self._busy -= Counter(self._held.pop(one))
        if not one.credential or account is None:
            return
        self._owners.pop(one.credential, None)
        if account:
            self._owners[one.credential] = account
            if len(self._owners) > REMEMBERED:
                self._owners.popitem(last=False)

    def who(self, one: W) -> Who:
        """Return under whom a request is counted."""
        if account := self._owners.get(one.credential):
            return "account", account
        return "address", one.address
