"""What interview scores are set against, as an address says it, and what there is to choose from.

* Interview scores against accuracy as a page and a file show them: names in the place of keys.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common import texts as sheets
from annotation.people.models import Project
from annotation.systems.models import SystemRelease
from evalsite.templatetags import ui
from scoring.charts import scatter
from scoring.charts.scatter import Axes, Dot, Segment
from scoring.charts.svg import Drawing
from scoring.engine.models import Run, Step
from scoring.engine.queries import Reading
from scoring.kinds.contamination.models import BenchmarkFigure
from scoring.kinds.interviews import results as interview_profiles
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.results import Options as Profile
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw, Picture
from scoring.shown.wording import why, why_of_two

FIRST, RUN, FIGURE = "first", "run:", "figure:"
#: Uploaded figures of these names are set off against each other: what was seen against what was not.
TRAIN_LOSS, TEST_LOSS = "train loss", "test loss"
MOST: Final = 200


@dataclass(frozen=True)
class Options:
    """`axis` is "first" (right first answers), "run:7" (a run of accuracy) or "figure:NAME"."""

    axis: str
    profile: Profile

    @property
    def params(self) -> dict[str, str]:
        """Return the axes as an address says them."""
        return {"axis": self.axis, **self.profile.params}


def axes(project: Project) -> list[tuple[str, str]]:
    """Return what interview scores can be set against: for programs, and in words."""
    runs = Run.objects.filter(project=project, kind=Run.Kind.QUIZ).order_by("-number")
    measured = [
        (
            f"{RUN}{number}",
            _("accuracy of run %(number)d, %(name)s") % {"number": number, "name": name},
        )
        for number, name in runs.values_list("number", "name")[:MOST]
    ]
    brought = [(f"{FIGURE}{name}", name) for name in names(project)]
    return [(FIRST, _("right first answers of these interviews")), *measured, *brought]


def names(project: Project) -> list[str]:
    """Return what was measured elsewhere, by name."""
    rows = BenchmarkFigure.objects.filter(release__system__project=project, batch__state="APPLIED")
    return sorted(set(rows.values_list("name", flat=True)))[:MOST]


def of_params(params: Mapping[str, Any]) -> Options:
    """Return what an address or a figure asks for; what is none of ours is the usual one."""
    axis = str(params.get("axis") or FIRST)[:130]
    known = axis == FIRST or axis.startswith((RUN, FIGURE))
    return Options(axis if known else FIRST, interview_profiles.of_params(params))


def of_run(run: Run, params: Mapping[str, Any]) -> Options:
    """Return what an address asks for; without an axis, the first against which these interviews stand."""
    return of_params(params if params.get("axis") else {**params, "axis": _usual(run)})


def _usual(run: Run) -> str:
    """Right first answers where any is known to be right or wrong; else what most of its systems have.

    Only figures that cover all data sets count, since every interview can be set against those.
    """
    if Dialogue.objects.filter(run=run, right__isnull=False).exists():
        return FIRST
    interviewed = [one["release"] for one in run.config.get("releases", [])]
    brought = BenchmarkFigure.objects.filter(
        release__in=interviewed, batch__state="APPLIED", dataset=""
    )
    covering = brought.values("name").annotate(systems=Count("release", distinct=True))
    name = covering.order_by("-systems", "name").values_list("name", flat=True).first()
    return FIRST if name is None else f"{FIGURE}{name}"


def version(run: Run, options: Options) -> str:
    """Return what changes whenever that against which the interviews are set does."""
    rows = BenchmarkFigure.objects.filter(
        release__system__project=run.project_id, batch__state="APPLIED"
    )
    parts = [f"{rows.count()} {rows.order_by('-pk').values_list('pk', flat=True).first()}"]
    number = options.axis.removeprefix(RUN)
    if options.axis.startswith(RUN) and number.isdecimal() and len(number) < 10:
        ended = Step.objects.filter(
            run__project=run.project_id, run__number=int(number), finished_at__isnull=False
        )
        parts.append(str(ended.count()))
    return " ".join(parts)


NAME = "contamination"
COLUMNS = (
    "part",
    "dataset",
    "system",
    "against",
    "x",
    "interview_score",
    "residual",
    "studentised",
    "p_holm",
    "coefficient",
    "value",
    "low",
    "high",
    "n",
    "reason",
    "note",
)
COEFFICIENTS = {
    "pearson": gettext_lazy("Pearson r"),
    "spearman": gettext_lazy("Spearman ρ"),
    "kendall_b": gettext_lazy("Kendall τ-b"),
}
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A system in a part: both values, its distance from the line of the others, and what that says."""

    name: str
    colour: int
    x: float
    y: float
    residual: float | None
    studentised: float | None
    p_holm: float | None
    r_without: float | None
    flagged: bool
    why: str

    @property
    def cells(self) -> list[str]:
        """Return the numbers as a page shows them."""
        return [
            f"{self.x:.4g}",
            said(self.y, 1),
            said(self.residual, 1),
            said(self.studentised, 2),
            said(self.p_holm, 3),
            said(self.r_without, 3),
        ]


