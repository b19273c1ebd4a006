"""The scores of a round with and without what reviewers decided, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.queries import cells
from scoring.queries.names import Name
from scoring.queries.wording import why


@dataclass(frozen=True, slots=True)
class Value:
    """A score of 0 to 100 with its interval; `why` says why there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    """A system: as everything was given, as it counts, with adjudicated grades in place."""

    name: Name
    struck: Value
    given: Value
    adjudicated: Value

    @property
    def moved(self) -> float | None:
        """Return by how many points the review moves the score in all."""
        if self.adjudicated.value is None or self.struck.value is None:
            return None
        return self.adjudicated.value - self.struck.value


def lines(data: Mapping[str, Mapping[str, Any]], names: Mapping[int, Name]) -> list[Line]:
    """Return a line for each system, in the order of the draw.

    Args:
        data: of the figure of scores, by variant (`scoring.queries.reviewed`).
        names: what the systems are called.
    """
    return [
        Line(name, *(_overall(data[key], pk) for key in ("struck", "given", "adjudicated")))
        for pk, name in names.items()
    ]


def _overall(data: Mapping[str, Any], release: int) -> Value:
    for row in data["scores"]:
        if (row["figure"], row["level"], row["release"]) == ("score", "overall", release):
            value = row["value"]
            return Value(
                None if value is None else 100 * value["value"],
                cells.hundredfold(row["low"]),
                cells.hundredfold(row["high"]),
                row["n_grades"],
                why(row["reason"]),
            )
    return Value(None, None, None, 0, "")
