"""Figures that go beyond the plain ones, and how their pages show them beside these.

* The mixed model of grades.
* All outputs that a round was drawn from, by the chance of each.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.rounds.models import Round
from scoring.publishing.models import Publication
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.scores.said import (
    ModelDifference,
    ModelFigure,
    ModelSystem,
    WholeFigure,
    WholeSystem,
)

FIGURE = "model"
WHOLE = "whole"
PARTS = {
    "question": gettext_lazy("Questions"),
    "annotator": gettext_lazy("Annotators"),
    "system_question": gettext_lazy("Systems × questions"),
    "system_annotator": gettext_lazy("Systems × annotators"),
    "rest": gettext_lazy("The rest"),
}


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A system, or a pair of them, in points."""

    title: str
    mark: int | None
    value: float
    low: float
    high: float
    plain: float | None
    apart: float | None


@dataclass(frozen=True, slots=True)
class RandomPart:
    """A random part: its standard deviation in points, and its share of all variance in percent."""

    title: str
    sd: float | None
    share: float | None


class Model:
    """Reads the figure; names decide which releases are shown."""

    def __init__(self, figure: ModelFigure, names: Mapping[int, Name]) -> None:
        self.figure, self._names = figure, names
        self.why = why(figure.reason)

    @cached_property
    def systems(self) -> list[ModelLine]:
        rows = [one for one in self.figure.systems if one.release in self._names]
        return [
            _line(one, self._names[one.release].text, self._names[one.release].mark)
            for one in sorted(rows, key=lambda one: -one.value)
        ]

    @cached_property
    def differences(self) -> list[ModelLine]:
        known = self._names
        return [
            _line(
                one,
                _("%(left)s minus %(right)s")
                % {"left": known[one.left].text, "right": known[one.right].text},
                None,
            )
            for one in self.figure.differences
            if one.left in known and one.right in known
        ]

    @property
    def farthest(self) -> float:
        """Return how far a difference by the model is from the plain one at most, in points."""
        return max((abs(one.apart) for one in self.differences if one.apart is not None), default=0)

    @property
    def parts(self) -> list[RandomPart]:
        total = sum(one.variance or 0 for one in self.figure.components) or 1.0
        return [
            RandomPart(
                str(PARTS[one.name]),
                None if one.variance is None else 100 * math.sqrt(one.variance),
                None if one.variance is None else 100 * one.variance / total,
            )
            for one in self.figure.components
        ]


def _line(row: ModelSystem | ModelDifference, title: str, mark: int | None) -> ModelLine:
    plain, apart = (None if one is None else 100 * one for one in (row.plain, row.apart))
    return ModelLine(title, mark, 100 * row.value, 100 * row.low, 100 * row.high, plain, apart)


#: What of a system its page shows in points.
IN_POINTS = ("value", "low", "high", "helped", "helped_low", "helped_high", "plain")


def drawn_from(round_: Round) -> Publication | None:
    """Return what a round was drawn from, where it holds some of that only."""
    made = Publication.objects.filter(round=round_).select_related("run").first()
    return made if made is not None and made.n_taken < made.n_units else None


def sample_words(round_: Round) -> str:
    """Return of what the scores of such a round are, in a line of a file."""
    made = drawn_from(round_)
    words = {"n": made.n_taken, "all": made.n_units} if made else {}
    return _("of the %(n)d outputs chosen, of %(all)d") % words if words else ""


@dataclass(frozen=True, slots=True)
class WholeLine:
    """A system in points: over all outputs, with the help of machines, and of the chosen ones alone."""

    name: Name
    row: WholeSystem
    value: float | None
    low: float | None
    high: float | None
    helped: float | None
    helped_low: float | None
    helped_high: float | None
    plain: float | None
    why: str


class MixedModel:
    """Reads the figure; names decide which releases are shown."""

    def __init__(self, figure: WholeFigure, names: Mapping[int, Name]) -> None:
        self.drawn, self._rows, self._names = figure.drawn, figure.systems, names
        self.why = why(figure.reason)

    @cached_property
    def lines(self) -> list[WholeLine]:
        return [
            _whole_line(one, self._names[one.release])
            for one in self._rows
            if one.release in self._names
        ]

    @property
    def is_helped(self) -> bool:
        """Whether machines said something of the outputs."""
        return any(one.helped is not None for one in self.lines)

    @property
    def is_partial(self) -> bool:
        """Whether some of what was drawn is not graded yet."""
        return any(one.row.n_graded < one.row.n_chosen for one in self.lines)

    @property
    def n_unscored(self) -> int:
        return max((one.row.n_unscored for one in self.lines), default=0)


def _whole_line(row: WholeSystem, name: Name) -> WholeLine:
    points: dict[str, float | None] = {
        key: None if (share := getattr(row, key)) is None else 100 * share for key in IN_POINTS
    }
    return WholeLine(name=name, row=row, why=why(row.reason or row.interval_reason), **points)
