"""Which tests take long: noted in tests/slow.txt, by a run of all of them.

    make timed

`make test` leaves them out. `.ci/run` takes an eighth of them, another one with each change, and
`make nightly` all; of the tests under load it takes a third, by the site that they share, and half of the
browser's. Those whose failure must be seen with every change are named in ALWAYS, or bear the mark `slow` where
they are written: `.ci/run` runs these every time.
"""

import sys
import zlib
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
NOTED = HERE / "slow.txt"
#: What takes longer than this share of the mean (in times of it) is long, whatever the machine.
TIMES_THE_MEAN = 4.0
#: Who may do what, and that nobody is told which system answered, is tried with every change.
ALWAYS = ("tests/test_who_may.py", "tests/test_blindness.py")
#: What a browser is shown with every change: every page, and one round from its files to its results.
ALWAYS_SEEN = ("tests/e2e/test_every_page.py", "tests/e2e/test_one_round.py")


def noted() -> Set[str]:
    """Return the names of the tests that take long."""
    return frozenset(NOTED.read_text().splitlines()) if NOTED.exists() else frozenset()


def is_of_share(name: str, share: str) -> bool:
    """Return whether a test belongs to a share of them all, such as "3/4"; shares count from 0."""
    place, _slash, of = share.partition("/")
    return zlib.crc32(name.encode()) % int(of) == int(place)


def site_of(name: str) -> str:
    """Return what the tests under load that share a site with this one have in common: module and database."""
    module, _colons, rest = name.partition("::")
    return f"{module}[{'postgres' if 'postgres' in rest else 'sqlite'}]"


def class_of(name: str) -> str:
    """Return what the browser's tests that belong together have in common: module and class."""
    return "::".join(name.split("::")[:2])


def long(times: Iterable[tuple[str, float]]) -> list[str]:
    """Return the names of those that take long among tests and their seconds, in order."""
    rows = [(name, seconds) for name, seconds in times if not name.startswith(ALWAYS)]
    most = TIMES_THE_MEAN * sum(seconds for _name, seconds in rows) / max(1, len(rows))
    return sorted(name for name, seconds in rows if seconds > most)


def read(report: Path) -> Iterator[tuple[str, float]]:
    """Yield each test of a report (JUnit's XML) with its seconds."""
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 -- pytest wrote it
        parts = case.get("classname", "").split(".")
        place = next(n for n in range(len(parts), 0, -1) if _module(parts[:n]).exists())
        module = _module(parts[:place]).relative_to(HERE.parent).as_posix()
        inner = [*parts[place:], case.get("name", "")]
        yield "::".join([module, *inner]), float(case.get("time", 0))


def _module(parts: list[str]) -> Path:
    return HERE.parent.joinpath(*parts).with_suffix(".py")


if __name__ == "__main__":
    NOTED.write_text("".join(f"{name}\n" for name in long(read(Path(sys.argv[1])))))
