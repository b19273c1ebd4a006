"""The figure of the next round's size and of how intervals narrow, and how their page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from scoring.figures.typed import ReleaseKey, Told, Why
from scoring.shown.names import Name
from scoring.shown.wording import why

FIGURE = "plan"
#: An interval so wide, in points, is narrow enough unless somebody asks for another width.
WIDTH = "10"


@dataclass(frozen=True, slots=True)
class PlanComponents:
    """Variances of a single paired difference, as shares of the scale; `cut` names negative ones."""

    question: float
    rater: float
    residual: float
    n_questions: int
    n_raters: int
    n_pairs: int
    n_differences: int
    cut: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """The questions that so many annotators need."""

    n_raters: int
    n_questions: Annotated[int | None, Told("That find the difference.")]
    n_grades: Annotated[int | None, Told("Of each system.", column="grades_of_each_system")]
    n_equal: Annotated[
        int | None,
        Told("That show two equal systems to lie within it.", column="questions_to_show_equal"),
    ]
    reason: Why

    @property
    def why(self) -> str:
        return why(self.reason)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    n_questions: int
    width: float
    enough: bool


@dataclass(frozen=True, slots=True)
class WidthCurve:
    """How the interval of a system narrows with questions."""

    release: ReleaseKey
    n_questions: int
    points: tuple[CurvePoint, ...]
    n_enough: int | None
    reason: Why


@dataclass(frozen=True, slots=True)
class PlanFigure:
    delta: float
    power: float
    level: float
    components: PlanComponents | None
    needs: tuple[Need, ...]
    least_raters: int | None
    reason: Why
    width: float
    curves: tuple[WidthCurve, ...]


@dataclass(frozen=True, slots=True)
class Course:
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


class Plan:
    """Reads the figure."""

    def __init__(self, figure: PlanFigure, names: Mapping[int, Name]) -> None:
        self._figure = figure
        self._names = names
        self.why = why(figure.reason)
        self.least_raters, self.components = figure.least_raters, figure.components
        self.needs, self.width = figure.needs, figure.width
        self.delta = 100 * figure.delta

    @property
    def courses(self) -> list[Course]:
        """Return the learning curve of every release, in the order of the figure."""
        return [
            Course(
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
        return any(row.reason == "only_more_raters" for row in self.needs)
