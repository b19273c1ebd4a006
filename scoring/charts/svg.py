"""Drawings as SVG, made on the server by hand: for reports, files and pages without scripts.

A drawing knows inks by name. Inside a page an ink is a variable of the sheet, so that a drawing
wears the theme; in a file it is the light colour, on white. Nothing here needs a library, so the
web process may draw.
"""

import unicodedata
from dataclasses import dataclass, field
from html import escape

from scoring.charts import palette

#: Light values of the inks, as in static/css/tokens.css; a test compares them.
INKS = {
    "text": "#13201e",
    "muted": palette.MUTED,
    "line": palette.LINE,
    "edge": "#7f8e8b",
    "surface": palette.SURFACE,
    "sunk": "#eaefed",
    "accent": "#07606a",
    "on-accent": "#ffffff",
    **{f"s{n}": colour for n, colour in enumerate(palette.COLOURS, start=1)},
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
