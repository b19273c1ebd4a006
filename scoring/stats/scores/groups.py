"""How differently two groups of annotators grade the same responses.

A cell is a response on a criterion that both groups graded. Its difference is the mean of the one group
less the mean of the other, as a share of the scale; the figure is the mean over cells, and over those
of one system.

References:
    Henderson (1953), Estimation of variance and covariance components (method 1).
    Satterthwaite (1946), An approximate distribution of estimates of variance components.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy import special

from scoring.stats.claims import MARGIN, Certainty, Claim, ClaimEstimate
from scoring.stats.frame import BoolArray
from scoring.stats.people.said import GroupDifference, GroupDifferences, SystemGroupDifference
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.scores import components
from scoring.stats.scores.components import MeetingLayout, MetValues
from scoring.stats.scores.differences import corrected

#: Annotators that each group needs before it is said what others of these groups would find.
FEWEST = 2
METHOD = (
    "mean of one group less mean of the other, over the responses and criteria that both graded; interval "
    "at {level:.0%} by questions and, for other annotators too, by the annotators of either group "
    "(Henderson's method I), Student's t"
)
_COLUMNS = ("group", "rater", "release", "response", "criterion")


def group_differences(
    ratings: pd.DataFrame,
    groups: Mapping[str, Sequence[Label]],
    *,
    margin: float = MARGIN,
    level: float = 0.95,
) -> GroupDifferences:
    """Return how much higher each group grades than each later one, in all and by system.

    Whoever is in both of two groups counts in neither. `p_holm` allows for every two groups, and of
    systems for all systems of every two groups.

    Args:
        ratings: the ratings frame, usually after the default filter; open scales do not count.
        groups: the raters of each, by its name.
        margin: a difference so small, as a share, is none.
        level: of the intervals.

    Raises:
        ValueError: the margin or the level is not between 0 and 1.
    """
    if not 0 < margin < 1 or not 0 < level < 1:
        raise ValueError("A margin and a level are above 0 and below 1.")
    marks = _Marks(ratings)
    found: list[GroupDifference] = []
    systems: list[SystemGroupDifference] = []
    for left, right in itertools.combinations(groups, 2):
        pair = _Pair(marks, left, right, groups, margin, level)
        found.append(GroupDifference(left, right, *pair.told(pair.met)))
        for code in np.unique(marks.release[pair.met]).tolist():
            told = pair.told(pair.met & (marks.release == code))
            systems.append(SystemGroupDifference(left, right, *told, marks.releases[code]))
    return GroupDifferences(
        tuple(corrected(found, 1 - level)),
        tuple(corrected(systems, 1 - level)),
        METHOD.format(level=level),
    )


class _Marks:
    """Marks as shares of their scale, with the numbers of their cell, question, rater and system."""

    def __init__(self, ratings: pd.DataFrame) -> None:
        width = (ratings["scale_max"] - ratings["scale_min"]).to_numpy(np.float64)
        usable = ratings["value"].notna().to_numpy() & np.isfinite(width) & (width > 0)
        rows = ratings[usable]
        low = rows["scale_min"].to_numpy(np.float64)
        self.share = (rows["value"].to_numpy(np.float64) - low) / width[usable]
        code = {name: rows[name].cat.codes.to_numpy(np.int64) for name in _COLUMNS}
        self.question, self.rater, self.release = code["group"], code["rater"], code["release"]
        cell = code["response"] * (int(code["criterion"].max(initial=0)) + 1) + code["criterion"]
        self.cell = _numbered(cell)
        self.people: list[Label] = rows["rater"].cat.categories.tolist()
        self.releases: list[Label] = rows["release"].cat.categories.tolist()

    def by(self, raters: Sequence[Label], but: Sequence[Label]) -> BoolArray:
        """Return which marks are by one of these raters, without some."""
        chosen = set(raters) - set(but)
        codes = [n for n, one in enumerate(self.people) if one in chosen]
        found: BoolArray = np.isin(self.rater, codes)
        return found


@dataclass(frozen=True, slots=True)
class _Side:
    """A group's marks of the common cells, each less the other group's mean of the cell.

    `weight` is what each counts for in the difference; they add up to 1.
    """

    question: IntArray
    rater: IntArray
    value: FloatArray
    weight: FloatArray

    @property
    def n_raters(self) -> int:
        return len(np.unique(self.rater))

    @property
    def met(self) -> MetValues:
        """A value for each question and rater that met."""
        question, rater = _numbered(self.question), _numbered(self.rater)
        width, n = int(rater.max()) + 1, int(question.max()) + 1
        pair, at = np.unique(question * width + rater, return_inverse=True)
        weight: FloatArray = np.bincount(at.ravel(), self.weight).astype(np.float64)
        value: FloatArray = np.bincount(at.ravel(), self.weight * self.value) / weight
        layout = MeetingLayout(pair // width, pair % width, np.zeros(n, dtype=np.int64))
        return MetValues(layout, value, weight, 0)


class _Pair:
    """Two groups: the marks of either side, and which of them are of cells that both graded."""

    def __init__(
        self,
        marks: _Marks,
        left: str,
        right: str,
        groups: Mapping[str, Sequence[Label]],
        margin: float,
        level: float,
    ) -> None:
        self.marks, self.margin, self.level = marks, margin, level
        one, other = groups[left], groups[right]
        self.sides = marks.by(one, other), marks.by(other, one)
        self.met: BoolArray = np.ones(len(marks.cell), dtype=np.bool_)
        for side in self.sides:
            self.met &= np.bincount(marks.cell[side], minlength=len(marks.cell))[marks.cell] > 0
        self.met &= self.sides[0] | self.sides[1]

    def told(
        self, chosen: BoolArray
    ) -> tuple[
        Fraction | None, ClaimEstimate, ClaimEstimate, Certainty, int, int, int, int, Reason | None
    ]:
        """Return the difference over chosen marks, as the fields of a `GroupDifference` in order."""
        if not chosen.any():
            none = (_estimate(claim, None, 0, Reason.NO_OVERLAP) for claim in Claim)
            return (None, *none, Certainty.OPEN, 0, 0, 0, 0, Reason.NO_OVERLAP)  # type: ignore[return-value]
        apart, question, held = self._apart(chosen)
        value, k = Fraction(float(apart.mean())), int(question.max()) + 1
        n = [side.n_raters for side in held]
        of_question = np.bincount(question, apart - apart.mean()) / len(apart)
        these = float((of_question**2).sum()) * k / max(k - 1, 1)
        reason = Reason.UNDER_SIX if k - 1 < components.LEAST_FREEDOM else None
        reason = reason or (Reason.NO_SPREAD if these <= 1e-24 else None)
        further = reason or (Reason.FEW_IN_GROUP if min(n) < FEWEST else None)
        own = _estimate(Claim.THESE, value, k, reason)
        others = _estimate(Claim.OTHERS, value, k, further)
        if reason is None:
            own = self._sure(Claim.THESE, value, k, these, k - 1.0)
        if further is None:
            others = self._sure(Claim.OTHERS, value, k, *_of_others(these, k, held))
        return value, own, others, Certainty.OPEN, len(apart), k, n[0], n[1], None

    def _apart(self, chosen: BoolArray) -> tuple[FloatArray, IntArray, list[_Side]]:
        """Return the difference and the question of each cell, and both sides of them."""
        marks = self.marks
        rows = [np.flatnonzero(chosen & side) for side in self.sides]
        cell = _numbered(marks.cell[np.concatenate(rows)])
        at = np.split(cell, [len(rows[0])])
        n_cells = int(cell.max()) + 1
        counts = [np.bincount(one, minlength=n_cells) for one in at]
        means = [
            np.bincount(one, marks.share[of]) / n
            for one, of, n in zip(at, rows, counts, strict=True)
        ]
        held = [
            _Side(
                marks.question[of],
                marks.rater[of],
                marks.share[of] - other[one],
                1 / n_cells / n[one],
            )
            for one, of, n, other in zip(at, rows, counts, means[::-1], strict=True)
        ]
        question = np.zeros(n_cells, dtype=np.int64)
        question[at[0]] = marks.question[rows[0]]
        return means[0] - means[1], _numbered(question), held

    def _sure(
        self, claim: Claim, value: Fraction, n: int, variance: float, freedom: float
    ) -> ClaimEstimate:
        centre, error = float(value), float(np.sqrt(variance))
        half = error * float(special.stdtrit(freedom, 0.5 + self.level / 2))
        p = float(2 * special.stdtr(freedom, -abs(centre) / error))
        p_equal = float(special.stdtr(freedom, -(self.margin - abs(centre)) / error))
        ends = max(centre - half, -1.0), min(centre + half, 1.0)
        return ClaimEstimate(claim, value, *ends, n, None, None, p, None, p_equal)


def _estimate(claim: Claim, value: Fraction | None, n: int, why: Reason | None) -> ClaimEstimate:
    return ClaimEstimate(claim, value, None, None, n, None if value is not None else why, why)


def _of_others(these: float, k: int, held: Sequence[_Side]) -> tuple[float, float]:
    """Return the variance of the difference where annotators are samples too, and its freedom."""
    whole, loss = these, these**2 / (k - 1)
    for side in held:
        of = side.met
        rater, square = components.moments(of)[1::2]
        heavy = float((np.bincount(of.layout.rater, of.weight) ** 2).sum())
        whole += max(0.0, rater) * heavy
        loss += (square * heavy) ** 2 / (of.layout.n_raters - 1)
    return whole, whole**2 / loss


def _numbered(code: IntArray) -> IntArray:
    """Return the same numbers without gaps."""
    return np.asarray(np.unique(code, return_inverse=True)[1].ravel(), dtype=np.int64)
