"""The figure of raters, and how its page shows it: severity, fair scores, steadiness, pace, position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Generic, TypeVar

from annotation.common import texts as tokens
from annotation.common.sentences import gettext as _
from scoring.figures.labels import Labels
from scoring.shown.names import Name
from scoring.shown.wording import listed, why
from scoring.stats.people.said import (
    AnnotatorSeverity,
    AtPosition,
    Drift,
    FairScore,
    GroupSeverity,
    Pace,
    Position,
    Retest,
    Severity,
    Tempo,
)
from scoring.stats.plain import Reason

FIGURE = "raters"
T = TypeVar("T")
#: A course is drawn in a box so large, in percent of its width and in pixels.
STEPS, HEIGHT = 60, 40


@dataclass(frozen=True, slots=True)
class RatersFigure:
    severity: Severity
    retest: tuple[Retest, ...]
    drift: tuple[Drift, ...]
    pace: tuple[Pace, ...]
    tempo: tuple[Tempo, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class RaterTableRow(Generic[T]):
    """A row of a table on the page, and what it is called; `mark` is the ordinal of its colour."""

    label: str
    row: T
    mark: int = 0


@dataclass(frozen=True, slots=True)
class Steady:
    """Of one rater: the same again, and the course over time."""

    label: str
    retest: Retest | None
    why_no_retest: str
    drift: Drift
    why_no_drift: str
    path: str


class Raters:
    """Reads the figure."""

    def __init__(self, figure: RatersFigure, labels: Labels, names: Mapping[int, Name]) -> None:
        self._figure = figure
        self._labels = labels
        self._names = names
        self.method = figure.severity.method
        self.why_no_severity = why(figure.severity.reason)
        self.why_no_position = why(figure.position.reason)
        self.position_p = figure.position.p
        self.n_questions = figure.position.n_questions

    @property
    def is_empty(self) -> bool:
        of_words = self._figure.severity.reason is Reason.NOT_MEASURED
        return not self._figure.drift and not (of_words and self._figure.pace)

    @property
    def is_measured(self) -> bool:
        """Whether anything was graded on a scale: of labels and texts only the pace is known."""
        return bool(self._figure.drift)

    @property
    def severities(self) -> list[RaterTableRow[AnnotatorSeverity]]:
        """Return the raters, the severest first."""
        rows = sorted(self._figure.severity.raters, key=lambda row: -row.severity)
        return [RaterTableRow(self._labels.rater(row.rater), row) for row in rows]

    @property
    def groups(self) -> list[GroupSeverity]:
        """Return the groups of annotators, the severest first."""
        return sorted(self._figure.severity.groups, key=lambda row: -row.severity)

    @property
    def verdict(self) -> str:
        """Return in a sentence who grades clearly more severely or mildly than all on average."""
        if self.why_no_severity or not self._figure.severity.raters:
            return ""
        ends = [(one.label, *_corrected(one.row, len(self.severities))) for one in self.severities]
        severe = [label for label, low, _high in ends if low > 0]
        mild = [label for label, _low, high in ends if high < 0]
        words = {"severe": listed(severe), "mild": listed(mild)}
        if severe and mild:
            return _("More severe than average: %(severe)s. Milder: %(mild)s.") % words
        if severe:
            return _("More severe than average: %(severe)s.") % words
        if mild:
            return _("Milder than average: %(mild)s.") % words
        return _("No annotator is clearly more severe or milder than average.")

    @property
    def axis(self) -> float:
        """Return where the axis of severities ends on either side."""
        found = self._figure.severity
        ends = [end for row in found.raters for end in (row.low, row.high)]
        ends += [end for row in found.groups for end in (row.low, row.high)]
        return max([1.0, *map(abs, ends)])

    @property
    def start(self) -> float:
        return -self.axis

    @property
    def fair(self) -> list[RaterTableRow[FairScore]]:
        rows = sorted(self._figure.severity.releases, key=lambda row: -row.fair)
        return [
            RaterTableRow(name.text, row, name.mark)
            for row in rows
            if (name := self._names.get(row.release))
        ]

    @property
    def why_no_retests(self) -> str:
        """Return why nobody has a figure of the same again, if it is for one reason."""
        reasons = {one.why_no_retest for one in self.steady}
        return reasons.pop() if len(reasons) == 1 else ""

    @cached_property
    def steady(self) -> list[Steady]:
        again = {row.rater: row for row in self._figure.retest}
        return [
            Steady(
                self._labels.rater(row.rater),
                twice := again.get(row.rater),
                why(twice.reason if twice else None),
                row,
                why(row.reason),
                path(row.course),
            )
            for row in self._figure.drift
        ]

    @cached_property
    def paced(self) -> list[int]:
        """Return the annotators whose pace is known."""
        return sorted({row.rater for row in self._figure.pace})

    @property
    def pace_columns(self) -> list[str]:
        return [self._labels.rater(key) for key in self.paced]

    @property
    def paces(self) -> list[tuple[str, list[Pace | None]]]:
        """Return the capabilities by name, with the pace of each annotator in them."""
        known = {(row.capability, row.rater): row for row in self._figure.pace}
        return [
            (self._labels.capability(part), [known.get((part, key)) for key in self.paced])
            for part in self._labels.in_order({row.capability for row in self._figure.pace})
        ]

    @property
    def tempos(self) -> list[RaterTableRow[Tempo]]:
        """Return the raters whose times are known, the quickest first."""
        made = [RaterTableRow(self._labels.rater(row.rater), row) for row in self._figure.tempo]
        return sorted(made, key=lambda one: (one.row.seconds, one.label))

    @property
    def reach(self) -> int:
        """Return where the axis of positions ends on either side, in tens of points."""
        rows = self._figure.position.positions
        ends = [abs(end) for one in rows for end in one.in_points if end]
        return 10 * max(1, -int(-max(ends, default=0) // 10))

    @property
    def least(self) -> int:
        return -self.reach

    @property
    def positions(self) -> list[RaterTableRow[AtPosition]]:
        rows = self._figure.position.positions
        return [RaterTableRow(tokens.letter(row.position), row) for row in rows]


def _corrected(row: AnnotatorSeverity, n: int) -> tuple[float, float]:
    """Return the interval of a severity as wide as n of them at once need it (Bonferroni)."""
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / n) / normal.inv_cdf(0.975)
    return (
        row.severity - wider * (row.severity - row.low),
        row.severity + wider * (row.high - row.severity),
    )


def path(course: Sequence[float]) -> str:
    """Return a course of sums as the path of a line, thinned, its zero in the middle."""
    if len(course) < 2:
        return ""
    reach = max(abs(one) for one in course) or 1.0
    step = max(1, len(course) // STEPS)
    thin = list(enumerate(course))[::step]
    points = [
        f"{200 * n / (len(course) - 1):.1f} {HEIGHT / 2 - one / reach * (HEIGHT / 2 - 2):.1f}"
        for n, one in thin
    ]
    return "M" + "L".join(points)
