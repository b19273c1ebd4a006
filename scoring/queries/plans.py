"""The figure of the next round's size as its page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.queries.wording import why

FIGURE = "plan"
SHAPE = 1


@dataclass(frozen=True, slots=True)
class Need:
    n_raters: int
    n_questions: int | None
    n_grades: int | None
    why: str


class Plan:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.why = why(data["reason"])
        self.least_raters: int | None = data["least_raters"]
        self.components: Mapping[str, Any] | None = data["components"]

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
    def only_more_raters(self) -> bool:
        """Whether some of the planned numbers of raters can never be enough."""
        return any(row["reason"] == "only_more_raters" for row in self.data["needs"])

    @property
    def delta(self) -> float:
        return 100 * float(self.data["delta"])
