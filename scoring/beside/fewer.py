"""Means that need fewer human grades, as their page shows them: names in the place of keys."""

from functools import cached_property

from django.utils.translation import gettext as _

from scoring.beside import options as judge_names
from scoring.beside.asked import ShownFigure
from scoring.beside.options import ToCompare
from scoring.beside.pictures import Forest, JudgeForestRow
from scoring.beside.records import PoweredFigure, PoweredMean
from scoring.charts import svg
from scoring.charts.plot import Axis, PeopleBand
from scoring.figures import typed
from scoring.shown.wording import why


class Fewer:
    """The page: every system with two estimates of the mean that people would give."""

    def __init__(self, data: object, options: ToCompare) -> None:
        self.data, self.options = typed.read_figure(PoweredFigure, data), options

    @property
    def judge(self) -> str:
        return self.options.name(self.data.judge)

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data.criterion, self.data.criterion)

    @cached_property
    def lines(self) -> list[PoweredMean]:
        names = judge_names.names(self.options)
        made = []
        for row in self.data.rows:
            name, found = names.get(row.release), row.means
            made.append(
                PoweredMean(
                    system=judge_names.system(names, row.release),
                    value=found.powered.value,
                    low=found.powered.low,
                    high=found.powered.high,
                    people=found.humans.value,
                    people_low=found.humans.low,
                    people_high=found.humans.high,
                    why=why(found.powered.reason),
                    judge_mean=found.judge_mean,
                    trust=found.share,
                    n=found.n,
                    graded=found.n_human,
                    imputed=found.n_imputed,
                    effective=found.effective,
                    saved=found.saved,
                    mark=name.mark if name else 0,
                )
            )
        return made

    @property
    def refused(self) -> str:
        """Why there is no estimate for any system; nothing where there is one."""
        if any(line.value is not None for line in self.lines):
            return ""
        return " ".join(sorted({line.why or "" for line in self.lines}))

    @property
    def saved(self) -> float | None:
        """How many human grades the judge spares, over all systems that have a figure."""
        known = [line.saved for line in self.lines if line.saved is not None]
        return sum(known) if known else None

    @property
    def n_human(self) -> int:
        return sum(row.means.n_human for row in self.data.rows)

    @property
    def n(self) -> int:
        return sum(row.means.n for row in self.data.rows)


def draw(found: Fewer) -> Forest:
    """Return a line for each system: people with the judge, on the band of people alone.

    The axis is the people's scale: an interval that goes beyond ends there, and its numbers tell.
    """
    rows = [
        JudgeForestRow(
            one.system,
            ShownFigure(one.value, one.low, one.high, one.why or ""),
            PeopleBand(one.people_low, one.people_high, one.people),
            one.mark,
        )
        for one in found.lines
    ]
    ends = [n for one in found.lines for n in (one.value, one.low, one.high)]
    ends += [n for one in found.lines for n in (one.people_low, one.people_high, one.people)]
    known = [n for n in ends if n is not None]
    start, end = found.data.scale or (min(known, default=0.0), max(known, default=1.0))
    if not end > start:
        start, end = start - 0.5, end + 0.5
    axis = Axis(start, end, tuple(svg.ticks(start, end, most=5)))
    return Forest(rows, axis, _("Save human grades"))
