"""The records of a bank file, part by part: what stands in them, and how they are compared.

A record says of a thing what its page and the API say of it, and besides who wrote it, and when.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final

from pydantic import Field

from annotation.bank import records as bank
from annotation.bank.checklists import Checked
from annotation.bank.models import Inspection
from annotation.bank.records import Replies, VersionWords
from annotation.common import texts as contents
from annotation.common.names import NameKind
from annotation.domains.models import Difficulty
from annotation.domains.records import AreaWords, CapabilityWords
from annotation.rubrics.rules import CriterionText, Key, Wording
from annotation.sources import records as sources
from annotation.sources.rules import MAX_TEXT
from evalsite import kinds, records
from evalsite.kinds import Choice, Json, Kind, Text, Whole
from evalsite.records import KeptAs, Record

FORMAT: Final = "evalsite-bank"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Who = Annotated[str, Text(36, empty=False, like=UUID)]
Sha = Annotated[str, Text(64, empty=False, like=re.compile(r"[0-9a-f]{64}"))]
Title = Annotated[str, NameKind(300)]
Path = Annotated[tuple[Annotated[str, NameKind(200)], ...], Field(min_length=1, max_length=20)]
When = Annotated[datetime, kinds.Moment()]
Until = Annotated[date, kinds.Day()] | None
First = Annotated[int, Whole(1)]
Number = Annotated[int, Whole()]
Place = Annotated[int, Whole(0, 30_000)]
Long = Annotated[str, Text()]
Short = Annotated[str, Text(40)]
Half = Annotated[str, Text(500)]
By = Annotated[Who, KeptAs("by_id")]
Life = Annotated[str, Choice(("LIVE", "RETIRED", "INVALIDATED"))]
Capability = Annotated[Path | None, KeptAs("capability_id")]
Domain = Annotated[Path | None, KeptAs("domain_id")]


@dataclass(frozen=True, kw_only=True)
class MadeRecord(Record):
    """What somebody made, and when."""

    by: Annotated[Who, KeptAs("created_by_id")]
    at: Annotated[When, KeptAs("created_at")]


@dataclass(frozen=True, kw_only=True)
class DoneRecord(Record):
    """What somebody did, and when."""

    by: By
    at: When


@dataclass(frozen=True, kw_only=True)
class PersonRecord(Record):
    id: Who
    name: Annotated[str, NameKind(200, empty=True)]


@dataclass(frozen=True, kw_only=True)
class ChecklistRecord(Record):
    number: First
    lines: Annotated[list[Any], Json(list)]
    by: Annotated[Who | None, KeptAs("created_by_id")]
    at: Annotated[When, KeptAs("created_at")]


@dataclass(frozen=True, kw_only=True)
class CriterionRecord(CriterionText):
    position: Number
    higher_is_better: Annotated[bool, kinds.YesNo()]


@dataclass(frozen=True, kw_only=True)
class RubricVersionRecord(Wording):
    number: First
    by: Annotated[Who | None, KeptAs("created_by_id")]
    at: Annotated[When, KeptAs("created_at")]
    frozen_at: When | None
    criteria: tuple[CriterionRecord, ...]


@dataclass(frozen=True, kw_only=True)
class RubricRecord(Record):
    key: Key
    name: Annotated[str, NameKind(200)]
    at: Annotated[When, KeptAs("created_at")]
    versions: tuple[RubricVersionRecord, ...]


@dataclass(frozen=True, kw_only=True)
class AreaRecord(AreaWords):
    path: Path
    position: Number


@dataclass(frozen=True, kw_only=True)
class Skill(CapabilityWords):
    path: Path
    position: Number
    difficulties: Annotated[dict[str, Any], Json()]
    rubric: Annotated[Key | None, KeptAs("rubric_id")]


@dataclass(frozen=True, kw_only=True)
class Collection(sources.CollectionIn, MadeRecord):
    """A collection of sources; nobody is appointed by a file."""


@dataclass(frozen=True, kw_only=True)
class CheckRecord(sources.CheckWords, DoneRecord):
    """What somebody found who read the source."""


@dataclass(frozen=True, kw_only=True)
class SourceVersionRecord(sources.SourceWords, MadeRecord):
    number: First
    sha: Sha
    text: Annotated[str, Text(MAX_TEXT)] = ""
    file: sources.File
    checks: tuple[CheckRecord, ...]


@dataclass(frozen=True, kw_only=True)
class SourceRecord(MadeRecord, sources.Particulars):
    """A source with all its versions."""

    collection: Annotated[Annotated[str, NameKind(120)] | None, KeptAs("collection.name")]
    versions: Annotated[tuple[SourceVersionRecord, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class ShareRecord(Record):
    who: Annotated[Who, KeptAs("designer_id")]
    n: First
    due_on: Until


@dataclass(frozen=True, kw_only=True)
class PlanCellRecord(Record):
    capability: Annotated[Path, KeptAs("capability_id")]
    difficulty: Annotated[str, kinds.choice(Difficulty)]
    domain: Domain
    wanted: First
    shares: tuple[ShareRecord, ...]


@dataclass(frozen=True, kw_only=True)
class CitationRecord(Record):
    source: Title
    sha: Sha
    locator: Annotated[str, Text(300)]
    start: Number | None
    end: Number | None
    position: Place


@dataclass(frozen=True, kw_only=True)
class DraftedRecord(bank.MachineDrafted):
    by: By


@dataclass(frozen=True, kw_only=True)
class FoundRecord(Checked):
    position: Place


@dataclass(frozen=True, kw_only=True)
class Inspected(Record):
    by: Annotated[Who, KeptAs("inspector_id")]
    checklist: Annotated[First, KeptAs("checklist.number")]
    verdict: Annotated[str, kinds.choice(Inspection.Verdict)]
    note: Long
    suggestion: Annotated[dict[str, Any], Json()]
    at: When
    findings: Annotated[tuple[FoundRecord, ...], Field(max_length=200)]


@dataclass(frozen=True, slots=True)
class TurnKind(Kind):
    """A message: a role, what was said (if anything), and whatever else belongs to it."""

    def read(self, value: Any, *, sent: bool) -> Any:
        read = Json().read(value, sent=sent)
        Text(40, empty=False).read(read.get("role"), sent=sent)
        if read.get("content") is not None:
            Text().read(read["content"], sent=sent)
        return read


@dataclass(frozen=True, kw_only=True)
class VersionRecord(VersionWords):
    number: First
    state: Annotated[str, Choice(("DRAFT", "SUBMITTED", "ACCEPTED", "RETURNED"))]
    author: Annotated[Who, KeptAs("author_id")]
    turns: Annotated[tuple[Annotated[Any, TurnKind()], ...], Field(max_length=200)]
    capability: Capability
    domain: Domain
    replies: Replies
    rev: Number
    created_at: When
    saved_at: When
    submitted_at: When | None
    decided_at: When | None
    citations: tuple[CitationRecord, ...]
    machine_drafts: tuple[DraftedRecord, ...]
    inspections: tuple[Inspected, ...]


@dataclass(frozen=True, kw_only=True)
class ChangeRecord(DoneRecord):
    old: Life
    new: Life
    reason: Half


@dataclass(frozen=True, kw_only=True)
class CommentRecord(Record):
    version: Annotated[First | None, KeptAs("version.number")]
    field: Short
    text: Long
    by: Annotated[Who, KeptAs("author_id")]
    at: When


@dataclass(frozen=True, kw_only=True)
class QuestionRecord(MadeRecord):
    external_id: Annotated[str, Text(200, empty=False)]
    state: Life
    versions: Annotated[tuple[VersionRecord, ...], Field(min_length=1)]
    changes: tuple[ChangeRecord, ...]
    comments: tuple[CommentRecord, ...]


#: The files of a bank in the order in which they are read: what refers to another comes later.
PARTS: Final[Mapping[str, type[Record]]] = {
    "people": PersonRecord,
    "checklists": ChecklistRecord,
    "rubrics": RubricRecord,
    "domains": AreaRecord,
    "capabilities": Skill,
    "collections": Collection,
    "sources": SourceRecord,
    "plan": PlanCellRecord,
    "questions": QuestionRecord,
}

#: What never changes of a version that was handed in: by this two histories are compared.
_LASTING = (
    "number",
    "turns",
    "answer",
    "key_points",
    "capability",
    "domain",
    "difficulty",
    "question_type",
    "principle",
    "as_of",
    "valid_until",
    "tags",
    "language",
    "meaning_changed",
    "meaning_note",
    "citations",
)


def line(record: Record) -> bytes:
    """Return a record as the line of its file: the same record is the same line."""
    return contents.canonical(records.plain(record)) + b"\n"


def version_sha(version: VersionRecord) -> str:
    """Return the fingerprint of what a version of a question says, whoever decided on it."""
    said = records.plain(version)
    return _sha({name: said[name] for name in _LASTING})


def rubric_sha(version: RubricVersionRecord) -> str:
    """Return the fingerprint of a version of a rubric, whoever wrote it and when."""
    said = records.plain(version)
    return _sha({name: said[name] for name in ("number", "principle", "criteria")})


def source_sha(version: SourceVersionRecord) -> str:
    """Return the fingerprint that a version of a source carries in the corpus."""
    return sources.SourceSaid(**records.values(version, sources.SourceWords)).sha()


def bank_sha(files: Mapping[str, str]) -> str:
    """Return the fingerprint of a bank: of its files' names and checksums."""
    return _sha(sorted(files.items()))


def _sha(value: object) -> str:
    return hashlib.sha256(contents.canonical(value)).hexdigest()
