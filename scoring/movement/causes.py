"""The figure of a movement: what made a system's score differ between two rounds.

* The figure of a trend: every system over the rounds, and what changed between them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from scoring.stats.scores.said import Causes, MovementScenario
from scoring.stats.told import CapabilityKey, Exact, Number, ReleaseKey, Told, Why


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
class CauseInterval:
    low: Number
    high: Number
    n_clusters: int | None
    reason: Why


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


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A system in a round: its score or accuracy as the results of the round show it."""

    round: int
    release: ReleaseKey
    figure: str
    value: Annotated[Exact | None, Told(percent=True)]
    low: Annotated[Number, Told(percent=True)]
    high: Annotated[Number, Told(percent=True)]
    n_questions: int
    n_raters: int


@dataclass(frozen=True, slots=True)
class TrendStep:
    """What changed up to a round, from the last one before that it can be compared with.

    Where there is none, it is from the round just before.
    """

    before: int
    after: int
    common: Annotated[int, Told("Questions of both.")]
    gone: int
    new: int
    stayed: Annotated[int, Told("Annotators of both.")]
    left: int
    joined: int
    rubrics: Annotated[bool, Told("Whether other versions of the rubrics were graded by.")]
    broken: Annotated[
        str,
        Told(
            "Why scores of the two cannot be compared: `criteria` differ, or no `questions` are "
            "common; empty where they can."
        ),
    ]


@dataclass(frozen=True, slots=True)
class TrendFigure:
    points: tuple[TrendPoint, ...]
    steps: tuple[TrendStep, ...]
