"""How many rows to write at once so that no transaction keeps the others waiting."""

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

#: Seconds a transaction of bulk work aims at; the house allows 0.3 (ARCHITECTURE §3).
TARGET = 0.12


class Batches:
    """Cuts an iterable into batches whose size follows how long the last one took to be used.

    `breath` is for loops that do nothing but write: after each batch the others get this share of
    the time it took. (On SQLite a writer who waits looks again every now and then; without a gap
    it may look in vain for seconds.)
    """

    def __init__(
        self, *, start: int = 100, most: int = 5000, target: float = TARGET, breath: float = 0
    ) -> None:
        self.size = start
        self.most = most
        self.target = target
        self.breath = breath

    def batches(self, rows: Iterable[T]) -> Iterator[list[T]]:
        source = iter(rows)
        while batch := list(islice(source, self.size)):
            began = time.perf_counter()
            yield batch
            taken = time.perf_counter() - began
            self.learn(len(batch), taken)
            if self.breath:
                time.sleep(min(self.target, taken) * self.breath)

    def learn(self, count: int, seconds: float) -> None:
        """Take the next batch larger or smaller, by at most a factor of two."""
        wanted = int(count * self.target / max(seconds, 1e-4))
        self.size = max(1, min(self.most, max(self.size // 2, min(self.size * 2, wanted))))
