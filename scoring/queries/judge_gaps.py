"""Where a judge and people lie apart, to look through: filters and pages of the list."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.models import Item
from evalsite import keyset
from scoring.queries import judge_names
from scoring.queries.judge_options import Options
from scoring.queries.names import Name
from scoring.queries.sheet import Sheet

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One response: who answered what, and what both sides said of it."""

    item: int
    title: str
    system: str
    human: float
    n_marks: int
    judge: float
    gap: float
    response: int


@dataclass(frozen=True)
class Page:
    """Some of the responses; `after` is the key of the page that follows."""

    rows: list[Line]
    after: str | None
    first: bool


class Gaps:
    """The responses that fit the filters, those farthest apart first."""

    def __init__(self, data: Data, options: Options) -> None:
        self.data, self.options = data, options

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data["criterion"], self.data["criterion"])

    @cached_property
    def names(self) -> Mapping[int, Name]:
        return judge_names.names(self.options)

    @cached_property
    def systems(self) -> list[tuple[str, str]]:
        """Return the systems to choose from: their place among the names, and what they are called."""
        return [(str(n), name.text) for n, name in enumerate(self.names.values(), start=1)]

    @cached_property
    def fitting(self) -> list[Data]:
        filters = self.options.filters
        wanted = self._release(filters.get("system", ""))
        least = float(filters.get("least") or 0)
        way = {"kinder": 1, "harsher": -1}.get(filters.get("direction", ""))
        return [
            row
            for row in self.data["rows"]
            if abs(row["gap"]) >= least
            and (wanted is None or row["release"] == wanted)
            and (way is None or way * row["gap"] > 0)
        ]

    def _release(self, place: str) -> int | None:
        """Return the system at a place; none for every system, and 0, which nobody is, for no such."""
        if not place:
            return None
        keys = list(self.names)
        known = place.isdecimal() and len(place) < 6 and 1 <= int(place) <= len(keys)
        return keys[int(place) - 1] if known else 0

    def page(self, size: int = keyset.SIZE) -> Page:
        """Return the page that follows the key in the address."""
        after = keyset.read(self.options.filters.get("after", ""), 2)
        rows = self.fitting
        if after is not None:
            bound = _number(after[0]), after[1] if isinstance(after[1], int) else 0
            rows = [row for row in rows if _beyond(row, bound)]
        shown = rows[:size]
        more = len(rows) > size
        last = shown[-1] if shown else None
        key = keyset.write([repr(abs(last["gap"])), last["response"]]) if more and last else None
        return Page(self.lines(shown), key, first=after is None)

    def lines(self, rows: list[Data]) -> list[Line]:
        known = Item.objects.in_bulk({one["item"] for one in rows})
        return [
            Line(
                item=one["item"],
                title=known[one["item"]].external_id if one["item"] in known else "",
                system=judge_names.system(self.names, one["release"]),
                human=one["human"],
                n_marks=one["n_marks"],
                judge=one["judge"],
                gap=one["gap"],
                response=one["response"],
            )
            for one in rows
        ]


def apart(data: Data, options: Options) -> Sheet:
    """Return every response that fits the filters."""
    found = Gaps(data, options)

    def rows() -> Iterator[tuple[object, ...]]:
        size = 2_000
        for start in range(0, len(found.fitting), size):
            for one in found.lines(found.fitting[start : start + size]):
                yield (one.title, one.system, one.human, one.n_marks, one.judge, one.gap)

    columns = ("item", "system", "people", "marks", "judge", "gap")
    return Sheet("apart", columns, rows(), "gap: judge minus people, as a share of the scale")


def _beyond(row: Data, bound: tuple[float, int]) -> bool:
    """Return whether a row comes after a key: a smaller gap, or the same and a later response."""
    size = abs(row["gap"])
    return bool(size < bound[0] or (size == bound[0] and row["response"] > bound[1]))


def _number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return float("inf")
