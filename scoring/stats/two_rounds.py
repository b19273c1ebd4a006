"""The grades of one system in two rounds, as columns that every decomposition reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.sums import Label

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Record:
    """One grade: `content` is question, response and criterion in one, equal where unchanged.

    A grade is worth `numerator / denominator` and weighs its denominator: the mark above the
    minimum over the width of the scale, or 1 or 0 over 1 for whether it passes.
    """

    question: Label
    content: Label
    rater: Label
    numerator: int
    denominator: int


@dataclass(frozen=True)
class TwoRounds:
    """A grade a row; labels are numbered from 0, alike in both rounds; `later` is the second."""

    question: IntArray
    content: IntArray
    rater: IntArray
    later: BoolArray
    numerator: IntArray
    denominator: IntArray

    def __post_init__(self) -> None:
        if not self.later.any() or self.later.all():
            raise ValueError("Both rounds need grades.")
        if (self.denominator <= 0).any():
            raise ValueError("A scale has no width.")

    @cached_property
    def value(self) -> FloatArray:
        return self.numerator / self.denominator

    @cached_property
    def common_questions(self) -> BoolArray:
        return self._in_both(self.question)

    @cached_property
    def unchanged(self) -> BoolArray:
        return self._in_both(self.content)

    @cached_property
    def common_raters(self) -> BoolArray:
        return self._in_both(self.rater)

    def _in_both(self, which: IntArray) -> BoolArray:
        n = int(which.max()) + 1
        first, second = (
            np.bincount(which[mine], minlength=n) > 0 for mine in (~self.later, self.later)
        )
        both: BoolArray = first & second
        return both

    def mean(self, later: int) -> Fraction:
        """Return the exact score of a round."""
        mine = self.later == bool(later)
        return Fraction(int(self.numerator[mine].sum()), int(self.denominator[mine].sum()))

    def repeated(self, times: IntArray) -> "TwoRounds":
        """Return the grades so many times each; those taken no time are gone.

        Raises:
            ValueError: a round has none left.
        """
        kept = times > 0
        return TwoRounds(
            self.question[kept],
            self.content[kept],
            self.rater[kept],
            self.later[kept],
            self.numerator[kept] * times[kept],
            self.denominator[kept] * times[kept],
        )

    def drift(self) -> Fraction | None:
        """Return the mean absolute difference on what one rater graded unchanged in both rounds."""
        width = int(self.rater.max()) + 1
        key = self.content * width + self.rater
        order = np.lexsort([self.later, key])
        same = (key[order][1:] == key[order][:-1]) & (
            self.later[order][1:] != self.later[order][:-1]
        )
        first, second = order[:-1][same], order[1:][same]
        if not len(first):
            return None
        apart = np.abs(self.numerator[second] - self.numerator[first])
        return Fraction(int(apart.sum()), int(self.denominator[first].sum()))


def two_rounds(before: Sequence[Record], after: Sequence[Record]) -> TwoRounds:
    """Return records as columns.

    Raises:
        ValueError: a round has no grades, or a scale no width.
    """
    records = [*before, *after]
    return TwoRounds(
        _codes(one.question for one in records),
        _codes(one.content for one in records),
        _codes(one.rater for one in records),
        np.arange(len(records)) >= len(before),
        np.array([one.numerator for one in records], dtype=np.int64),
        np.array([one.denominator for one in records], dtype=np.int64),
    )


def _codes(labels: Iterable[Label]) -> IntArray:
    place: dict[Label, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int64)
