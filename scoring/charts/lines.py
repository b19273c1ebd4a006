"""A mean over numbered places (turns of a conversation), a line a system, with intervals.

* Widths of intervals against the number of questions, a line a system, with what would be enough.
* A change as the steps that made it, one below the other: before, a step a cause, after.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evalsite.text import drawings
from scoring.charts import svg
from scoring.charts.forest import Axis, draw_axis, draw_names
from scoring.charts.svg import Drawing, Place

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
    svg.check(n for one in points for n in (one.value, one.low, one.high))
    width = NARROW if narrow else WIDE
    top = TOP + KEY * _lines(courses, width)
    made = Drawing(width, top + HIGH + FOOT, label)
    low, high = _ends(points)
    down = svg.placing(low, high, top + HIGH, top)
    last = max(one.at for one in points)
    first = min(one.at for one in points)
    across = svg.placing(first - 0.5, last + 0.5, LEFT, width)
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
    across: svg.Place,
    down: svg.Place,
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


def _grid(made: Drawing, low: float, high: float, down: svg.Place, width: float) -> None:
    ticks = svg.ticks(low, high, most=5)
    for value in ticks:
        made.line(LEFT, down(value), width, down(value), "line")
        words = svg.said(value, svg.decimals(ticks))
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


HEIGHT, CURVE_TOP, CURVE_LEFT, CURVE_FOOT = 300, 12, 44, 48


@dataclass(frozen=True, slots=True)
class CurveCourse:
    """A system's widths, in points, by number of questions; `now` is where it stands today."""

    name: str
    ordinal: int
    points: tuple[tuple[int, float], ...]
    now: int


