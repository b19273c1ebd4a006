"""Figures read out of what the commands of `benchmarks/` print."""

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.peers.results import Row, Way

PICK: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "worst": max,
    "least": min,
}


@dataclass(frozen=True)
class Reading:
    """What one line of a command says.

    Attributes:
        pattern: finds the line; its group `v` is the figure, `n` (if any) how many it is of.
        what, unit, way, bar: of the row it becomes.
        pick: which of several such lines: their median, the worst or the least.
        note: of the row.
    """

    pattern: str
    what: str
    unit: str
    way: Way = ""
    bar: float | None = None
    pick: str = "median"
    note: str = ""


def rows(said: str, readings: Sequence[Reading], *, bars: bool = True) -> list[Row]:
    """Return a row for each reading; one that is not found has no figure and says so.

    Args:
        said: what the command printed.
        readings: what to look for.
        bars: False for smaller sizes than those the bars are for.
    """
    return [_row(said, one, bars=bars) for one in readings]


def _row(said: str, one: Reading, *, bars: bool) -> Row:
    found = list(re.finditer(one.pattern, said, re.M))
    values = [float(match["v"].replace(",", "")) for match in found]
    n = len(values)
    if found and "n" in found[0].re.groupindex:
        n *= int(found[0]["n"])
    way, bar = (one.way, one.bar) if bars else ("", None)
    if not values:
        return Row(one.what, one.unit, None, way, bar, note="the command did not print it")
    note = one.note
    if one.pick != "median":
        note = f"{one.pick} of {len(values)} lines" + (f"; {note}" if note else "")
        n = 1
    return Row(one.what, one.unit, PICK[one.pick](values), way, bar, n=n, note=note)
