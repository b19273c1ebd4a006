"""What may be claimed of scores: for whom a figure holds, and how sure that is. No pandas here."""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from scoring.stats.plain import Reason

Label = Hashable
Figure = Literal["score", "accuracy"]
Level = Literal["criterion", "capability", "group", "overall"]
FIGURES: tuple[Figure, Figure] = ("score", "accuracy")
#: How far apart two systems may be and still be called equal, as a share, unless somebody says otherwise.
MARGIN = 0.05


#: Annotators from which on a figure is claimed to hold for others too.
FEWEST_RATERS = 3


class Claim(StrEnum):
    """For whom a figure holds: questions are always a sample, annotators in the second claim."""

    THESE = "these"
    OTHERS = "others"

    @classmethod
    def of(cls, n_raters: int) -> "Claim":
        """Return the widest claim that so many annotators allow."""
        return cls.OTHERS if n_raters >= FEWEST_RATERS else cls.THESE


class Certainty(StrEnum):
    """How sure it is that two systems differ, all pairs compared at once.

    CLEAR holds for other annotators too, LIKELY for these annotators; EQUAL is within the margin,
    and OPEN may be chance.
    """

    CLEAR = "clear"
    LIKELY = "likely"
    EQUAL = "equal"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval for one claim; `interval_reason` says why there is no interval.

    `n` questions stand behind it. Of a difference, `p` is that of none, for this comparison alone,
    `p_holm` the same corrected for all pairs, and `p_equal` (so corrected) that of one wider than
    the margin.
    """

    claim: Claim
    value: Fraction | None
    low: float | None
    high: float | None
    n: int
    reason: Reason | None
    interval_reason: Reason | None
    p: float | None = None
    p_holm: float | None = None
    p_equal: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """One figure of one release: `capability` and `criterion` are None where it spans several.

    `value`, `numerator` and `denominator` are exact. `reason` says why there is no value. `missing`
    names the parts without grades that a partial figure leaves out.
    """

    figure: Figure
    level: Level
    release: Label
    capability: Label
    criterion: Label
    group: str | None
    value: Fraction | None
    numerator: Fraction | None
    denominator: Fraction | None
    these: Estimate
    others: Estimate
    n_grades: int
    n_questions: int
    n_raters: int
    partial: bool
    missing: tuple[str, ...]
    reason: Reason | None
    method: str


@dataclass(frozen=True, slots=True)
class Difference:
    """`left` minus `right`; undefined for the reason given.

    `n_questions` are common to both, of `n_either` that either was graded on; `n_pairs` grades of
    one side have a partner, and `n_left_out` of both sides have none. `missing` names the parts of
    a partial difference that it leaves out.
    """

    figure: Figure
    left: Label
    right: Label
    capability: Label
    group: str | None
    value: Fraction | None
    these: Estimate
    others: Estimate
    certainty: Certainty
    n_questions: int
    n_either: int
    n_pairs: int
    n_left_out: int
    n_raters: int
    missing: tuple[str, ...]
    reason: Reason | None
    method: str


@dataclass(frozen=True, slots=True)
class Rank:
    """Between which ranks a release stands when all pairs are compared at once."""

    release: Label
    low: int | None
    high: int | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of all releases by one claim, and the longest runs of which no two differ."""

    claim: Claim
    ranks: tuple[Rank, ...]
    groups: tuple[tuple[Label, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Releases by their score, the ranks by both claims, and all pairs."""

    releases: tuple[Label, ...]
    these: Ranks
    others: Ranks
    differences: tuple[Difference, ...]
    level: float
    margin: float
    method: str
