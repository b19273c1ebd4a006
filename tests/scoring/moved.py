"""Figures of a movement, as they would be read back."""

from collections.abc import Mapping
from fractions import Fraction

from scoring.movement import queries as movement
from scoring.movement.causes import (
    CauseInterval,
    MovedFigure,
    MovementFigure,
    MovementPairs,
)
from scoring.stats.scores.said import Causes

#: From 50 to 75, by other responses.
USUAL = {
    "before": Fraction(1, 2),
    "after": Fraction(3, 4),
    "change": Fraction(1, 4),
    "questions": 0.0,
    "responses": 0.25,
    "same_raters": 0.0,
    "other_raters": 0.0,
    "together": None,
    "drift": None,
    "reason": None,
}


def figure(
    criterion=None, intervals: Mapping[str, tuple[float, float]] | None = None, **causes
) -> MovedFigure:
    """Return a figure of a criterion, or of all where none is named."""
    found = Causes(**USUAL | causes)
    ends = {name: CauseInterval(*pair, 5, None) for name, pair in (intervals or {}).items()}
    return MovedFigure(
        "score", None, criterion, "", dict.fromkeys(movement.METHODS, found), ends, ()
    )


def whole(*figures: MovedFigure, common: int = 0, same: int = 0) -> MovementFigure:
    return MovementFigure(1, 2, MovementPairs(common, common, same, 0, 0, 0), figures)
