"""Axes of drawings: where values lie, round places to name, and numbers as they are written.

* Colour and shape of a system: fixed by its ordinal, the same on every page and plot.
* Drawings as SVG, made on the server by hand: for reports, files and pages without scripts.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from html import escape

Place = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Layout:
    """How lines of a plot are laid out, in pixels: names left and figures right of the axis.

    On a phone both stand above the line, which then is higher.
    """

    width: float
    left: float
    right: float
    row: float
    on_top: bool

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


WIDE = Layout(width=800, left=272, right=612, row=26, on_top=False)
NARROW = Layout(width=352, left=10, right=340, row=58, on_top=True)


def layout(*, narrow: bool) -> Layout:
    return NARROW if narrow else WIDE


def placing(start: float, end: float, left: float, right: float) -> Place:
    """Return where values between two ends lie; what is beyond an end lies on it.

    Raises:
        ValueError: the axis has no width.
    """
    if not end > start:
        raise ValueError("The axis needs a width.")
    return lambda value: left + min(max((value - start) / (end - start), 0.0), 1.0) * (right - left)


def check(values: Iterable[float | None]) -> None:
    """Refuse what cannot be drawn.

    Raises:
        ValueError: a number is not finite.
    """
    if not all(value is None or math.isfinite(value) for value in values):
        raise ValueError("A value or a bound of its interval is not a finite number.")


def ticks(start: float, end: float, *, most: int = 7) -> list[float]:
    """Return round places on an axis, its ends among them where they are round."""
    rough = (end - start) / most
    power = 10.0 ** math.floor(math.log10(rough))
    sizes = (power, 2 * power, 2.5 * power, 5 * power, 10 * power)
    step = next(size for size in sizes if size >= rough * (1 - 1e-9))
    first, last = math.ceil(start / step - 1e-9), math.floor(end / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def decimals(found: list[float]) -> int:
    """Return how many decimals it takes to tell ticks apart."""
    step = found[1] - found[0] if len(found) > 1 else 1.0
    return next((n for n in range(6) if abs(round(step, n) - step) < 1e-9), 6)


def said(value: float, digits: int) -> str:
    """Write a number with a true minus sign, halves away from zero as tables do; a nought has none."""
    number = Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return f"−{abs(number)}" if number < 0 else str(abs(number))


def interval(low: float | None, high: float | None, digits: int) -> str:
    """Write an interval in brackets; nothing where there is none."""
    if low is None or high is None:
        return ""
    return f" ({said(low, digits)} to {said(high, digits)})"


# The light values of --s1 to --s8 in static/css/tokens.css; a test compares them.
COLOURS = (
    "#1283f5",
    "#d46300",
    "#5d2589",
    "#768a5a",
    "#c45c9c",
    "#176b56",
    "#263a46",
    "#653207",
)
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "triangle-down",
    "cross",
    "x",
    "star",
)
# Signs of one size differ in area; these look equally large.
SIZES = {"triangle-up": 13, "triangle-down": 13, "cross": 11, "x": 11, "star": 13}
PALETTE_SIZE = 10
# Light values of --muted, --line, --surface.
MUTED, LINE, SURFACE = "#53625f", "#dce3e1", "#ffffff"


@dataclass(frozen=True, slots=True)
class Look:
    colour: str
    symbol: str

    @property
    def size(self) -> int:
        return SIZES.get(self.symbol, PALETTE_SIZE)


@dataclass(frozen=True, slots=True)
class Palette:
    colours: tuple[str, ...] = COLOURS
    symbols: tuple[str, ...] = SYMBOLS
    muted: str = MUTED
    line: str = LINE
    surface: str = SURFACE

    def look(self, ordinal: int) -> Look:
        """Return colour and shape of the system with this ordinal, counted from 0.

        From the ninth system on the shapes move on by one for each round of colours, so that
        64 systems differ in colour or shape.
        """
        turn, place = divmod(ordinal, len(self.colours))
        return Look(self.colours[place], self.symbols[(place + turn) % len(self.symbols)])


LIGHT = Palette()


#: Light values of the inks, as in static/css/tokens.css; a test compares them.
INKS = {
    "text": "#13201e",
    "muted": MUTED,
    "line": LINE,
    "edge": "#7f8e8b",
    "surface": SURFACE,
    "sunk": "#eaefed",
    "accent": "#07606a",
    "on-accent": "#ffffff",
    **{f"s{n}": colour for n, colour in enumerate(COLOURS, start=1)},
}
SIZE = 12  # pixels of a letter
EDGE = 16  # free around a drawing in a file
FONT = "Inter, system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"


def width_of(text: str, size: float = SIZE) -> float:
    """Return about how wide a text is, in pixels; letters of East Asia are as wide as high."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return size * (wide + 0.54 * (len(text) - wide))


