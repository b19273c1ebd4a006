"""A trial of annotators: how far each agrees with the reference and with the others, and why not.

Marks are shares of their scale, so that criteria of different scales stand together; equal shares
are equal grades. Whether a few annotators or the wording of the rubric is to blame is read off the
units (an answer on a criterion) that most annotators get wrong: where those who do better elsewhere
do no better here, the unit does not tell good annotators from others, and its wording or its
reference is suspect.

References:
    Johnson (1951), Notes on a suggested index of item validity: the U-L index (discrimination).
    Kelley (1939), The selection of upper and lower groups for the validation of test items.
    Cohen (1968), Weighted kappa.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np

from scoring.stats.frame import BoolArray
from scoring.stats.people import agreement, strata
from scoring.stats.people.said import AnnotatorPair, Coefficient
from scoring.stats.people.strata import UnitStratum
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear, units
from scoring.stats.resampled.linear import FloatArray, IntArray

Statistic = Literal["RAW", "KAPPA"]
#: Half of the annotators or more differ from the reference on a unit that is looked at.
MANY = 0.5
#: Fewer annotators than this cannot be told apart from a wording.
FEWEST = 3


@dataclass(frozen=True)
class TrialMarks:
    """What was given beside what is right.

    Attributes:
        given: raters × units, shares of the scale; NaN where nothing was given.
        right: of each unit.
        cluster: of each unit, the question it belongs to.
        criterion: of each unit, by number; without it all are of one.
        labelled: of each unit, whether its marks are labels: they are right or wrong, and count neither
            in κ nor in severity. Without it none are.
    """

    given: FloatArray
    right: FloatArray
    cluster: IntArray
    criterion: IntArray | None = None
    labelled: BoolArray | None = None

    def __post_init__(self) -> None:
        lengths = {len(self.right), len(self.cluster), len(self.criteria)}
        if self.given.ndim != 2 or lengths != {self.given.shape[1]}:
            raise ValueError("Marks, references, questions and criteria differ in length.")
        if np.isnan(self.right).any():
            raise ValueError("A unit has no reference.")

    @property
    def criteria(self) -> IntArray:
        return np.zeros(len(self.right), np.int64) if self.criterion is None else self.criterion

    @property
    def scaled(self) -> BoolArray:
        """Of each unit, whether its marks lie on a scale."""
        found: BoolArray = np.ones(len(self.right), dtype=np.bool_)
        return found if self.labelled is None else ~self.labelled

    @property
    def is_right(self) -> FloatArray:
        """Raters × units: 1 where the mark is the reference, 0 where not, NaN without a mark."""
        same = np.isclose(self.given, self.right[None, :]).astype(np.float64)
        same[np.isnan(self.given)] = np.nan
        return same

    def only(self, keep: BoolArray) -> "TrialMarks":
        return TrialMarks(
            self.given[:, keep],
            self.right[keep],
            self.cluster[keep],
            self.criteria[keep],
            ~self.scaled[keep],
        )


@dataclass(frozen=True, slots=True)
class TrialAgreement:
    """An agreement: its value with a 95 % interval over questions, or the reason why there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_questions: int
    reason: Reason | None
    interval_reason: Reason | None


@dataclass(frozen=True, slots=True)
class TrialRater:
    """One annotator in a trial; `severity` is how far above the reference they grade, in shares."""

    rater: int
    reference: TrialAgreement
    peers: TrialAgreement
    severity: TrialAgreement


def rate(
    marks: TrialMarks, *, statistic: Statistic = "RAW", seed: int = 0
) -> tuple[TrialRater, ...]:
    """Return how far each rater agrees with the reference, and with all others taken together.

    Agreement with the others is over all pairs of their mark with another's on the same unit.

    Args:
        marks: of the trial.
        statistic: the share of equal grades, or Cohen's κ with quadratic weights, the mean over
            criteria weighted by their units.
        seed: where chance comes from.
    """
    return tuple(
        TrialRater(
            rater,
            _agreed(marks.given[rater], marks.right, marks, statistic, seed),
            _with_others(marks, rater, statistic, seed),
            _severity(marks, rater, seed),
        )
        for rater in range(len(marks.given))
    )


