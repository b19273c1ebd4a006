"""Editing many questions at once: what becomes of each of them, and why some stay as they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.rules.questions import Act, Life, Standing, Version, allows

MAX_TAGS = 20


class Action(StrEnum):
    CHANGE = "CHANGE"  # what stands beside the text: capability, area, tags …
    SUBMIT = "SUBMIT"
    RETIRE = "RETIRE"


class Fate(StrEnum):
    """What will become of a question."""

    EDIT = "EDIT"  # its draft is changed
    REVISE = "REVISE"  # it gets a new draft version
    SUBMIT = "SUBMIT"
    RETIRE = "RETIRE"
    SAME = "SAME"  # it is as wanted already
    REFUSED = "REFUSED"


class Why(StrEnum):
    """Why a question is refused."""

    OUT_OF_USE = "OUT_OF_USE"
    IN_INSPECTION = "IN_INSPECTION"
    NOT_THEIRS = "NOT_THEIRS"
    NO_DRAFT = "NO_DRAFT"
    NOT_LIVE = "NOT_LIVE"
    NO_ROLE = "NO_ROLE"
    INCOMPLETE = "INCOMPLETE"


@dataclass(frozen=True)
class Verdict:
    fate: Fate
    why: Why | None = None


def judge(
    action: Action, where: Standing, *, differs: bool = True, complete: bool = True
) -> Verdict:
    """Return what an action will do to a question.

    Args:
        differs: the question is not yet as the change wants it.
        complete: nothing is missing that inspection asks for.
    """
    if action is Action.RETIRE:
        return _retired(where)
    if where.life is not Life.LIVE:
        return Verdict(Fate.REFUSED, Why.OUT_OF_USE)
    if action is Action.SUBMIT:
        return _submitted(where, complete)
    if not differs:
        return Verdict(Fate.SAME)
    if allows(Act.EDIT, where):
        return Verdict(Fate.EDIT)
    if allows(Act.REVISE, where):
        return Verdict(Fate.REVISE)
    if where.version is Version.SUBMITTED:
        return Verdict(Fate.REFUSED, Why.IN_INSPECTION)
    return Verdict(Fate.REFUSED, Why.NOT_THEIRS if where.version is Version.DRAFT else Why.NO_ROLE)


def _retired(where: Standing) -> Verdict:
    if where.life is Life.RETIRED:
        return Verdict(Fate.SAME)
    if allows(Act.RETIRE, where):
        return Verdict(Fate.RETIRE)
    return Verdict(Fate.REFUSED, Why.NOT_LIVE if where.life is not Life.LIVE else Why.NO_ROLE)


def _submitted(where: Standing, complete: bool) -> Verdict:
    if where.version is Version.SUBMITTED:
        return Verdict(Fate.SAME)
    if where.version is not Version.DRAFT:
        return Verdict(Fate.REFUSED, Why.NO_DRAFT)
    if not allows(Act.SUBMIT, where):
        return Verdict(Fate.REFUSED, Why.NOT_THEIRS)
    return Verdict(Fate.SUBMIT) if complete else Verdict(Fate.REFUSED, Why.INCOMPLETE)


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
