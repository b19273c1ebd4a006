"""The life of a question: states of its versions and of itself, and who may do what on the way.

* The board of the bank: in which column a question stands, and where its card may go.
* Editing many questions at once: what becomes of each of them, and why some stay as they are.
* How the list of the bank is shown: which columns, in which order; what is unknown is left out.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.common.texts import MAX_TURNS
from annotation.people.rules import BANK, CURATORS, DESIGNERS, INSPECTORS

#: What an author says of one finding.
MAX_REPLY = 2_000


class VersionState(StrEnum):
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


#: Acts on the author's own version, and the version's states that allow them.
OF_AUTHORS: Mapping[Act, Set[VersionState]] = {
    Act.EDIT: {VersionState.DRAFT},
    Act.SUBMIT: {VersionState.DRAFT},
    Act.DISCARD: {VersionState.DRAFT},
    Act.WITHDRAW: {VersionState.SUBMITTED},
}
#: Acts on the question as a whole: the states it may be in, and the state it is in afterwards.
OF_CURATORS: Mapping[Act, tuple[Set[Life], Life]] = {
    Act.RETIRE: ({Life.LIVE}, Life.RETIRED),
    Act.INVALIDATE: ({Life.LIVE, Life.RETIRED}, Life.INVALIDATED),
    Act.REVIVE: ({Life.RETIRED, Life.INVALIDATED}, Life.LIVE),
}


@dataclass(frozen=True, slots=True)
class QuestionStanding:
    """Where a question stands, and how the person who asks stands to it."""

    life: Life
    version: VersionState
    roles: frozenset[str]
    is_author: bool
    inspected: bool = False  # somebody has inspected this version
    inspected_by_me: bool = False
    #: They wrote a version that no one has accepted since: this one may still hold their words.
    wrote_before: bool = False


def allows(act: Act, where: QuestionStanding) -> bool:
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
        return (
            bool(where.roles & INSPECTORS) and not own and where.version is VersionState.SUBMITTED
        )
    return bool(where.roles & DESIGNERS) and where.version in {
        VersionState.ACCEPTED,
        VersionState.RETURNED,
    }


def possible(where: QuestionStanding) -> frozenset[Act]:
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


class BoardColumn(StrEnum):
    DRAFT = "DRAFT"
    SUBMITTED = "SUBMITTED"
    RETURNED = "RETURNED"
    ACCEPTED = "ACCEPTED"
    LOOK = "LOOK"  # accepted, and something about it is out of date
    RETIRED = "RETIRED"
    INVALIDATED = "INVALIDATED"


@dataclass(frozen=True)
class CardMove:
    """A way out of a card's column; `asks_why` if a reason goes with it."""

    act: Act
    to: BoardColumn
    asks_why: bool = False


#: What moves a card, in the order in which its menu offers it.
ACTS = (Act.SUBMIT, Act.WITHDRAW, Act.REVISE, Act.RETIRE, Act.INVALIDATE, Act.REVIVE)
OUT_OF_USE = {Life.RETIRED: BoardColumn.RETIRED, Life.INVALIDATED: BoardColumn.INVALIDATED}
LEADS_TO = {
    Act.SUBMIT: BoardColumn.SUBMITTED,
    Act.WITHDRAW: BoardColumn.DRAFT,
    Act.REVISE: BoardColumn.DRAFT,
    Act.RETIRE: BoardColumn.RETIRED,
    Act.INVALIDATE: BoardColumn.INVALIDATED,
}
ASK_WHY: Set[Act] = frozenset({Act.RETIRE, Act.INVALIDATE, Act.REVIVE})


def column_of(life: Life, version: VersionState, needs_look: bool) -> BoardColumn:
    """Return the one column a question stands in."""
    if life in OUT_OF_USE:
        return OUT_OF_USE[life]
    if version is VersionState.ACCEPTED and needs_look:
        return BoardColumn.LOOK
    return BoardColumn(version)


def moves(where: QuestionStanding, needs_look: bool) -> list[CardMove]:
    """Return where a card may go, by the rules of questions and nothing else."""
    back = column_of(Life.LIVE, where.version, needs_look)
    return [
        CardMove(act, LEADS_TO.get(act, back), act in ASK_WHY) for act in ACTS if allows(act, where)
    ]


MAX_TAGS = 20


class BulkAction(StrEnum):
    CHANGE = "CHANGE"  # what stands beside the text: capability, area, tags …
    SUBMIT = "SUBMIT"
    RETIRE = "RETIRE"


class BulkFate(StrEnum):
    """What will become of a question."""

    EDIT = "EDIT"  # its draft is changed
    REVISE = "REVISE"  # it gets a new draft version
    SUBMIT = "SUBMIT"
    RETIRE = "RETIRE"
    SAME = "SAME"  # it is as wanted already
    REFUSED = "REFUSED"


class WhyNot(StrEnum):
    """Why a question is refused."""

    OUT_OF_USE = "OUT_OF_USE"
    IN_INSPECTION = "IN_INSPECTION"
    NOT_THEIRS = "NOT_THEIRS"
    NO_DRAFT = "NO_DRAFT"
    NOT_LIVE = "NOT_LIVE"
    NO_ROLE = "NO_ROLE"
    INCOMPLETE = "INCOMPLETE"


