"""Charts of lines one below the other, as pages and files show them: forests, tables of shades, bars.

* A mean over numbered places, and widths that narrow with the number of questions.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from evalsite.text import drawings
from scoring.charts import plot, svg
from scoring.charts.plot import Axis, ChartLine, RuledValue, Slope, Whisker

#: Heights in pixels: of a line of a forest, of shades, of a bar; of the plot of a histogram.
ROW, CELL, BAR, HISTOGRAM = 30, 40, 26, 112
#: The pixels that a plot has at least: in a file, and on a phone.
FILE, PHONE = 400, 330
#: What makes a link of a bar.
LEADS = re.compile(r"</?a(?: [^>]*)?>")


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines, what they show in words, and below them what the axes are."""

    lines: Sequence[ChartLine]
    label: str
    caption: str = ""

    def file(self) -> str:
        """Return the chart as a file: light colours on white; its bars lead nowhere."""
        lines = [replace(line, drawn=LEADS.sub("", line.drawn)) for line in self.lines]
        said = [ChartLine("", "", self.caption, 24, is_whole=True)] if self.caption else []
        return plot.file([*lines, *said], label=self.label)


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A line of a forest; without a value, `note` tells why. `head` is a title above the line.

    `ordinal` is the one of a system, which gives colour and shape; what is no system is a tick.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    ordinal: int | None = None
    head: str = ""

    def words(self, digits: int) -> str:
        """Return its value with its interval and note, or the note alone."""
        if self.value is None:
            return self.note
        said = svg.said(self.value, digits) + svg.interval(self.low, self.high, digits)
        return f"{said}, {self.note}" if self.note else said


@dataclass(frozen=True, slots=True)
class AxisBand:
    """A stretch of the axis that has a name, by somebody's convention."""

    start: float
    end: float
    name: str


def scale(start: float, end: float, *, most: int = 5) -> Axis:
    """Return an axis between two ends with round numbers on it.

    Raises:
        ValueError: it has no width.
    """
    if not end > start:
        raise ValueError("The axis needs a width.")
    return Axis(start, end, tuple(svg.ticks(start, end, most=most)))


def around(values: Sequence[float | None], *, room: float = 0.06) -> Axis:
    """Return an axis around all values, with some room at both ends.

    Raises:
        ValueError: there is no value, or one is not finite.
    """
    known = [value for value in values if value is not None]
    svg.check(known)
    if not known:
        raise ValueError("There is nothing to draw.")
    low, high = min(known), max(known)
    free = room * (high - low) or max(0.5, room * abs(high))
    return scale(low - free, high + free)


def forest(
    rows: Sequence[ForestRow],
    on: Axis,
    *,
    label: str,
    caption: str = "",
    digits: int = 1,
    bands: Sequence[AxisBand] = (),
    rules: Sequence[RuledValue] = (),
) -> Chart:
    """Return estimates with their intervals in their order, on one axis.

    Raises:
        ValueError: a number is not finite.
    """
    svg.check(n for row in rows for n in (row.value, row.low, row.high))
    under = _under(bands, rules, on)
    lines = [ChartLine("", plot.ruler(on), height=18)]
    if bands or rules:
        lines.insert(0, ChartLine("", _names(bands, rules, on), height=34))
    for row in rows:
        if row.head:
            lines.append(ChartLine(row.head, height=28))
        mark = Whisker(row.value, row.low, row.high, row.ordinal)
        words = row.words(digits)
        drawn = plot.row(mark, on, label=f"{row.name}: {words}", height=ROW, zero=0, under=under)
        lines.append(ChartLine(row.name, drawn, words, ROW))
    return Chart(lines, label, caption)


def _under(bands: Sequence[AxisBand], rules: Sequence[RuledValue], on: Axis) -> str:
    """Return what is drawn under every line: every other band, and what to compare with."""
    shaded = "".join(
        f'<rect class="b0" x="{on.at(one.start)}%" y="0" height="100%" '
        f'width="{float(on.at(one.end)) - float(on.at(one.start)):.2f}%"/>'
        for one in bands[1::2]
    )
    return shaded + "".join(
        f'<line class="ident" x1="{on.at(one.at)}%" x2="{on.at(one.at)}%" y1="0" y2="100%"/>'
        for one in rules
    )


