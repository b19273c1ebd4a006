"""One value over another, a dot a response or a system: judge over people, score over accuracy."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalsite.text import drawings
from scoring.charts import svg as axes
from scoring.charts.svg import Drawing

WIDE, NARROW = 560.0, 352.0
LEFT, FOOT, TOP = 36, 44, 8


@dataclass(frozen=True, slots=True)
class Dot:
    """`x` is the people's mean, `y` the judge's value, or other such; `ordinal` the one of the system.

    With a `name` it stands beside the dot.
    """

    x: float
    y: float
    ordinal: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Axes:
    """Ends of both axes and what they are called."""

    x: tuple[float, float]
    y: tuple[float, float]
    x_title: str
    y_title: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a straight line between two points, within both axes."""

    x: float
    y: float
    to_x: float
    to_y: float
    dash: str = ""


def scatter(
    dots: Sequence[Dot],
    ends: Axes,
    *,
    label: str,
    band: float | None = None,
    segments: Sequence[Segment] = (),
    narrow: bool = False,
) -> Drawing:
    """Draw the dots; both axes have one scale exactly when a line of identity is drawn.

    Args:
        dots: the responses.
        ends: of the axes.
        label: what the drawing shows, in words.
        band: how far two people lie apart; None where the axes are of different scales.
        segments: lines under the dots.
        narrow: for a phone.

    Raises:
        ValueError: an axis has no width, or a number is not finite.
    """
    axes.check(n for dot in dots for n in (dot.x, dot.y))
    width = NARROW if narrow else WIDE
    high = width * 0.72
    right, bottom = width - 8, TOP + high
    across = axes.placing(*ends.x, LEFT, right)
    down = axes.placing(*ends.y, bottom, TOP)
    made = Drawing(width, bottom + FOOT, label)
    if band is not None:
        _band(made, ends, across, down, band)
    for value in axes.ticks(*ends.x, most=6):
        made.line(across(value), TOP, across(value), bottom, "line")
        words = axes.said(value, axes.decimals(axes.ticks(*ends.x, most=6)))
        made.text(across(value), bottom + 16, words, anchor="middle")
    for value in axes.ticks(*ends.y, most=6):
        made.line(LEFT, down(value), right, down(value), "line")
        words = axes.said(value, axes.decimals(axes.ticks(*ends.y, most=6)))
        made.text(LEFT - 6, down(value) + 4, words, anchor="end")
    if band is not None:
        low, top = max(ends.x[0], ends.y[0]), min(ends.x[1], ends.y[1])
        made.line(across(low), down(low), across(top), down(top), "edge", dash="4 4")
    for one in segments:
        ends_at = (across(one.x), down(one.y), across(one.to_x), down(one.to_y))
        made.line(*ends_at, "edge", dash=one.dash)
    for dot in dots:
        _name(made, dot.name, across(dot.x), down(dot.y), (LEFT + right) / 2, bottom)
    for dot in dots:
        shape = drawings.MARKS[drawings.shape_of(dot.ordinal)]
        made.mark(across(dot.x), down(dot.y), shape, f"s{drawings.colour_of(dot.ordinal)}")
    made.text((LEFT + right) / 2, bottom + 36, ends.x_title, anchor="middle")
    made.text(LEFT + 6, TOP + 12, ends.y_title, ink="text", size=11, rim=True)
    return made


def _name(made: Drawing, name: str, x: float, y: float, middle: float, bottom: float) -> None:
    """Write a name beside its dot, towards the middle and above the numbers of the axis."""
    side, anchor = (-10, "end") if x > middle else (10, "start")
    if name:
        made.text(x + side, min(y + 4, bottom - 4), name, anchor=anchor, rim=True)


def _band(made: Drawing, ends: Axes, across: axes.Place, down: axes.Place, band: float) -> None:
    """Shade where the judge is no farther from people than two of them from each other."""
    n = 48
    step = (ends.x[1] - ends.x[0]) / n
    for at in range(n):
        x = ends.x[0] + (at + 0.5) * step
        low, high = max(x - band, ends.y[0]), min(x + band, ends.y[1])
        if high > low:
            left = across(x - step / 2)
            wide = across(x + step / 2) - left
            made.rect(left, down(high), wide + 0.5, down(low) - down(high), "sunk")
