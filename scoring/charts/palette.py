"""Colour and shape of a system: fixed by its ordinal, the same on every page and plot."""

from dataclasses import dataclass

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
SIZE = 10
# Light values of --muted, --line, --surface.
MUTED, LINE, SURFACE = "#53625f", "#dce3e1", "#ffffff"


@dataclass(frozen=True, slots=True)
class Look:
    colour: str
    symbol: str

    @property
    def size(self) -> int:
        return SIZES.get(self.symbol, SIZE)


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
