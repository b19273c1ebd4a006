"""A change as the steps that made it: before, one step a cause, after."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plotly import graph_objects as go

from scoring.charts import palette


@dataclass(frozen=True, slots=True)
class Step:
    """One cause: by how much it moved the score, as a share; its interval, if there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def waterfall(
    before: float,
    steps: Sequence[Step],
    after: float,
    *,
    ends: tuple[str, str],
    look: palette.Palette = palette.LIGHT,
) -> go.Figure:
    """Draw the steps from `before` to `after`, in points of percent.

    Raises:
        ValueError: the steps do not add up to the change, or a number is not finite.
    """
    numbers = [before, after, *(step.value for step in steps)]
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("A step is not a finite number.")
    if abs(before + sum(step.value for step in steps) - after) > 1e-9:
        raise ValueError("The steps do not add up to the change.")
    values = [100 * before, *(100 * step.value for step in steps), 100 * after]
    bar = go.Bar(
        x=[ends[0], *(step.name for step in steps), ends[1]],
        y=values,
        base=[0.0, *_heights(before, steps)[:-1], 0.0],
        text=[_said(value, signed=0 < i <= len(steps)) for i, value in enumerate(values)],
        textposition="outside",
        cliponaxis=False,
        width=0.6,
        marker={"color": [look.muted, *(_colour(step, look) for step in steps), look.muted]},
        hovertemplate="%{x}<br>%{text}<extra></extra>",
    )
    figure = go.Figure(bar)
    heights = _heights(before, steps)
    low, high = min(heights), max(heights)
    room = max(1.0, (high - low) * 0.25)
    clear = "rgba(0,0,0,0)"
    figure.update_layout(
        template="none",
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        font={"size": 12, "color": look.muted},
        margin={"l": 48, "r": 16, "t": 16, "b": 48},
        height=300,
        showlegend=False,
        hovermode="closest",
    )
    figure.update_yaxes(
        range=[max(0.0, low - room), high + room],
        gridcolor=look.line,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_xaxes(fixedrange=True, automargin=True)
    return figure


def _colour(step: Step, look: palette.Palette) -> str:
    return look.colours[0] if step.value >= 0 else look.colours[1]


def _heights(before: float, steps: Sequence[Step]) -> list[float]:
    heights = [100 * before]
    for step in steps:
        heights.append(heights[-1] + 100 * step.value)
    return heights


def _said(value: float, *, signed: bool) -> str:
    return (f"{value:+.1f}" if signed else f"{value:.1f}").replace("-", "−")
