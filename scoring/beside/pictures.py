"""Judges beside people as drawings: a forest of coefficients, a cloud of responses.

* Where a judge and people lie apart, to look through: filters and pages of the list.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from annotation.systems.models import Item
from evalsite.web import keyset
from scoring.beside import options as judge_names
from scoring.beside.asked import Figure
from scoring.beside.board import Board, Detail
from scoring.beside.options import Options
from scoring.charts import forest, scatter
from scoring.charts.forest import Axis, Band, Row
from scoring.charts.forest import Line as JudgePicturesLine
from scoring.charts.scatter import Axes, Dot
from scoring.charts.svg import Drawing
from scoring.shown.names import Name
from scoring.shown.sheet import NothingToDraw, Sheet


def judges(board: Board, narrow: bool) -> Drawing:
    """Draw the chosen coefficient of every judge; the band is what people reach among themselves."""
    rows = [_row(line.name, line.figures.get(board.coefficient)) for line in board.lines]
    return with_people(rows, board.ceiling, board.sign, _("Judges beside people"), narrow=narrow)


def parts(detail: Detail, narrow: bool) -> Drawing:
    """Draw a judge's coefficient by capability."""
    rows = [
        Row(
            detail.capability(one["capability"]),
            one["value"],
            one["low"],
            one["high"],
            note=one["why"] if one["value"] is None else str(one["words"]),
        )
        for one in detail.parts
    ]
    return with_people(rows, detail.ceiling, detail.sign, _("By capability"), narrow=narrow)


def cloud(detail: Detail, narrow: bool) -> Drawing:
    """Draw a sample of responses: people's mean across, the judge upwards."""
    found = detail.data["scatter"]
    dots = [Dot(one["human"], one["judge"], _mark(detail, one)) for one in found["points"]]
    if not dots:
        raise NothingToDraw
    x, y = _ends([one.x for one in dots]), _ends([one.y for one in dots])
    scale = detail.data["scale"]
    if scale:
        x = _wider(tuple(scale))
    if found["same_scale"] and scale:
        y = x
    ends = Axes(x, y, _("mean grade of people"), _("the judge, upwards"))
    label = _("%(n)d responses: the judge’s score over the mean grade of people") % {"n": len(dots)}
    band = found["band"] if found["same_scale"] else None
    return scatter.scatter(dots, ends, label=label, band=band, narrow=narrow)


def _mark(detail: Detail, point: Any) -> int:
    found = detail.names.get(point["release"])
    return found.mark if found else 0


def with_people(
    rows: Sequence[Row], ceiling: Figure, sign: str, label: str, *, narrow: bool
) -> Drawing:
    """Draw coefficients with people; the band is what people reach among themselves."""
    if not any(row.value is not None for row in rows):
        raise NothingToDraw
    lowest = min(n for row in rows for n in (row.value, row.low) if n is not None)
    start = 0.0 if lowest >= 0 else max(-1.0, math.floor(lowest * 5) / 5)
    bands = []
    if ceiling.low is not None and ceiling.high is not None and ceiling.high > ceiling.low:
        bands = [Band(max(ceiling.low, start), ceiling.high, _("people"))]
    return forest.forest(
        rows,
        Axis(start, 1, _("%(sign)s with people, 95 %% intervals") % {"sign": sign}, 2),
        label=label,
        bands=bands,
        lines=[JudgePicturesLine(0, _("chance"))],
        narrow=narrow,
    )


def _row(name: str, found: Figure | None) -> Row:
    if found is None or found.value is None:
        return Row(name, None, note=found.why if found else "")
    return Row(name, found.value, found.low, found.high)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return _wider((min(values), max(values)))


def _wider(ends: tuple[float, ...]) -> tuple[float, float]:
    low, high = ends[0], ends[-1]
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


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