@dataclass(frozen=True)
class BulkVerdict:
    fate: BulkFate
    why: WhyNot | None = None


def judge(
    action: BulkAction, where: QuestionStanding, *, differs: bool = True, complete: bool = True
) -> BulkVerdict:
    """Return what an action will do to a question.

    Args:
        differs: the question is not yet as the change wants it.
        complete: nothing is missing that inspection asks for.
    """
    if action is BulkAction.RETIRE:
        return _retired(where)
    if where.life is not Life.LIVE:
        return BulkVerdict(BulkFate.REFUSED, WhyNot.OUT_OF_USE)
    if action is BulkAction.SUBMIT:
        return _submitted(where, complete)
    if not differs:
        return BulkVerdict(BulkFate.SAME)
    if allows(Act.EDIT, where):
        return BulkVerdict(BulkFate.EDIT)
    if allows(Act.REVISE, where):
        return BulkVerdict(BulkFate.REVISE)
    if where.version is VersionState.SUBMITTED:
        return BulkVerdict(BulkFate.REFUSED, WhyNot.IN_INSPECTION)
    return BulkVerdict(
        BulkFate.REFUSED,
        WhyNot.NOT_THEIRS if where.version is VersionState.DRAFT else WhyNot.NO_ROLE,
    )


def _retired(where: QuestionStanding) -> BulkVerdict:
    if where.life is Life.RETIRED:
        return BulkVerdict(BulkFate.SAME)
    if allows(Act.RETIRE, where):
        return BulkVerdict(BulkFate.RETIRE)
    return BulkVerdict(
        BulkFate.REFUSED, WhyNot.NOT_LIVE if where.life is not Life.LIVE else WhyNot.NO_ROLE
    )


def _submitted(where: QuestionStanding, complete: bool) -> BulkVerdict:
    if where.version is VersionState.SUBMITTED:
        return BulkVerdict(BulkFate.SAME)
    if where.version is not VersionState.DRAFT:
        return BulkVerdict(BulkFate.REFUSED, WhyNot.NO_DRAFT)
    if not allows(Act.SUBMIT, where):
        return BulkVerdict(BulkFate.REFUSED, WhyNot.NOT_THEIRS)
    return (
        BulkVerdict(BulkFate.SUBMIT)
        if complete
        else BulkVerdict(BulkFate.REFUSED, WhyNot.INCOMPLETE)
    )


#: Fields that a change sets outright; the others are lists of tags to add and to take away.
SET = ("capability_id", "domain_id", "difficulty", "question_type", "valid_until")
ADDED, DROPPED = "tags_added", "tags_dropped"


def changed(old: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a question that a change gives another value, with that value.

    Args:
        old: its fields of SET, and its `tags`.
        wanted: fields of SET that are to be set (None clears), ADDED and DROPPED.
    """
    found = {name: wanted[name] for name in SET if name in wanted and old[name] != wanted[name]}
    tags = retagged(old["tags"], wanted.get(ADDED, ()), wanted.get(DROPPED, ()))
    return {**found, "tags": tags} if tags != list(old["tags"]) else found


def retagged(tags: Sequence[str], added: Iterable[str], dropped: Iterable[str]) -> list[str]:
    """Return the tags without those dropped, and with those added at the end; each once."""
    gone = set(dropped)
    return list(dict.fromkeys([*(one for one in tags if one not in gone), *added]))


class ListedColumn(StrEnum):
    """A column of the list; the question itself always stands."""

    ID = "id"
    AREA = "area"
    PRIORITY = "priority"
    CAPABILITY = "capability"
    DIFFICULTY = "difficulty"
    TYPE = "type"
    STATE = "state"
    VERSION = "version"
    AGE = "age"
    SOURCES = "sources"
    ROUNDS = "rounds"
    AUTHOR = "author"
    TAGS = "tags"
    LANGUAGE = "language"
    AS_OF = "as_of"
    VALID_UNTIL = "valid_until"


class Order(StrEnum):
    """What stands first."""

    NEWEST = ""
    OLDEST = "oldest"
    ID = "id"


#: What somebody sees who has chosen nothing: few enough to read the questions.
USUAL = (
    ListedColumn.ID,
    ListedColumn.AREA,
    ListedColumn.CAPABILITY,
    ListedColumn.DIFFICULTY,
    ListedColumn.STATE,
    ListedColumn.AGE,
    ListedColumn.SOURCES,
    ListedColumn.ROUNDS,
)
FIGURES = frozenset({ListedColumn.AGE, ListedColumn.ROUNDS})


@dataclass(frozen=True)
class ChosenNames:
    """Columns that are known, in the list's order, and the names that are not."""

    columns: tuple[ListedColumn, ...]
    unknown: tuple[str, ...] = ()


def chosen(names: Iterable[str]) -> ChosenNames:
    """Read the names of columns, as they come from a form, a store or an address."""
    wanted = list(dict.fromkeys(names))
    known = {str(one) for one in ListedColumn}
    return ChosenNames(
        tuple(one for one in ListedColumn if one in wanted),
        tuple(one for one in wanted if one not in known),
    )


def order(name: str) -> Order | None:
    """Return the order of this name, or None if there is none."""
    return next((one for one in Order if one == name), None)
