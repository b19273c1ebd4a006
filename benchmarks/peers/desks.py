"""What annotators do at another program's server, so that all of them do the same."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.peers.installed import Failed
from benchmarks.peers.web import Web, cpu_s

ANSWERS, LEVELS, SEATS = "ABCD", 3, 3
SENTENCE = "The cargo waits at the quay until the tide turns and the pilot comes on board. "


class Person(Protocol):
    """Somebody at a page: grades one question with so many drafts; False when there is none."""

    web: Web

    @property
    def took(self) -> list[float]: ...

    def grade(self, drafts: int) -> bool: ...


@dataclass(frozen=True)
class Place:
    """A server of another program that runs.

    Attributes:
        key: of the program.
        folder: with its data.
        pid: of its server.
        loading: seconds until all questions were there.
        sit: makes an annotator of a number, at the first question.
    """

    key: str
    folder: Path
    pid: int
    loading: float
    sit: Callable[[int], Person]


def questions(n_items: int) -> Iterator[dict[str, object]]:
    """Yield questions with four answers, as long as those our round has."""
    for n in range(n_items):
        said = {letter: f"{letter}{n}: " + SENTENCE * 6 for letter in ANSWERS}
        yield {"n": n, "question": f"Question {n}: who bears the risk, and why?", **said}


@dataclass(frozen=True)
class Cost:
    """What one graded question costs: processor and clock, in milliseconds."""

    cpu_ms: float
    wall_ms: float
    n: int


def cost(place: Place, person: Person, *, batch: int, batches: int) -> Cost:
    """Grade in batches with three drafts each; returns the medians.

    Raises:
        Failed: there was no question left, or the server refused.
    """
    _graded(person, 5)  # what is loaded once is loaded now
    computed, waited = [], []
    for _batch in range(batches):
        before, began = cpu_s(place.pid), time.perf_counter()
        _graded(person, batch)
        computed.append((cpu_s(place.pid) - before) * 1000 / batch)
        waited.append((time.perf_counter() - began) * 1000 / batch)
    return Cost(statistics.median(computed), statistics.median(waited), batches)


def _graded(person: Person, n: int) -> None:
    for _one in range(n):
        if not person.grade(3):
            raise Failed("failed: it has no next question")


@dataclass(frozen=True)
class Rush:
    """What several did at once: questions a second, the 95th percentile in ms, what went wrong."""

    rate: float
    p95_ms: float
    troubles: Sequence[str]


def rush(people: Sequence[Person], seconds: float) -> Rush:
    """Let all grade for so long without a pause and without drafts."""
    done, troubles, lock = [0], [], threading.Lock()
    until = time.monotonic() + seconds

    def work(person: Person) -> None:
        try:
            while time.monotonic() < until and person.grade(0):
                with lock:
                    done[0] += 1
        except Exception as error:  # noqa: BLE001  it is counted and shown
            troubles.append(f"{type(error).__name__}: {error}")

    for person in people:
        person.took.clear()
    threads = [threading.Thread(target=work, args=(person,)) for person in people]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = sorted(one * 1000 for person in people for one in person.took)
    p95 = took[int(len(took) * 0.95)] if took else 0.0
    return Rush(done[0] / (time.perf_counter() - began), p95, troubles)
