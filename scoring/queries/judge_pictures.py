"""Judges beside people as drawings: a forest of coefficients, a cloud of responses."""

import math
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from scoring.charts import forest, scatter
from scoring.charts.forest import Axis, Band, Line, Row
from scoring.charts.scatter import Axes, Dot
from scoring.charts.svg import Drawing
from scoring.queries.judge_board import Board, Detail
from scoring.queries.judge_cells import Figure
from scoring.queries.pictures import NothingToDraw


def judges(board: Board, narrow: bool) -> Drawing:
    """Draw the chosen coefficient of every judge; the band is what people reach among themselves."""
    rows = [_row(line.name, line.figures.get(board.coefficient)) for line in board.lines]
    return with_people(rows, board.ceiling, board.sign, _("Judges beside people"), narrow=narrow)


def parts(detail: Detail, narrow: bool) -> Drawing:
    """Draw a judge's coefficient by capability."""
    rows = [
        Row(
            detail.capability(one["capability"]),
            one["value"],
            one["low"],
            one["high"],
            note=one["why"] if one["value"] is None else str(one["words"]),
        )
        for one in detail.parts
    ]
    return with_people(rows, detail.ceiling, detail.sign, _("By capability"), narrow=narrow)


def cloud(detail: Detail, narrow: bool) -> Drawing:
    """Draw a sample of responses: people's mean across, the judge upwards."""
    found = detail.data["scatter"]
    dots = [Dot(one["human"], one["judge"], _mark(detail, one)) for one in found["points"]]
    if not dots:
        raise NothingToDraw
    x, y = _ends([one.x for one in dots]), _ends([one.y for one in dots])
    scale = detail.data["scale"]
    if scale:
        x = _wider(tuple(scale))
    if found["same_scale"] and scale:
        y = x
    ends = Axes(x, y, _("mean grade of people"), _("the judge, upwards"))
    label = _("%(n)d responses: the judge’s score over the mean grade of people") % {"n": len(dots)}
    band = found["band"] if found["same_scale"] else None
    return scatter.scatter(dots, ends, label=label, band=band, narrow=narrow)


def _mark(detail: Detail, point: Any) -> int:
    found = detail.names.get(point["release"])
    return found.mark if found else 0


def with_people(
    rows: Sequence[Row], ceiling: Figure, sign: str, label: str, *, narrow: bool
) -> Drawing:
    """Draw coefficients with people; the band is what people reach among themselves."""
    if not any(row.value is not None for row in rows):
        raise NothingToDraw
    lowest = min(n for row in rows for n in (row.value, row.low) if n is not None)
    start = 0.0 if lowest >= 0 else max(-1.0, math.floor(lowest * 5) / 5)
    bands = []
    if ceiling.low is not None and ceiling.high is not None and ceiling.high > ceiling.low:
        bands = [Band(max(ceiling.low, start), ceiling.high, _("people"))]
    return forest.forest(
        rows,
        Axis(start, 1, _("%(sign)s with people, 95 %% intervals") % {"sign": sign}, 2),
        label=label,
        bands=bands,
        lines=[Line(0, _("chance"))],
        narrow=narrow,
    )


def _row(name: str, found: Figure | None) -> Row:
    if found is None or found.value is None:
        return Row(name, None, note=found.why if found else "")
    return Row(name, found.value, found.low, found.high)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return _wider((min(values), max(values)))


def _wider(ends: tuple[float, ...]) -> tuple[float, float]:
    low, high = ends[0], ends[-1]
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room
