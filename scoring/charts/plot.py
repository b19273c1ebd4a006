"""The grammar of charts on pages: drawn by the server, as wide as the page, in both of its themes.

x is in percent and y in pixels, so that a chart takes the width there is and its words stay as
large as they are. Marks wear the colour and shape of their system; what is no system wears the
accent. Whiskers are the interval; without one a mark is pale. A table beside it holds the values.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from evalsite.text import drawings
from scoring.charts import svg

#: Heights in pixels: of a line of a ranking, of one of a waterfall, of a system in a small chart, of
#: the words of an axis.
ROW, STEP, SMALL, FOOT = 48, 40, 22, 20


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
class Whisker:
    """An estimate with its interval; `ordinal` is that of its system, None for what is none.

    A judge is a ring, everything else that is no system a tick.
    """

    value: float | None
    low: float | None
    high: float | None
    ordinal: int | None = None
    is_ring: bool = False

    @property
    def look(self) -> str:
        return "ac" if self.ordinal is None else f"s{drawings.colour_of(self.ordinal)}"

    @property
    def shape(self) -> str:
        if self.ordinal is None and not self.is_ring:
            return drawings.TICK
        return drawings.MARKS[drawings.shape_of(self.ordinal or 0)]


@dataclass(frozen=True, slots=True)
class PeopleBand:
    """What people reach among themselves: a band with their mean; nothing where that is not known."""

    low: float | None = None
    high: float | None = None
    mean: float | None = None


NOBODY = PeopleBand()


@dataclass(frozen=True, slots=True)
class Dot:
    """A mark of a scatter, what it is called, and where it leads ("" for nowhere).

    A `name` stands beside it.
    """

    x: float
    y: float
    ordinal: int | None
    said: str = ""
    href: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a straight line between two points, within both axes."""

    x: float
    y: float
    to_x: float
    to_y: float
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class RuledValue:
    """A value to compare with, and what it is: chance, nought, enough."""

    at: float
    said: str


@dataclass(frozen=True, slots=True)
class WaterfallStep:
    """A cause in a waterfall: where it begins, by how much it moves, and the interval of that."""

    at: float
    by: float
    low: float | None = None
    high: float | None = None

    @property
    def end(self) -> float:
        return self.at + self.by

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Return its interval as it stands on the axis: around where the step ends."""
        if self.low is None or self.high is None:
            return None, None
        return self.at + self.low, self.at + self.high

    @property
    def is_sure(self) -> bool:
        """Whether its interval leaves out nought."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


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


def row(
    mark: Whisker,
    on: Axis,
    *,
    label: str,
    height: int = ROW,
    zero: float | None = None,
    people: PeopleBand = NOBODY,
    under: str = "",
) -> str:
    """Return a line of a ranking: the grid, the whisker and the mark; `label` says it in words.

    `under` is drawn below all of it.
    """
    under += _people(people, on, 0, height) + _grid(on, height, zero)
    return _picture(height, label, under + _mark(mark, on, height / 2))


def beside(
    mark: Whisker, people: PeopleBand, on: Axis, *, label: str, words: tuple[str, str]
) -> str:
    """Return a mark beside the band of people, each with its words, and the numbers of the axis.

    Args:
        mark: what is compared, such as a judge.
        people: what it is compared with.
        on: the axis.
        label: says all of it in words.
        words: what stands above the mark, and above the mean of people.
    """
    top, bottom = 22, 52
    lines = "".join(
        f'<line class="grid" x1="{on.at(tick)}%" x2="{on.at(tick)}%" y1="{top}" y2="{bottom}"/>'
        for tick in on.ticks
    )
    named = [(mark.value, words[0]), (people.mean, words[1])]
    known = sorted((float(on.at(at)), said) for at, said in named if at is not None)
    texts = _above([*([] if len(known) > 1 else [None]), *known])
    body = _people(people, on, top, bottom) + lines + _mark(mark, on, (top + bottom) / 2) + texts
    return _picture(76, label, body + _numbers(on, 75))