def _agreed(
    mine: FloatArray, theirs: FloatArray, marks: TrialMarks, statistic: Statistic, seed: int
) -> TrialAgreement:
    times = len(mine) // max(1, len(marks.right))
    cluster, criterion = (np.tile(one, times) for one in (marks.cluster, marks.criteria))
    both = ~(np.isnan(mine) | np.isnan(theirs))
    if statistic != "RAW":
        both &= np.tile(marks.scaled, times)
    n = int(both.sum())
    n_questions = len(np.unique(cluster[both]))
    if n == 0:
        return TrialAgreement(None, None, None, 0, 0, Reason.NO_GRADES, Reason.NO_GRADES)
    if statistic == "RAW":
        made = _stratum(mine[both], theirs[both], cluster[both]).units
        found: Coefficient | AnnotatorPair = agreement.agreement(
            made, names=("raw",), seed=seed
        ).find("raw")
    else:
        each = [both & (criterion == one) for one in np.unique(criterion[both])]
        (found,) = strata.between(
            [_stratum(mine[one], theirs[one], cluster[one]) for one in each], seed=seed
        )
    return TrialAgreement(
        found.value, found.low, found.high, n, n_questions, found.reason, found.interval_reason
    )


def _stratum(mine: FloatArray, theirs: FloatArray, cluster: IntArray) -> UnitStratum:
    """Return two columns as units of two raters, in the questions they belong to."""
    n = len(mine)
    questions, place = np.unique(cluster, return_inverse=True)
    made = units.units(
        unit=np.tile(np.arange(n), 2),
        rater=np.repeat([0, 1], n),
        value=np.round(np.concatenate([mine, theirs]), 9),
        cluster=np.tile(place, 2),
    )
    return UnitStratum(made, questions.astype(np.int64), np.arange(2))


def _with_others(marks: TrialMarks, rater: int, statistic: Statistic, seed: int) -> TrialAgreement:
    others = np.delete(marks.given, rater, axis=0)
    if not len(others):
        return TrialAgreement(None, None, None, 0, 0, Reason.ONE_RATER, Reason.ONE_RATER)
    mine = np.tile(marks.given[rater], len(others))
    return _agreed(mine, others.ravel(), marks, statistic, seed)


def _severity(marks: TrialMarks, rater: int, seed: int) -> TrialAgreement:
    there = ~np.isnan(marks.given[rater]) & marks.scaled
    off = marks.given[rater][there] - marks.right[there]
    n = len(off)
    if n == 0:
        return TrialAgreement(None, None, None, 0, 0, Reason.NO_GRADES, Reason.NO_GRADES)
    cluster = np.unique(marks.cluster[there], return_inverse=True)[1].astype(np.int64)
    pieces = linear.of_clusters(np.column_stack([off, np.ones(n)]), np.arange(n), cluster)
    value = float(off.mean())
    if pieces.n < 2:
        return TrialAgreement(value, None, None, n, pieces.n, None, Reason.FEW_QUESTIONS)
    drawn = pieces.resampled(resamples=1_000, rng=seed)
    part = linear.DrawnPart(drawn[:, 0] / drawn[:, 1], pieces.n)
    found = linear.interval([part], scheme=pieces.scheme)
    return TrialAgreement(value, found.low, found.high, n, pieces.n, None, found.reason)


class TrialCause(StrEnum):
    NOBODY = "NOBODY"  # everybody reaches the threshold
    PEOPLE = "PEOPLE"  # a few annotators stay below it whatever the wording
    RUBRIC = "RUBRIC"  # without the suspect units, or for most people, it is out of reach
    BOTH = "BOTH"
    UNKNOWN = "UNKNOWN"  # too few people to tell


