"""Axes of charts: round places to name, numbers as they are written, and how wide texts are.

* Colour and shape of a system: fixed by its ordinal, the same on every page and plot.
"""

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal


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
class MarkLook:
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

    def look(self, ordinal: int) -> MarkLook:
        """Return colour and shape of the system with this ordinal, counted from 0.

        From the ninth system on the shapes move on by one for each round of colours, so that
        64 systems differ in colour or shape.
        """
        turn, place = divmod(ordinal, len(self.colours))
        return MarkLook(self.colours[place], self.symbols[(place + turn) % len(self.symbols)])


LIGHT = Palette()


#: Light values of the inks, as in static/css/tokens.css; a test compares them.
INKS = {
    "text": "#13201e",
    "muted": MUTED,
    "line": LINE,
    "edge": "#7f8e8b",
    "surface": SURFACE,
    "sunk": "#eaefed",
    "people": "#dde5e3",
    "accent": "#07606a",
    "on-accent": "#ffffff",
    "bad": "#a8271d",
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
