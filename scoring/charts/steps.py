"""A change as the steps that made it, one below the other: before, a step a cause, after."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.charts import axes
from scoring.charts.forest import Axis, draw_axis, draw_names
from scoring.charts.svg import Drawing

FOOT, THICK = 44, 14
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
    axes.check(n for step in causes for n in (step.value, step.low, step.high))
    axes.check((before[1], after[1]))
    if abs(before[1] + sum(step.value for step in causes) - after[1]) > 1e-7:
        raise ValueError("The steps do not add up to the change.")
    frame = axes.layout(narrow=narrow)
    heights = _heights(before[1], causes)
    start, end = _ends(heights, causes)
    place = axes.placing(start, end, frame.left, frame.right)
    bottom = 8 + frame.row * (len(causes) + 2)
    made = Drawing(frame.width, bottom + FOOT, label)
    draw_axis(made, frame, Axis(start, end, axis), place, 8, bottom)
    made.line(place(before[1]), 8, place(before[1]), bottom, "edge", dash="4 4")
    middles = [_end(made, frame, 8, before, place)]
    for n, step in enumerate(causes):
        y = 8 + frame.row * (n + 1)
        words = _signed(step.value) + axes.interval(step.low, step.high, 1)
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
    made: Drawing, frame: axes.Layout, y: float, end: tuple[str, float], place: axes.Place
) -> float:
    middle = draw_names(made, frame, y, end[0], axes.said(end[1], 1))
    made.mark(place(end[1]), middle, "M-3-8h6v16h-6z", "text")
    return middle


def _heights(before: float, causes: Sequence[Step]) -> list[float]:
    heights = [before]
    for step in causes:
        heights.append(heights[-1] + step.value)
    return heights


def _ends(heights: Sequence[float], causes: Sequence[Step]) -> tuple[float, float]:
    low, high = min(heights), max(heights)
    room = max(1.0, (high - low) * ROOM) if causes else 1.0
    return low - room, high + room


def _signed(value: float) -> str:
    words = axes.said(value, 1)
    return f"+{words}" if value > 0 and float(words) else words