def _above(pair: Sequence[tuple[float, str] | None]) -> str:
    """Write a label that ends at its place and one that begins there, both within the edges."""
    left, right = pair
    made = []
    if right is not None:
        at, said = right
        ends = at > 80
        made.append((100 if ends else at, "end" if ends else "start", said))
        if left is not None and ends:
            left = min(left[0], 76.0), left[1]
    if left is not None:
        at, said = left
        made.append((at, "end" if at > 20 else "start", said))
    return "".join(
        f'<text class="strong" x="{at:.2f}%" y="14" text-anchor="{anchor}">{escape(said)}</text>'
        for at, anchor, said in made
    )


def _people(people: PeopleBand, on: Axis, top: float, bottom: float) -> str:
    made = ""
    if people.low is not None and people.high is not None:
        low, high = on.at(people.low), on.at(people.high)
        wide = float(high) - float(low)
        made = (
            f'<rect class="people" x="{low}%" width="{wide:.2f}%" y="{top:g}" '
            f'height="{bottom - top:g}"/>'
        )
    if people.mean is not None:
        at = on.at(people.mean)
        made += f'<line class="axis" x1="{at}%" x2="{at}%" y1="{top:g}" y2="{bottom:g}"/>'
    return made


#: A scatter: how high it is, the free space above, and how many percent its numbers take at the left.
HIGH, HEAD, SIDE = 300, 8, 8.0


def scatter(
    dots: Sequence[Dot],
    across: Axis,
    up: Axis,
    *,
    label: str,
    band: float | None = None,
    segments: Sequence[Segment] = (),
) -> str:
    """Return dots over two axes; with a band of so much around where both values are the same.

    One stop of Tab leads into it, arrows walk from mark to mark, and a mark may lead somewhere.
    """
    bottom = HEAD + HIGH

    def x(value: float) -> float:
        return SIDE + (98 - SIDE) * float(across.at(value)) / 100

    def y(value: float) -> float:
        return bottom - HIGH * float(up.at(value)) / 100

    digits = svg.decimals(list(across.ticks)), svg.decimals(list(up.ticks))
    grid = "".join(
        f'<line class="grid" x1="{x(tick):.2f}%" x2="{x(tick):.2f}%" y1="{HEAD}" y2="{bottom}"/>'
        f'<text x="{x(tick):.2f}%" y="{bottom + 16}" text-anchor="middle">'
        f"{svg.said(tick, digits[0])}</text>"
        for tick in across.ticks
    ) + "".join(
        f'<line class="grid" x1="{SIDE:g}%" x2="98%" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text x="{SIDE - 1.5:g}%" y="{y(tick) + 4:.1f}" text-anchor="end">'
        f"{svg.said(tick, digits[1])}</text>"
        for tick in up.ticks
    )
    marks = "".join(_dot(one, f"{x(one.x):.2f}", f"{y(one.y):.1f}") for one in dots)
    lines = "".join(
        f'<line class="{"ident" if one.is_dashed else "axis"}" x1="{x(one.x):.2f}%" '
        f'x2="{x(one.to_x):.2f}%" y1="{y(one.y):.1f}" y2="{y(one.to_y):.1f}"/>'
        for one in segments
    )
    body = ("" if band is None else _lane(across, up, band)) + grid + lines + marks
    leads = any(one.href for one in dots)
    said = f'role="group" tabindex="0" data-walk aria-label="{escape(label)}"'
    if not leads:
        said = f'role="img" aria-label="{escape(label)}"'
    return f'<svg class="plot" height="{bottom + FOOT}" {said}>{body}</svg>'


@dataclass(frozen=True, slots=True)
class Slope:
    """A system over places: a mark for each, None where it has none.

    `only` is the one place whose mark is drawn; None for all of them.
    """

    ordinal: int
    marks: Sequence[Whisker | None]
    only: int | None = None


