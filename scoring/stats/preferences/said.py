"""How preferences are said: rates with their intervals, or why there are none.

The types of the figures that are stored, shown and told to programs. No pandas here.
"""

from dataclasses import dataclass
from typing import Annotated

from scoring.stats.claims import Certainty, Claim, ClaimEstimate
from scoring.stats.told import (
    CapabilityKey,
    CriterionKey,
    Number,
    RaterKey,
    ReleaseKey,
    Told,
    Why,
)


@dataclass(frozen=True, slots=True)
class SystemRate:
    """How often a system is expected to be preferred to the mean of the others, a tie counted half.

    `low` and `high` are between which ranks it stands, all pairs compared at once, by each claim.
    """

    release: ReleaseKey
    these: ClaimEstimate
    others: ClaimEstimate
    ranks_these: Annotated[tuple[int, ...], Told("Lowest and highest; none without a rate.")]
    ranks_others: Annotated[tuple[int, ...], Told("Likewise, for other annotators too.")]
    n: Annotated[int, Told("Choices in which it took part.", column="choices")]


@dataclass(frozen=True, slots=True)
class SystemPair:
    """How often `left` was preferred to `right`; its rate counts a tie half.

    `both_bad` are among the ties. The p values of the estimates are those of even chances.
    """

    left: Annotated[ReleaseKey, Told(column="preferred")]
    right: Annotated[ReleaseKey, Told(column="to")]
    these: ClaimEstimate
    others: ClaimEstimate
    certainty: Certainty
    won: int
    tied: int
    both_bad: int
    lost: int
    n_raters: Annotated[int, Told(column="annotators")]

    @property
    def n(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def rate(self) -> float | None:
        return (self.won + self.tied / 2) / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class PreferencePart:
    """A capability or a topic by itself, as if its choices were all there are."""

    by: Annotated[str, Told("`capability` or `area`.")]
    capability: CapabilityKey
    area: Annotated[str, Told("The topic; empty where it has none.")]
    n: Annotated[int, Told(column="choices")]
    n_questions: int
    systems: tuple[SystemRate, ...]
    lead: Annotated[SystemPair | None, Told("The first and the second.")]
    reason: Why


@dataclass(frozen=True, slots=True)
class SideEffect:
    """How often the answer at A was chosen, whoever gave it, a tie counted half."""

    these: ClaimEstimate
    others: ClaimEstimate
    certainty: Certainty
    won: Annotated[int, Told("A was chosen.")]
    tied: int
    lost: Annotated[int, Told("B was chosen.")]


@dataclass(frozen=True, slots=True)
class AnnotatorChoices:
    """How an annotator chose: shares of all that they chose, and how often others chose alike.

    `alike` counts every choice of another annotator on the same two answers.
    """

    rater: RaterKey
    n: Annotated[int, Told(column="choices")]
    first: Annotated[Number, Told("A was chosen, a tie counted half.", percent=True)]
    tied: Annotated[Number, Told("Ties, both bad among them.", percent=True)]
    both_bad: Annotated[Number, Told(percent=True)]
    alike: Annotated[Number, Told(percent=True)]
    n_met: Annotated[int, Told("Choices of others that these were compared with.", column="met")]
    n_again: Annotated[int, Told("Pairs they met twice.", column="again")]
    n_same: Annotated[int, Told("Of these, chosen alike.", column="same")]
    seconds: Annotated[Number, Told("Median of the active time of a choice.")]

    @property
    def shares(self) -> tuple[float | None, ...]:
        """Return the shares of A, the same, both bad and B: together all choices."""
        if self.first is None or self.tied is None or self.both_bad is None:
            return None, None, None, None
        half = self.tied / 2
        return self.first - half, self.tied - self.both_bad, self.both_bad, 1 - self.first - half


@dataclass(frozen=True, slots=True)
class CriterionPreferences:
    """What was preferred by one criterion: systems from the strongest down, and all pairs of them."""

    criterion: CriterionKey
    claim: Annotated[Claim, Told("The widest claim that the annotators allow.")]
    n: Annotated[int, Told("Choices that count.")]
    n_questions: int
    n_raters: int
    n_answers: Annotated[int, Told("Pairs of answers.")]
    n_cannot: Annotated[int, Told("Pairs that somebody could not judge.")]
    wanted: Annotated[int | None, Told("Choices that were planned; null where nobody planned.")]
    systems: tuple[SystemRate, ...]
    pairs: tuple[SystemPair, ...]
    parts: tuple[PreferencePart, ...]
    side: SideEffect | None
    n_triads: Annotated[
        int, Told("Three answers that an annotator compared in full and without a tie.")
    ]
    n_circular: Annotated[int, Told("Of these, those in a circle: by chance a quarter.")]
    n_both_bad: int
    n_again: Annotated[int, Told("Pairs that an annotator met twice.")]
    n_same: Annotated[int, Told("Of these, chosen alike.")]
    raters: tuple[AnnotatorChoices, ...]
    reason: Annotated[Why, Told("Why there is no order.")]
    method: str


@dataclass(frozen=True, slots=True)
class PreferencesFigure:
    """The preferences of a round, criterion by criterion."""

    level: float
    margin: Annotated[float, Told("How far from even two systems may be and still be equal.")]
    criteria: tuple[CriterionPreferences, ...]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Nominal α of the choices between two systems."""

    left: Annotated[ReleaseKey, Told(column="system")]
    right: Annotated[ReleaseKey, Told(column="with")]
    value: Annotated[Number, Told(column="alpha")]
    low: Number
    high: Number
    reason: Why
    interval_reason: Why
    n_pairable: Annotated[int, Told("Pairs of answers chosen from twice or more.", "answers")]
    n_clusters: Annotated[int, Told(column="questions")]


@dataclass(frozen=True, slots=True)
class GradedPair:
    """Of two systems, how often the answer that was graded better was chosen."""

    left: ReleaseKey
    right: Annotated[ReleaseKey, Told(column="with")]
    share: Annotated[Number, Told(percent=True)]
    n: Annotated[int, Told(column="choices")]


@dataclass(frozen=True, slots=True)
class GradedApart:
    """Two answers of which more people chose the one that was graded worse.

    `left` was chosen; grades are shares of their scale.
    """

    question: str
    left: Annotated[ReleaseKey, Told(column="chosen")]
    right: Annotated[ReleaseKey, Told(column="better_graded")]
    graded_left: Annotated[float, Told(percent=True)]
    graded_right: Annotated[float, Told(percent=True)]
    n_chose: Annotated[int, Told(column="chose_it")]
    n: Annotated[int, Told("Choices that were no tie.", column="choices")]


@dataclass(frozen=True, slots=True)
class GradesBeside:
    """How often people chose the answer that was graded better in another round.

    Ties, and answers that were graded alike, are left out and counted.
    """

    criterion: CriterionKey
    these: ClaimEstimate
    others: ClaimEstimate
    gamma: Annotated[Number, Told("Twice the share less one (Goodman and Kruskal 1954).")]
    n: Annotated[int, Told("Choices that are compared.")]
    n_tied: int
    n_alike: Annotated[int, Told("Choices between answers that were graded alike.")]
    n_ungraded: Annotated[int, Told("Choices of which an answer was not graded.")]
    n_raters: int
    pairs: tuple[GradedPair, ...]
    apart: tuple[GradedApart, ...]
    n_apart: int
    reason: Why
    method: str


@dataclass(frozen=True, slots=True)
class GradesBesideFigure:
    """Choices beside the grades of the same answers in another round, by criterion of the choices."""

    criteria: tuple[GradesBeside, ...]
