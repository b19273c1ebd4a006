"""A mean over numbered places (turns of a conversation), a line a system, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalsite import drawings
from scoring.charts import axes, svg
from scoring.charts.svg import Drawing

WIDE, NARROW = 640.0, 352.0
LEFT, TOP, HIGH, FOOT, KEY = 44.0, 8.0, 180.0, 44.0, 20.0


@dataclass(frozen=True, slots=True)
class Point:
    """A place, counted from 1, with the mean there and its interval."""

    at: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Course:
    name: str
    ordinal: int
    points: Sequence[Point]


def course(
    courses: Sequence[Course], *, label: str, axis: str, most: int = 40, narrow: bool = False
) -> Drawing:
    """Draw the courses over their places; those of one place stand side by side.

    Args:
        courses: the systems, each with at least one point.
        label: what the drawing shows, in words.
        axis: what stands below.
        most: so many places from the first one are drawn.
        narrow: for a phone.

    Raises:
        ValueError: there is nothing to draw, or a number is not finite.
    """
    points = [one for each in courses for one in each.points if one.at <= most]
    if not points:
        raise ValueError("There is nothing to draw.")
    axes.check(n for one in points for n in (one.value, one.low, one.high))
    width = NARROW if narrow else WIDE
    top = TOP + KEY * _lines(courses, width)
    made = Drawing(width, top + HIGH + FOOT, label)
    low, high = _ends(points)
    down = axes.placing(low, high, top + HIGH, top)
    last = max(one.at for one in points)
    first = min(one.at for one in points)
    across = axes.placing(first - 0.5, last + 0.5, LEFT, width)
    _grid(made, low, high, down, width)
    step = max(1, -(-(last - first + 1) // (10 if narrow else 20)))
    for at in range(first, last + 1, step):
        made.text(across(at), top + HIGH + 16, str(at), anchor="middle")
    made.text((LEFT + width) / 2, top + HIGH + 34, svg.shortened(axis, width), anchor="middle")
    _key(made, courses, width)
    slot = min(0.8, 10 * len(courses) * (last - first + 1) / (width - LEFT)) / max(len(courses), 1)
    for n, one in enumerate(courses):
        aside = (n - (len(courses) - 1) / 2) * slot
        _course(made, one, [each for each in one.points if each.at <= most], aside, across, down)
    return made


def _course(
    made: Drawing,
    one: Course,
    points: Sequence[Point],
    aside: float,
    across: axes.Place,
    down: axes.Place,
) -> None:
    ink = f"s{drawings.colour_of(one.ordinal)}"
    if len(points) > 1:
        made.curve([(across(each.at + aside), down(each.value)) for each in points], ink, width=1)
    for each in points:
        x = across(each.at + aside)
        if each.low is not None and each.high is not None:
            made.line(x, down(each.low), x, down(each.high), ink, width=2)
        made.mark(x, down(each.value), drawings.MARKS[drawings.shape_of(one.ordinal)], ink)


def _ends(points: Sequence[Point]) -> tuple[float, float]:
    found = [n for one in points for n in (one.value, one.low, one.high) if n is not None]
    low, high = min(found), max(found)
    room = 0.06 * (high - low) or max(0.5, 0.06 * abs(high))
    return low - room, high + room


def _grid(made: Drawing, low: float, high: float, down: axes.Place, width: float) -> None:
    ticks = axes.ticks(low, high, most=5)
    for value in ticks:
        made.line(LEFT, down(value), width, down(value), "line")
        words = axes.said(value, axes.decimals(ticks))
        made.text(LEFT - 6, down(value) + 4, words, anchor="end", size=11)


def _places(courses: Sequence[Course], width: float) -> list[tuple[float, int]]:
    """Return where each name of the key stands: across, and in which line."""
    found: list[tuple[float, int]] = []
    x, line = 0.0, 0
    for one in courses:
        needed = min(svg.width_of(one.name) + 40, width)
        if x and x + needed > width:
            x, line = 0.0, line + 1
        found.append((x, line))
        x += needed
    return found


def _lines(courses: Sequence[Course], width: float) -> int:
    return _places(courses, width)[-1][1] + 1


def _key(made: Drawing, courses: Sequence[Course], width: float) -> None:
    for one, (x, line) in zip(courses, _places(courses, width), strict=True):
        y = 8 + line * KEY
        ink = f"s{drawings.colour_of(one.ordinal)}"
        made.mark(x + 7, y, drawings.MARKS[drawings.shape_of(one.ordinal)], ink)
        made.text(x + 18, y + 4, svg.shortened(one.name, width - 20), ink="text")
