"""The figure of raters, and how its page shows it: severity, fair scores, steadiness, pace, position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from annotation.common import texts as tokens
from scoring.figures.labels import Labels
from scoring.figures.typed import CapabilityKey, Number, RaterKey, ReleaseKey, Told, Why
from scoring.shown.names import Name
from scoring.shown.sheet import percent
from scoring.shown.wording import why

FIGURE = "raters"
T = TypeVar("T")
PARAMS: Mapping[str, Any] = {}
#: A course is drawn in a box so large, in percent of its width and in pixels.
STEPS, HEIGHT = 60, 40
LOW, HIGH = Told(column="quartile_1"), Told(column="quartile_3")


@dataclass(frozen=True, slots=True)
class AnnotatorSeverity:
    """In logits around the average; `points` are by how much somebody lowers a share."""

    rater: RaterKey
    severity: float
    low: float
    high: float
    points: Annotated[float, Told(percent=True)]
    misfit: float
    n_grades: int


@dataclass(frozen=True, slots=True)
class FairScore:
    """All grades pooled: as graded, and under average severity."""

    release: ReleaseKey
    raw: Annotated[float, Told(column="as_graded", percent=True)]
    fair: Annotated[float, Told(percent=True)]
    shift: Annotated[float, Told("How much higher it is so.", column="change", percent=True)]
    n_grades: int


@dataclass(frozen=True, slots=True)
class Severity:
    n_left_out: int
    reason: Why
    method: str
    raters: tuple[AnnotatorSeverity, ...]
    releases: tuple[FairScore, ...]


@dataclass(frozen=True, slots=True)
class Retest:
    """Grades of the same response twice: the share of equal ones, and how far apart they lie."""

    rater: Annotated[RaterKey, Told(column="")]
    same: Annotated[Number, Told(column="same_again")]
    apart: Number
    shift: Number
    n_pairs: int
    reason: Annotated[Why, Told(column="why_no_retest")]


@dataclass(frozen=True, slots=True)
class Drift:
    """How marks move against the others' from the first grade to the last, in time."""

    rater: RaterKey
    slope: Annotated[Number, Told(column="drift")]
    low: Annotated[Number, Told(column="drift_low")]
    high: Annotated[Number, Told(column="drift_high")]
    cusum: Number
    p: Number
    p_bh: Annotated[Number, Told("The p as one of all annotators'.")]
    n_grades: int
    n_blocks: int
    reason: Annotated[Why, Told(column="why_no_drift")]
    course: Annotated[tuple[float, ...], Told(column="")]


@dataclass(frozen=True, slots=True)
class AtPosition:
    position: int
    mean: float
    low: Number
    high: Number
    n_grades: int

    @property
    def in_points(self) -> tuple[Number, Number, Number]:
        """Return the mean and its interval in points of percent."""
        return percent(self.mean), percent(self.low), percent(self.high)


@dataclass(frozen=True, slots=True)
class Position:
    positions: tuple[AtPosition, ...]
    p: Number
    n_questions: int
    reason: Why


@dataclass(frozen=True, slots=True)
class Pace:
    """Active seconds a question; `n_fast` took under a third of the median of the capability."""

    rater: RaterKey
    capability: CapabilityKey
    median: float
    low: Annotated[float, LOW]
    high: Annotated[float, HIGH]
    n_fast: int
    n_seats: Annotated[int, Told(column="questions")]


@dataclass(frozen=True, slots=True)
class Tempo:
    """The usual time of a question beside how often somebody stands alone."""

    rater: RaterKey
    seconds: float
    low: Annotated[float, LOW]
    high: Annotated[float, HIGH]
    n_seats: Annotated[int, Told(column="questions")]
    alone: Annotated[Number, Told("C(i): the share of graded responses.", percent=True)]
    n_graded: Annotated[int, Told(column="grades")]


@dataclass(frozen=True, slots=True)
class RatersFigure:
    severity: Severity
    retest: tuple[Retest, ...]
    drift: tuple[Drift, ...]
    pace: tuple[Pace, ...]
    tempo: tuple[Tempo, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Line(Generic[T]):
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
        return not self._figure.drift

    @property
    def severities(self) -> list[Line[AnnotatorSeverity]]:
        """Return the raters, the severest first."""
        rows = sorted(self._figure.severity.raters, key=lambda row: -row.severity)
        return [Line(self._labels.rater(row.rater), row) for row in rows]

    @property
    def axis(self) -> float:
        """Return where the axis of severities ends on either side."""
        raters = self._figure.severity.raters
        return max([1.0, *(abs(end) for row in raters for end in (row.low, row.high))])

    @property
    def start(self) -> float:
        return -self.axis

    @property
    def fair(self) -> list[Line[FairScore]]:
        rows = sorted(self._figure.severity.releases, key=lambda row: -row.fair)
        return [
            Line(name.text, row, name.mark)
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

    @property
    def paces(self) -> list[tuple[str, Line[Pace]]]:
        """Return the raters by capability, with its name."""
        order = self._labels.in_order(row.capability for row in self._figure.pace)
        rows = sorted(self._figure.pace, key=lambda row: (order.index(row.capability), row.rater))
        return [
            (self._labels.capability(row.capability), Line(self._labels.rater(row.rater), row))
            for row in rows
        ]

    @property
    def tempos(self) -> list[Line[Tempo]]:
        """Return the raters whose times are known, the quickest first; each with a mark of its own."""
        rows = [(self._labels.rater(row.rater), row) for row in self._figure.tempo]
        marked = {label: n for n, (label, _row) in enumerate(sorted(rows, key=lambda one: one[0]))}
        made = [Line(label, row, marked[label]) for label, row in rows]
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
    def positions(self) -> list[Line[AtPosition]]:
        rows = self._figure.position.positions
        return [Line(tokens.letter(row.position), row) for row in rows]


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