def _names(bands: Sequence[AxisBand], rules: Sequence[RuledValue], on: Axis) -> str:
    """Return the names of bands, where they fit on a phone, and below them those of rules."""
    made = []
    for one in bands:
        start, end = float(on.at(one.start)), float(on.at(one.end))
        if svg.width_of(one.name) <= PHONE * (end - start) / 100:
            made.append(_centred((start + end) / 2, 12, one.name))
    made += [_centred(float(on.at(one.at)), 28, one.said) for one in rules]
    return f'<svg class="plot" height="34" aria-hidden="true">{"".join(made)}</svg>'


def _centred(at: float, y: int, said: str) -> str:
    """Write a text around its place, or from the edge that it would go beyond."""
    half = 50 * svg.width_of(said) / PHONE
    anchor = "start" if at < half else "end" if at > 100 - half else "middle"
    return f'<text x="{at:.2f}%" y="{y}" text-anchor="{anchor}">{escape(said)}</text>'


@dataclass(frozen=True, slots=True)
class HeatSquare:
    """A place: what is written in it, n below, and a shade from 0 to 4; None is not judged."""

    said: str
    n: int | None
    shade: int | None


def heat(
    columns: Sequence[str], rows: Sequence[tuple[str, Sequence[HeatSquare | None]]], *, label: str
) -> Chart:
    """Return a table of shades, rows by columns; None leaves a place empty."""
    wide = 100 / max(len(columns), 1)
    room = FILE * wide / 100 - 4
    heads = "".join(
        f'<text x="{wide * (n + 0.5):.2f}%" y="{14 + 15 * line}" text-anchor="middle">'
        f"<title>{escape(name)}</title>{escape(svg.shortened(words, room))}</text>"
        for n, name in enumerate(columns)
        for line, words in enumerate(_halves(name, room))
    )
    lines = [
        ChartLine("", f'<svg class="plot" height="36" aria-hidden="true">{heads}</svg>', height=36)
    ]
    for name, squares in rows:
        drawn = "".join(
            _square(one, wide * n, wide) for n, one in enumerate(squares) if one is not None
        )
        said = ", ".join(
            f"{column} {one.said}" for column, one in zip(columns, squares, strict=False) if one
        )
        lines.append(ChartLine(name, _svg(CELL, f"{name}: {said}", drawn), height=CELL))
    return Chart(lines, label)


def _halves(name: str, room: float) -> list[str]:
    """Return a title in at most two lines."""
    if svg.width_of(name) <= room or " " not in name:
        return ["", name]
    return name.split(" ", 1)


def _square(one: HeatSquare, x: float, wide: float) -> str:
    look = "hatch" if one.shade is None else f"h{one.shade}"
    middle = f'x="{x + wide / 2:.2f}%" text-anchor="middle"'
    n = "" if one.n is None else f'<text {middle} y="33">{one.n}</text>'
    return (
        f'<rect class="{look}" x="{x + 0.2:.2f}%" width="{wide - 0.4:.2f}%" y="1" '
        f'height="{CELL - 2}"/><text class="ink" {middle} y="17">{escape(one.said)}</text>{n}'
    )


@dataclass(frozen=True, slots=True)
class BarPanel:
    """A system: its name, the number of parts in each bar, and where each bar leads ("" for nowhere)."""

    name: str
    ordinal: int
    counts: Sequence[int]
    links: Sequence[str] = ()

    @property
    def n(self) -> int:
        return sum(self.counts)

    def share(self, at: int) -> float:
        return 100 * self.counts[at] / self.n if self.n else 0.0

    def wrapped(self, at: int, said: str, bar: str) -> str:
        """Return a bar that leads to its parts; the table beside it leads to the same places."""
        look = f"s{drawings.colour_of(self.ordinal)}"
        if not self.links or not self.links[at]:
            return f'<g class="{look}">{bar}</g>'
        hint = escape(f"{self.name}, {said}: {self.counts[at]}")
        return (
            f'<a class="{look}" href="{escape(self.links[at])}" tabindex="-1" '
            f'aria-label="{hint}"><title>{hint}</title>{bar}</a>'
        )


