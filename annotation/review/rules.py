"""What a reviewer can decide: what each decision is about, when it can be made, what takes it back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from annotation.rounds import rules as rounds


class Act(StrEnum):
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


class Undo(StrEnum):
    """What it takes to take a decision back once it holds."""

    NOTHING = "NOTHING"  # it wrote nothing: a row that says so is enough
    STRIKE = "STRIKE"  # the grade it wrote is declared invalid
    LIFT = "LIFT"  # the invalidation it wrote is taken back
    STAND = "STAND"  # the seat it reopened is submitted as it was, if it still is open
    NEVER = "NEVER"  # it began work elsewhere, which is undone there


class Standing(StrEnum):
    """Where a decision stands."""

    WAITING = "WAITING"  # for a second reviewer
    HOLDS = "HOLDS"
    TAKEN_BACK = "TAKEN_BACK"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a decision is about, what the round must allow for it, and how it is taken back."""

    about: frozenset[str] = frozenset()
    needs: rounds.Act | None = None
    undo: Undo = Undo.NOTHING
    #: One reviewer is enough, whatever the project says: nothing changes in any figure.
    alone: bool = False


KINDS: Mapping[Act, Kind] = MappingProxyType(
    {
        Act.TAKE_UP: Kind(alone=True),
        Act.KEEP: Kind(),
        Act.REGRADE: Kind(needs=rounds.Act.ADD_SEAT, undo=Undo.NEVER),
        Act.HAND_BACK: Kind(frozenset({"assignment"}), rounds.Act.HAND_BACK, Undo.STAND),
        Act.ADJUDICATE: Kind(
            frozenset({"response", "criterion", "value"}), rounds.Act.ADJUDICATE, Undo.STRIKE
        ),
        Act.STRIKE_GRADE: Kind(frozenset({"grade"}), rounds.Act.INVALIDATE, Undo.LIFT),
        Act.STRIKE_RATER: Kind(frozenset({"rater"}), rounds.Act.INVALIDATE, Undo.LIFT),
        Act.STRIKE_QUESTION: Kind(frozenset(), rounds.Act.INVALIDATE, Undo.LIFT),
        Act.FIX_ANSWER: Kind(frozenset({"text"}), undo=Undo.NEVER),
        Act.CLARIFY_RUBRIC: Kind(frozenset({"text"}), undo=Undo.NEVER),
        Act.REVERSE: Kind(frozenset({"reverses"})),
    }
)
#: After these a question needs no further look.
SETTLES = frozenset(Act) - {Act.TAKE_UP, Act.REVERSE}


def allowed(act: Act, state: rounds.State) -> bool:
    """Return whether a round in this state lets this be decided; a draft lets nothing be."""
    needs = KINDS[act].needs
    if state == rounds.State.DRAFT:
        return False
    return needs is None or rounds.allows(state, needs)


def lacks(act: Act, given: frozenset[str]) -> list[str]:
    """Return what the decision is about and does not say."""
    return sorted(KINDS[act].about - given)


def n_wanted(act: Act, n_reviewers: int) -> int:
    """Return how many people must agree."""
    return 1 if KINDS[act].alone else n_reviewers


def standing(*, has_effect: bool, is_reversed: bool) -> Standing:
    if is_reversed:
        return Standing.TAKEN_BACK
    return Standing.HOLDS if has_effect else Standing.WAITING