def slopes(
    series: Sequence[Slope],
    titles: Sequence[str],
    up: Axis,
    *,
    label: str,
    links: Mapping[int, int],
    breaks: Mapping[int, str],
    rules: Sequence[RuledValue] = (),
) -> str:
    """Return a line for each system over places of equal distance.

    Args:
        series: the systems.
        titles: of the places, below them.
        up: the axis of the values.
        label: what the drawing shows, in words.
        links: from which place the line comes to a place, by number from 0.
        breaks: before which places lines are broken, and why.
        rules: values to compare with, as lines across.
    """
    bottom, n = HEAD + HIGH, len(titles)

    def x(place: int, aside: float = 0.0) -> float:
        return SIDE + (100 - SIDE) * (place + 0.5) / n + aside

    def y(value: float) -> float:
        return bottom - HIGH * float(up.at(value)) / 100

    digits = svg.decimals(list(up.ticks))
    grid = "".join(
        f'<line class="grid" x1="{SIDE:g}%" x2="100%" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text x="{SIDE - 1.5:g}%" y="{y(tick) + 4:.1f}" text-anchor="end">'
        f"{svg.said(tick, digits)}</text>"
        for tick in up.ticks
    )
    words = "".join(
        f'<text x="{x(place):.2f}%" y="{bottom + 16}" text-anchor="middle">{escape(title)}</text>'
        for place, title in enumerate(titles)
    )
    across = "".join(
        f'<line class="ident" x1="{SIDE:g}%" x2="100%" y1="{y(one.at):.1f}" y2="{y(one.at):.1f}"/>'
        f'<text x="{SIDE:g}%" y="{y(one.at) - 5:.1f}">{escape(one.said)}</text>'
        for one in rules
    )
    half = (100 - SIDE) / n / 2
    torn = "".join(
        f'<g><title>{escape(why)}</title><line class="ident" x1="{x(place, -half):.2f}%" '
        f'x2="{x(place, -half):.2f}%" y1="{HEAD}" y2="{bottom}"/></g>'
        for place, why in breaks.items()
    )
    apart = min(1.2, 24.0 / n / max(len(series), 1))
    drawn = "".join(
        _slope(one, [x(at, (m - (len(series) - 1) / 2) * apart) for at in range(n)], y, links)
        for m, one in enumerate(series)
    )
    return _picture(bottom + FOOT, label, grid + words + across + torn + drawn)


def _slope(
    one: Slope, xs: Sequence[float], y: Callable[[float], float], links: Mapping[int, int]
) -> str:
    marks = list(zip(xs, one.marks, strict=True))
    made = []
    for place, came_from in links.items():
        (x, mark), (to_x, following) = marks[came_from], marks[place]
        if mark is None or following is None:
            continue
        if mark.value is not None and following.value is not None:
            ends = f'y1="{y(mark.value):.1f}" y2="{y(following.value):.1f}"'
            made.append(f'<line class="ci" x1="{x:.2f}%" x2="{to_x:.2f}%" {ends}/>')
    for place, (x, mark) in enumerate(marks):
        if mark is None or mark.value is None or one.only not in {None, place}:
            continue
        if mark.low is not None and mark.high is not None:
            ends = f'y1="{y(mark.low):.1f}" y2="{y(mark.high):.1f}"'
            made.append(f'<line class="thin" x1="{x:.2f}%" x2="{x:.2f}%" {ends}/>')
        made.append(
            f'<svg x="{x:.2f}%" y="{y(mark.value):.1f}" overflow="visible">'
            f'<path class="pt" d="{mark.shape}"/></svg>'
        )
    return f'<g class="s{drawings.colour_of(one.ordinal)}">{"".join(made)}</g>'


def _dot(one: Dot, x: str, y: str) -> str:
    mark = Whisker(0, 0, 0, one.ordinal)
    path = f'<path class="pt" d="{mark.shape}"/>'
    drawn = f'<svg x="{x}%" y="{y}" overflow="visible" class="{mark.look}">{path}</svg>'
    if one.name:
        aside, anchor = ("-10", "end") if float(x) > 60 else ("10", "start")
        at = f'x="{x}%" y="{float(y) + 4:.1f}" dx="{aside}"'
        drawn += f'<text class="ink" {at} text-anchor="{anchor}">{escape(one.name)}</text>'
    if not one.href:
        return drawn
    said = escape(one.said)
    # Out of the order of Tab: the list of the same answers leads to the same places.
    return f'<a href="{escape(one.href)}" tabindex="-1" aria-label="{said}"><title>{said}</title>{drawn}</a>'


