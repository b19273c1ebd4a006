"""What a try of a judge comes to beside people, as it is stored, shown and told. No pandas here."""

from dataclasses import dataclass
from typing import Annotated

from scoring.stats.told import CriterionKey, Number, ReleaseKey, Told, Why


@dataclass(frozen=True, slots=True)
class Agreed:
    """Pearson's r over all answers, with an interval over systems and questions."""

    value: Number
    low: Number
    high: Number
    n: Annotated[int, Told("Answers that both marked.")]
    n_questions: int
    reason: Why
    interval_reason: Why


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How each annotator agrees with the mean of the others: mean, lowest, highest."""

    value: Number
    low: Number
    high: Number
    reason: Why


@dataclass(frozen=True, slots=True)
class Apart:
    """An answer on which judge and people differ: judge minus people, in points of the scale."""

    response: int
    item: int
    release: ReleaseKey
    people: float
    judge: float
    gap: float


@dataclass(frozen=True, slots=True)
class OfCriterion:
    """A judge beside people on one criterion."""

    criterion: CriterionKey
    own: Annotated[tuple[int, ...], Told(hidden=True)]
    agreement: Agreed
    people: Ceiling
    shift: Annotated[Number, Told("Judge minus people on average, in points of the scale.")]
    n_unscored: int
    least: Annotated[float, Told("From this gap on, an answer counts as a disagreement.")]
    n_apart: Annotated[int, Told("So many answers are disagreements.")]
    apart: Annotated[tuple[Apart, ...], Told("The widest of them, 5,000 at most.")]


@dataclass(frozen=True, slots=True)
class TuningFigure:
    """A try of a judge beside people, criterion by criterion."""

    criteria: tuple[OfCriterion, ...]

    def of(self, criterion: str) -> OfCriterion | None:
        return next((one for one in self.criteria if one.criterion == criterion), None)