def choices(panels: Sequence[BarPanel], names: Sequence[str], *, label: str, caption: str) -> Chart:
    """Return for each system how often each choice came, bars below each other.

    Raises:
        ValueError: there is nothing to draw, or a panel has another number of bars.
    """
    top = _most(panels, names)
    lines = []
    for panel in panels:
        lines.append(ChartLine(panel.name, "", f"n {panel.n}", 32, panel.ordinal))
        for at, name in enumerate(names):
            wide = 100 * panel.share(at) / top
            bar = f'<rect class="bar" x="0" y="5" width="{wide:.2f}%" height="{BAR - 10}"/>'
            said = f"{svg.said(panel.share(at), 0)} %"
            body = panel.wrapped(at, name, bar) if panel.counts[at] else ""
            lines.append(ChartLine(name, _svg(BAR, f"{name}: {said}", body), said, BAR))
    return Chart(lines, label, caption)


def ranges(
    panels: Sequence[BarPanel],
    edges: Sequence[str],
    names: Sequence[str],
    *,
    label: str,
    caption: str,
) -> Chart:
    """Return for each system a histogram, all of them on the same axes.

    Args:
        panels: the systems.
        edges: what stands below: one more than there are bars where they are ranges, else one for each.
        names: what a bar is called under the pointer.
        label: what the chart shows, in words.
        caption: what the axes are.

    Raises:
        ValueError: there is nothing to draw, or a panel has another number of bars.
    """
    top = _most(panels, names)
    lines = []
    for panel in panels:
        lines.append(ChartLine(panel.name, "", f"n {panel.n}", 32, panel.ordinal))
        body = _shares(top) + _columns(panel, names, top, is_range=len(edges) > len(names))
        drawn = _svg(HISTOGRAM + 30, panel.name, body + _edges(edges, len(names)))
        lines.append(ChartLine("", drawn, height=HISTOGRAM + 30, is_whole=True))
    return Chart(lines, label, caption)


def _most(panels: Sequence[BarPanel], names: Sequence[str]) -> float:
    """Return where the axis ends: at a round share that no bar is above."""
    if not any(panel.n for panel in panels):
        raise ValueError("There is nothing to draw.")
    if any(len(panel.counts) != len(names) for panel in panels):
        raise ValueError("A panel has another number of bars.")
    highest = max(panel.share(at) for panel in panels for at in range(len(names)))
    return next(end for end in (10.0, 20.0, 40.0, 60.0, 80.0, 100.0) if highest <= end + 1e-9)


def _shares(top: float) -> str:
    made = []
    for share in (0.0, top / 2, top):
        y = 8 + HISTOGRAM * (1 - share / top)
        look = "grid" if share else "axis"
        made.append(
            f'<line class="{look}" x1="{plot.SIDE:g}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{plot.SIDE - 1.5:g}%" y="{y + 4:.1f}" text-anchor="end">'
            f"{svg.said(share, 0)}{' %' if share == top else ''}</text>"
        )
    return "".join(made)


def _columns(panel: BarPanel, names: Sequence[str], top: float, *, is_range: bool) -> str:
    wide = (100 - plot.SIDE) / len(names)
    thick = wide - 0.3 if is_range else min(wide - 0.3, 6.0)
    made = []
    for at, name in enumerate(names):
        if panel.counts[at]:
            high = max(HISTOGRAM * panel.share(at) / top, 1.0)
            x = plot.SIDE + (at + 0.5) * wide - thick / 2
            bar = (
                f'<rect class="bar" x="{x:.2f}%" width="{thick:.2f}%" '
                f'y="{8 + HISTOGRAM - high:.1f}" height="{high:.1f}"/>'
            )
            made.append(panel.wrapped(at, name, bar))
    return "".join(made)


def _edges(said: Sequence[str], n_bars: int) -> str:
    """Write below the bars as many of the numbers as fit on a phone."""
    wide = (100 - plot.SIDE) / n_bars
    aside = 0.0 if len(said) > n_bars else 0.5
    needed = max(svg.width_of(one) for one in said) + 8
    every = max(1, math.ceil(needed / (PHONE * wide / 100)))
    return "".join(
        f'<text x="{plot.SIDE + (at + aside) * wide:.2f}%" y="{HISTOGRAM + 24}" '
        f'text-anchor="{"end" if at == n_bars else "middle"}">{escape(said[at])}</text>'
        for at in range(0, len(said), every)
    )


@dataclass(frozen=True, slots=True)
class Point:
    """A place, counted from 1, with the value there and its interval."""

    at: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SystemCourse:
    """A system's values by place; `now` is the one place that is marked, None for all of them."""

    name: str
    ordinal: int
    points: Sequence[Point]
    now: int | None = None


