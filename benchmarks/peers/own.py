"""The measures that have no counterpart elsewhere: the commands of `benchmarks/`, read."""

import subprocess
import sys
from dataclasses import dataclass

from benchmarks.peers.installed import ROOT, Failed, last_error
from benchmarks.peers.reading import Reading, rows
from benchmarks.peers.results import Row

NUMBER = r"(?P<v>[\d.,]+)"


@dataclass(frozen=True)
class Command:
    """A command of `benchmarks/`, its arguments and what is read.

    Attributes:
        name: of the command.
        readings: of what it prints.
        full, small: its arguments, for the sizes of the bars and for a quick look.
        seconds: after which it is given up.
    """

    name: str
    readings: tuple[Reading, ...]
    full: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    seconds: float = 900


COMMANDS = {
    one.name: one
    for one in (
        Command(
            "install",
            (
                Reading(rf"^install: {NUMBER} s", "a fresh installation", "s", "at most", 150),
                Reading(rf", {NUMBER} MB \(at", "its size", "MB", "at most", 600),
            ),
        ),
        Command(
            "first_grade",
            (
                Reading(
                    rf"^in all: {NUMBER} s",
                    "from a fresh clone to the first grade",
                    "s",
                    "at most",
                    150,
                ),
            ),
        ),
        Command(
            "web_memory",
            (
                Reading(
                    rf"^idle web worker: {NUMBER} MB, median of (?P<n>\d+)",
                    "an idle web process",
                    "MB",
                    "at most",
                    120,
                ),
            ),
        ),
        Command(
            "open_round",
            (
                Reading(
                    rf"^(?:prepare|open): {NUMBER} s",
                    "the longer of preparing and opening a round of 10,000 items × 4 × 3",
                    "s",
                    "at most",
                    60,
                    pick="worst",
                ),
            ),
            small=("--items", "500"),
        ),
        Command(
            "near_duplicates",
            (
                Reading(
                    rf"^a hint: .*p95 {NUMBER} ms",
                    "a hint at near-duplicates, p95",
                    "ms",
                    "at most",
                    150,
                ),
                Reading(
                    rf"planted pairs {NUMBER} ", "recall on planted pairs", "", "at least", 0.9
                ),
                Reading(
                    rf"false hints on them {NUMBER} of 100",
                    "false hints of 100",
                    "",
                    "at most",
                    2,
                ),
            ),
            small=("--questions", "500"),
        ),
        Command(
            "bank_lists",
            (
                Reading(
                    rf"^  \S.* {NUMBER} ms, slowest",
                    "pages of a bank, the slowest page's median",
                    "ms",
                    "at most",
                    200,
                    pick="worst",
                ),
                Reading(
                    rf"processor +{NUMBER}, load",
                    "the same, processor time of the page that takes most",
                    "CPU-ms",
                    pick="worst",
                ),
            ),
            small=("--questions", "500"),
        ),
        Command(
            "bank_files",
            (
                Reading(
                    rf"writing the bank into a file \(.*\): {NUMBER} s,",
                    "writing a bank of 10,000 into a file",
                    "s",
                    "at most",
                    10,
                ),
                Reading(
                    rf": import {NUMBER} s \(",
                    "reading it through and bringing it in",
                    "s",
                    "at most",
                    20,
                ),
            ),
            small=("--questions", "300"),
        ),
        Command(
            "search",
            (
                Reading(
                    rf"^  \S.* {NUMBER} ms, slowest",
                    "search over 10,000 questions and 2,000 sources, whole page, slowest query",
                    "ms",
                    "at most",
                    100,
                    pick="worst",
                ),
            ),
            small=("--questions", "500", "--sources", "100"),
        ),
        Command(
            "draw",
            (
                Reading(
                    rf"median {NUMBER} s, *slowest [\d.]+ s of (?P<n>\d+)",
                    "a draw of 500 of 10,000 with ten strata",
                    "s",
                    "at most",
                    1,
                ),
            ),
            small=("--items", "1000", "--wanted", "100"),
        ),
        Command(
            "movement",
            (
                Reading(
                    rf"^\w.*, {NUMBER} s of it computing",
                    "a movement of 1,000,000 grades taken apart, the slowest of three ways",
                    "CPU-s",
                    "at most",
                    3,
                    pick="worst",
                ),
            ),
        ),
        Command(
            "dashboards",
            (
                Reading(
                    rf"^snapshot +{NUMBER} s", "snapshot of 1,000,000 grades", "s", "at most", 15
                ),
                Reading(
                    rf"in a new worker +{NUMBER} s",
                    "a figure that is not kept, in a new worker, slowest",
                    "s",
                    "at most",
                    1.5,
                    pick="worst",
                ),
                Reading(
                    rf"has the frame +{NUMBER} s",
                    "a figure that is not kept, in a warm worker, slowest",
                    "s",
                    "at most",
                    1.5,
                    pick="worst",
                ),
                Reading(
                    rf"^\S+ \(\d+ kB\) +{NUMBER} ms, at most",
                    "a page whose figures are there, slowest",
                    "ms",
                    "at most",
                    150,
                    pick="worst",
                ),
                Reading(
                    rf"peak {NUMBER} MB", "memory of the worker", "MB", "at most", 600, pick="worst"
                ),
            ),
            small=("--items", "200"),
            seconds=1_200,
        ),
        Command(
            "lexical_metrics",
            (
                Reading(
                    rf"^wall +{NUMBER} s",
                    "24 lexical metrics of 1,600 summaries × 11 references on two processes",
                    "s",
                    "at most",
                    60,
                ),
                Reading(rf"processes +{NUMBER} s each", "the same, on each process", "CPU-s"),
            ),
        ),
        Command(
            "page_weight",
            (
                Reading(
                    rf"^cold: {NUMBER} requests",
                    "the grading page, cold: requests",
                    "",
                    "at most",
                    12,
                ),
                Reading(rf"^cold: .*, {NUMBER} kB", "the grading page, cold", "kB", "at most", 150),
                Reading(
                    rf"^cold: .*usable after {NUMBER} ms",
                    "usable after, cold",
                    "ms",
                    "at most",
                    1_000,
                ),
            ),
        ),
        Command(
            "desk_effort",
            (
                Reading(
                    rf"^keyboard, 4 answers × 2: {NUMBER} presses",
                    "keys for four answers by two criteria",
                    "",
                    "at most",
                    9,
                ),
                Reading(
                    rf"^mouse, 4 answers × 1: .* {NUMBER} px",
                    "what the pointer travels for four answers",
                    "px",
                    "at most",
                    980,
                ),
                *(
                    Reading(
                        rf"^{way}, .* {NUMBER} scrolls",
                        f"scrolls for four answers, {words}",
                        "",
                        "at most",
                        4,
                        pick="worst",
                    )
                    for way, words in (("mouse", "by mouse"), ("phone", "on a phone"))
                ),
            ),
        ),
        Command(
            "kieval_run",
            (
                Reading(
                    rf"processor, {NUMBER} × the critical path",
                    "interviews about 40 questions × 5 exchanges, 32 in flight, two processes: "
                    "of the critical path",
                    "×",
                    "at most",
                    1.6,
                ),
            ),
            small=("--times", "1"),
        ),
    )
}


def measured(name: str, *, small: bool = False, seconds: float | None = None) -> list[Row]:
    """Run one command and read it.

    Raises:
        Failed: it ended with an error, or was not done in time.
    """
    one = COMMANDS[name]
    said = printed(name, one.small if small else one.full, seconds or one.seconds)
    return rows(said, one.readings, bars=not (small and one.small))


def printed(name: str, arguments: tuple[str, ...], seconds: float = 900) -> str:
    """Return what a command of `benchmarks/` prints.

    Raises:
        Failed: it ended with an error, or was not done in time.
    """
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"benchmarks.{name} was not done after {seconds:g} s") from error
    if done.returncode:
        raise Failed(f"benchmarks.{name} failed: {last_error(done.stderr)}")
    return done.stdout
