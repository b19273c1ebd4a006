"""What of a bank file a project has already: new, the same, longer there, or different here."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from annotation.models import Project
from annotation.queries.banks.writing import Bank
from annotation.rules.banks import records
from annotation.rules.banks.records import Record

Path = tuple[str, ...]


class Fate(StrEnum):
    NEW = "new"
    SAME = "same"
    MORE = "more"  # it is here, and the file goes on where this project ends
    DIFFERS = "differs"


class Standing:
    """What a project holds before a bank file comes in, told from the same records."""

    def __init__(self, project: Project) -> None:
        bank = self._bank = Bank(project)
        self.domains = {tuple(one["path"]): _bare(one) for one in bank.domains()}
        self.capabilities = {tuple(one["path"]): _bare(one) for one in bank.capabilities()}
        self.rubrics = {
            one["key"]: [records.rubric_sha(each) for each in one["versions"]]
            for one in bank.rubrics()
        }
        self.checklists = [one["lines"] for one in bank.checklists()]
        self.collections = {one["name"] for one in bank.collections()}
        self.cells = {_cell(one): one["wanted"] for one in bank.plan()}
        self.sources: dict[str, tuple[Mapping[str, Any], list[str]]] = {
            one["title"]: (_about(one), [each["sha"] for each in one["versions"]])
            for one in bank.sources()
        }

    def questions(self, ids: Sequence[str]) -> dict[str, list[Record]]:
        """Return the versions of questions that are here, by external id."""
        return {one["external_id"]: one["versions"] for one in self._bank.questions(ids)}

    def fate(self, part: str, one: Record) -> Fate:
        """Return what becomes of a record of any part but the questions."""
        find: dict[str, Callable[[Record], Fate]] = {
            "domains": lambda one: _same_or_not(self.domains.get(tuple(one["path"])), _bare(one)),
            "capabilities": lambda one: _same_or_not(
                self.capabilities.get(tuple(one["path"])), _bare(one)
            ),
            "plan": lambda one: _same_or_not(self.cells.get(_cell(one)), one["wanted"]),
            "rubrics": self._rubric,
            "sources": self._source,
            "checklists": lambda one: _here(one["lines"] in self.checklists),
            "collections": lambda one: _here(one["name"] in self.collections),
        }
        return find[part](one)

    def _rubric(self, one: Record) -> Fate:
        if one["key"] not in self.rubrics:
            return Fate.NEW
        theirs = [records.rubric_sha(each) for each in one["versions"]]
        return _history(self.rubrics[one["key"]], theirs)

    def _source(self, one: Record) -> Fate:
        if one["title"] not in self.sources:
            return Fate.NEW
        about, shas = self.sources[one["title"]]
        if about != _about(one):
            return Fate.DIFFERS
        more = any(each["sha"] not in shas for each in one["versions"])
        return Fate.MORE if more else Fate.SAME


def question_fate(ours: Sequence[Record] | None, theirs: Sequence[Record]) -> Fate:
    """Return what becomes of a question: its history goes on only where ours is decided."""
    if ours is None:
        return Fate.NEW
    fate = _history(
        [records.version_sha(each) for each in ours], [records.version_sha(each) for each in theirs]
    )
    if fate is Fate.MORE and ours[-1]["state"] in {"DRAFT", "SUBMITTED"}:
        return Fate.DIFFERS
    return fate


def _history(ours: Sequence[str], theirs: Sequence[str]) -> Fate:
    shared = min(len(ours), len(theirs))
    if ours[:shared] != theirs[:shared]:
        return Fate.DIFFERS
    return Fate.MORE if len(theirs) > len(ours) else Fate.SAME


def _here(found: bool) -> Fate:
    return Fate.SAME if found else Fate.NEW


def _same_or_not(ours: object, theirs: object) -> Fate:
    if ours is None:
        return Fate.NEW
    return Fate.SAME if ours == theirs else Fate.DIFFERS


def _bare(one: Record) -> dict[str, Any]:
    """Leave out where a node stands among its siblings: that is a matter of looks."""
    return {name: value for name, value in one.items() if name != "position"}


def _about(one: Record) -> dict[str, Any]:
    return {name: one[name] for name in ("kind", "address", "publisher", "licence")}


def _cell(one: Record) -> tuple[Path, str, Path | None]:
    domain = tuple(one["domain"]) if one["domain"] else None
    return tuple(one["capability"]), one["difficulty"], domain
