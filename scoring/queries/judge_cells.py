"""Figures of the judge pages with their intervals, as the worker stored them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.queries.wording import why

Data = Mapping[str, Any]
#: With fewer questions than these, intervals are too wide to choose a judge by.
FEW_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One coefficient with its interval; `why` stands where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""
    p: float | None = None
    n: int = 0


def of_cell(cell: Data) -> Figure:
    """Return a coefficient with its interval."""
    point, bounds = cell["correlation"], cell["interval"] or {}
    reason = point["reason"] or bounds.get("reason")
    return Figure(
        point["value"], bounds.get("low"), bounds.get("high"), why(reason), point["p"], point["n"]
    )


def few_questions(cells: Iterable[Data]) -> int:
    """Return on how many questions coefficients rest, where those are too few to tell much; else 0."""
    most = max((one["interval"]["n_groups"] for one in cells if one["interval"]), default=0)
    return most if most < FEW_QUESTIONS else 0


def overall(one: Data) -> Figure:
    """Return one definition of overall with its interval."""
    return Figure(one["value"], one["low"], one["high"], why(one["reason"]), n=one["n"])


def estimate(found: Data) -> Figure:
    """Return an estimate with its interval."""
    reason = found["reason"] or found["interval_reason"]
    return Figure(found["value"], found["low"], found["high"], why(reason))
