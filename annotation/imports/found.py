"""What a file means of what a project has already, gathered row by row while it is checked."""

import difflib
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, Protocol, TypeVar

from annotation.common import texts as faces
from annotation.files.answers import AnsweredItem, FileAnswer
from annotation.files.cells import FileProblem
from annotation.files.guessing import fold
from annotation.files.parts import Message
from annotation.people.models import Project, Rater, RaterKind
from annotation.rounds import rules as openings
from annotation.systems.models import Item, Response, System

#: So many names, differences and values stand in a report.
NAMED: Final = 50
DIFFERING: Final = 10
#: Signs of a text that is shown beside ours.
SHOWN: Final = 2000
#: Answers of a system whose beginnings are looked at.
HEADS: Final = 300
#: From here on two names are near each other.
NEAR: Final = 0.8
#: The problems of rows that name what the project has not, and of values that do not fit.
_UNKNOWN: Final = {"unknown_item": "items", "unknown_system": "systems"}
_OUTSIDE: Final = frozenset({"off_scale", "out_of_range"})


class FoundBy(StrEnum):
    """How a question of a file was found in the project."""

    ID = "by_id"
    TEXT = "by_text"
    BOTH = "by_both"
    DIFFERS = "differing"
    NEW = "new"


class Looked(Protocol):
    """A row that was read and looked up."""

    @property
    def problems(self) -> list[FileProblem]: ...


R = TypeVar("R", bound=Looked)


@dataclass(frozen=True, slots=True)
class PreparedRows(Generic[R]):
    """Rows that were read and looked up; what is left to do is to write."""

    found: list[R]

    @property
    def problems(self) -> list[FileProblem]:
        return [problem for one in self.found for problem in one.problems]


