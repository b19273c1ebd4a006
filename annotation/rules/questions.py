"""The life of a question: states of its versions and of itself, and who may do what on the way."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MAX_TURNS = 40
MAX_TEXT = 100_000
#: What an author says of one finding.
MAX_REPLY = 2_000


class Version(StrEnum):
    DRAFT = "DRAFT"
    SUBMITTED = "SUBMITTED"
    ACCEPTED = "ACCEPTED"
    RETURNED = "RETURNED"


class Life(StrEnum):
    STAGED = "STAGED"  # an import is bringing it in: nobody sees it
    LIVE = "LIVE"
    RETIRED = "RETIRED"
    INVALIDATED = "INVALIDATED"


class Act(StrEnum):
    EDIT = "EDIT"
    SUBMIT = "SUBMIT"
    DISCARD = "DISCARD"
    WITHDRAW = "WITHDRAW"
    INSPECT = "INSPECT"
    REVISE = "REVISE"  # begin the next version
    RETIRE = "RETIRE"
    INVALIDATE = "INVALIDATE"
    REVIVE = "REVIVE"
    COMMENT = "COMMENT"


DESIGNERS = frozenset({"OWNER", "CURATOR", "DESIGNER"})
INSPECTORS = frozenset({"OWNER", "CURATOR", "INSPECTOR"})
CURATORS = frozenset({"OWNER", "CURATOR"})
BANK = DESIGNERS | INSPECTORS
#: Acts on the author's own version, and the version's states that allow them.
OF_AUTHORS: Mapping[Act, Set[Version]] = {
    Act.EDIT: {Version.DRAFT},
    Act.SUBMIT: {Version.DRAFT},
    Act.DISCARD: {Version.DRAFT},
    Act.WITHDRAW: {Version.SUBMITTED},
}
#: Acts on the question as a whole: the states it may be in, and the state it is in afterwards.
OF_CURATORS: Mapping[Act, tuple[Set[Life], Life]] = {
    Act.RETIRE: ({Life.LIVE}, Life.RETIRED),
    Act.INVALIDATE: ({Life.LIVE, Life.RETIRED}, Life.INVALIDATED),
    Act.REVIVE: ({Life.RETIRED, Life.INVALIDATED}, Life.LIVE),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a question stands, and how the person who asks stands to it."""

    life: Life
    version: Version
    roles: frozenset[str]
    is_author: bool
    inspected: bool = False  # somebody has inspected this version
    inspected_by_me: bool = False
    #: They wrote a version that no one has accepted since: this one may still hold their words.
    wrote_before: bool = False


def allows(act: Act, where: Standing) -> bool:
    """Return whether the act is theirs, here and now."""
    if act in OF_CURATORS:
        return bool(where.roles & CURATORS) and where.life in OF_CURATORS[act][0]
    if act is Act.COMMENT:
        return bool(where.roles & BANK) and where.life is not Life.STAGED
    if where.life is not Life.LIVE:
        return False
    if act in OF_AUTHORS:
        begun = act is Act.WITHDRAW and where.inspected
        mine = where.is_author and bool(where.roles & DESIGNERS)
        return mine and where.version in OF_AUTHORS[act] and not begun
    if act is Act.INSPECT:
        # A returned version that somebody else goes on with keeps most of its words: its first
        # author would pass their own. Once another person has accepted the words, they may. What
        # an inspector suggested is the author's as soon as the author takes it over.
        own = where.is_author or where.wrote_before or where.inspected_by_me
        return bool(where.roles & INSPECTORS) and not own and where.version is Version.SUBMITTED
    return bool(where.roles & DESIGNERS) and where.version in {Version.ACCEPTED, Version.RETURNED}


def possible(where: Standing) -> frozenset[Act]:
    return frozenset(act for act in Act if allows(act, where))


def wanted_inspections(priority: str | None) -> int:
    """Return how many inspectors must accept a version: two in a core domain (P0)."""
    return 2 if priority == "P0" else 1


#: Field of a draft and what is missing or wrong there.
Problems = dict[str, list[str]]


def problems(
    *,
    turns: Sequence[Mapping[str, Any]],
    answer: str,
    capability: object,
    difficulty: str,
    n_citations: int,
    asks_meaning: bool,
    meaning_changed: bool | None,
) -> Problems:
    """Return what keeps a draft from being submitted; nothing if all is there."""
    found = turn_problems(turns)
    if not answer.strip():
        found["answer"] = ["Write the standard answer."]
    if capability is None:
        found["capability"] = ["Choose the capability that the question puts to the test."]
    if not difficulty:
        found["difficulty"] = ["Choose how difficult the question is."]
    if not n_citations:
        found["sources"] = ["Name at least one source that the answer rests on."]
    if asks_meaning and meaning_changed is None:
        found["meaning_changed"] = [
            "A round has used this question. Say whether its meaning has changed."
        ]
    return found


def turn_problems(turns: Sequence[Mapping[str, Any]]) -> Problems:
    """Return what is wrong with the turns: they end with a question, and none is empty."""
    if not turns or not any(str(one.get("content") or "").strip() for one in turns):
        return {"turns": ["Write the question."]}
    if len(turns) > MAX_TURNS:
        return {"turns": [f"A question has at most {MAX_TURNS} turns. Take some out."]}
    empty = [n for n, one in enumerate(turns, 1) if not str(one.get("content") or "").strip()]
    if empty:
        return {"turns": [f"Turn {empty[0]} is empty. Write it, or take it out."]}
    if turns[-1].get("role") != "user":
        return {"turns": ["The last turn is the user's: it is what the system answers."]}
    return {}