def _lane(across: Axis, up: Axis, band: float) -> str:
    """Return the band around where both values are the same, within the axes, and that line."""

    def at(x: float, y: float) -> str:
        return f"{float(across.at(x)):.2f} {100 - float(up.at(y)):.2f}"

    n = 48
    xs = [across.start + (across.end - across.start) * place / n for place in range(n + 1)]
    over = [at(one, one + band) for one in xs]
    under = [at(one, one - band) for one in reversed(xs)]
    same = f"M{at(across.start, across.start)}L{at(across.end, across.end)}"
    return (
        f'<svg x="{SIDE:g}%" y="{HEAD}" width="{98 - SIDE:g}%" height="{HIGH}" '
        f'viewBox="0 0 100 100" preserveAspectRatio="none"><path class="people" '
        f'd="M{"L".join([*over, *under])}z"/><path class="ident" d="{same}"/></svg>'
    )


def panel(marks: Sequence[Whisker], on: Axis, *, label: str) -> str:
    """Return a small chart: a mark below the other, and the axis at its foot."""
    bottom = SMALL * len(marks) + 4
    drawn = "".join(_mark(one, on, 12 + SMALL * n) for n, one in enumerate(marks))
    body = _grid(on, bottom, None) + drawn + _numbers(on, bottom + FOOT)
    return _picture(bottom + FOOT, label, body)


def total(mark: Whisker, on: Axis, *, label: str, is_first: bool) -> str:
    """Return an end of a waterfall: a mark, with the line that leads to the step beside it."""
    link = ""
    if mark.value is not None:
        link = _link(on.at(mark.value), *((STEP / 2, STEP) if is_first else (0, STEP / 2)))
    return _picture(STEP, label, _grid(on, STEP, None) + link + _mark(mark, on, STEP / 2))


def step(one: WaterfallStep, on: Axis, *, label: str) -> str:
    """Return a step of a waterfall: a full bar where it is sure, else a dashed one."""
    left, right = sorted((one.at, one.end))
    wide = max(float(on.at(right)) - float(on.at(left)), 0.2)
    look = f"{'up' if one.by >= 0 else 'down'} {'sure' if one.is_sure else 'unsure'}"
    bar = f'<rect class="{look}" x="{on.at(left)}%" y="13" width="{wide:.2f}%" height="14" rx="2"/>'
    links = _link(on.at(one.at), 0, 13) + _link(on.at(one.end), 27, STEP)
    return _picture(STEP, label, _grid(on, STEP, None) + bar + links + _capped(one, on))


def _capped(one: WaterfallStep, on: Axis) -> str:
    low, high = one.ends
    if low is None or high is None:
        return ""
    caps = "".join(
        f'<line x1="{on.at(end)}%" x2="{on.at(end)}%" y1="17" y2="23"/>' for end in (low, high)
    )
    line = f'<line x1="{on.at(low)}%" x2="{on.at(high)}%" y1="20" y2="20"/>'
    return f'<g class="whisk">{line}{caps}</g>'


