"""Judges beside people as drawings: whiskers on the band of people, a cloud of responses.

* Where a judge and people lie apart, to look through: filters and pages of the list.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from evalsite.templatetags.ui import score
from evalsite.web import keyset
from scoring.beside import options as judge_names
from scoring.beside.asked import ShownFigure
from scoring.beside.board import Detail, JudgeBoard, gaps
from scoring.beside.options import ToCompare
from scoring.beside.records import ApartFigure, JudgeGap, ResponseGap, ScatterPoint
from scoring.charts import plot, svg
from scoring.charts.plot import NOBODY, Axis, Dot, PeopleBand, Whisker
from scoring.figures import typed
from scoring.shown.names import Name
from scoring.shown.sheet import NothingDrawn, chunks

#: Of a line in a table.
HIGH = 30


@dataclass(frozen=True, slots=True)
class JudgeForestRow:
    """A line of a forest: a figure, and what people reach beside it.

    `ordinal` is that of a system; None for what agrees or not, which is drawn as a ring.
    """

    name: str
    figure: ShownFigure
    people: PeopleBand
    ordinal: int | None = None

    @property
    def mark(self) -> Whisker:
        found = self.figure
        ring = self.ordinal is None
        return Whisker(found.value, found.low, found.high, self.ordinal, is_ring=ring)

    def words(self, digits: int) -> str:
        found = self.figure
        if found.value is None:
            return found.why
        return svg.said(found.value, digits) + svg.interval(found.low, found.high, digits)


@dataclass(frozen=True)
class Forest:
    """Rows on one axis, as a page and as a file show them."""

    rows: Sequence[JudgeForestRow]
    on: Axis
    label: str
    digits: int = 2

    @property
    def ruler(self) -> SafeString:
        return _safe(plot.ruler(self.on))

    @cached_property
    def drawings(self) -> list[SafeString]:
        return [_safe(self._drawn(row)) for row in self.rows]

    def _drawn(self, row: JudgeForestRow) -> str:
        label = f"{row.name}: {row.words(self.digits)}"
        return plot.row(row.mark, self.on, label=label, height=HIGH, zero=0, people=row.people)

    def file(self) -> str:
        """Return the rows as a file.

        Raises:
            NothingDrawn: there is no figure.
        """
        if not any(row.figure.value is not None for row in self.rows):
            raise NothingDrawn
        lines = [plot.ChartLine(" ", self.ruler, height=18)]
        lines += [
            plot.ChartLine(row.name, drawn, row.words(self.digits), HIGH)
            for row, drawn in zip(self.rows, self.drawings, strict=True)
        ]
        return plot.file(lines, label=self.label)


def people(ceiling: ShownFigure) -> PeopleBand:
    """Return the band of what people reach among themselves."""
    return PeopleBand(ceiling.low, ceiling.high, ceiling.value)


def agreement(rows: Sequence[JudgeForestRow], label: str, *, step: float = 0.5) -> Forest:
    """Return coefficients on their axis: from nought, or from below where one of them is."""
    ends = [
        n
        for row in rows
        for n in (row.figure.value, row.figure.low, row.people.low)
        if n is not None
    ]
    lowest = min(ends, default=0.0)
    start = 0.0 if lowest >= 0 else max(-1.0, math.floor(lowest * 2) / 2)
    ticks = tuple(start + step * place for place in range(round((1 - start) / step) + 1))
    return Forest(rows, Axis(start, 1, ticks), label)


def judges(board: JudgeBoard) -> Forest:
    """Return the chosen coefficient of every judge beside what people reach."""
    band = people(board.ceiling)
    rows = [JudgeForestRow(one.name, board.agreement_of(one), band) for one in board.lines]
    return agreement(rows, _("Judges vs people"))


def parts(detail: Detail) -> Forest:
    """Return a judge's coefficient by capability, each beside what people reach there."""
    rows = [
        JudgeForestRow(
            one.capability,
            ShownFigure(one.value, one.low, one.high, one.why or ""),
            PeopleBand(one.people_low, one.people_high, one.people),
        )
        for one in detail.parts
    ]
    return agreement(rows, _("By capability"))


def biases(detail: Detail) -> Forest:
    """Return what may sway a judge, around nought."""
    rows = [
        JudgeForestRow(one.what, ShownFigure(one.value, one.low, one.high, one.why or ""), NOBODY)
        for one in detail.bias
    ]
    ends = [n for one in detail.bias for n in (one.value, one.low, one.high)]
    most = max((abs(n) for n in ends if n is not None), default=0.1)
    end = math.ceil(10 * most) / 10 or 0.1
    return Forest(rows, Axis(-end, end, (-end, 0, end)), _("Biases"))


def ceiling(detail: Detail) -> SafeString:
    """Draw a judge with people beside people with each other."""
    own, top = detail.with_people, detail.ceiling
    row = JudgeForestRow(_("Judge"), own, people(top))
    on = agreement([row], "", step=0.25).on
    words = (
        _("judge %(n)s") % {"n": score(own.value, 2)},
        _("people %(n)s") % {"n": score(top.value, 2)},
    )
    return _safe(plot.beside(row.mark, row.people, on, label=", ".join(words), words=words))


