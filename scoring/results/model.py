"""The figure of the mixed model of grades, and how its page shows it beside the plain figures."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.scores.said import ModelDifference, ModelFigure, ModelSystem

FIGURE = "model"
PARTS = {
    "question": gettext_lazy("Questions"),
    "annotator": gettext_lazy("Annotators"),
    "system_question": gettext_lazy("Systems × questions"),
    "system_annotator": gettext_lazy("Systems × annotators"),
    "rest": gettext_lazy("The rest"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A system, or a pair of them, in points."""

    title: str
    mark: int | None
    value: float
    low: float
    high: float
    plain: float | None
    apart: float | None


@dataclass(frozen=True, slots=True)
class Part:
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
    def systems(self) -> list[Line]:
        rows = [one for one in self.figure.systems if one.release in self._names]
        return [
            _line(one, self._names[one.release].text, self._names[one.release].mark)
            for one in sorted(rows, key=lambda one: -one.value)
        ]

    @cached_property
    def differences(self) -> list[Line]:
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
    def parts(self) -> list[Part]:
        total = sum(one.variance or 0 for one in self.figure.components) or 1.0
        return [
            Part(
                str(PARTS[one.name]),
                None if one.variance is None else 100 * math.sqrt(one.variance),
                None if one.variance is None else 100 * one.variance / total,
            )
            for one in self.figure.components
        ]


def _line(row: ModelSystem | ModelDifference, title: str, mark: int | None) -> Line:
    plain, apart = (None if one is None else 100 * one for one in (row.plain, row.apart))
    return Line(title, mark, 100 * row.value, 100 * row.low, 100 * row.high, plain, apart)
