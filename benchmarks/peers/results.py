"""What was measured: rows with a bar, our figure and those of the others; kept as one JSON file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

Way = Literal["at most", "at least", ""]


@dataclass(frozen=True)
class Row:
    """One measure.

    Attributes:
        what: was measured, in words.
        unit: of all figures of the row ("s", "CPU-ms", "×" …).
        ours: our figure; None where it could not be measured, with the reason in `note`.
        way, bar: what our figure must be; way is empty where nobody set a bar.
        peers: by key of the peer its figure, or words ("not offered").
        n: of how many repetitions the figure is the median.
        note: what a reader must know beside it.
    """

    what: str
    unit: str
    ours: float | None
    way: Way = ""
    bar: float | None = None
    peers: Mapping[str, float | str] = field(default_factory=dict)
    n: int = 1
    note: str = ""

    def met(self) -> bool | None:
        """Return whether the bar is met; None where there is no bar or no figure."""
        if self.bar is None or self.ours is None or not self.way:
            return None
        return self.ours <= self.bar if self.way == "at most" else self.ours >= self.bar

    def ratio(self, key: str) -> float | None:
        """Return how many times better ours is than that peer's; below 1 theirs is better."""
        theirs = self.peers.get(key)
        if not isinstance(theirs, int | float) or self.ours is None:
            return None
        over, under = (self.ours, theirs) if self.way == "at least" else (theirs, self.ours)
        return over / under if under else None


def bound(way: Way, bar: float | None, *, holds: bool = True) -> tuple[Way, float | None]:
    """Return the bar of a row, or none where it does not hold at these sizes."""
    return (way, bar) if holds and bar is not None else ("", None)


@dataclass(frozen=True)
class Moment:
    """What the machine was like: the yardstick in processor milliseconds, and the load."""

    yardstick_ms: float
    load: float


@dataclass(frozen=True)
class Part:
    """Rows that were measured together.

    Attributes:
        key, title: of the part.
        when: UTC, to the minute.
        before, after: the machine just before and just after.
        seconds: on the clock.
        rows: what was found.
        problem: why there is nothing, or not all.
        small: it was done with less than the full sizes.
        machine: what it was measured on, by word.
        versions: of the other programs that were asked, by key.
    """

    key: str
    title: str
    when: str
    before: Moment
    after: Moment
    seconds: float
    rows: tuple[Row, ...]
    problem: str = ""
    small: bool = False
    machine: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


def keep(path: Path, parts: Iterable[Part]) -> None:
    """Write parts into a file, in place of what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(one) for one in parts], ensure_ascii=False, indent=1) + "\n")


def kept(path: Path) -> dict[str, Part]:
    """Read the parts of a file, by key; nothing where there is none."""
    if not path.exists():
        return {}
    return {one["key"]: _part(one) for one in json.loads(path.read_text())}


def _part(given: dict[str, object]) -> Part:
    rows = tuple(Row(**row) for row in given.pop("rows"))  # type: ignore[attr-defined]
    before, after = Moment(**given.pop("before")), Moment(**given.pop("after"))  # type: ignore[arg-type]
    return Part(**given, rows=rows, before=before, after=after)  # type: ignore[arg-type]
