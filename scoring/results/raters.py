"""The figure of raters as its page shows it: severity, fair scores, steadiness, pace, position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.common import texts as tokens
from scoring.figures.labels import Labels
from scoring.shown.names import Name
from scoring.shown.wording import why

FIGURE = "raters"
PARAMS: Mapping[str, Any] = {}
#: A course is drawn in a box so large, in percent of its width and in pixels.
STEPS, HEIGHT = 60, 40
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Severity:
    label: str
    row: Row
    points: float


@dataclass(frozen=True, slots=True)
class Fair:
    name: Name
    raw: float
    fair: float
    shift: float
    n: int


@dataclass(frozen=True, slots=True)
class Steady:
    """Of one rater: the same again, and the course over time."""

    label: str
    retest: Row
    why_no_retest: str
    drift: Row
    why_no_drift: str
    path: str


@dataclass(frozen=True, slots=True)
class Pace:
    label: str
    capability: str
    row: Row


@dataclass(frozen=True, slots=True)
class Tempo:
    """Of one rater: the usual seconds of a question, and how often they stand alone, in percent."""

    label: str
    ordinal: int
    row: Row
    alone: float | None


@dataclass(frozen=True, slots=True)
class Position:
    letter: str
    mean: float
    low: float | None
    high: float | None
    n: int


class Raters:
    def __init__(self, data: Mapping[str, Any], labels: Labels, names: Mapping[int, Name]) -> None:
        self._data = data
        self._labels = labels
        self._names = names
        self.method: str = data["severity"]["method"]
        self.why_no_severity = why(data["severity"]["reason"])
        self.why_no_position = why(data["position"]["reason"])
        self.position_p: float | None = data["position"]["p"]
        self.n_questions: int = data["position"]["n_questions"]

    @property
    def is_empty(self) -> bool:
        return not self._data["drift"]

    @property
    def severities(self) -> list[Severity]:
        """Return the raters, the severest first."""
        rows = sorted(self._data["severity"]["raters"], key=lambda row: -row["severity"])
        return [
            Severity(self._labels.rater(row["rater"]), row, 100 * row["points"]) for row in rows
        ]

    @property
    def axis(self) -> float:
        """Return where the axis of severities ends on either side."""
        ends: list[float] = [
            abs(row[name]) for row in self._data["severity"]["raters"] for name in ("low", "high")
        ]
        return max([1.0, *ends])

    @property
    def start(self) -> float:
        return -self.axis

    @property
    def fair(self) -> list[Fair]:
        rows = sorted(self._data["severity"]["releases"], key=lambda row: -row["fair"])
        return [
            Fair(
                self._names[row["release"]],
                100 * row["raw"],
                100 * row["fair"],
                100 * (row["fair"] - row["raw"]),
                row["n_grades"],
            )
            for row in rows
            if row["release"] in self._names
        ]

    @property
    def why_no_retests(self) -> str:
        """Return why nobody has a figure of the same again, if it is for one reason."""
        reasons = {one.why_no_retest for one in self.steady}
        return reasons.pop() if len(reasons) == 1 else ""

    @cached_property
    def steady(self) -> list[Steady]:
        again = {row["rater"]: row for row in self._data["retest"]}
        return [
            Steady(
                self._labels.rater(row["rater"]),
                again.get(row["rater"], {}),
                why(again.get(row["rater"], {}).get("reason")),
                row,
                why(row["reason"]),
                path(row["course"]),
            )
            for row in self._data["drift"]
        ]

    @property
    def paces(self) -> list[Pace]:
        order = self._labels.in_order(row["capability"] for row in self._data["pace"])
        rows = sorted(
            self._data["pace"], key=lambda row: (order.index(row["capability"]), row["rater"])
        )
        return [
            Pace(self._labels.rater(row["rater"]), self._labels.capability(row["capability"]), row)
            for row in rows
        ]

    @property
    def tempos(self) -> list[Tempo]:
        """Return the raters whose times are known, the quickest first; each with a mark of its own."""
        rows = [(self._labels.rater(row["rater"]), row) for row in self._data["tempo"]]
        marked = {label: n for n, (label, _row) in enumerate(sorted(rows, key=lambda one: one[0]))}
        made = [
            Tempo(label, marked[label], row, None if row["alone"] is None else 100 * row["alone"])
            for label, row in rows
        ]
        return sorted(made, key=lambda one: (one.row["seconds"], one.label))

    @property
    def reach(self) -> int:
        """Return where the axis of positions ends on either side, in tens of points."""
        ends = [abs(end) for one in self.positions for end in (one.mean, one.low, one.high) if end]
        return 10 * max(1, -int(-max(ends, default=0) // 10))

    @property
    def least(self) -> int:
        return -self.reach

    @property
    def positions(self) -> list[Position]:
        return [
            Position(
                tokens.letter(int(row["position"])),
                100 * row["mean"],
                None if row["low"] is None else 100 * row["low"],
                None if row["high"] is None else 100 * row["high"],
                row["n_grades"],
            )
            for row in self._data["position"]["positions"]
        ]


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
