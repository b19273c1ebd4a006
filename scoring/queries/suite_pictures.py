"""A suite's results as drawings: how values lie system by system, and how they go from turn to turn."""

from typing import Final

from django.utils.translation import gettext as _

from scoring.charts import bars, course
from scoring.charts.bars import Panel, Words
from scoring.charts.course import Course, Point
from scoring.charts.svg import Drawing
from scoring.queries.pictures import NothingToDraw
from scoring.queries.suite_board import Series

BARS: Final = "bars"
TURNS: Final = "turns"
MOST_TURNS: Final = 40


def distribution(one: Series, narrow: bool) -> Drawing:
    """Draw the shares of a metric's choices or values, a panel for each release."""
    panels = [
        Panel(
            each["name"],
            each["mark"],
            each["counts"],
            [one.bar_url(at, each["release"]) for at in range(len(each["counts"]))],
        )
        for each in one.releases
        if sum(each["counts"])
    ]
    if not panels:
        raise NothingToDraw
    label = _("%(metric)s of each %(level)s: how the values lie")
    said = {"metric": one.data["metric"], "level": one.data["level"]}
    words = Words(label % said, _("Share of a system’s parts (%)"), one.bar_names)
    if one.has_choices:
        return bars.choices(panels, one.bar_names, words, narrow=narrow)
    return bars.ranges(panels, _edges(one), words, narrow=narrow)


def turns(one: Series, narrow: bool) -> Drawing:
    """Draw the mean by turn number, a line for each release."""
    courses = []
    for each in one.releases:
        points = [
            Point(int(group.of), group.mean, group.low, group.high)
            for group in one.turns
            if group.release == each["release"]
        ]
        if points:
            courses.append(Course(each["name"], each["mark"], points))
    if len({group.of for group in one.turns}) < 2:
        raise NothingToDraw
    label = _("%(metric)s by turn number") % {"metric": one.data["metric"]}
    axis = _("Number of the turn; means with 95 % intervals")
    return course.course(courses, label=label, axis=axis, most=MOST_TURNS, narrow=narrow)


PICTURES: Final = {BARS: distribution, TURNS: turns}


def _edges(one: Series) -> list[str]:
    found = one.data["bars"]
    if found[0]["low"] == found[0]["high"]:
        return [f"{bar['low']:.6g}" for bar in found]
    last = found[-1]["high"]
    return [f"{bar['low']:.6g}" for bar in found] + ["" if last is None else f"{last:.6g}"]
