"""Scores of interviews: what the verdicts of a dialogue's exchanges come to, under a named profile.

The method's paper and its released code differ, and the paper leaves things open; so every choice is
an axis of a profile, and any profile can be computed from the same verdicts, without a model.

References:
    Yu et al. (2024), KIEval: A Knowledge-grounded Interactive Evaluation Framework for Large Language
    Models, sections 3.3 and 3.4; the behaviour of the code released with it (profile `released`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

#: Verdicts are whole numbers from 1 (poor) to 4 (strong).
LOWEST, HIGHEST = 1, 4


class VerdictScale(StrEnum):
    """How a verdict becomes a share of the full score."""

    THIRDS = "thirds"
    QUARTERS = "quarters"
    RELEASED = "released"


class Decay(StrEnum):
    """How the weight of exchange k falls, k = 0, 1, 2 and so on."""

    BY_PLANNED = "by_planned"
    BY_HELD = "by_held"
    FIFTH = "fifth"
    NONE = "none"


class AfterStop(StrEnum):
    """What exchanges that an early stop left out count as."""

    DROPPED = "dropped"
    LOWEST = "lowest"
    LAST = "last"


class Unscored(StrEnum):
    """What an exchange without a readable verdict does to the others."""

    KEEPS_SLOT = "keeps_slot"
    SHIFTS_UP = "shifts_up"
    FAILS = "fails"


SHARES: Mapping[VerdictScale, Mapping[int, float]] = {
    VerdictScale.THIRDS: {1: 0.0, 2: 1 / 3, 3: 2 / 3, 4: 1.0},
    VerdictScale.QUARTERS: {1: 0.25, 2: 0.5, 3: 0.75, 4: 1.0},
    VerdictScale.RELEASED: {1: 0.1, 2: 0.3, 3: 0.7, 4: 1.0},
}


@dataclass(frozen=True, slots=True)
class Profile:
    """A full set of choices. `early_stopping` off reads dialogues on that went on after a stop."""

    name: str
    scale: VerdictScale = VerdictScale.THIRDS
    decay: Decay = Decay.BY_PLANNED
    after_stop: AfterStop = AfterStop.DROPPED
    unscored: Unscored = Unscored.KEEPS_SLOT
    early_stopping: bool = True


LINEAR = Profile("linear")
QUARTERS = Profile("quarters", scale=VerdictScale.QUARTERS)
RELEASED = Profile(
    "released", scale=VerdictScale.RELEASED, decay=Decay.FIFTH, unscored=Unscored.SHIFTS_UP
)
PROFILES: tuple[Profile, ...] = (LINEAR, QUARTERS, RELEASED)


@dataclass(frozen=True, slots=True)
class Exchanges:
    """The verdicts of one dialogue on one aspect.

    Args:
        scores: of each exchange that was held, None where no verdict could be read.
        stopped_at: the exchange whose verdict asked to stop; None if none did. The dialogue may have
            gone on after it.
        planned: how many exchanges were planned.

    Raises:
        ValueError: a score is no whole number from 1 to 4, or more was held than was planned.
    """

    scores: tuple[int | None, ...]
    planned: int
    stopped_at: int | None = None

    def __post_init__(self) -> None:
        if any(one is not None and one not in SHARES[VerdictScale.THIRDS] for one in self.scores):
            raise ValueError("A verdict is a whole number from 1 to 4.")
        if self.planned < 1 or len(self.scores) > self.planned:
            raise ValueError("More exchanges were held than were planned.")
        if self.stopped_at is not None and not 0 <= self.stopped_at < len(self.scores):
            raise ValueError("The exchange that stopped the dialogue was not held.")


def score(of: Exchanges, profile: Profile) -> float | None:
    """Return the score of a dialogue, 0 to 100; None if no exchange that counts has a verdict.

    Weights are normalised, so it does not matter at which number the exchanges begin.
    """
    counted = _counted(of, profile)
    known = [one for one in counted if one is not None]
    if not known or (profile.unscored == Unscored.FAILS and len(known) < len(counted)):
        return None
    held = len(counted)
    filled = _filled(counted, known, of, profile)
    if profile.unscored == Unscored.SHIFTS_UP:
        filled = [one for one in filled if one is not None]
    shares = SHARES[profile.scale]
    total = weights = 0.0
    for place, verdict in enumerate(filled):
        if verdict is not None:
            weight = _weight(profile.decay, place, of.planned, held)
            total += shares[verdict] * weight
            weights += weight
    return 100 * total / weights


def rounds(of: Exchanges, profile: Profile) -> int:
    """Return how many verdicts count, the stopping and the unreadable ones included."""
    return len(_counted(of, profile))


def ablation(profile: Profile) -> dict[tuple[bool, bool], Profile]:
    """Return the four profiles with and without decaying weights × early stopping (Table 8)."""
    return {
        (decaying, stopping): replace(
            profile,
            name=f"{profile.name}, {'decaying' if decaying else 'equal'} weights, "
            f"{'with' if stopping else 'without'} early stopping",
            decay=profile.decay if decaying else Decay.NONE,
            early_stopping=stopping,
        )
        for decaying in (True, False)
        for stopping in (True, False)
    }


def mean(scores: Sequence[float | None]) -> tuple[float | None, int]:
    """Return the mean over the dialogues that have a score, and how many those are."""
    known = [one for one in scores if one is not None]
    return (math.fsum(known) / len(known) if known else None), len(known)


def _counted(of: Exchanges, profile: Profile) -> tuple[int | None, ...]:
    if profile.early_stopping and of.stopped_at is not None:
        return of.scores[: of.stopped_at + 1]
    return of.scores


def _filled(
    counted: Sequence[int | None], known: Sequence[int], of: Exchanges, profile: Profile
) -> list[int | None]:
    missing = of.planned - len(counted)
    if of.stopped_at is None or not profile.early_stopping:
        return list(counted)
    tail: dict[AfterStop, list[int | None]] = {
        AfterStop.DROPPED: [],
        AfterStop.LOWEST: [LOWEST] * missing,
        AfterStop.LAST: [known[-1]] * missing,
    }
    return [*counted, *tail[profile.after_stop]]


def _weight(decay: Decay, place: int, planned: int, held: int) -> float:
    rate = {
        Decay.BY_PLANNED: 1 / planned,
        Decay.BY_HELD: 1 / held,
        Decay.FIFTH: 0.2,
        Decay.NONE: 0.0,
    }
    return math.exp(-rate[decay] * place)
