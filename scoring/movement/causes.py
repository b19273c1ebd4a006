"""The figure of a movement: what made a system's score differ between two rounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from scoring.figures.typed import CapabilityKey, Exact, Number, Told, Why

#: Exact where whole grades are counted, a number where it is estimated.
Share: TypeAlias = Exact | float


@dataclass(frozen=True, slots=True)
class MovementPairs:
    """Questions of both rounds, those that stayed the same, and those of one round only."""

    common: int
    same_questions: int
    same_responses: int
    gone: int
    new: int
    open: Annotated[int, Told("Pairs that nobody has decided about.")]


@dataclass(frozen=True, slots=True)
class Causes:
    """The score of both rounds and what made the change; null is what cannot be told apart."""

    before: Exact
    after: Exact
    change: Exact
    questions: Share | None
    responses: Share | None
    same_raters: Share | None
    other_raters: Share | None
    together: Annotated[Share | None, Told("Responses and same_raters in one.")]
    drift: Annotated[Exact | None, Told("How far apart the same annotators graded the same.")]
    reason: Why


@dataclass(frozen=True, slots=True)
class CauseInterval:
    low: Number
    high: Number
    n_clusters: int | None
    reason: Why


@dataclass(frozen=True, slots=True)
class MovementScenario:
    """A kind of question graded by a kind of annotator: its share of the grades, and their mean."""

    questions: str
    raters: Annotated[str, Told("Whether annotators of both rounds, or of one.")]
    share_before: Exact
    share_after: Exact
    mean_before: Exact | None
    mean_after: Exact | None


@dataclass(frozen=True, slots=True)
class MovedFigure:
    """Score or accuracy: of everything, of a capability or of a criterion."""

    figure: str
    capability: CapabilityKey
    criterion: str | None
    problem: str | None
    methods: Mapping[str, Causes]
    intervals: Mapping[str, CauseInterval]
    scenarios: tuple[MovementScenario, ...]


@dataclass(frozen=True, slots=True)
class MovementFigure:
    before: int
    after: int
    pairs: MovementPairs
    figures: tuple[MovedFigure, ...]
