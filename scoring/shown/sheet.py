"""The grades of a round as text that streams: long as CSV or JSON lines, wide as CSV.

CSV is for spreadsheets: a text that one of them would take for a formula gets an apostrophe in
front. JSON lines hold every text and number exactly as stored.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.safestring import SafeString, mark_safe

from scoring.charts.chart import Chart

LINES = 500  # sent at once

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def number(value: Decimal | None) -> str:
    """Return a stored number in its shortest exact form: 2, 2.5; nothing for none."""
    if value is None:
        return ""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as lines of CSV; texts must have been made safe."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def chunks(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield things in lists of so many, the last one as long as what is left."""
    held: list[Any] = []
    for thing in things:
        held.append(thing)
        if len(held) == size:
            yield held
            held = []
    if held:
        yield held


@dataclass(frozen=True)
class Sheet:
    """`columns` are names for programs; `rows` is read once, so that a long table may stream."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[object, ...]]
    convention: str

    def lines(self) -> Iterator[str]:
        """Yield the table as CSV; its last column is the convention."""
        yield as_csv([(*self.columns, "convention")])
        said = safe(self.convention)
        for rows in chunks(self.rows, LINES):
            yield as_csv((*map(cell, row), said) for row in rows)

    def records(self) -> Iterator[dict[str, object]]:
        """Yield the rows by column."""
        for row in self.rows:
            yield dict(zip(self.columns, row, strict=True))


def cell(value: object) -> object:
    """Return a value as a place of CSV: texts made safe, nothing for none, yes and no as words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return safe(value) if isinstance(value, str) else value


def percent(value: float | None) -> float | None:
    """Return a share in points of percent."""
    return None if value is None else 100 * value


class NothingDrawn(ValueError):
    """There is no figure in it yet; the page says why."""


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line of a chart as a page shows it: what it is called, its drawing, and its figures."""

    name: str
    drawing: SafeString
    words: str
    ordinal: int | None
    is_whole: bool

    @property
    def is_key(self) -> bool:
        """Whether it only tells which mark is whose."""
        return self.ordinal is not None and not self.drawing and not self.words


@dataclass(frozen=True, slots=True)
class ChartPicture:
    """A chart as a page shows it: as wide as its place, so that phones need no other."""

    lines: list[PictureLine]
    label: str
    caption: str


def picture(draw: Callable[[], Chart]) -> ChartPicture | None:
    """Return a chart for a page; None where there is nothing to draw yet."""
    try:
        chart = draw()
    except NothingDrawn:
        return None
    lines = [
        PictureLine(
            line.name,
            mark_safe(line.drawn),  # noqa: S308 - texts in it are escaped
            line.words,
            line.ordinal,
            line.is_whole or not line.drawn,
        )
        for line in chart.lines
    ]
    return ChartPicture(lines, chart.label, chart.caption)


CSV, JSONL = "text/csv; charset=utf-8", "application/x-ndjson; charset=utf-8"
SVG, HTML = "image/svg+xml; charset=utf-8", "text/html; charset=utf-8"
ZIP = "application/zip"


@dataclass(frozen=True, slots=True)
class Export:
    """A file that streams; its name says round and time."""

    lines: Iterator[str] | Iterator[bytes]
    content_type: str
    name: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Disposition": f'attachment; filename="{self.name}"'}


def stream(export: Export) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
