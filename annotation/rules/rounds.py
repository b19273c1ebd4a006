"""The states of a round: where it may go, and what it allows on the way."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

FEWEST_SEATS = 3  # LalaEval: at least three annotators judge every answer
MOST_SEATS = 100
MOST_RELEASES = 8
#: So long a seat is held, in minutes, before somebody else gets it.
SHORTEST_LEASE, LONGEST_LEASE = 1, 7 * 24 * 60
LONGEST_NAME = 200
LONGEST_REASON = 300
LONGEST_SEED = 64


class State(StrEnum):
    DRAFT = "DRAFT"
    OPEN = "OPEN"
    REVIEW = "REVIEW"
    FINAL = "FINAL"


class Act(StrEnum):
    """What may be done to a round, or with it."""

    EDIT_DESIGN = "EDIT_DESIGN"
    PAUSE = "PAUSE"
    CLAIM = "CLAIM"  # take the next free seat
    CLAIM_OFFERED = "CLAIM_OFFERED"  # take a seat that a reviewer added or handed back
    SUBMIT = "SUBMIT"  # finish a seat that is claimed
    READ_INTERIM = "READ_INTERIM"  # figures as of now, never for its annotators
    READ_RESULTS = "READ_RESULTS"
    READ_RESULTS_AS_ANNOTATOR = "READ_RESULTS_AS_ANNOTATOR"
    ADD_SEAT = "ADD_SEAT"
    HAND_BACK = "HAND_BACK"
    ADJUDICATE = "ADJUDICATE"
    INVALIDATE = "INVALIDATE"


class Need(StrEnum):
    """What must be true before a round moves on; the operation finds out whether it is."""

    ITEMS = "ITEMS"  # at least one item
    RESPONSES = "RESPONSES"  # every item has one to eight responses
    RUBRICS = "RUBRICS"  # every item has a rubric with criteria
    SEATS = "SEATS"  # enough seats on every item, or the owner overrides
    ANNOTATORS = "ANNOTATORS"  # enough people to fill the seats of an item
    OTHERS_WROTE_IT = "OTHERS_WROTE_IT"  # enough of them had no part in writing or inspecting it
    QUALIFIED = (
        "QUALIFIED"  # enough of them have qualified, if that is asked, or the owner overrides
    )
    IDENTITY_CLEARED = "IDENTITY_CLEARED"  # names found in texts are masked or let through
    REFERENCES = "REFERENCES"  # every answer of a trial has its reference grades
    ORDERS_DEALT = "ORDERS_DEALT"  # every seat has its order of slots
    NO_CLAIMS = "NO_CLAIMS"  # nobody holds a seat any more


@dataclass(frozen=True, slots=True)
class Transition:
    source: State
    target: State
    needs: tuple[Need, ...] = ()


TRANSITIONS = (
    Transition(
        State.DRAFT,
        State.OPEN,
        (
            Need.ITEMS,
            Need.RESPONSES,
            Need.RUBRICS,
            Need.SEATS,
            Need.ANNOTATORS,
            Need.OTHERS_WROTE_IT,
            Need.QUALIFIED,
            Need.IDENTITY_CLEARED,
            Need.REFERENCES,
            Need.ORDERS_DEALT,
        ),
    ),
    Transition(State.OPEN, State.REVIEW),
    Transition(State.REVIEW, State.FINAL, (Need.NO_CLAIMS,)),
)

ALLOWS: Mapping[State, frozenset[Act]] = MappingProxyType(
    {
        State.DRAFT: frozenset({Act.EDIT_DESIGN}),
        State.OPEN: frozenset(
            {Act.PAUSE, Act.CLAIM, Act.SUBMIT, Act.READ_INTERIM, Act.HAND_BACK, Act.INVALIDATE}
        ),
        State.REVIEW: frozenset(
            {
                Act.CLAIM_OFFERED,
                Act.SUBMIT,
                Act.READ_INTERIM,
                Act.READ_RESULTS,
                Act.ADD_SEAT,
                Act.HAND_BACK,
                Act.ADJUDICATE,
                Act.INVALIDATE,
            }
        ),
        State.FINAL: frozenset(
            {
                Act.READ_RESULTS,
                Act.READ_RESULTS_AS_ANNOTATOR,
                Act.ADJUDICATE,
                Act.INVALIDATE,
            }
        ),
    }
)

# Who holds a seat while the round pauses may finish it: what was begun is not lost.
STOPPED_BY_PAUSE = frozenset({Act.CLAIM, Act.CLAIM_OFFERED})


def allowed(state: State) -> tuple[State, ...]:
    """Return the states a round in this state may move to."""
    return tuple(step.target for step in TRANSITIONS if step.source == state)


def may_move(state: State, to: State) -> bool:
    return to in allowed(state)


def unmet(state: State, to: State, met: Set[Need]) -> tuple[Need, ...]:
    """Return what is still missing for this move.

    Raises:
        ValueError: no round moves from this state to that one.
    """
    for step in TRANSITIONS:
        if (step.source, step.target) == (state, to):
            return tuple(need for need in step.needs if need not in met)
    raise ValueError(f"A round does not move from {state} to {to}.")


def allows(state: State, act: Act, *, paused: bool = False) -> bool:
    """Return whether a round in this state lets this be done."""
    return act in ALLOWS[state] and not (paused and act in STOPPED_BY_PAUSE)