def cloud(detail: Detail, address: str = "") -> str:
    """Draw a sample of responses: people's mean across, the judge upwards.

    Args:
        detail: of which judge and criterion.
        address: where a mark leads, without its response; in a file they lead nowhere.

    Raises:
        NothingDrawn: both sides marked no response.
    """
    found, points = detail.data.scatter, detail.data.scatter.points
    if not points:
        raise NothingDrawn
    ends = (found.same_scale and detail.data.scale) or ()
    x = _axis([*(one.human for one in points), *ends])
    y = x if ends else _axis([one.judge for one in points])
    dots = [_dot(detail, one, address) for one in points]
    label = _("Judge over people, %(n)d responses") % {"n": len(dots)}
    band = found.band if ends else None
    return plot.scatter(dots, x, y, label=label, band=band)


def shown(detail: Detail, address: str) -> SafeString:
    """Return the cloud for a page; nothing where both sides marked no response."""
    return _safe(cloud(detail, address) if detail.data.scatter.points else "")


def cloud_file(detail: Detail) -> str:
    """Return the cloud as a file."""
    drawn = cloud(detail)
    high = plot.HEAD + plot.HIGH + plot.FOOT
    words = _("Across: people. Up: judge.")
    lines = [plot.ChartLine("", drawn, height=high), plot.ChartLine("", "", words, 18)]
    return plot.file(lines, label=words)


def _dot(detail: Detail, point: ScatterPoint, address: str) -> Dot:
    name = detail.names.get(point.release)
    said = _("%(system)s: people %(human)s, judge %(judge)s") % {
        "system": detail.system(point.release),
        "human": score(point.human, 2),
        "judge": score(point.judge, 2),
    }
    href = f"{address}response={point.response}" if address else ""
    return Dot(point.human, point.judge, name.mark if name else None, said, href)


def _axis(values: Sequence[float]) -> Axis:
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 0.5
    low, high = low - room, high + room
    return Axis(low, high, tuple(svg.ticks(low, high, most=6)))


def _safe(drawn: str) -> SafeString:
    return mark_safe(drawn)  # noqa: S308 - texts in it are escaped


@dataclass(frozen=True)
class ResponsesPage:
    """Some of the responses; `after` is the key of the page that follows."""

    rows: list[JudgeGap]
    after: str | None
    first: bool


class Gaps:
    """The responses that fit the filters, those farthest apart first."""

    def __init__(self, data: object, options: ToCompare) -> None:
        self.data, self.options = typed.read_figure(ApartFigure, data), options

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data.criterion, self.data.criterion)

    @cached_property
    def names(self) -> Mapping[int, Name]:
        return judge_names.names(self.options)

    @cached_property
    def systems(self) -> list[tuple[str, str]]:
        """Return the systems to choose from: their place among the names, and what they are called."""
        return systems(self.names)

    @cached_property
    def fitting(self) -> list[ResponseGap]:
        filters = self.options.filters
        wanted = self._release(filters.get("system", ""))
        least = float(filters.get("least") or 0)
        way = {"kinder": 1, "harsher": -1}.get(filters.get("direction", ""))
        alone = filters.get("response", "")
        return [
            row
            for row in self.data.rows
            if alone in {"", str(row.response)}
            and abs(row.gap) >= least
            and (wanted is None or row.release == wanted)
            and (way is None or way * row.gap > 0)
        ]

    def _release(self, place: str) -> int | None:
        """Return the system at a place; none for every system, and 0, which nobody is, for no such."""
        if not place:
            return None
        keys = list(self.names)
        known = place.isdecimal() and len(place) < 6 and 1 <= int(place) <= len(keys)
        return keys[int(place) - 1] if known else 0

    def page(self, size: int = keyset.SIZE) -> ResponsesPage:
        """Return the page that follows the key in the address."""
        after = keyset.read_key(self.options.filters.get("after", ""), 2)
        rows = self.fitting
        if after is not None:
            bound = _number(after[0]), after[1] if isinstance(after[1], int) else 0
            rows = [row for row in rows if _beyond(row, bound)]
        shown = rows[:size]
        more = len(rows) > size
        last = shown[-1] if shown else None
        key = keyset.write([repr(abs(last.gap)), last.response]) if more and last else None
        return ResponsesPage(self.lines(shown), key, first=after is None)

    def lines(self, rows: Sequence[ResponseGap]) -> list[JudgeGap]:
        return gaps(rows, self.names)

    @property
    def all_lines(self) -> Iterator[JudgeGap]:
        """Yield every response that fits the filters."""
        for rows in chunks(self.fitting, 2_000):
            yield from self.lines(rows)


def systems(names: Mapping[int, Name]) -> list[tuple[str, str]]:
    """Return the systems to choose from: their place among the names, and what they are called."""
    return [(str(n), name.text) for n, name in enumerate(names.values(), start=1)]


def _beyond(row: ResponseGap, bound: tuple[float, int]) -> bool:
    """Return whether a row comes after a key: a smaller gap, or the same and a later response."""
    size = abs(row.gap)
    return size < bound[0] or (size == bound[0] and row.response > bound[1])


def _number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return float("inf")