@dataclass
class FileFindings:
    """What the rows of a file mean; told by `as_dict` when the last one was seen."""

    project: Project
    how: dict[str, FoundBy] = field(default_factory=dict)
    theirs: dict[str, str] = field(default_factory=dict)
    systems: Counter[str] = field(default_factory=Counter)
    raters: Counter[str] = field(default_factory=Counter)
    unknown: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in _UNKNOWN.values()}
    )
    outside: Counter[str] = field(default_factory=Counter)
    heads: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    #: How often each system prompt stands before a question, by its digest, and how those begin that do so again.
    prompts: Counter[bytes] = field(default_factory=Counter)
    prompted: dict[bytes, str] = field(default_factory=dict)

    def question(self, one: AnsweredItem, *, is_new: bool, differs: bool) -> None:
        """Note how the question of a row was found; the first row about it tells."""
        if one.external_id in self.how:
            return
        self.how[one.external_id] = _how(one, is_new=is_new, differs=differs)
        if one.messages and one.messages[0]["role"] == "system":
            self._prompt(str(one.messages[0]["content"]))
        if differs and one.messages and len(self.theirs) < DIFFERING:
            self.theirs[one.external_id] = _said(one.messages)

    def _prompt(self, text: str) -> None:
        key = hashlib.blake2b(text.encode(), digest_size=8).digest()
        self.prompts[key] += 1
        if self.prompts[key] > 1 and key not in self.prompted:
            self.prompted[key] = " ".join(text.split())[:120]

    def answers(self, some: Iterable[FileAnswer]) -> None:
        """Note whose answers stand in a row, and how they begin."""
        for one in some:
            self.systems[one.system] += 1
            if len(self.heads[one.system]) < HEADS:
                self.heads[one.system].append(faces.conversation(one.messages)[: openings.HEAD])

    def marks(self, item: str, system: str, raters: Iterable[str]) -> None:
        """Note what a row of grades or scores is about; only where its answer is here."""
        self.how.setdefault(item, FoundBy.ID)
        self.systems[system] += 1
        self.raters.update(raters)

    def problems(self, some: Iterable[FileProblem]) -> None:
        """Note what rows name that is not here, and values that do not fit."""
        for one in some:
            if one.code in _UNKNOWN:
                self.unknown[_UNKNOWN[one.code]][one.found] += 1
            elif one.code in _OUTSIDE:
                self.outside[one.found] += 1

    def warnings(self) -> list[FileProblem]:
        """Return what may tell annotators whose answers they read."""
        return [*self._shared_openings(), *self._system_prompts()]

    def _system_prompts(self) -> list[FileProblem]:
        """Return the system prompt that annotators would read before several questions."""
        return [
            FileProblem(
                "system_prompt",
                found=self.prompted[key],
                facts={"n": str(n), "of": str(len(self.how))},
                warning=True,
            )
            for key, n in self.prompts.most_common(1)
            if n > 1
        ]

    def _shared_openings(self) -> list[FileProblem]:
        """Return which systems a beginning of nearly all their answers gives away."""
        numbers = dict(enumerate(self.heads))
        heads: dict[int, Sequence[str]] = {n: self.heads[name] for n, name in numbers.items()}
        if 0 < len(heads) <= 1:
            heads |= self._others()
        # One system alone stands beside an empty one: it will not stay alone.
        found = openings.shared({-1: (), **heads})
        return [
            FileProblem(
                "shared_opening",
                found=" ".join(opening.split())[:120],
                facts={"system": numbers[n], **_counted(opening, heads[n])},
                warning=True,
            )
            for n, opening in found.items()
            if n in numbers
        ]

    def as_dict(self) -> dict[str, Any]:
        known = list(System.objects.seen().filter(project=self.project).order_by("name"))
        names = {fold(name): one.name for one in known for name in (one.name, *one.aliases)}
        return {
            "questions": {**Counter(map(str, self.how.values()))},
            "differences": self._differences(),
            "systems": _sorted(self.systems, names),
            "raters": _sorted(self.raters, self._raters()),
            "unknown_items": self._unknown("items", {}),
            "n_unknown_items": len(self.unknown["items"]),
            "unknown_systems": self._unknown("systems", names),
            "outside": dict(self.outside.most_common(NAMED)),
            "n_outside": self.outside.total(),
        }

    def _unknown(self, what: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
        found = self.unknown[what].most_common(NAMED)
        return [{"name": name, "n": n, "near": near(name, names)} for name, n in found]

    def _raters(self) -> dict[str, str]:
        rows = Rater.objects.filter(project=self.project).exclude(kind=RaterKind.PERSON)
        return {fold(name): name for name in rows.values_list("ref", flat=True)}

    def _differences(self) -> list[dict[str, str]]:
        rows = Item.objects.seen().filter(project=self.project, external_id__in=self.theirs)
        ours = {one.external_id: _said(one.messages) for one in rows.order_by("pk")}
        return [
            {"id": name, "ours": ours.get(name, ""), "theirs": text}
            for name, text in self.theirs.items()
        ]

    def _others(self) -> dict[int, Sequence[str]]:
        """Return how some answers of the project's other systems begin."""
        rows = Response.objects.seen().filter(item__project=self.project)
        rows = rows.exclude(release__system__name__in=self.heads).order_by("-pk")
        found: dict[int, list[str]] = defaultdict(list)
        for system, messages in rows.values_list("release__system_id", "messages")[:HEADS]:
            found[-2 - system].append(faces.conversation(messages)[: openings.HEAD])
        return {**found}


def near(name: str, known: Mapping[str, str]) -> str:
    """Return the known name that one is probably meant for; empty where none is near.

    Args:
        name: as a file has it.
        known: names as they are, by how they are compared.
    """
    best, likeness = "", NEAR
    plain = _plain(name)
    for folded, real in known.items():
        other = _plain(folded)
        alike = difflib.SequenceMatcher(None, plain, other).ratio()
        starts = bool(other) and plain.startswith(other) and len(other) >= 0.6 * len(plain)
        if alike >= likeness or (starts and not best):
            best, likeness = real, max(alike, likeness)
    return best


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _how(one: AnsweredItem, *, is_new: bool, differs: bool) -> FoundBy:
    if differs:
        return FoundBy.DIFFERS
    if is_new:
        return FoundBy.NEW
    if not one.messages:
        return FoundBy.ID
    return FoundBy.BOTH if one.is_named else FoundBy.TEXT


def _said(messages: Sequence[Message]) -> str:
    return faces.conversation(messages)[:SHOWN]


def _counted(opening: str, heads: Sequence[str]) -> dict[str, str]:
    n = sum(one.startswith(opening) for one in heads)
    return {"n": str(n), "of": str(len(heads))}


def _sorted(said: Counter[str], known: Mapping[str, str]) -> dict[str, Any]:
    """Return which names are known, and the new ones with a known name that is near."""
    new = sorted(name for name in said if fold(name) not in known)
    return {
        "known": sorted({known[fold(name)] for name in said if fold(name) in known})[:NAMED],
        "new": [{"name": name, "near": near(name, known)} for name in new[:NAMED]],
        "n_new": len(new),
        "n_known": len({known[fold(name)] for name in said if fold(name) in known}),
    }