def _link(at: str, top: float, bottom: float) -> str:
    return f'<line class="link" x1="{at}%" x2="{at}%" y1="{top:g}" y2="{bottom:g}"/>'


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart: what it is called, its drawing, and its figures in words.

    Without a drawing it is a title, with the mark of a system if it has an `ordinal`.
    """

    name: str
    drawn: str = ""
    words: str = ""
    height: int = ROW
    ordinal: int | None = None
    is_whole: bool = False


def file(lines: Sequence[ChartLine], *, label: str) -> str:
    """Return lines that pages show one below the other as a file: light colours on white.

    Where no line has a name, drawings take the whole width.
    """
    wide, left, middle = (800, 220, 400) if any(one.name for one in lines) else (640, 0, 640)
    edge, y, made = svg.EDGE, 0, []
    for one in lines:
        at = f'y="{y + one.height / 2 + 4:g}"'
        x, room = (0, wide) if one.is_whole else (left, middle)
        room_of_name = left - 28 if one.drawn else wide
        name = svg.shortened(one.name, room_of_name) if one.name else ""
        made += [
            _sign(one.ordinal, y + one.height / 2),
            f'<text class="strong" x="{0 if one.ordinal is None else 20}" {at}>{escape(name)}</text>',
            f'<svg x="{x}" y="{y}" width="{room}" height="{one.height}">{one.drawn}</svg>',
            f'<text x="{0 if one.is_whole else wide}" {at} '
            f'text-anchor="{"start" if one.is_whole else "end"}">'
            f"{escape(svg.shortened(one.words, wide - left))}</text>",
        ]
        y += one.height
    box = f"{-edge} {-edge} {wide + 2 * edge} {y + 2 * edge}"
    body = "\n".join(made)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{wide + 2 * edge}" '
        f'height="{y + 2 * edge}" viewBox="{box}" role="img" aria-label="{escape(label)}" '
        f'font-family="{svg.FONT}">\n<title>{escape(label)}</title>\n<style>{_style()}</style>\n'
        f'<rect x="{-edge}" y="{-edge}" width="100%" height="100%" fill="{svg.INKS["surface"]}"/>'
        f"\n{body}\n</svg>\n"
    )


def _sign(ordinal: int | None, y: float) -> str:
    if ordinal is None:
        return ""
    path = f'<path class="pt" d="{Whisker(0, 0, 0, ordinal).shape}"/>'
    look = f"s{drawings.colour_of(ordinal)}"
    return f'<svg class="{look}" x="7" y="{y:g}" overflow="visible">{path}</svg>'


#: How much of the accent each shade of a table has.
SHADES = (0.04, 0.13, 0.24, 0.37, 0.52)


def _style() -> str:
    """Return the sheet of a file: what static/css/plots.css says of a chart, in light colours."""
    inks = svg.INKS
    systems = "".join(f".s{n}{{color:{inks[f's{n}']}}}" for n in range(1, len(svg.COLOURS) + 1))
    shades = "".join(
        f".h{n}{{fill:{inks['accent']};fill-opacity:{share}}}" for n, share in enumerate(SHADES)
    )
    return (
        f".plot,.plot svg{{overflow:visible}}text{{fill:{inks['muted']};font-size:{svg.SIZE}px}}"
        f".strong{{fill:{inks['text']};font-weight:600}}.grid{{stroke:{inks['line']}}}"
        f".axis{{stroke:{inks['edge']}}}.ci{{stroke:currentColor;stroke-width:2}}"
        f".pt{{fill:currentColor;stroke:{inks['surface']};stroke-width:3;paint-order:stroke}}"
        f".thin{{stroke:currentColor;opacity:.55}}.few{{opacity:.45}}.ac,.up{{color:{inks['accent']}}}.down{{color:{inks['bad']}}}"
        f".sure{{fill:currentColor}}.unsure{{fill:{inks['surface']};stroke:currentColor;"
        f"stroke-dasharray:3 2}}.link{{stroke:{inks['edge']};stroke-dasharray:1 3}}"
        f".people{{fill:{inks['people']}}}.b0{{fill:{inks['sunk']}}}.ident{{fill:none;stroke:{inks['edge']};"
        f"stroke-dasharray:4 4;vector-effect:non-scaling-stroke}}"
        f".jd{{fill:{inks['surface']};stroke:currentColor;stroke-width:2.5}}"
        f".whisk{{stroke:{inks['text']};stroke-width:1.5}}.bar{{fill:currentColor}}"
        f".ink{{fill:{inks['text']}}}.hatch{{fill:none;stroke:{inks['edge']};"
        f"stroke-dasharray:3 3}}{shades}{systems}"
    )


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
    return "".join(
        f'<text x="{on.at(tick)}%" y="{height - 5}" text-anchor="{_anchor(float(on.at(tick)))}">'
        f"{svg.said(tick, digits)}{escape(on.unit) if n == last else ''}</text>"
        for n, tick in enumerate(on.ticks)
    )


def _anchor(at: float) -> str:
    """Return how a number stands at its place: within the edges."""
    return "start" if at < 3 else "end" if at > 97 else "middle"


def _mark(mark: Whisker, on: Axis, y: float) -> str:
    if mark.value is None:
        return ""
    look, whisker = f"{mark.look} few", ""
    kind = "jd" if mark.is_ring else "pt"
    if mark.low is not None and mark.high is not None:
        look = mark.look
        ends = f'x1="{on.at(mark.low)}%" x2="{on.at(mark.high)}%"'
        whisker = f'<line class="ci" {ends} y1="{y:g}" y2="{y:g}"/>'
    return (
        f'<g class="{look}">{whisker}<svg x="{on.at(mark.value)}%" y="{y:g}" overflow="visible">'
        f'<path class="{kind}" d="{mark.shape}"/></svg></g>'
    )
