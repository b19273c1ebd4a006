"""A value of a metric at a level: its means with what leads to their parts, and how it is drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.charts import chart
from scoring.charts.chart import BarPanel, Chart, Point, SystemCourse
from scoring.engine.models import Run
from scoring.kinds.suites import parts
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.definition import FUNCTION, RUBRIC
from scoring.kinds.suites.queries import TARGETS
from scoring.outcomes.values import (
    Contender,
    Data,
    Estimate,
    Words,
)
from scoring.shown.sheet import NothingDrawn
from scoring.shown.wording import why

#: Why there is no figure, or no interval, where conversations stand in the place of questions.
WHY: Final = {
    "few_questions": gettext_lazy("No interval: too few conversations."),
    "no_overlap": gettext_lazy("No common conversation."),
    "no_spread": gettext_lazy("No interval: all came out the same."),
}
Of = Mapping[int, Contender]


@dataclass(frozen=True)
class DrawnSeries:
    """A value of a metric at a level, as its figure has it."""

    data: Data
    run: Run

    @property
    def key(self) -> str:
        return f"{self.data['rater']}:{TARGETS[Level(self.data['level'])]}:{self.data['name']}"

    @property
    def title(self) -> str:
        return f"{self.data['metric'][:80]} ({self.data['level']})"

    @property
    def is_judged(self) -> bool:
        return bool(self.data["kind"] == RUBRIC)

    @property
    def has_choices(self) -> bool:
        return bool(self.data["bars"]) and self.data["bars"][0]["low"] is None

    @property
    def is_names(self) -> bool:
        """Return whether the values only say which name a part has, each of them 1: their mean says nothing."""
        found = [each["distribution"] for each in self.data["releases"] if each["distribution"]]
        plain = all(one["minimum"] == one["maximum"] == 1 for one in found)
        return self.has_choices and self.data["kind"] == FUNCTION and plain

    @property
    def bar_names(self) -> list[str]:
        return [_bar_name(one) for one in self.data["bars"]]

    def bar_url(self, at: int, release: int) -> str:
        """Return where the parts of a bar are listed; nowhere for labels that were put together."""
        bar = self.data["bars"][at]
        if bar["low"] is None:
            return self.url(release=release, label=bar["label"]) if bar["label"] else ""
        ends = {name: repr(bar[name]) for name in ("low", "high") if bar[name] is not None}
        return self.url(release=release, **ends)

    def url(self, **given: Any) -> str:
        """Return where parts are listed."""
        at = [self.run.project.slug, self.run.number, self.data["rater"]]
        query = {"name": self.data["name"], "level": self.data["level"], **given}
        return f"{reverse('run_suite_parts', args=at)}?{urlencode(query)}"

    def cells(self, of: Of, found: Mapping[int, Estimate]) -> list[Estimate | None]:
        """Return a cell for every system."""
        return [found.get(release) for release in of]

    def mean(self, each: Data) -> Estimate:
        """Return the mean of a release, with so many parts of those there are; a number leads to them."""
        found = each["distribution"]
        if found is None:
            told = each["reasons"][0]["reason"] if each["reasons"] else ""
            url = self.url(release=each["release"], only=parts.WITHOUT)
            return Estimate(None, n=0, n_held=each["n"], why=told, url=url)
        return Estimate(
            found["mean"],
            found["low"],
            found["high"],
            found["n"],
            each["n"],
            why_of(found["reason"]),
            url=self.url(release=each["release"]),
        )

    def means(self) -> Mapping[int, Estimate]:
        return {each["release"]: self.mean(each) for each in self.data["releases"]}

    def shares(self, of: Of, at: int) -> list[Estimate | None]:
        """Return which share of each system's parts a bar holds, and how many."""
        found = {
            each["release"]: Estimate(
                100 * each["counts"][at] / max(sum(each["counts"]), 1),
                n=each["counts"][at],
                url=self.bar_url(at, each["release"]) if each["counts"][at] else "",
            )
            for each in self.data["releases"]
        }
        return self.cells(of, found)

    def groups(self, name: str, key: str) -> Mapping[Any, Mapping[int, Estimate]]:
        """Return the means of roles or turns, by release."""
        found: dict[Any, dict[int, Estimate]] = {}
        for one in self.data[name]:
            url = self.url(release=one["release"], **{key: one["of"]})
            mean = Estimate(one["mean"], one["low"], one["high"], one["n"], url=url)
            found.setdefault(one["of"], {})[one["release"]] = mean
        return found


def _bar_name(bar: Data) -> str:
    low, high = bar["low"], bar["high"]
    if low is None:
        return str(bar["label"] or _("all others"))
    if high is None:
        return _("from %(low)s") % {"low": f"{low:.6g}"}
    if low == high:
        return f"{low:.6g}"
    return _("%(low)s to %(high)s") % {"low": f"{low:.6g}", "high": f"{high:.6g}"}


def _bars(one: DrawnSeries, of: Of) -> Chart:
    """Draw the shares of a metric's choices or values, a panel for each release."""
    panels = [
        BarPanel(
            of[each["release"]].name,
            of[each["release"]].colour or 0,
            each["counts"],
            [one.bar_url(at, each["release"]) for at in range(len(each["counts"]))],
        )
        for each in one.data["releases"]
        if sum(each["counts"])
    ]
    if not panels:
        raise NothingDrawn
    said = {"metric": one.data["metric"], "level": one.data["level"]}
    label = _("%(metric)s of each %(level)s: distribution") % said
    caption = _("Share of parts (%)")
    if one.has_choices:
        return chart.choices(panels, one.bar_names, label=label, caption=caption)
    return chart.ranges(panels, _edges(one), one.bar_names, label=label, caption=caption)


def _turns(one: DrawnSeries, of: Of) -> Chart:
    """Draw the mean by turn number, a line for each release."""
    found = one.data["turns"]
    if one.is_names or len({group["of"] for group in found}) < 2:
        raise NothingDrawn
    points: dict[int, list[Point]] = {release: [] for release in of}
    for group in found:
        place = Point(group["of"] + 1, group["mean"], group["low"], group["high"])
        points[group["release"]].append(place)
    courses = [
        SystemCourse(of[release].name, of[release].colour or 0, some)
        for release, some in points.items()
        if some
    ]
    label = _("%(metric)s by turn number") % {"metric": one.data["metric"]}
    caption = _("Number of the turn; means with 95 % intervals")
    return chart.courses(courses, label=label, caption=caption)


def _edges(one: DrawnSeries) -> list[str]:
    found = one.data["bars"]
    if found[0]["low"] == found[0]["high"]:
        return [f"{bar['low']:.6g}" for bar in found]
    last = found[-1]["high"]
    return [f"{bar['low']:.6g}" for bar in found] + ["" if last is None else f"{last:.6g}"]


PICTURES: Final[Mapping[str, tuple[Words, Callable[[DrawnSeries, Of], Chart]]]] = {
    "bars": (gettext_lazy("distribution"), _bars),
    "turns": (gettext_lazy("by turn number"), _turns),
}


def why_of(code: str | None) -> str:
    return str(WHY[code]) if code in WHY else why(code)
