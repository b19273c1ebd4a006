"""How many items a second one web process takes in: `python -m benchmarks.grading_throughput`.

Eight annotators without think time, each on one kept line, at one web process of eight threads as
`manage.py up` starts it. Without a pause a page sends no drafts: one request an item, a submit whose
answer brings the next question (`--drafts 3` sends three before it). Afterwards the database is
asked for what must never be: more people on an item than it has seats.

    --database   a PostgreSQL server, such as postgresql://postgres@127.0.0.1:5432/postgres
    --claims     go on until so many seats were claimed (10000); otherwise --seconds, five times
"""

import argparse
import contextlib
import os
import statistics
import threading
import time
from dataclasses import dataclass, field

from benchmarks.grading_cpu import BATCHES, Desk, Site, say, site, yardstick_ms

N_CLIENTS = 8
LEAST, SLOWEST_MS = 40, 200


@dataclass
class Crowd:
    """The annotators, each at a desk of their own."""

    desks: list[Desk]
    stop: threading.Event = field(default_factory=threading.Event)
    troubles: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    done: int = 0
    most: int = 0

    def grade(self, seconds: float = 0.0, items: int = 0) -> tuple[float, list[float]]:
        """Let all grade for so long or so much; return items a second and what each request took."""
        self.stop.clear()
        self.done, self.most = 0, items
        for desk in self.desks:
            desk.line.took.clear()
        threads = [threading.Thread(target=self._work, args=(desk,)) for desk in self.desks]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        if seconds:
            self.stop.wait(seconds)
            self.stop.set()
        for thread in threads:
            thread.join()
        took = [one for desk in self.desks for one in desk.line.took]
        return self.done / (time.perf_counter() - began), took

    def _work(self, desk: Desk) -> None:
        try:
            while not self.stop.is_set() and desk.grade(1):
                with self.lock:
                    self.done += 1
                    if self.most and self.done >= self.most:
                        self.stop.set()
        except (Exception, SystemExit) as problem:  # noqa: BLE001  it is counted and shown
            self.troubles.append(f"{type(problem).__name__}: {problem}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="")
    parser.add_argument("--items", type=int, default=3_600)
    parser.add_argument("--drafts", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--claims", type=int, default=0)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(
            site(options.items, n_people=N_CLIENTS, database=options.database, port=18791)
        )
        crowd = Crowd([Desk(here, person) for person in here.people])
        for desk in crowd.desks:
            desk.drafts = options.drafts
            desk.sit()
        crowd.grade(items=80)  # what is loaded once is loaded now
        if options.claims:
            rate, took = crowd.grade(items=options.claims)
            rates = [rate]
        else:
            rounds = [crowd.grade(seconds=options.seconds) for _batch in range(BATCHES)]
            rates = [rate for rate, _took in rounds]
            took = [one for _rate, times in rounds for one in times]
        report(here, "PostgreSQL" if options.database else "SQLite", rates, took, crowd.troubles)


def report(
    here: Site, engine: str, rates: list[float], took: list[float], troubles: list[str]
) -> None:
    found = here.ask("count")
    times = sorted(one * 1000 for one in took)
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    say(
        f"{engine}: {statistics.median(rates):.0f} items/s, median of {len(rates)} "
        f"({min(rates):.0f} to {max(rates):.0f}; at least {LEAST}); an answer p50 {p50:.0f} ms, "
        f"p95 {p95:.0f} ms (at most {SLOWEST_MS}), longest {times[-1]:.0f} ms"
    )
    say(
        f"{found['claims']:,} claims, {found['submitted']:,} submitted, {found['above']} above the "
        f"seats, {len(troubles)} errors; the web process used {here.cpu_s():.0f} CPU-s"
    )
    for trouble in troubles[:5]:
        say(f"  {trouble}")
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
