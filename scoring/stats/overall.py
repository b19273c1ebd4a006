"""The two figures that papers call "overall" agreement: both are computed, both are named.

*Mean of coefficients*: the mean over criteria of the coefficient. *Averaged rating*: the coefficient
of the mean over criteria of the ratings, over the responses that have them all. They differ: in one
published table some rows print the one and some the other.

Ratings of criteria with different ranges are brought to 0–1 before they are averaged; with one
range, or where ranges are not known, they are averaged as they stand. The exact ties among people's
means of systems survive either way.

References:
    Shu et al. (2024), Fusion-Eval, table 2 (its rows of other papers print the mean of four τ).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.stats import blocks, exact
from scoring.stats.blocks import Block, Settings
from scoring.stats.coefficients import NAMES
from scoring.stats.exact import Values
from scoring.stats.levels import SENTENCES, Level
from scoring.stats.reasons import Reason
from scoring.stats.sums import Label
from scoring.stats.weighted import Coefficient

Definition = Literal["mean_of_coefficients", "averaged_rating"]
DEFINITIONS: tuple[Definition, ...] = ("mean_of_coefficients", "averaged_rating")
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Overall:
    """One judge over all criteria, by one of the two definitions; `n` as of its level."""

    judge: Label
    level: Level
    coefficient: Coefficient
    definition: Definition
    value: float | None
    reason: Reason | None
    low: float | None
    high: float | None
    interval_reason: Reason | None
    n: int
    n_criteria: int
    method: str


def averaged(columns: Sequence[Values], ranges: Sequence[Range | None]) -> Values:
    """Return the mean of columns, row by row, each brought to 0–1 first if their ranges differ.

    Raises:
        ValueError: there is no column, or a range has no width.
    """
    if not columns:
        raise ValueError("There is nothing to average.")
    if differ(ranges):
        known = [one for one in ranges if one is not None]
        columns = [exact.rescaled(column, *one) for column, one in zip(columns, known, strict=True)]
    return exact.mean_of(columns)


def differ(ranges: Sequence[Range | None]) -> bool:
    """Say whether ranges are all known, without an open end, and not all the same."""
    known = [one for one in ranges if one is not None and all(map(math.isfinite, one))]
    return len(known) == len(ranges) and len(set(known)) > 1


def mean_of_coefficients(
    judge: Label, parts: Sequence[Block | None], level: Level, settings: Settings
) -> list[Overall]:
    """Return the mean over criteria of each coefficient; None is a criterion the judge lacks."""
    return [
        _mean(judge, parts, level, name, place, settings)
        for place, name in enumerate(settings.names)
    ]


def of_averaged_rating(
    judge: Label, one: Block | None, level: Level, settings: Settings, *, n_criteria: int, what: str
) -> list[Overall]:
    """Return each coefficient of the averaged rating; None is a judge that lacks a criterion.

    Args:
        judge: its label.
        one: its averaged rating beside that of people.
        level: of the correlation.
        settings: what was asked.
        n_criteria: how many were averaged.
        what: says what was averaged, for the method.
    """
    if one is None:
        return [
            _overall(
                judge, level, name, "averaged_rating", Reason.PARTS_UNDEFINED, n_criteria, what
            )
            for name in settings.names
        ]
    made = []
    for point, bounds in zip(one.points, blocks.intervals(one, settings), strict=True):
        made.append(
            Overall(
                judge=judge,
                level=level,
                coefficient=point.coefficient,
                definition="averaged_rating",
                value=point.value,
                reason=point.reason,
                low=None if bounds is None else bounds.low,
                high=None if bounds is None else bounds.high,
                interval_reason=Reason.NOT_RESAMPLED if bounds is None else bounds.reason,
                n=point.n,
                n_criteria=n_criteria,
                method=_method(point.coefficient, level, "averaged_rating", what),
            )
        )
    return made


def _mean(
    judge: Label,
    parts: Sequence[Block | None],
    level: Level,
    name: Coefficient,
    place: int,
    settings: Settings,
) -> Overall:
    known = [one for one in parts if one is not None]
    values = [one.points[place].value for one in known]
    there = [value for value in values if value is not None]
    what = "mean over criteria"
    if len(there) < len(parts):
        reason = Reason.PARTS_UNDEFINED
        return _overall(judge, level, name, "mean_of_coefficients", reason, len(parts), what)
    low = high = None
    reason_none: Reason | None = Reason.NOT_RESAMPLED
    if settings.resamples and len({one.parts for one in known}) > 1:
        reason_none = Reason.DIFFERENT_PARTS
    elif settings.resamples:
        drawn = [one.found.get(name) for one in known]
        mean = None if any(one is None for one in drawn) else np.mean(drawn, axis=0)  # type: ignore[arg-type]
        bounds = blocks.interval_of(known[0], name, mean, settings)
        low, high, reason_none = bounds.low, bounds.high, bounds.reason
    return Overall(
        judge=judge,
        level=level,
        coefficient=name,
        definition="mean_of_coefficients",
        value=float(np.mean(there)),
        reason=None,
        low=low,
        high=high,
        interval_reason=reason_none,
        n=min(one.points[place].n for one in known),
        n_criteria=len(parts),
        method=_method(name, level, "mean_of_coefficients", what),
    )


def _overall(
    judge: Label,
    level: Level,
    name: Coefficient,
    definition: Definition,
    reason: Reason,
    n_criteria: int,
    what: str,
) -> Overall:
    method = _method(name, level, definition, what)
    return Overall(
        judge, level, name, definition, None, reason, None, None, reason, 0, n_criteria, method
    )


def _method(name: Coefficient, level: Level, definition: Definition, what: str) -> str:
    said = {
        "mean_of_coefficients": "overall as the mean of the coefficients of the criteria",
        "averaged_rating": "overall as the coefficient of the averaged rating",
    }[definition]
    return f"{NAMES[name]}; {SENTENCES[level]}; {said}; {what}"
