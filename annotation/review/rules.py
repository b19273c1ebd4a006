"""What a reviewer can decide: what each decision is about, when it can be made, what takes it back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from annotation.rounds import rules as rounds


class ReviewAct(StrEnum):
    TAKE_UP = "TAKE_UP"
    KEEP = "KEEP"
    REGRADE = "REGRADE"
    HAND_BACK = "HAND_BACK"
    ADJUDICATE = "ADJUDICATE"
    STRIKE_GRADE = "STRIKE_GRADE"
    STRIKE_RATER = "STRIKE_RATER"
    STRIKE_QUESTION = "STRIKE_QUESTION"
    FIX_ANSWER = "FIX_ANSWER"
    CLARIFY_RUBRIC = "CLARIFY_RUBRIC"
    REVERSE = "REVERSE"


class DecisionUndo(StrEnum):
    """What it takes to take a decision back once it holds."""

    NOTHING = "NOTHING"  # it wrote nothing: a row that says so is enough
    STRIKE = "STRIKE"  # the grade it wrote is declared invalid
    LIFT = "LIFT"  # the invalidation it wrote is taken back
    STAND = "STAND"  # the seat it reopened is submitted as it was, if it still is open
    NEVER = "NEVER"  # it began work elsewhere, which is undone there


class DecisionStanding(StrEnum):
    """Where a decision stands."""

    WAITING = "WAITING"  # for a second reviewer
    HOLDS = "HOLDS"
    TAKEN_BACK = "TAKEN_BACK"


@dataclass(frozen=True, slots=True)
class DecisionKind:
    """What a decision is about, what the round must allow for it, and how it is taken back."""

    about: frozenset[str] = frozenset()
    needs: rounds.RoundAct | None = None
    undo: DecisionUndo = DecisionUndo.NOTHING
    #: One reviewer is enough, whatever the project says: nothing changes in any figure.
    alone: bool = False


KINDS: Mapping[ReviewAct, DecisionKind] = MappingProxyType(
    {
        ReviewAct.TAKE_UP: DecisionKind(alone=True),
        ReviewAct.KEEP: DecisionKind(),
        ReviewAct.REGRADE: DecisionKind(needs=rounds.RoundAct.ADD_SEAT, undo=DecisionUndo.NEVER),
        ReviewAct.HAND_BACK: DecisionKind(
            frozenset({"assignment"}), rounds.RoundAct.HAND_BACK, DecisionUndo.STAND
        ),
        ReviewAct.ADJUDICATE: DecisionKind(
            frozenset({"response", "criterion", "value"}),
            rounds.RoundAct.ADJUDICATE,
            DecisionUndo.STRIKE,
        ),
        ReviewAct.STRIKE_GRADE: DecisionKind(
            frozenset({"grade"}), rounds.RoundAct.INVALIDATE, DecisionUndo.LIFT
        ),
        ReviewAct.STRIKE_RATER: DecisionKind(
            frozenset({"rater"}), rounds.RoundAct.INVALIDATE, DecisionUndo.LIFT
        ),
        ReviewAct.STRIKE_QUESTION: DecisionKind(
            frozenset(), rounds.RoundAct.INVALIDATE, DecisionUndo.LIFT
        ),
        ReviewAct.FIX_ANSWER: DecisionKind(frozenset({"text"}), undo=DecisionUndo.NEVER),
        ReviewAct.CLARIFY_RUBRIC: DecisionKind(frozenset({"text"}), undo=DecisionUndo.NEVER),
        ReviewAct.REVERSE: DecisionKind(frozenset({"reverses"})),
    }
)
#: After these a question needs no further look.
SETTLES = frozenset(ReviewAct) - {ReviewAct.TAKE_UP, ReviewAct.REVERSE}


def allowed(act: ReviewAct, state: rounds.RoundState) -> bool:
    """Return whether a round in this state lets this be decided; a draft lets nothing be."""
    needs = KINDS[act].needs
    if state == rounds.RoundState.DRAFT:
        return False
    return needs is None or rounds.allows(state, needs)


def lacks(act: ReviewAct, given: frozenset[str]) -> list[str]:
    """Return what the decision is about and does not say."""
    return sorted(KINDS[act].about - given)


def n_wanted(act: ReviewAct, n_reviewers: int) -> int:
    """Return how many people must agree."""
    return 1 if KINDS[act].alone else n_reviewers


def standing(*, has_effect: bool, is_reversed: bool) -> DecisionStanding:
    if is_reversed:
        return DecisionStanding.TAKEN_BACK
    return DecisionStanding.HOLDS if has_effect else DecisionStanding.WAITING
