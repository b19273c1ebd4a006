"""Scores as dots with whiskers, one small panel for each capability."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plotly import graph_objects as go
from plotly.subplots import make_subplots

from scoring.charts import svg

PANELS_A_ROW = 3
#: Room for the name of a panel; more would stand over that of the next one.
TITLE_PX = 220
ROW_PX, PANEL_PX = 26, 70
# What the browser is told beside the figure: no bar, no logo, nothing that uploads.
CONFIG: Mapping[str, Any] = {
    "displayModeBar": False,
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "responsive": True,
}


@dataclass(frozen=True, slots=True)
class Dot:
    """One system in one panel: shares between 0 and 1; None where a figure is undefined.

    `note` is shown under the pointer as it stands (n, or why there is no interval).
    """

    panel: str
    system: str
    ordinal: int
    value: float | None
    low: float | None
    high: float | None
    note: str = ""
    overall: bool = False


def scores_figure(
    dots: Sequence[Dot], *, axis: str = "Score (%)", look: svg.Palette = svg.LIGHT
) -> go.Figure:
    """Draw the dots; overall panels first, then the panel whose systems lie widest apart.

    Raises:
        ValueError: there is nothing to draw, or a number is not finite.
    """
    _check(dots)
    panels = _ordered_panels(dots)
    systems = {dot.ordinal: dot.system for dot in sorted(dots, key=lambda dot: dot.ordinal)}
    height = {ordinal: row for row, ordinal in enumerate(systems)}
    columns = min(PANELS_A_ROW, len(panels))
    rows = math.ceil(len(panels) / columns)
    tall = PANEL_PX + ROW_PX * len(systems)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes=True,
        subplot_titles=[html.escape(svg.shortened(panel, TITLE_PX)) for panel in panels],
        horizontal_spacing=0.04,
        vertical_spacing=min(0.75 * PANEL_PX / tall, 1) / rows,
    )
    placed = [(place, dot) for place, mine in enumerate(panels.values()) for dot in mine]
    figure.add_traces(
        [_trace(dot, height[dot.ordinal], look) for _, dot in placed],
        rows=[place // columns + 1 for place, _ in placed],
        cols=[place % columns + 1 for place, _ in placed],
    )
    _style(figure, look, height=rows * tall)
    title = {"text": html.escape(axis), "standoff": 8, "font": {"size": 12}}
    figure.update_xaxes(title=title, row=rows)
    names = [html.escape(name) for name in systems.values()]
    figure.update_yaxes(tickvals=list(height.values()), ticktext=names)
    return figure


def _check(dots: Sequence[Dot]) -> None:
    if not dots:
        raise ValueError("There are no scores to draw.")
    numbers = (number for dot in dots for number in (dot.value, dot.low, dot.high))
    if not all(number is None or math.isfinite(number) for number in numbers):
        raise ValueError("A score or a bound of its interval is not a finite number.")


def _ordered_panels(dots: Sequence[Dot]) -> dict[str, list[Dot]]:
    panels: dict[str, list[Dot]] = {}
    for dot in dots:
        panels.setdefault(dot.panel, []).append(dot)

    def place(panel: str) -> tuple[bool, float]:
        values = [dot.value for dot in panels[panel] if dot.value is not None]
        spread = max(values) - min(values) if values else -1.0
        return not any(dot.overall for dot in panels[panel]), -spread

    return {panel: panels[panel] for panel in sorted(panels, key=place)}


def _trace(dot: Dot, height: int, look: svg.Palette) -> go.Scatter:
    marker = look.look(dot.ordinal)
    has_interval = None not in (dot.value, dot.low, dot.high)
    value, low, high = (None if x is None else 100 * x for x in (dot.value, dot.low, dot.high))
    whisker = (
        {"array": [high - value], "arrayminus": [value - low]}  # type: ignore[operator]
        if has_interval
        else {"array": [0], "arrayminus": [0], "visible": False}
    )
    reach = svg.interval(low, high, 1) if has_interval else ""
    return go.Scatter(
        x=[value],
        y=[height],
        mode="markers",
        name=html.escape(dot.system),
        legendgroup=str(dot.ordinal),
        showlegend=False,
        marker={
            "color": marker.colour,
            "symbol": marker.symbol,
            "size": marker.size,
            "line": {"color": look.surface, "width": 1.5},
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "thickness": 2,
            "width": 0,
            "color": marker.colour,
            **whisker,
        },
        customdata=[[reach, html.escape(dot.note)]],
        hovertemplate="%{fullData.name}<br>%{x:.1f}%{customdata[0]}<br>%{customdata[1]}"
        "<extra></extra>",
    )


def _style(figure: go.Figure, look: svg.Palette, *, height: int) -> None:
    clear = "rgba(0,0,0,0)"
    figure.update_layout(
        template="none",
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        font={"size": 12, "color": look.muted},
        margin={"l": 8, "r": 16, "t": 32, "b": 40},
        height=height + PANEL_PX,
        showlegend=False,
        hovermode="closest",
        modebar={"remove": ["logo"]},
    )
    figure.update_annotations(font={"size": 12, "color": look.muted})
    figure.update_xaxes(range=[-2, 102], gridcolor=look.line, zeroline=False, fixedrange=True)
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
        ticklabelstandoff=8,  # a sign at nought keeps clear of the name
    )