@dataclass(frozen=True, slots=True)
class Coefficient:
    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str

    @property
    def text(self) -> str:
        return said(self.value, 3)

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return ui.interval(self.low, self.high, 2)


@dataclass(frozen=True)
class Part:
    """A data set, or all of them together."""

    name: str
    lines: list[Line]
    coefficients: list[Coefficient]
    n: int
    why: str
    picture: Picture | None


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: str
    against: str
    coefficients: list[Coefficient]


@dataclass(frozen=True)
class Board:
    data: Data
    options: Options
    reading: Reading
    axis_name: str

    @cached_property
    def _releases(self) -> Mapping[int, SystemRelease]:
        rows = SystemRelease.objects.select_related("system")
        return rows.in_bulk(self.data["candidates"])

    def name_of(self, release: int) -> str:
        return self.reading.name_of(self._releases.get(release))

    @property
    def is_empty(self) -> bool:
        return not any(part["n"] for part in self.data["parts"])

    @cached_property
    def parts(self) -> list[Part]:
        return [
            Part(
                _set(part["dataset"]),
                self._lines(part),
                _coefficients(part["coefficients"]),
                part["n"],
                why(part["reason"]),
                shown_sheet.picture(partial(self._draw, part)),
            )
            for part in self.data["parts"]
        ]

    @property
    def flagged(self) -> list[tuple[str, str]]:
        """Return data set and system of everything that lies far below the line."""
        return [
            (part.name, line.name) for part in self.parts for line in part.lines if line.flagged
        ]

    def _lines(self, part: Data) -> list[Line]:
        rows = zip(part["releases"], part["x"], part["y"], part["distances"], strict=True)
        return [
            Line(
                self.name_of(release),
                self._colour(release),
                x,
                y,
                one["residual"],
                one["studentised"],
                one["p_holm"],
                (one["without"] or {}).get("r"),
                place in part["flagged"],
                why(one["reason"]),
            )
            for place, (release, x, y, one) in enumerate(rows)
        ]

    @property
    def benchmarks(self) -> list[Benchmark]:
        """Return the correlation with each figure that was brought in."""
        return [
            Benchmark(
                ", ".join(filter(None, (one["name"], one["dataset"]))),
                _set(one["against"]),
                _coefficients(one["coefficients"]),
            )
            for one in self.data["benchmarks"]
        ]

    @property
    def losses(self) -> list[dict[str, Any]]:
        return [
            {
                **one,
                "name": self.name_of(one["release"]),
                "dataset": one["dataset"],
                "cells": [said(one[key], 3) for key in ("train", "test", "difference")],
            }
            for one in self.data["losses"]
        ]

    @property
    def figure_names(self) -> list[str]:
        """Return the heads of the table of figures."""
        return list(dict.fromkeys(_head(one) for one in self.data["figures"]))

    @property
    def figures(self) -> list[tuple[str, list[str]]]:
        """Return every system with its figures as they were brought in, in the order of the heads."""
        known = {(one["release"], _head(one)): one["value"] for one in self.data["figures"]}
        return [
            (self.name_of(pk), [_as_brought(known.get((pk, head))) for head in self.figure_names])
            for pk in self.data["candidates"]
        ]

    def _draw(self, part: Data, narrow: bool) -> Drawing:
        if part["n"] < 1:
            raise NothingToDraw
        is_percent = not self.options.axis.startswith(FIGURE)
        ends = Axes(
            (0, 100) if is_percent else _ends(part["x"]),
            (0, 100),
            self.axis_name[:60],
            _("Interview score"),
        )
        dots = [
            Dot(x, y, self._colour(release))
            for release, x, y in zip(part["releases"], part["x"], part["y"], strict=True)
        ]
        label = _("Interview scores against %(axis)s, %(set)s") % {
            "axis": self.axis_name,
            "set": _set(part["dataset"]),
        }
        segments = list(_segments(part, ends))
        return scatter.scatter(dots, ends, label=label, segments=segments, narrow=narrow)

    def _colour(self, release: int) -> int:
        found = self._releases.get(release)
        return found.system.colour if found else 0

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one plain row for every system in every part, and every correlation."""
        for part in self.parts:
            for one in part.lines:
                yield self._record(
                    part="system",
                    dataset=part.name,
                    system=one.name,
                    against=self.axis_name,
                    x=one.x,
                    interview_score=one.y,
                    residual=one.residual,
                    studentised=one.studentised,
                    p_holm=one.p_holm,
                    n=part.n,
                    reason=one.why,
                )
            for found in part.coefficients:
                yield self._correlation("accuracy", part.name, self.axis_name, found)
        for bench in self.benchmarks:
            for found in bench.coefficients:
                yield self._correlation("benchmark", bench.against, bench.name, found)

    def _correlation(
        self, part: str, dataset: str, against: str, found: Coefficient
    ) -> dict[str, Any]:
        return self._record(
            part=part,
            dataset=dataset,
            against=against,
            coefficient=found.name,
            value=found.value,
            low=found.low,
            high=found.high,
            n=found.n,
            reason=found.why,
        )

    def _record(self, **given: Any) -> dict[str, Any]:
        row = dict.fromkeys(COLUMNS) | given
        return row | {"note": banner.of_run(self.reading.run)}

    def csv_lines(self) -> Iterator[str]:
        yield shown_sheet.as_csv([COLUMNS])
        for one in self.records():
            cells = [sheets.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


def _coefficients(rows: list[Data]) -> list[Coefficient]:
    return [
        Coefficient(
            str(COEFFICIENTS[one["name"]]),
            one["value"],
            one["low"],
            one["high"],
            one["n"],
            why_of_two(one["reason"]),
        )
        for one in rows
    ]


def said(value: float | None, places: int) -> str:
    """Return a number as pages write it, or a dash."""
    return "–" if value is None else f"{value:.{places}f}".replace("-", "−")


def _as_brought(value: float | None) -> str:
    return "–" if value is None else f"{value:g}".replace("-", "−")


def _set(name: str) -> str:
    return name or _("all data sets")


def _head(one: Data) -> str:
    return ", ".join(filter(None, (one["name"], one["dataset"])))


def _ends(values: list[float]) -> tuple[float, float]:
    """Return the ends of an axis that holds some values with room around them."""
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or abs(high) * 0.1 or 1.0
    return low - room, high + room


def _segments(part: Data, ends: Axes) -> Iterator[Segment]:
    """Yield the line of all systems, and, dashed, that of the others without the lowest one."""
    if part["line"]:
        yield _segment(part["line"], ends, "")
    known = [one for one in part["distances"] if one["studentised"] is not None]
    if known:
        lowest = min(known, key=lambda one: one["studentised"])
        yield _segment(lowest["without"], ends, "4 4")


def _segment(line: Data, ends: Axes, dash: str) -> Segment:
    """Return the part of a line that lies within both axes."""
    (left, right), (low, high) = ends.x, ends.y
    slope, start = line["slope"], line["intercept"]
    if slope:
        crossings = sorted(((low - start) / slope, (high - start) / slope))
        left, right = max(left, crossings[0]), min(right, crossings[1])
    right = max(left, right)

    def at(x: float) -> float:
        return float(min(max(start + slope * x, low), high))

    return Segment(left, at(left), right, at(right), dash)
