"""Every system over the rounds of a project: as a title, as slopes, and what changed between rounds."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotation.domains.models import Capability
from annotation.grading import facts as grade_table
from annotation.people.permissions import Scope
from annotation.rounds import queries as unblinding
from annotation.rounds.models import Round, RoundSystem
from evalsite.templatetags.ui import interval, score
from scoring.charts import plot
from scoring.charts.plot import Slope, Whisker
from scoring.figures import labels
from scoring.movement.causes import TrendFigure, TrendPoint, TrendStep
from scoring.shown.names import Name
from scoring.shown.sheet import Sheet, percent
from scoring.shown.wording import listed

FIGURE = "trend"
#: So many rounds are looked at, the newest.
MOST = 12
FIGURES = ("score", "accuracy")


@dataclass(frozen=True)
class TrendCourse:
    """The rounds of a project that somebody may read; of `hidden` ones they have no names yet."""

    rounds: Sequence[Round]
    hidden: Sequence[Round]

    @property
    def params(self) -> dict[str, Any]:
        """Return what the figure depends on besides the grades."""
        project = self.rounds[-1].project_id
        weights = Capability.objects.filter(project=project).order_by("pk")
        return {
            "rounds": [one.number for one in self.rounds],
            "weights": {str(pk): str(one) for pk, one in weights.values_list("pk", "weight")},
        }

    @cached_property
    def names(self) -> dict[int, Name]:
        """Return what releases are called: with their label where a round has several of a system."""
        rows = RoundSystem.objects.filter(round__in=self.rounds)
        told = Counter(rows.values_list("round", "release__system__name"))
        several = {system for (_round, system), n in told.items() if n > 1}
        return {
            one.pk: Name(
                one.pk,
                one.system,
                one.label,
                f"{one.system} · {one.label}" if one.system in several else one.system,
                one.colour,
            )
            for one in grade_table.releases(self.rounds)
        }


def course(scope: Scope) -> TrendCourse:
    """Return the newest rounds that were graded, the oldest of them first."""
    known = labels.graded(scope.project).values("pk")
    graded = labels.readable(scope).filter(pk__in=known, of_pairs=False)
    found = list(graded.order_by("-number")[:MOST])[::-1]
    seen = unblinding.seen_of(found, scope.user.pk)
    shown = [one for one in found if one.kind == Round.Kind.IMPORTED or one.pk in seen]
    for one in found:
        one.project = scope.project
    return TrendCourse(shown, [one for one in found if one not in shown])


@dataclass(frozen=True, slots=True)
class TrendLine:
    """A system over the rounds: a point for each, None where it took no part."""

    name: Name
    points: tuple[TrendPoint | None, ...]


@dataclass(frozen=True, slots=True)
class BetweenRounds:
    """What changed between two rounds, in words; `broken` says why the line breaks there."""

    before: Round
    after: Round
    changes: tuple[str, ...]
    broken: str


class Trend:
    """Reads the figure for its page: `figure` is score or accuracy."""

    def __init__(self, found: TrendFigure, course: TrendCourse, figure: str) -> None:
        self.figure = figure if figure in FIGURES else FIGURES[0]
        self._found, self._course = found, course
        points = [one for one in found.points if one.figure == self.figure]
        there = {one.round for one in points}
        self.rounds = [one for one in course.rounds if one.number in there]
        self._points = points

    @cached_property
    def lines(self) -> list[TrendLine]:
        """Return the systems, the highest in the last round that they took part in first."""
        made: dict[str, tuple[Name, dict[int, TrendPoint]]] = {}
        for one in self._points:
            if name := self._course.names.get(one.release):
                made.setdefault(name.text, (name, {}))[1][one.round] = one
        lines = [
            TrendLine(name, tuple(points.get(one.number) for one in self.rounds))
            for name, points in made.values()
        ]
        return sorted(lines, key=_height)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {one.number: place for place, one in enumerate(self.rounds)}

    @property
    def links(self) -> dict[int, int]:
        """Return with which round before, by place, a round is compared."""
        places = self._places
        steps = [one for one in self._found.steps if not one.broken]
        return {
            places[one.after]: places[one.before]
            for one in steps
            if one.after in places and one.before in places
        }

    @property
    def breaks(self) -> dict[int, str]:
        """Return which rounds, by place, cannot be compared with any before, and why."""
        steps = [one for one in self._found.steps if one.broken and one.after in self._places]
        return {self._places[one.after]: _broken(one) for one in steps}

    @property
    def between(self) -> list[BetweenRounds]:
        """Return what changed between the rounds, the newest first."""
        known = {one.number: one for one in self.rounds}
        return [
            BetweenRounds(known[one.before], known[one.after], _changes(one), _broken(one))
            for one in reversed(self._found.steps)
            if one.before in known and one.after in known
        ]

    @cached_property
    def drawing(self) -> SafeString:
        return mark_safe(self._drawn())  # noqa: S308 - texts in it are escaped

    def _drawn(self) -> str:
        series = [
            Slope(one.name.mark, [_mark(point, one.name) for point in one.points])
            for one in self.lines
        ]
        marks = [mark for one in series for mark in one.marks if mark]
        up = plot.axis(
            (end for one in marks for end in (one.value, one.low, one.high)), bounds=(0, 100)
        )
        titles = [str(one.number) for one in self.rounds]
        return plot.slopes(
            series, titles, up, label=self.title, links=self.links, breaks=self.breaks
        )

    def file(self) -> str:
        """Return the slopes as a file."""
        high = plot.HEAD + plot.HIGH + plot.FOOT
        names = ", ".join(one.name.text for one in self.lines)
        lines = [plot.ChartLine("", self._drawn(), height=high), plot.ChartLine("", "", names, 24)]
        return plot.file(lines, label=self.title)

    @property
    def title(self) -> str:
        """Return who rose or fell since the first round that the last one can be compared with.

        A system did if its intervals in the two rounds share no value.
        """
        first = last = len(self.rounds) - 1
        while first in self.links:
            first = self.links[first]
        if first == last:
            return _("Not comparable with earlier rounds")
        ways = [(one.name.text, _way(one.points[first], one.points[-1])) for one in self.lines]
        ups = listed([text for text, way in ways if way > 0])
        downs = listed([text for text, way in ways if way < 0])
        words = {"ups": ups, "downs": downs, "round": self.rounds[first].name}
        if ups and downs:
            return _("%(ups)s rose and %(downs)s fell since %(round)s") % words
        if ups:
            return _("%(ups)s rose since %(round)s") % words
        if downs:
            return _("%(downs)s fell since %(round)s") % words
        return _("No system moved beyond its intervals since %(round)s") % words

    @property
    def sheet(self) -> Sheet:
        """Return a row for each system, round and figure."""
        steps = {one.after: one for one in self._found.steps}

        def rows() -> Iterator[tuple[object, ...]]:
            for one in self._found.points:
                name = self._course.names.get(one.release)
                if name is None:
                    continue
                value = None if one.value is None else percent(float(one.value))
                ends = (percent(one.low), percent(one.high))
                step = steps.get(one.round)
                why = step.broken if step else ""
                more = (one.n_questions, one.n_raters, step is not None and not why, why)
                yield (one.round, name.system, name.label, one.figure, value, *ends, *more)

        columns = ("round", "system", "release", "figure", "value", "low", "high", "questions")
        said = "points of percent, as the results of each round show them; comparable: with the round before"
        return Sheet(FIGURE, (*columns, "annotators", "comparable", "why"), rows(), said)


def _mark(point: TrendPoint | None, name: Name) -> Whisker | None:
    if point is None or point.value is None:
        return None
    return Whisker(100 * float(point.value), percent(point.low), percent(point.high), name.mark)


def _height(line: TrendLine) -> tuple[bool, float]:
    known = [one.value for one in line.points if one and one.value is not None]
    return not known, -float(known[-1]) if known else 0.0


def _way(first: TrendPoint | None, last: TrendPoint | None) -> int:
    """Return whether a score rose (1) or fell (-1) so that its intervals share no value; else 0."""
    if first is None or last is None:
        return 0
    if None in {first.low, first.high, last.low, last.high}:
        return 0
    assert first.low is not None
    assert first.high is not None
    assert last.low is not None
    assert last.high is not None
    return int(last.low > first.high) - int(last.high < first.low)


def _broken(step: TrendStep) -> str:
    words: Mapping[str, str] = {
        "criteria": _("other criteria or scales"),
        "questions": _("no common question"),
    }
    return words.get(step.broken, "")


def _changes(step: TrendStep) -> tuple[str, ...]:
    """Return what changed, a part each: questions, annotators, versions of rubrics."""
    made = []
    if step.new or step.gone:
        words = {"new": step.new, "gone": step.gone, "n": step.common}
        made.append(_("%(n)d common questions, %(new)d new, %(gone)d gone") % words)
    if step.joined or step.left:
        words = {"stayed": step.stayed, "joined": step.joined, "left": step.left}
        made.append(_("%(stayed)d annotators stayed, %(joined)d new, %(left)d left") % words)
    if step.rubrics:
        made.append(_("another version of the rubric"))
    return tuple(made)


def table(trend: Trend) -> list[tuple[Name, list[tuple[str, str]]]]:
    """Return the systems with their figures by round, in points, each with its interval."""
    return [(one.name, [_cell(point) for point in one.points]) for one in trend.lines]


def _cell(point: TrendPoint | None) -> tuple[str, str]:
    if point is None or point.value is None:
        return "", ""
    ends = percent(point.low), percent(point.high)
    return score(100 * point.value), "" if point.low is None else interval(*ends)
