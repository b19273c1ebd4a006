"""Estimates with their intervals, one below the other, on one axis: with bands and lines to read by."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalsite.text import drawings
from scoring.charts import svg
from scoring.charts.svg import Drawing, Layout, Place

HEAD, FOOT = 30, 44
#: Free between the names of two bands.
BESIDE = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the plot; without a value, `note` tells why. `head` is a title above the line.

    `ordinal` is the one of a system, which gives colour and shape; None for what is no system.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    ordinal: int | None = None
    head: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis that has a name, by somebody's convention."""

    start: float
    end: float
    name: str


@dataclass(frozen=True, slots=True)
class Line:
    """A place on the axis to compare with: chance, nought, a ceiling."""

    at: float
    name: str


@dataclass(frozen=True, slots=True)
class Axis:
    """Where the axis begins and ends, what it says, and with how many decimals figures stand."""

    start: float
    end: float
    title: str = ""
    digits: int = 1


def forest(
    rows: Sequence[Row],
    axis: Axis,
    *,
    label: str,
    bands: Sequence[Band] = (),
    lines: Sequence[Line] = (),
    narrow: bool = False,
) -> Drawing:
    """Draw the rows in their order.

    Raises:
        ValueError: the axis has no width, or a number is not finite.
    """
    svg.check(n for row in rows for n in (row.value, row.low, row.high))
    frame = svg.layout(narrow=narrow)
    place = svg.placing(axis.start, axis.end, frame.left, frame.right)
    top = HEAD if bands or lines else 8
    n_heads = sum(bool(row.head) for row in rows)
    bottom = top + frame.row * len(rows) + svg.WIDE.row * n_heads
    made = Drawing(frame.width, bottom + FOOT, label)
    _bands(made, bands, place, top, bottom)
    draw_axis(made, frame, axis, place, top, bottom)
    for line in lines:
        made.line(place(line.at), top, place(line.at), bottom, "edge", dash="4 4")
        made.text(*_within(line.name, place(line.at), frame, 24), size=10, anchor="middle")
    y: float = top
    for row in rows:
        if row.head:
            title = svg.shortened(row.head, frame.width)
            made.text(0, y + 18, title, ink="text", strong=True, rim=frame.on_top)
            y += svg.WIDE.row
        _row(made, row, y, frame, place, axis.digits)
        y += frame.row
    return made


def draw_axis(
    made: Drawing, frame: Layout, axis: Axis, place: Place, top: float, bottom: float
) -> None:
    """Draw the grid of an axis with its round numbers and its title below."""
    found = svg.ticks(axis.start, axis.end, most=5 if frame.on_top else 7)
    for value in found:
        made.line(place(value), top, place(value), bottom, "line")
        words = svg.said(value, svg.decimals(found))
        made.text(place(value), bottom + 16, words, anchor="middle")
    if axis.title:
        title = svg.shortened(axis.title, frame.width)
        made.text(frame.middle, bottom + 34, title, anchor="middle")


def draw_names(made: Drawing, frame: Layout, y: float, name: str, words: str) -> float:
    """Write the name of a line and what it says; return where its middle is."""
    if frame.on_top:
        made.text(0, y + 14, svg.shortened(name, frame.width), ink="text", rim=True)
        made.text(0, y + 30, svg.shortened(words, frame.width), rim=True)
        return y + 44
    middle = y + frame.row / 2
    made.text(0, middle + 4, svg.shortened(name, frame.left - 12), ink="text")
    made.text(frame.width, middle + 4, words, anchor="end")
    return middle


def _bands(made: Drawing, bands: Sequence[Band], place: Place, top: float, bottom: float) -> None:
    free = 0.0
    for n, band in enumerate(bands):
        x, wide = place(band.start), place(band.end) - place(band.start)
        made.rect(x, top, wide, bottom - top, "sunk", opacity=1 if n % 2 == 0 else 0.5)
        long = svg.width_of(band.name, 10)
        if long <= wide + 24:
            middle = max(x + wide / 2, free + long / 2)
            made.text(middle, 11, band.name, anchor="middle", size=10)
            free = middle + long / 2 + BESIDE


def _within(name: str, x: float, frame: Layout, y: float) -> tuple[float, float, str]:
    """Return where a centred text stands, moved inwards at the edges of the drawing."""
    half = svg.width_of(name, 10) / 2
    return min(max(x, half), frame.width - half), y, name


def _row(made: Drawing, row: Row, y: float, frame: Layout, place: Place, digits: int) -> None:
    if row.value is None:
        middle = draw_names(made, frame, y, row.name, row.note if frame.on_top else "")
        if not frame.on_top:
            note = svg.shortened(row.note, frame.width - frame.left - 4)
            made.text(frame.left + 4, middle + 4, note, rim=True)
        return
    words = svg.said(row.value, digits) + svg.interval(row.low, row.high, digits)
    note = f", {row.note}" if row.note else ""
    middle = draw_names(made, frame, y, row.name, words + note)
    ink = "accent" if row.ordinal is None else f"s{drawings.colour_of(row.ordinal)}"
    if row.low is not None and row.high is not None:
        made.line(place(row.low), middle, place(row.high), middle, ink, width=2)
    made.mark(place(row.value), middle, drawings.MARKS[drawings.shape_of(row.ordinal or 0)], ink)
