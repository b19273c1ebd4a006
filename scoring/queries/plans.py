"""The figure of the next round's size as its page shows it, and how intervals narrow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.queries.names import Name
from scoring.queries.wording import why

FIGURE = "plan"
#: An interval so wide, in points, is narrow enough unless somebody asks for another width.
WIDTH = "10"


@dataclass(frozen=True, slots=True)
class Need:
    n_raters: int
    n_questions: int | None
    n_grades: int | None
    why: str


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
    def __init__(self, data: Mapping[str, Any], names: Mapping[int, Name]) -> None:
        self.data = data
        self._names = names
        self.why = why(data["reason"])
        self.least_raters: int | None = data["least_raters"]
        self.components: Mapping[str, Any] | None = data["components"]
        self.width: float = data["width"]

    @property
    def needs(self) -> list[Need]:
        return [
            Need(
                row["n_raters"],
                row["n_questions"],
                row["n_questions"] and row["n_questions"] * row["n_raters"],
                why(row["reason"]),
            )
            for row in self.data["needs"]
        ]

    @property
    def courses(self) -> list[Course]:
        """Return the learning curve of every release, in the order of the figure."""
        return [
            Course(
                self._names[row["release"]],
                row["n_questions"],
                tuple((one["n_questions"], 100 * one["width"]) for one in row["points"]),
                row["n_enough"],
                why(row["reason"]),
            )
            for row in self.data["curves"]
            if row["release"] in self._names
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
        return any(row["reason"] == "only_more_raters" for row in self.data["needs"])

    @property
    def delta(self) -> float:
        return 100 * float(self.data["delta"])
