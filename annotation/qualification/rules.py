"""Who may grade what: the states an annotator passes in a capability, and what moves them on.

LalaEval's deployment of annotators (appendix G): training, a trial, a threshold that is reached or
not, targeted retraining and another trial; a lapse in production leads back to training.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

#: More compared grades, or failed trials, no rule may ask for.
MOST_COUNTED = 1000


class PoolState(StrEnum):
    NEW = "NEW"  # nothing was begun
    TRAINING = "TRAINING"  # learns and practises
    TRAINED = "TRAINED"  # has practised enough, may take a trial
    TRIAL = "TRIAL"  # was put into a trial
    QUALIFIED = "QUALIFIED"  # may grade in production
    RETRAINING = "RETRAINING"  # practises once more, after a trial or a lapse
    SUSPENDED = "SUSPENDED"  # stands aside until a curator lets them begin again


class Event(StrEnum):
    BEGUN = "BEGUN"  # looked at the first example
    PRACTISED = "PRACTISED"  # practised enough
    INVITED = "INVITED"  # was put into a trial
    PASSED = "PASSED"
    FAILED = "FAILED"
    UNDECIDED = "UNDECIDED"  # the trial was too small to say
    WITHDRAWN = "WITHDRAWN"  # left the trial without finishing it
    LAPSED = "LAPSED"  # production showed that they should train again
    ALLOWED = "ALLOWED"  # an owner lets them grade without having qualified
    SUSPENDED = "SUSPENDED"  # failed too often, or a curator said so
    REINSTATED = "REINSTATED"  # a curator lets them train again


_LEARNS = (PoolState.NEW, PoolState.TRAINING, PoolState.RETRAINING)
_TRIES = (PoolState.TRAINED, PoolState.TRIAL)
#: From where each event leads where; what is not here is refused.
TABLE: Mapping[tuple[PoolState, Event], PoolState] = MappingProxyType(
    {
        (PoolState.NEW, Event.BEGUN): PoolState.TRAINING,
        **{(one, Event.PRACTISED): PoolState.TRAINED for one in _LEARNS},
        (PoolState.TRAINED, Event.INVITED): PoolState.TRIAL,
        **{(one, Event.PASSED): PoolState.QUALIFIED for one in _TRIES},
        **{(one, Event.FAILED): PoolState.RETRAINING for one in _TRIES},
        **{(one, Event.UNDECIDED): PoolState.TRAINED for one in _TRIES},
        (PoolState.TRIAL, Event.WITHDRAWN): PoolState.TRAINED,
        (PoolState.QUALIFIED, Event.LAPSED): PoolState.RETRAINING,
        **{
            (one, Event.ALLOWED): PoolState.QUALIFIED
            for one in PoolState
            if one != PoolState.QUALIFIED
        },
        **{
            (one, Event.SUSPENDED): PoolState.SUSPENDED
            for one in PoolState
            if one != PoolState.SUSPENDED
        },
        (PoolState.SUSPENDED, Event.REINSTATED): PoolState.RETRAINING,
    }
)
#: What a curator may say by hand; what an owner alone may.
BY_HAND = (Event.WITHDRAWN, Event.LAPSED, Event.SUSPENDED, Event.REINSTATED)
BY_OWNER = (Event.ALLOWED,)


def after(state: PoolState, event: Event) -> PoolState | None:
    """Return the state that an event leads to, or None where it does not fit."""
    return TABLE.get((state, event))


def deeds(state: PoolState, *, by_owner: bool) -> tuple[Event, ...]:
    """Return what somebody may say by hand about a person in this state."""
    known = (*BY_HAND, *(BY_OWNER if by_owner else ()))
    return tuple(event for event in known if (state, event) in TABLE)


def standing(line: Sequence[PoolState | None]) -> PoolState:
    """Return the state that counts for a capability: its own, else that of the nearest above it.

    Args:
        line: states from the capability upwards; None where nothing was ever recorded.
    """
    return next((one for one in line if one is not None), PoolState.NEW)


class TrialVerdict(StrEnum):
    PASSED = "PASSED"
    FAILED = "FAILED"
    UNDECIDED = "UNDECIDED"


class VerdictReason(StrEnum):
    """What a verdict rests on, or what it lacks."""

    REACHED = "REACHED"
    BELOW_REFERENCE = "BELOW_REFERENCE"
    BELOW_PEERS = "BELOW_PEERS"
    TOO_FEW = "TOO_FEW"
    UNDEFINED = "UNDEFINED"
    UNSURE = "UNSURE"  # high enough, but the interval reaches below the threshold
    UNFINISHED = "UNFINISHED"


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a trial asks for.

    Attributes:
        reference_at: the lowest agreement with the reference grades.
        peers_at: the lowest agreement with the other annotators; None: it is not asked for.
        by_bound: the lower end of the interval has to reach the threshold, not the value alone.
        n_least: of so many compared grades or more.
        practice_at: the share of practised grades that have to be right before a trial.
        most_failures: after so many failed trials without a success somebody stands aside.
    """

    reference_at: float = 0.75
    peers_at: float | None = None
    by_bound: bool = False
    n_least: int = 12
    practice_at: float = 0.6
    most_failures: int = 3


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """An agreement that was measured; without a value it is undefined."""

    value: float | None
    low: float | None
    n: int


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    verdict: TrialVerdict
    why: tuple[VerdictReason, ...]