@dataclass(frozen=True, slots=True)
class TrialUnit:
    """An answer on a criterion: how many got it wrong, and how well it tells annotators apart.

    `discrimination` is the U-L index: the share right among the better half, by their marks on all
    other units, less that among the other half; None where there are too few people.
    """

    unit: int
    n: int
    n_wrong: int
    discrimination: float | None
    suspect: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Who or what is behind the disagreement with the reference.

    `below` are the raters under the threshold, `helped` those of them who reach it once the suspect
    units are left out.
    """

    cause: TrialCause
    below: tuple[int, ...]
    helped: tuple[int, ...]
    units: tuple[TrialUnit, ...]
    n_wrong: int
    n_wrong_suspect: int


def diagnose(marks: TrialMarks, *, at: float, statistic: Statistic = "RAW") -> Diagnosis:
    """Say whether a few annotators or the wording is behind what differs from the reference.

    Args:
        marks: of the trial.
        at: the threshold of agreement with the reference.
        statistic: by which agreement is measured.
    """
    found = _units(marks)
    below = tuple(_below(marks, at, statistic))
    suspect = np.array([one.suspect for one in found], dtype=bool)
    rest = marks.only(~suspect)
    still = set(_below(rest, at, statistic)) if suspect.any() and len(rest.right) else set(below)
    helped = tuple(rater for rater in below if rater not in still)
    wrong = [one.n_wrong for one in found]
    return Diagnosis(
        cause=_cause(len(marks.given), below, helped),
        below=below,
        helped=helped,
        units=found,
        n_wrong=sum(wrong),
        n_wrong_suspect=sum(n for n, one in zip(wrong, found, strict=True) if one.suspect),
    )


def _cause(n_raters: int, below: tuple[int, ...], helped: tuple[int, ...]) -> TrialCause:
    if not below:
        return TrialCause.NOBODY
    if n_raters < FEWEST:
        return TrialCause.UNKNOWN
    if len(helped) == len(below) or 2 * len(below) > n_raters:
        return TrialCause.RUBRIC
    return TrialCause.BOTH if helped else TrialCause.PEOPLE


def _below(marks: TrialMarks, at: float, statistic: Statistic) -> list[int]:
    """Return the raters whose agreement with the reference is defined and below the threshold."""
    found = []
    for rater, mine in enumerate(marks.given):
        one = _agreed(mine, marks.right, marks, statistic, 0)
        if one.value is not None and one.value < at:
            found.append(rater)
    return found


def _units(marks: TrialMarks) -> tuple[TrialUnit, ...]:
    right = marks.is_right
    made = []
    for unit in range(right.shape[1]):
        there = ~np.isnan(right[:, unit])
        mine = right[there, unit]
        others = np.delete(right[there], unit, axis=1)
        counts = (~np.isnan(others)).sum(axis=1)
        rest = np.where(counts > 0, np.nansum(others, axis=1) / np.maximum(counts, 1), 0.0)
        index = upper_lower(mine, rest) if len(mine) >= FEWEST else None
        n_wrong = int((mine == 0).sum())
        suspect = index is not None and n_wrong >= MANY * len(mine) and index <= 0
        made.append(TrialUnit(unit, len(mine), n_wrong, index, bool(suspect)))
    return tuple(made)


def upper_lower(right: FloatArray, rest: FloatArray) -> float:
    """Return the U-L index: the share right in the upper half less that in the lower half.

    With an odd number the one in the middle belongs to neither; those who are equal share the
    places between them.

    Args:
        right: 1 or 0, of each person.
        rest: how well each does elsewhere.

    Raises:
        ValueError: fewer than two people, or the columns differ in length.
    """
    if len(right) != len(rest) or len(right) < 2:
        raise ValueError("The index needs two people or more, each with a score elsewhere.")
    half = len(right) // 2
    upper, lower = _membership(rest, half), _membership(-rest, half)
    return float((upper @ right - lower @ right) / half)


def _membership(score: FloatArray, places: int) -> FloatArray:
    above = (score[None, :] > score[:, None] + 1e-12).sum(axis=1)
    equal = (np.abs(score[None, :] - score[:, None]) <= 1e-12).sum(axis=1)
    made: FloatArray = np.clip((places - above) / equal, 0.0, 1.0)
    return made
