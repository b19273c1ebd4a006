"""The board of the bank: in which column a question stands, and where its card may go."""

from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from annotation.rules.questions import Act, Life, Standing, Version, allows


class Column(StrEnum):
    DRAFT = "DRAFT"
    SUBMITTED = "SUBMITTED"
    RETURNED = "RETURNED"
    ACCEPTED = "ACCEPTED"
    LOOK = "LOOK"  # accepted, and something about it is out of date
    RETIRED = "RETIRED"
    INVALIDATED = "INVALIDATED"


@dataclass(frozen=True)
class Move:
    """A way out of a card's column; `asks_why` if a reason goes with it."""

    act: Act
    to: Column
    asks_why: bool = False


#: What moves a card, in the order in which its menu offers it.
ACTS = (Act.SUBMIT, Act.WITHDRAW, Act.REVISE, Act.RETIRE, Act.INVALIDATE, Act.REVIVE)
OUT_OF_USE = {Life.RETIRED: Column.RETIRED, Life.INVALIDATED: Column.INVALIDATED}
LEADS_TO = {
    Act.SUBMIT: Column.SUBMITTED,
    Act.WITHDRAW: Column.DRAFT,
    Act.REVISE: Column.DRAFT,
    Act.RETIRE: Column.RETIRED,
    Act.INVALIDATE: Column.INVALIDATED,
}
ASK_WHY: Set[Act] = frozenset({Act.RETIRE, Act.INVALIDATE, Act.REVIVE})


def column_of(life: Life, version: Version, needs_look: bool) -> Column:
    """Return the one column a question stands in."""
    if life in OUT_OF_USE:
        return OUT_OF_USE[life]
    if version is Version.ACCEPTED and needs_look:
        return Column.LOOK
    return Column(version)


def moves(where: Standing, needs_look: bool) -> list[Move]:
    """Return where a card may go, by the rules of questions and nothing else."""
    back = column_of(Life.LIVE, where.version, needs_look)
    return [
        Move(act, LEADS_TO.get(act, back), act in ASK_WHY) for act in ACTS if allows(act, where)
    ]
