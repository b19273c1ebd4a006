"""The figure of the next round's size and of how intervals narrow, and how their page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.scores.said import Need, PlanFigure

FIGURE = "plan"
#: An interval so wide, in points, is narrow enough unless somebody asks for another width.
WIDTH = "10"


@dataclass(frozen=True, slots=True)
class IntervalCourse:
    """How the interval of a release narrows: widths in points by number of questions."""

    name: Name
    n_questions: int
    points: tuple[tuple[int, float], ...]
    n_enough: int | None
    why: str

    @property
    def now(self) -> float | None:
        """Return the width as it is."""
        return dict(self.points).get(self.n_questions)

    @property
    def is_enough(self) -> bool:
        return self.n_enough is not None and self.n_enough <= self.n_questions

    @property
    def n_more(self) -> int | None:
        """Return how many questions are lacking, if they can be counted."""
        return None if self.n_enough is None else max(0, self.n_enough - self.n_questions)


class NextRoundPlan:
    """Reads the figure."""

    def __init__(self, figure: PlanFigure, names: Mapping[int, Name]) -> None:
        self._figure = figure
        self._names = names
        self.why = why(figure.reason)
        self.least_raters, self.components = figure.least_raters, figure.components
        self.width = figure.width
        self.delta = 100 * figure.delta

    @property
    def of_pairs(self) -> bool:
        """Whether it plans win rates."""
        return any(one.n_narrow is not None for one in self._figure.needs)

    @property
    def needs(self) -> list[tuple[Need, str]]:
        """Return what each number of raters needs, and why it cannot be said."""
        return [(one, why(one.reason)) for one in self._figure.needs]

    @property
    def courses(self) -> list[IntervalCourse]:
        """Return the learning curve of every release, in the order of the figure."""
        return [
            IntervalCourse(
                self._names[row.release],
                row.n_questions,
                tuple((one.n_questions, 100 * one.width) for one in row.points),
                row.n_enough,
                why(row.reason),
            )
            for row in self._figure.curves
            if row.release in self._names
        ]

    @property
    def steps(self) -> list[tuple[int, list[float | None]]]:
        """Return the numbers of questions, each with the widths of the releases."""
        widths = [dict(one.points) for one in self.courses]
        numbers = sorted({n for one in widths for n in one})
        return [(n, [one.get(n) for one in widths]) for n in numbers]

    @property
    def only_more_raters(self) -> bool:
        """Whether some of the planned numbers of raters can never be enough."""
        return any(row.reason == "only_more_raters" for row in self._figure.needs)