def shortened(text: str, room: float, size: float = SIZE) -> str:
    """Return a text that fits into so many pixels, with an ellipsis where it was cut."""
    if width_of(text, size) <= room:
        return text
    while text and width_of(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


@dataclass
class Drawing:
    """A picture of so many pixels; `label` says in words what it shows."""

    width: float
    height: float
    label: str
    parts: list[tuple[str, dict[str, object], str]] = field(default_factory=list)

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        ink: str,
        *,
        width: float = 1,
        dash: str = "",
    ) -> None:
        at = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        dashed = {"stroke-dasharray": dash} if dash else {}
        self._add("line", {**at, "stroke": ink, "stroke-width": width, **dashed})

    def rect(
        self, x: float, y: float, width: float, height: float, ink: str, *, opacity: float = 1
    ) -> None:
        at = {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0)}
        thin = {"fill-opacity": opacity} if opacity < 1 else {}
        self._add("rect", {**at, "fill": ink, **thin})

    def target(
        self, x: float, y: float, width: float, height: float, ink: str, *, href: str, hint: str
    ) -> None:
        """Put a rectangle that leads somewhere; in a file it is one that leads nowhere."""
        at = {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0)}
        self._add("rect", {**at, "fill": ink, "href": href, "hint": hint})

    def mark(self, x: float, y: float, shape: str, ink: str) -> None:
        """Put a sign (a path around 0,0) in its place, with a rim that sets it off."""
        rim = {"stroke": "surface", "stroke-width": 1.5, "paint-order": "stroke"}
        moved = f"translate({_number(x)} {_number(y)})"
        self._add("path", {"d": shape, "fill": ink, "transform": moved, **rim})

    def curve(self, points: list[tuple[float, float]], ink: str, *, width: float = 2) -> None:
        at = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polyline", {"points": at, "fill": "none", "stroke": ink, "stroke-width": width})

    def text(
        self,
        x: float,
        y: float,
        said: str,
        *,
        ink: str = "muted",
        anchor: str = "start",
        size: float = SIZE,
        strong: bool = False,
        rim: bool = False,
    ) -> None:
        """Write something; a rim sets it off from lines that run below."""
        look: dict[str, object] = {"x": x, "y": y, "fill": ink}
        if anchor != "start":
            look["text-anchor"] = anchor
        if size != SIZE:
            look["font-size"] = size
        if strong:
            look["font-weight"] = 600
        if rim:
            look |= {"stroke": "surface", "stroke-width": 6, "paint-order": "stroke"}
            look["stroke-linejoin"] = "round"
        self._add("text", look, said)

    def _add(self, name: str, attributes: dict[str, object], said: str = "") -> None:
        self.parts.append((name, attributes, said))

    def inline(self) -> str:
        """Return the drawing for a page: inks are variables of its sheet."""
        body = "".join(_part(*part, colours=None) for part in self.parts)
        leads = any("href" in attributes for _name, attributes, _said in self.parts)
        return (
            f'<svg class="drawing" width="{_number(self.width)}" '
            f'viewBox="0 0 {_number(self.width)} {_number(self.height)}" role="{"group" if leads else "img"}" '
            f'aria-label="{escape(self.label)}" font-size="{SIZE}">{body}</svg>'
        )

    def file(self) -> str:
        """Return the drawing as a file of its own: light colours on white."""
        body = "\n".join(_part(*part, colours=INKS) for part in self.parts)
        wide, high = _number(self.width + 2 * EDGE), _number(self.height + 2 * EDGE)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
            f'viewBox="{-EDGE} {-EDGE} {wide} {high}" role="img" '
            f'aria-label="{escape(self.label)}" font-family="{FONT}" font-size="{SIZE}">\n'
            f"<title>{escape(self.label)}</title>\n"
            f'<rect x="{-EDGE}" y="{-EDGE}" width="{wide}" height="{high}" '
            f'fill="{INKS["surface"]}"/>\n{body}\n</svg>\n'
        )


def _part(
    name: str, attributes: dict[str, object], said: str, *, colours: dict[str, str] | None
) -> str:
    looks = " ".join(
        f'{key}="{_value(key, value, colours)}"'
        for key, value in attributes.items()
        if key not in {"href", "hint"}
    )
    made = f"<{name} {looks}>{escape(said)}</{name}>" if said else f"<{name} {looks}/>"
    if "href" not in attributes or colours is not None:
        return made
    # Out of the order of Tab: the table beside the drawing leads to the same places.
    where, hint = (escape(str(attributes[key])) for key in ("href", "hint"))
    return f'<a href="{where}" tabindex="-1" aria-label="{hint}"><title>{hint}</title>{made}</a>'


def _value(key: str, value: object, colours: dict[str, str] | None) -> str:
    if key in {"fill", "stroke"} and value in INKS:
        return colours[str(value)] if colours else f"var(--{value})"
    return _number(value) if isinstance(value, int | float) else escape(str(value))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
