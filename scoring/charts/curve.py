"""Widths of intervals against the number of questions, a line a system, with what would be enough."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evalsite import drawings
from scoring.charts import axes, svg
from scoring.charts.axes import Place
from scoring.charts.svg import Drawing

HEIGHT, TOP, LEFT, FOOT = 300, 12, 44, 48


@dataclass(frozen=True, slots=True)
class Course:
    """A system's widths, in points, by number of questions; `now` is where it stands today."""

    name: str
    ordinal: int
    points: tuple[tuple[int, float], ...]
    now: int


def curve(
    courses: Sequence[Course],
    *,
    label: str,
    enough: float,
    words: tuple[str, str, str],
    narrow: bool = False,
) -> Drawing:
    """Draw the courses on an axis of questions that doubles at equal steps.

    Args:
        courses: of the systems.
        label: what the drawing says in words.
        enough: the width that is asked for, in points.
        words: the titles of the axes and of the line of `enough`.
        narrow: for a phone.

    Raises:
        ValueError: there is nothing to draw, or a number is not finite.
    """
    found = [point for one in courses for point in one.points]
    if not found:
        raise ValueError("There is no width to draw.")
    axes.check(width for _n, width in found)
    frame = axes.layout(narrow=narrow)
    right = frame.width - (8 if narrow else 150)
    bottom = HEIGHT - FOOT
    numbers = sorted({n for n, _width in found})
    top_of_all = max(max(width for _n, width in found), enough) * 1.05
    x = _doubling(numbers[0], numbers[-1], LEFT, right)
    y = axes.placing(0, top_of_all, bottom, TOP)
    made = Drawing(frame.width, HEIGHT + (20 * len(courses) if narrow else 0), label)
    _grid(made, numbers, top_of_all, x, y, (LEFT, right, TOP, bottom))
    made.text((LEFT + right) / 2, bottom + 36, words[0], anchor="middle")
    made.line(LEFT, y(enough), right, y(enough), "text", dash="6 4")
    made.text(0, TOP - 2, words[1], size=10)
    for place, one in enumerate(courses):
        _course(made, one, x, y)
        at = (LEFT, HEIGHT + 12 + 20 * place) if narrow else (right + 20, TOP + 16 + 20 * place)
        ink = f"s{drawings.colour_of(one.ordinal)}"
        made.mark(at[0], at[1] - 4, drawings.MARKS[drawings.shape_of(one.ordinal)], ink)
        made.text(at[0] + 14, at[1], svg.shortened(one.name, frame.width - at[0] - 16), ink="text")
    made.text(LEFT + 6, y(enough) - 6, words[2], size=10, rim=True)
    return made


def _doubling(first: int, last: int, left: float, right: float) -> Place:
    low, high = math.log2(max(first, 1)), math.log2(max(last, first + 1))
    straight = axes.placing(low, high, left, right)
    return lambda n: straight(math.log2(n))


def _grid(
    made: Drawing,
    numbers: Sequence[int],
    most: float,
    x: Place,
    y: Place,
    box: tuple[float, float, float, float],
) -> None:
    left, right, top, bottom = box
    heights = axes.ticks(0, most, most=5)
    for value in heights:
        made.line(left, y(value), right, y(value), "line")
        words = axes.said(value, axes.decimals(heights))
        made.text(left - 8, y(value) + 4, words, anchor="end")
    free = left - 40.0
    for n in numbers:
        if x(n) - free >= 40:
            made.line(x(n), top, x(n), bottom, "line")
            made.text(x(n), bottom + 16, str(n), anchor="middle")
            free = x(n)


def _course(made: Drawing, one: Course, x: Place, y: Place) -> None:
    ink = f"s{drawings.colour_of(one.ordinal)}"
    made.curve([(x(n), y(width)) for n, width in one.points], ink)
    for n, width in one.points:
        if n == one.now:
            shape = drawings.MARKS[drawings.shape_of(one.ordinal)]
            made.mark(x(n), y(width), shape, ink)
