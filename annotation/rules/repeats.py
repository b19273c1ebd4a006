"""When somebody meets an item that they grade twice, so that the second time still fits in.

Between the two times lie `MIN_BETWEEN` others at least. So what comes twice is met before the last
few others that somebody can be given, whoever they are and whenever they come.
"""

from collections.abc import Sequence
from dataclasses import dataclass

#: So many other items at least lie between an item and its repeat, for the same person …
MIN_BETWEEN = 2
#: … and so many, up to twice as many, while there is other work.
USUALLY_BETWEEN = 8


@dataclass(frozen=True)
class Design:
    """What a round hands out: items that come once or twice to the same person, and among how many."""

    n_once: int
    n_twice: int
    n_seats: int
    n_people: int

    @property
    def is_shared(self) -> bool:
        """Whether nobody can count on being given everything."""
        return self.n_people > self.n_seats

    def share(self, n_items: int) -> float:
        """Return how many of these items come to each person, if all do as much."""
        return n_items * min(1.0, self.n_seats / max(1, self.n_people))


def kept_back(n_others: float) -> float:
    """Return how many others are kept for after the last item that comes twice."""
    return max(MIN_BETWEEN, min(2 * USUALLY_BETWEEN, (n_others + 1) // 2))


def come_first(design: Design, *, n_open: int, n_once: int, n_twice: int) -> bool:
    """Return whether what somebody is to meet twice comes before anything else now.

    Args:
        design: of the round.
        n_open: how many items that come once they can still be given.
        n_once: how many of these they have been given.
        n_twice: how many they have been given of those that come twice.
    """
    if n_open <= kept_back(design.n_once):
        return True
    if not design.is_shared or n_twice >= design.share(design.n_twice):
        return False
    # Others take seats meanwhile: so a person's share is met early enough for a share of the rest.
    mine = design.share(design.n_once)
    return n_once >= mine - kept_back(mine)


def n_to_come(waiting: Sequence[int], held: Sequence[bool], *, n_once: int, n_twice: int) -> int:
    """Return how many repeats somebody will meet who is given all that is open to them.

    Args:
        waiting: of each item that waits for its second time, how many others they have graded since.
        held: of what they hold, in the order in which they come to it, whether it comes twice.
        n_once: how many items that come once are open to them.
        n_twice: how many that come twice.
    """
    ahead = [*held, *[True] * n_twice, *[False] * n_once]
    since = [before + len(ahead) for before in waiting]
    since += [len(ahead) - place for place, twice in enumerate(ahead, 1) if twice]
    n = 0
    for others in sorted(
        since, reverse=True
    ):  # each that is met again lies between the next two times
        if others + n < MIN_BETWEEN:
            break
        n += 1
    return n