def judge(
    threshold: Threshold,
    reference: MeasuredAgreement,
    peers: MeasuredAgreement | None,
    *,
    finished: bool = True,
) -> JudgedTrial:
    """Say whether a trial was passed.

    Too few grades, an undefined figure or an interval that reaches below the threshold decide
    nothing: somebody is neither sent back nor let through by a trial that cannot tell.
    """
    if not finished:
        return JudgedTrial(TrialVerdict.UNDECIDED, (VerdictReason.UNFINISHED,))
    if reference.n < threshold.n_least:
        return JudgedTrial(TrialVerdict.UNDECIDED, (VerdictReason.TOO_FEW,))
    asked = [(reference, threshold.reference_at, VerdictReason.BELOW_REFERENCE)]
    if threshold.peers_at is not None:
        asked.append(
            (
                peers or MeasuredAgreement(None, None, 0),
                threshold.peers_at,
                VerdictReason.BELOW_PEERS,
            )
        )
    below = tuple(why for one, at, why in asked if one.value is not None and one.value < at)
    if below:
        return JudgedTrial(TrialVerdict.FAILED, below)
    if any(one.value is None for one, _at, _why in asked):
        return JudgedTrial(TrialVerdict.UNDECIDED, (VerdictReason.UNDEFINED,))
    if threshold.by_bound and any(one.low is None or one.low < at for one, at, _why in asked):
        return JudgedTrial(TrialVerdict.UNDECIDED, (VerdictReason.UNSURE,))
    return JudgedTrial(TrialVerdict.PASSED, (VerdictReason.REACHED,))


def stands_aside(threshold: Threshold, events: Sequence[Event]) -> bool:
    """Return whether so many trials failed since the last success that somebody stands aside."""
    failures = 0
    for event in events:
        if event in {Event.PASSED, Event.ALLOWED, Event.REINSTATED}:
            failures = 0
        failures += event == Event.FAILED
    return failures >= threshold.most_failures


@dataclass(frozen=True, slots=True)
class Practised:
    """What somebody did with an example since they were last sent to train.

    Attributes:
        is_task: it is graded by them first; otherwise it is only read.
        done: read, or graded.
        n_right, n: of their last grading, the criteria that were right.
    """

    is_task: bool
    done: bool
    n_right: int = 0
    n: int = 0


@dataclass(frozen=True, slots=True)
class PractiseProgress:
    n_done: int
    n_examples: int
    n_right: int
    n_graded: int
    enough: bool

    @property
    def share(self) -> float | None:
        return self.n_right / self.n_graded if self.n_graded else None


def progress(threshold: Threshold, practised: Sequence[Practised]) -> PractiseProgress:
    """Return how far somebody is; with no example at all there is nothing to train by."""
    n_done = sum(one.done for one in practised)
    n_right, n = sum(one.n_right for one in practised), sum(one.n for one in practised)
    # (Compared as a product: 0.6 × 5 is a little more than 3.)
    right = n == 0 or n_right + 1e-9 >= threshold.practice_at * n
    enough = bool(practised) and n_done == len(practised) and right
    return PractiseProgress(n_done, len(practised), n_right, n, enough)
