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
        #: By whose they are and whether they are large, each with the number under which it came.
        self._waiting: dict[tuple[Who, bool], deque[tuple[int, W]]] = {}
        self._places: dict[W, tuple[Who, bool]] = {}
        self._came = 0
        self._busy: Counter[Who] = Counter()
        self._held: dict[W, tuple[Who, ...]] = {}
        self._owners: OrderedDict[bytes, str] = OrderedDict()

    def add(self, one: W) -> None:
        place = self._places[one] = self.who(one), one.brings_much
        self._came += 1
        self._waiting.setdefault(place, deque()).append((self._came, one))

    def drop(self, one: W) -> None:
        """Forget a request that waits; nobody waits for its answer."""
        place = self._places.pop(one)
        left = deque(each for each in self._waiting.pop(place) if each[1] is not one)
        if left:
            self._waiting[place] = left

    def next(self) -> W | None:
        """Take the first request whose turn it is, if a thread is free for it."""
        if len(self._held) >= self.n_threads:
            return None
        # Of a thousand requests of one visitor the first is looked at.
        free = [place for place in self._waiting if self._is_free(place)]
        if not free:
            return None
        place = min(free, key=lambda each: self._waiting[each][0][0])
        _number, one = self._waiting[place].popleft()
        if not self._waiting[place]:
            del self._waiting[place]
        del self._places[one]
        self._held[one] = _counted(place)
        self._busy.update(self._held[one])
        return one

    def _is_free(self, place: tuple[Who, bool]) -> bool:
        return all(self._busy[who] < self.most[who[0]] for who in _counted(place))

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


def _counted(place: tuple[Who, bool]) -> tuple[Who, ...]:
    """Return under what requests of a place in the queue are counted."""
    who, brings_much = place
    return (who, LARGE) if brings_much else (who,)
