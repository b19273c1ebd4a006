"""How values lie, one small panel a system: bars beside each other for numbers, below each other for words.

* A table of shades: rows by columns, each place with its value and what it rests on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evalsite.text import drawings
from scoring.charts import svg
from scoring.charts.svg import Drawing

WIDE, NARROW = 800.0, 352.0
COLUMNS, GAP = 3, 28.0
HEAD, PLOT, FOOT, LEFT = 26.0, 104.0, 40.0, 34.0
LINE = 24.0
TITLE = 22.0
#: The widest that a panel gets, so that a single one is no poster.
WIDEST = 386.0
#: The widest that the bar of a single value gets.
THICKEST = 36.0


@dataclass(frozen=True, slots=True)
class Panel:
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


@dataclass(frozen=True, slots=True)
class Words:
    """What the drawing says: its label, its axis, and what a bar is called under the pointer."""

    label: str
    axis: str
    bars: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Place:
    x: float
    y: float
    width: float


def ranges(
    panels: Sequence[Panel], edges: Sequence[str], words: Words, *, narrow: bool = False
) -> Drawing:
    """Draw bars beside each other.

    Args:
        panels: the systems.
        edges: what stands below: one more than there are bars where they are ranges, else one for each.
        words: what is said.
        narrow: for a phone.

    Raises:
        ValueError: there is nothing to draw, or a panel has another number of bars.
    """
    top = _most(panels, words)
    made, places = _sheet(panels, HEAD + PLOT + FOOT, words, narrow)
    for panel, place in zip(panels, places, strict=True):
        _title(made, panel, place)
        _grid(made, top, place)
        wide = (place.width - LEFT) / len(panel.counts)
        for at in range(len(panel.counts)):
            high = PLOT * panel.share(at) / top
            thick = wide - 2 if len(edges) > len(panel.counts) else min(wide - 2, THICKEST)
            x, y = place.x + LEFT + (at + 0.5) * wide, place.y + HEAD + PLOT - high
            _bar(made, panel, at, (x - thick / 2, y, thick, max(high, 1.0)), words)
        _edges(made, edges, len(edges) > len(panel.counts), wide, place)
    return made


def choices(
    panels: Sequence[Panel], names: Sequence[str], words: Words, *, narrow: bool = False
) -> Drawing:
    """Draw bars below each other, each with its name.

    Args:
        panels: the systems.
        names: of the bars.
        words: what is said.
        narrow: for a phone.

    Raises:
        ValueError: there is nothing to draw, or a panel has another number of bars.
    """
    top = _most(panels, words)
    made, places = _sheet(panels, HEAD + LINE * len(names) + 12, words, narrow)
    for panel, place in zip(panels, places, strict=True):
        _title(made, panel, place)
        left = min(0.45 * place.width, max(svg.width_of(name) for name in names) + 8)
        room = place.width - left - 44
        for at, name in enumerate(names):
            y = place.y + HEAD + at * LINE
            made.text(place.x, y + 15, svg.shortened(name, left - 8), ink="text")
            wide = room * panel.share(at) / top
            made.line(place.x + left, y, place.x + left, y + LINE, "edge")
            _bar(made, panel, at, (place.x + left, y + 4, max(wide, 1.0), LINE - 8), words)
            said = f"{svg.said(panel.share(at), 0)} %"
            made.text(place.x + left + wide + 6, y + 15, said)
    return made


def _most(panels: Sequence[Panel], words: Words) -> float:
    """Return where the axis ends: at a round share that no bar is above."""
    if not any(panel.n for panel in panels):
        raise ValueError("There is nothing to draw.")
    if any(len(panel.counts) != len(words.bars) for panel in panels):
        raise ValueError("A panel has another number of bars.")
    found = max(panel.share(at) for panel in panels for at in range(len(panel.counts)))
    return next(one for one in (10.0, 20.0, 40.0, 60.0, 80.0, 100.0) if found <= one + 1e-9)


def _sheet(
    panels: Sequence[Panel], high: float, words: Words, narrow: bool
) -> tuple[Drawing, list[_Place]]:
    columns = 1 if narrow else min(COLUMNS, len(panels))
    whole = NARROW if narrow else WIDE
    width = min(WIDEST, (whole - GAP * (columns - 1)) / columns)
    lines = -(-len(panels) // columns)
    made = Drawing(columns * width + (columns - 1) * GAP, lines * high + TITLE, words.label)
    said = svg.shortened(words.axis, made.width)
    made.text(0, made.height - 4, said)
    return made, [
        _Place((at % columns) * (width + GAP), (at // columns) * high, width)
        for at in range(len(panels))
    ]


def _title(made: Drawing, panel: Panel, place: _Place) -> None:
    shape = drawings.MARKS[drawings.shape_of(panel.ordinal)]
    made.mark(place.x + 7, place.y + 10, shape, _ink(panel))
    n = f"n {panel.n}"
    room = place.width - 20 - svg.width_of(n) - 10
    made.text(place.x + 20, place.y + 14, svg.shortened(panel.name, room), ink="text", strong=True)
    made.text(place.x + place.width, place.y + 14, n, anchor="end")


def _grid(made: Drawing, top: float, place: _Place) -> None:
    for share in (0.0, top / 2, top):
        y = place.y + HEAD + PLOT * (1 - share / top)
        ink = "line" if share else "edge"
        made.line(place.x + LEFT, y, place.x + place.width, y, ink)
        made.text(place.x + LEFT - 6, y + 4, svg.said(share, 0), anchor="end", size=11)


def _bar(
    made: Drawing,
    panel: Panel,
    at: int,
    box: tuple[float, float, float, float],
    words: Words,
) -> None:
    if not panel.counts[at]:
        return
    if panel.links and panel.links[at]:
        hint = f"{panel.name}, {words.bars[at]}: {panel.counts[at]}"
        made.target(*box, _ink(panel), href=panel.links[at], hint=hint)
    else:
        made.rect(*box, _ink(panel))


def _edges(made: Drawing, said: Sequence[str], between: bool, wide: float, place: _Place) -> None:
    """Write below the bars as many of the numbers as fit."""
    needed = max(svg.width_of(one, 11) for one in said) + 8
    every = max(1, -(-int(needed) // max(int(wide), 1)))
    for at in range(0, len(said), every):
        x = place.x + LEFT + (at if between else at + 0.5) * wide
        made.text(x, place.y + HEAD + PLOT + 15, said[at], anchor="middle", size=11)


def _ink(panel: Panel) -> str:
    return f"s{drawings.colour_of(panel.ordinal)}"


NAMES, CELL, ROW, HEAT_HEAD = 168, 78, 40, 52
#: How much of the accent each shade has; on the last one letters are light.
SHADES = (0.05, 0.14, 0.25, 0.38, 0.88)


@dataclass(frozen=True, slots=True)
class Square:
    """A place: what is written in it, n below, and a shade from 0 to 4; None is not judged."""

    said: str
    n: int | None
    shade: int | None


def heat(
    columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Square | None]]], *, label: str
) -> Drawing:
    """Draw the table; None leaves a place empty."""
    made = Drawing(NAMES + CELL * max(len(columns), 1), HEAT_HEAD + ROW * len(rows) + 8, label)
    for n, head in enumerate(columns):
        x = NAMES + CELL * n + CELL / 2
        for line, words in enumerate(_lines(head)):
            made.text(x, HEAT_HEAD - 20 + 13 * line, words, anchor="middle", size=10)
    for n, (name, squares) in enumerate(rows):
        y = HEAT_HEAD + ROW * n
        made.text(0, y + ROW / 2 + 4, svg.shortened(name, NAMES - 10), ink="text")
        for place, square in enumerate(squares):
            if square is not None:
                _square(made, NAMES + CELL * place, y, square)
    return made


def _lines(head: str) -> list[str]:
    """Return a title in at most two lines."""
    first, _space, rest = head.partition(" ")
    words = [head] if svg.width_of(head, 10) <= CELL - 4 else [first, rest]
    return [svg.shortened(one, CELL - 4, 10) for one in words if one]


def _square(made: Drawing, x: float, y: float, square: Square) -> None:
    if square.shade is None:
        made.rect(x + 1, y + 1, CELL - 2, ROW - 2, "sunk")
        ink = "muted"
    else:
        opacity = SHADES[square.shade]
        made.rect(x + 1, y + 1, CELL - 2, ROW - 2, "accent", opacity=opacity)
        ink = "on-accent" if square.shade == len(SHADES) - 1 else "text"
    made.text(x + CELL / 2, y + 18, square.said, anchor="middle", ink=ink)
    if square.n is not None:
        made.text(x + CELL / 2, y + 32, f"n {square.n}", anchor="middle", ink=ink, size=10)