def courses(
    series: Sequence[SystemCourse],
    *,
    label: str,
    caption: str,
    up: Axis | None = None,
    rules: Sequence[RuledValue] = (),
) -> Chart:
    """Return a line for each system over the places that any of them has, at equal distances.

    Args:
        series: the systems.
        label: what the chart shows, in words.
        caption: what the axes are.
        up: the axis of values; around all of them if not said.
        rules: values to compare with, as lines across.

    Raises:
        ValueError: there is nothing to draw, or a number is not finite.
    """
    points = [point for one in series for point in one.points]
    on = up or around([n for point in points for n in (point.value, point.low, point.high)])
    places = sorted({point.at for point in points})
    every = max(1, math.ceil(len(places) * 30 / PHONE))
    titles = [str(at) if n % every == 0 else "" for n, at in enumerate(places)]
    slopes = [_slope(one, places) for one in series]
    links = {n: n - 1 for n in range(1, len(places))}
    drawn = plot.slopes(slopes, titles, on, label=label, links=links, breaks={}, rules=rules)
    height = plot.HEAD + plot.HIGH + plot.FOOT
    key = [ChartLine(one.name, height=24, ordinal=one.ordinal) for one in series]
    return Chart([*key, ChartLine("", drawn, height=height, is_whole=True)], label, caption)


def _slope(one: SystemCourse, places: Sequence[int]) -> Slope:
    known = {
        point.at: Whisker(point.value, point.low, point.high, one.ordinal) for point in one.points
    }
    now = None if one.now is None else places.index(one.now) if one.now in places else -1
    return Slope(one.ordinal, [known.get(at) for at in places], now)


@dataclass(frozen=True, slots=True)
class PaceLine:
    """How much was done by when: both as shares of 1; `even` says whether an even pace can be drawn."""

    points: Sequence[tuple[float, float]]
    titles: tuple[str, str, str]
    even: bool

    @property
    def now(self) -> tuple[float, float]:
        return self.points[-1]


def pace(one: PaceLine, *, label: str) -> str:
    """Return what is done over time against an even pace: a line that ends today, in percent.

    Args:
        one: shares done by share of the time; titles of the first day, of today and of the last.
        label: what it shows, in words.
    """

    def spot(x: float, y: float) -> str:
        return f"{100 * x:.2f} {100 - 100 * y:.2f}"

    line = "L".join(spot(*point) for point in one.points)
    (x, y), left = one.now, plot.SIDE
    even = f'<path class="ident" d="M{spot(0, 0)}L{spot(1, 1)}"/>' if one.even else ""
    curves = (
        f'<svg x="{left:g}%" y="8" width="{100 - left:g}%" height="{HISTOGRAM}" '
        f'viewBox="0 0 100 100" preserveAspectRatio="none"><path class="h1" '
        f'd="M{line}L{spot(x, 0)}z"/>{even}<path class="done" d="M{line}"/></svg>'
    )
    at = left + (100 - left) * x
    said = (
        f'<text class="strong" x="{at:.2f}%" y="{HISTOGRAM * (1 - y) + 2:.1f}" '
        f'text-anchor="{"end" if at > 50 else "start"}">{svg.said(100 * y, 0)} %</text>'
    )
    ends = [(left, "start", one.titles[0]), (100.0, "end", one.titles[2])]
    middle = [(at, "middle", one.titles[1])] if left + 15 < at < 85 else []
    words = "".join(
        f'<text x="{place:.2f}%" y="{HISTOGRAM + 24}" text-anchor="{anchor}">{escape(title)}</text>'
        for place, anchor, title in [*ends, *middle]
    )
    return _svg(HISTOGRAM + 30, label, _shares(100.0) + curves + said + words)


def cloud(
    dots: Sequence[plot.Dot],
    across: Axis,
    up: Axis,
    *,
    label: str,
    titles: tuple[str, str],
    segments: Sequence[plot.Segment] = (),
) -> Chart:
    """Return one value over another, a mark for each; `titles` say what lies across and upwards."""
    drawn = plot.scatter(dots, across, up, label=label, segments=segments)
    height = plot.HEAD + plot.HIGH + plot.FOOT
    return Chart([ChartLine("", drawn, height=height, is_whole=True)], label, " · ".join(titles))


def _svg(height: int, label: str, body: str) -> str:
    role = "group" if "<a " in body else "img"
    said = escape(label)
    return f'<svg class="plot" height="{height}" role="{role}" aria-label="{said}">{body}</svg>'
