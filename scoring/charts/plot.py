"""The grammar of charts on pages: drawn by the server, as wide as the page, in both of its themes.

x is in percent and y in pixels, so that a chart takes the width there is and its words stay as
large as they are. Marks wear the colour and shape of their system; what is no system wears the
accent. Whiskers are the interval; without one a mark is pale. A table beside it holds the values.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from evalsite.text import drawings
from scoring.charts import svg

#: Heights in pixels: of a line of a ranking, of a system in a small chart, of the words of an axis.
ROW, SMALL, FOOT = 48, 22, 20


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of numbers with round ones to name on it; `unit` stands behind the last."""

    start: float
    end: float
    ticks: tuple[float, ...]
    unit: str = ""

    def at(self, value: float) -> str:
        """Return where a value lies, in percent of the width; what is beyond an end lies on it."""
        share = (value - self.start) / (self.end - self.start)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}"


@dataclass(frozen=True, slots=True)
class Mark:
    """An estimate with its interval; `ordinal` is that of its system, None for what is none."""

    value: float | None
    low: float | None
    high: float | None
    ordinal: int | None = None

    @property
    def look(self) -> str:
        return "ac" if self.ordinal is None else f"s{drawings.colour_of(self.ordinal)}"

    @property
    def shape(self) -> str:
        return drawings.MARKS[drawings.shape_of(self.ordinal or 0)]


def axis(
    values: Iterable[float | None],
    *,
    most: int = 7,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    through: float | None = None,
    unit: str = "",
) -> Axis:
    """Return an axis from one round number to another that holds all values.

    Args:
        values: what must lie on it; None is left out.
        most: how many round numbers may be named.
        bounds: beyond which no value can lie.
        through: a number that must be on it, such as nought.
        unit: stands behind the last number.

    Raises:
        ValueError: a value is not finite.
    """
    known = [value for value in values if value is not None]
    svg.check(known)
    known += [] if through is None else [through]
    low, high = min(known, default=0.0), max(known, default=100.0)
    if high - low < 10:
        low, high = max(low - 5, bounds[0]), min(high + 5, bounds[1])
    found = svg.ticks(low, high, most=most)
    step = found[1] - found[0] if len(found) > 1 else high - low
    start, end = math.floor(low / step) * step, math.ceil(high / step) * step
    start, end = max(start, bounds[0]), min(end, bounds[1])
    n = round((end - start) / step)
    return Axis(start, end, tuple(start + place * step for place in range(n + 1)), unit)


def ruler(on: Axis, *, height: int = 18) -> str:
    """Return the round numbers of an axis as a line of words; screen readers skip it."""
    return f'<svg class="plot" height="{height}" aria-hidden="true">{_numbers(on, height)}</svg>'


def row(mark: Mark, on: Axis, *, label: str, height: int = ROW, zero: float | None = None) -> str:
    """Return a line of a ranking: the grid, the whisker and the mark; `label` says it in words."""
    return _picture(height, label, _grid(on, height, zero) + _mark(mark, on, height / 2))


def panel(marks: Sequence[Mark], on: Axis, *, label: str) -> str:
    """Return a small chart: a mark below the other, and the axis at its foot."""
    bottom = SMALL * len(marks) + 4
    drawn = "".join(_mark(one, on, 12 + SMALL * n) for n, one in enumerate(marks))
    body = _grid(on, bottom, None) + drawn + _numbers(on, bottom + FOOT)
    return _picture(bottom + FOOT, label, body)


def _picture(height: int, label: str, body: str) -> str:
    said = escape(label)
    return f'<svg class="plot" height="{height}" role="img" aria-label="{said}">{body}</svg>'


def _grid(on: Axis, height: int, zero: float | None) -> str:
    return "".join(
        f'<line class="{"axis" if tick == zero else "grid"}" x1="{on.at(tick)}%" '
        f'x2="{on.at(tick)}%" y1="0" y2="{height}"/>'
        for tick in on.ticks
    )


def _numbers(on: Axis, height: int) -> str:
    digits, last = svg.decimals(list(on.ticks)), len(on.ticks) - 1
    anchors = {0: "start", last: "end"}
    return "".join(
        f'<text x="{on.at(tick)}%" y="{height - 5}" text-anchor="{anchors.get(n, "middle")}">'
        f"{svg.said(tick, digits)}{escape(on.unit) if n == last else ''}</text>"
        for n, tick in enumerate(on.ticks)
    )


def _mark(mark: Mark, on: Axis, y: float) -> str:
    if mark.value is None:
        return ""
    look, whisker = f"{mark.look} few", ""
    if mark.low is not None and mark.high is not None:
        look = mark.look
        ends = f'x1="{on.at(mark.low)}%" x2="{on.at(mark.high)}%"'
        whisker = f'<line class="ci" {ends} y1="{y:g}" y2="{y:g}"/>'
    return (
        f'<g class="{look}">{whisker}<svg x="{on.at(mark.value)}%" y="{y:g}" overflow="visible">'
        f'<path class="pt" d="{mark.shape}"/></svg></g>'
    )
