"""Means that need fewer human grades, as their page shows them: names in the place of keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from scoring.beside import options as judge_names
from scoring.beside.asked import Figure
from scoring.beside.options import Options
from scoring.beside.pictures import Forest, Row, people
from scoring.charts import svg
from scoring.charts.plot import Axis
from scoring.shown.sheet import Sheet
from scoring.shown.wording import why

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One system: people alone, and people with the judge; `trust` is λ."""

    name: str
    mark: int
    humans: Figure
    powered: Figure
    judge_mean: float | None
    trust: float | None
    n: int
    n_human: int
    n_imputed: int
    effective: float | None
    saved: float | None

    @property
    def narrower(self) -> float | None:
        """By how many percent the interval is shorter than that of people alone."""
        sizes = [_width(self.humans), _width(self.powered)]
        if sizes[0] is None or sizes[1] is None or sizes[0] <= 0:
            return None
        return 100 * (1 - sizes[1] / sizes[0])

    @property
    def why(self) -> str:
        return self.powered.why


class Fewer:
    """The page: every system with two estimates of the mean that people would give."""

    def __init__(self, data: Data, options: Options) -> None:
        self.data, self.options = data, options
        self.facts: Data = data["facts"]

    @property
    def judge(self) -> str:
        return self.options.name(self.data["judge"])

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data["criterion"], self.data["criterion"])

    @cached_property
    def lines(self) -> list[Line]:
        found = judge_names.names(self.options)
        return [self._line(row, found) for row in self.data["rows"]]

    def _line(self, row: Data, found: Mapping[int, Any]) -> Line:
        name = found.get(row["release"])
        return Line(
            name=judge_names.system(found, row["release"]),
            mark=name.mark if name else 0,
            humans=_mean(row["humans"]),
            powered=_mean(row["powered"]),
            judge_mean=row["judge_mean"],
            trust=row["share"],
            n=row["n"],
            n_human=row["n_human"],
            n_imputed=row["n_imputed"],
            effective=row["effective"],
            saved=row["saved"],
        )

    @property
    def refused(self) -> str:
        """Why there is no estimate for any system; nothing where there is one."""
        reasons = {line.why for line in self.lines if line.powered.value is None}
        if not self.lines or any(line.powered.value is not None for line in self.lines):
            return ""
        return " ".join(sorted(reasons))

    @property
    def saved(self) -> float | None:
        """How many human grades the judge spares, over all systems that have a figure."""
        known = [line.saved for line in self.lines if line.saved is not None]
        return sum(known) if known else None

    @property
    def n_human(self) -> int:
        return sum(line.n_human for line in self.lines)

    @property
    def n(self) -> int:
        return sum(line.n for line in self.lines)

    @property
    def method(self) -> str:
        return next((str(row["method"]) for row in self.data["rows"]), "")


def draw(found: Fewer) -> Forest:
    """Return a line for each system: people with the judge, on the band of people alone.

    The axis is the people's scale: an interval that goes beyond ends there, and its numbers tell.
    """
    rows = [Row(one.name, one.powered, people(one.humans), one.mark) for one in found.lines]
    ends = [n for row in rows for one in (row.figure,) for n in (one.value, one.low, one.high)]
    ends += [n for row in rows for n in (row.people.low, row.people.high, row.people.mean)]
    known = [n for n in ends if n is not None]
    start, end = found.data["scale"] or (min(known, default=0.0), max(known, default=1.0))
    if not end > start:
        start, end = start - 0.5, end + 0.5
    axis = Axis(start, end, tuple(svg.ticks(start, end, most=5)))
    return Forest(rows, axis, _("Save human grades"))


def _bounds(figure: Figure) -> tuple[float | None, float | None, float | None]:
    return figure.value, figure.low, figure.high


def powered(data: Data, options: Options) -> Sheet:
    """Return both estimates of every system."""
    rows = (
        (
            line.name,
            *_bounds(line.powered),
            *_bounds(line.humans),
            line.why,
            line.judge_mean,
            line.trust,
            line.n,
            line.n_human,
            line.n_imputed,
            line.effective,
            line.saved,
        )
        for line in Fewer(data, options).lines
    )
    columns = ("system", "value", "low", "high", "people", "people_low", "people_high", "why")
    more = ("judge_mean", "lambda", "n", "graded", "imputed", "effective", "saved")
    return Sheet("powered", (*columns, *more), rows, Fewer(data, options).method)


def _mean(found: Data) -> Figure:
    return Figure(found["value"], found["low"], found["high"], why(found["reason"]))


def _width(figure: Figure) -> float | None:
    if figure.low is None or figure.high is None:
        return None
    return figure.high - figure.low