def curve(
    courses: Sequence[CurveCourse],
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
    svg.check(width for _n, width in found)
    frame = svg.layout(narrow=narrow)
    right = frame.width - (8 if narrow else 150)
    bottom = HEIGHT - CURVE_FOOT
    numbers = sorted({n for n, _width in found})
    top_of_all = max(max(width for _n, width in found), enough) * 1.05
    x = _doubling(numbers[0], numbers[-1], CURVE_LEFT, right)
    y = svg.placing(0, top_of_all, bottom, CURVE_TOP)
    made = Drawing(frame.width, HEIGHT + (20 * len(courses) if narrow else 0), label)
    _curve_grid(made, numbers, top_of_all, x, y, (CURVE_LEFT, right, CURVE_TOP, bottom))
    made.text((CURVE_LEFT + right) / 2, bottom + 36, words[0], anchor="middle")
    made.line(CURVE_LEFT, y(enough), right, y(enough), "text", dash="6 4")
    made.text(0, CURVE_TOP - 2, words[1], size=10)
    for place, one in enumerate(courses):
        _curve_course(made, one, x, y)
        at = (
            (CURVE_LEFT, HEIGHT + 12 + 20 * place)
            if narrow
            else (right + 20, CURVE_TOP + 16 + 20 * place)
        )
        ink = f"s{drawings.colour_of(one.ordinal)}"
        made.mark(at[0], at[1] - 4, drawings.MARKS[drawings.shape_of(one.ordinal)], ink)
        made.text(at[0] + 14, at[1], svg.shortened(one.name, frame.width - at[0] - 16), ink="text")
    made.text(CURVE_LEFT + 6, y(enough) - 6, words[2], size=10, rim=True)
    return made


def _doubling(first: int, last: int, left: float, right: float) -> Place:
    low, high = math.log2(max(first, 1)), math.log2(max(last, first + 1))
    straight = svg.placing(low, high, left, right)
    return lambda n: straight(math.log2(n))


def _curve_grid(
    made: Drawing,
    numbers: Sequence[int],
    most: float,
    x: Place,
    y: Place,
    box: tuple[float, float, float, float],
) -> None:
    left, right, top, bottom = box
    heights = svg.ticks(0, most, most=5)
    for value in heights:
        made.line(left, y(value), right, y(value), "line")
        words = svg.said(value, svg.decimals(heights))
        made.text(left - 8, y(value) + 4, words, anchor="end")
    free = left - 40.0
    for n in numbers:
        if x(n) - free >= 40:
            made.line(x(n), top, x(n), bottom, "line")
            made.text(x(n), bottom + 16, str(n), anchor="middle")
            free = x(n)


def _curve_course(made: Drawing, one: CurveCourse, x: Place, y: Place) -> None:
    ink = f"s{drawings.colour_of(one.ordinal)}"
    made.curve([(x(n), y(width)) for n, width in one.points], ink)
    for n, width in one.points:
        if n == one.now:
            shape = drawings.MARKS[drawings.shape_of(one.ordinal)]
            made.mark(x(n), y(width), shape, ink)


STEPS_FOOT, THICK = 44, 14
#: As much of the axis is left free on either side, and at least one point.
ROOM = 0.15


@dataclass(frozen=True, slots=True)
class Step:
    """One cause: by how many points it moved the score, and the interval of that."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def steps(
    before: tuple[str, float],
    causes: Sequence[Step],
    after: tuple[str, float],
    *,
    label: str,
    axis: str,
    narrow: bool = False,
) -> Drawing:
    """Draw the steps between two scores, in points of percent.

    The axis does not begin at 0, so the scores are marks and only the steps are bars: their length
    is the change. A line runs from each step to the next, and one marks where the score began.

    Raises:
        ValueError: the steps do not add up to the change, or a number is not finite.
    """
    svg.check(n for step in causes for n in (step.value, step.low, step.high))
    svg.check((before[1], after[1]))
    if abs(before[1] + sum(step.value for step in causes) - after[1]) > 1e-7:
        raise ValueError("The steps do not add up to the change.")
    frame = svg.layout(narrow=narrow)
    heights = _heights(before[1], causes)
    start, end = _steps_ends(heights, causes)
    place = svg.placing(start, end, frame.left, frame.right)
    bottom = 8 + frame.row * (len(causes) + 2)
    made = Drawing(frame.width, bottom + STEPS_FOOT, label)
    draw_axis(made, frame, Axis(start, end, axis), place, 8, bottom)
    made.line(place(before[1]), 8, place(before[1]), bottom, "edge", dash="4 4")
    middles = [_end(made, frame, 8, before, place)]
    for n, step in enumerate(causes):
        y = 8 + frame.row * (n + 1)
        words = _signed(step.value) + svg.interval(step.low, step.high, 1)
        middle = draw_names(made, frame, y, step.name, words)
        low, high = sorted((place(heights[n]), place(heights[n + 1])))
        ink = "s1" if step.value >= 0 else "s2"
        made.rect(low, middle - THICK / 2, max(high - low, 1.5), THICK, ink)
        middles.append(middle)
    middles.append(_end(made, frame, bottom - frame.row, after, place))
    for n, height in enumerate(heights if not narrow else ()):  # there they would cross the names
        made.line(place(height), middles[n], place(height), middles[n + 1], "edge")
    return made


def _end(
    made: Drawing, frame: svg.Layout, y: float, end: tuple[str, float], place: svg.Place
) -> float:
    middle = draw_names(made, frame, y, end[0], svg.said(end[1], 1))
    made.mark(place(end[1]), middle, "M-3-8h6v16h-6z", "text")
    return middle


def _heights(before: float, causes: Sequence[Step]) -> list[float]:
    heights = [before]
    for step in causes:
        heights.append(heights[-1] + step.value)
    return heights


def _steps_ends(heights: Sequence[float], causes: Sequence[Step]) -> tuple[float, float]:
    low, high = min(heights), max(heights)
    room = max(1.0, (high - low) * ROOM) if causes else 1.0
    return low - room, high + room


def _signed(value: float) -> str:
    words = svg.said(value, 1)
    return f"+{words}" if value > 0 and float(words) else words
