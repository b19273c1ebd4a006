"""A bank file as it was handed in: unpacked with care, its records line by line.

* What is wrong in a bank file, said to people: what, and how to mend it.
* What of a bank file a project has already: new, the same, longer there, or different here.
* The bank files of a project, and what a page says of one.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import IO, Any, Final

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.bankfile import records
from annotation.bankfile.models import BankFile, BankPiece
from annotation.bankfile.records import PARTS as READ_PARTS
from annotation.bankfile.writing import BankWriter
from annotation.people.models import Project
from annotation.sources.records import Particulars
from evalsite import records as fields
from evalsite.kinds import FOUND
from evalsite.records import Fault, Record
from evalsite.web import keyset

#: So much may one line of a file hold, and its manifest.
MOST_LINE: Final = 8 * 1024 * 1024
MOST_MANIFEST: Final = 64 * 1024
#: A file that grows by more than this is no text, but a trap.
MOST_RATIO: Final = 200
PIECE: Final = 1024 * 1024
#: What reading a damaged archive may raise.
BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    OverflowError,
)


class NoBank(Exception):
    """The file is no bank; the message says what is wrong with it, for the person who asks."""


@dataclass(frozen=True, slots=True)
class BankFileManifest:
    """What a file says of itself: counts and checksums by part."""

    slug: str
    title: str
    named: bool
    counts: dict[str, int]
    shas: dict[str, str]

    @property
    def sha(self) -> str:
        return records.bank_sha(self.shas)

    @property
    def n_records(self) -> int:
        return sum(self.counts.values())


class BankArchive:
    """An open bank file. `pieces` of it are read in the order in which `records.PARTS` stand.

    Raises:
        NoBank: it is no archive, holds what a bank does not, or more than may be unpacked.
    """

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            self._refuse_traps()
            self.manifest = _manifest(self._read_manifest())
        except NoBank:
            raise
        except BROKEN as problem:
            raise NoBank(_("This is no bank file, or it is damaged. Export it again.")) from problem

    def verify(self) -> None:
        """Compare every part with its checksum.

        Raises:
            NoBank: a part was changed or damaged.
        """
        for part in READ_PARTS:
            digest = hashlib.sha256()
            try:
                with self._zip.open(f"{part}.jsonl") as file:
                    while piece := file.read(PIECE):
                        digest.update(piece)
            except BROKEN as problem:
                raise NoBank(_damaged(part)) from problem
            if digest.hexdigest() != self.manifest.shas[part]:
                raise NoBank(_damaged(part))

    def records(self, part: str) -> Iterator[tuple[int, Record | list[Fault]]]:
        """Yield the records of a part with their lines; of a line that is none, what is wrong with it.

        Raises:
            NoBank: the part cannot be read on.
        """
        try:
            with self._zip.open(f"{part}.jsonl") as file:
                number = 0
                while line := file.readline(MOST_LINE + 1):
                    number += 1
                    if len(line) > MOST_LINE:
                        raise NoBank(
                            _("%(part)s, line %(line)d is longer than %(most)d MB.")
                            % {"part": part, "line": number, "most": MOST_LINE // PIECE}
                        )
                    if line.strip():
                        yield number, _read(part, line)
        except NoBank:
            raise
        except BROKEN as problem:
            raise NoBank(_damaged(part)) from problem

    def _refuse_traps(self) -> None:
        infos = self._zip.infolist()
        wanted = {f"{part}.jsonl" for part in READ_PARTS} | {records.MANIFEST}
        names = [one.filename for one in infos]
        if set(names) != wanted or len(names) != len(wanted):
            lacking = ", ".join(sorted(wanted - set(names))[:5])
            more = ", ".join(sorted(set(names) - wanted)[:5])
            if lacking or not more:
                raise NoBank(
                    _("This is no bank file: it lacks %(names)s.") % {"names": lacking[:200]}
                )
            raise NoBank(
                _("A bank file does not hold %(names)s. Export it again.") % {"names": more[:200]}
            )
        unpacked = sum(one.file_size for one in infos)
        packed = sum(one.compress_size for one in infos)
        if any(one.flag_bits & 1 for one in infos):
            raise NoBank(_("The file is encrypted. Hand it in without a password."))
        if unpacked > settings.FILE_MOST or unpacked > max(packed, PIECE) * MOST_RATIO:
            raise NoBank(
                _("Unpacked, the file would be %(size)d MB; that is more than a bank may hold.")
                % {"size": unpacked // PIECE}
            )

    def _read_manifest(self) -> object:
        with self._zip.open(records.MANIFEST) as file:
            written = file.read(MOST_MANIFEST + 1)
        if len(written) > MOST_MANIFEST:
            raise NoBank(_("The manifest is too long to be one."))
        said = _parsed(written)
        if isinstance(said, Fault):
            raise NoBank(_("The manifest cannot be read: it is no JSON."))
        return said


def _read(part: str, line: bytes) -> Record | list[Fault]:
    found = _parsed(line)
    if isinstance(found, Fault):
        return [found]
    try:
        return fields.read(READ_PARTS[part], found)
    except fields.NoSuchRecord as problem:
        return problem.faults[:20]


def _parsed(line: bytes) -> dict[str, Any] | Fault:
    try:
        found = _DECODER.decode(line.decode())
    except (ValueError, RecursionError):
        return Fault("no_json")
    return found if isinstance(found, dict) else Fault("no_object")


def _refused(constant: str) -> Any:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refused)


def _manifest(said: Any) -> BankFileManifest:
    if said.get("format") != records.FORMAT:
        raise NoBank(_("The manifest does not say that this is a bank file."))
    if said.get("version") != records.VERSION:
        raise NoBank(
            _("This bank file has the format %(found)s; this site reads %(ours)d.")
            % {"found": str(said.get("version"))[:20], "ours": records.VERSION}
        )
    files = said.get("files")
    project = said.get("project")
    if not isinstance(files, dict) or not isinstance(project, dict):
        raise NoBank(_("The manifest lacks the list of files, or the project."))
    counts: dict[str, int] = {}
    shas: dict[str, str] = {}
    for part in READ_PARTS:
        entry = files.get(f"{part}.jsonl")
        n = entry.get("records") if isinstance(entry, dict) else None
        sha = entry.get("sha256") if isinstance(entry, dict) else None
        if not isinstance(n, int) or isinstance(n, bool) or not isinstance(sha, str):
            raise NoBank(
                _("The manifest lacks the count or the checksum of %(part)s.") % {"part": part}
            )
        counts[part], shas[part] = n, sha
    return BankFileManifest(
        slug=str(project.get("slug"))[:60],
        title=str(project.get("name"))[:200],
        named=said.get("people") == "names",
        counts=counts,
        shas=shas,
    )


def _damaged(part: str) -> str:
    return _(
        "%(part)s was changed or damaged on the way: it does not fit its checksum. Export it again."
    ) % {"part": part}


WORDS = {
    "no_json": gettext_lazy("The line is no JSON. Write one object on each line."),
    "twice": gettext_lazy("This stands here twice. Leave one of them out."),
    "nowhere": gettext_lazy("This refers to something that the file does not hold."),
    "not_rising": gettext_lazy("Versions are numbered upwards, each number once."),
    "bad_range": gettext_lazy("The lower end must lie below the upper end."),
    "other_sha": gettext_lazy("The checksum does not fit the text and dates of the version."),
    "under_way": gettext_lazy("Only the last version of a question may be under way."),
    "dates_and_state": gettext_lazy("The dates of the version do not fit its state."),
    "own_work": gettext_lazy("Nobody inspects their own question."),
    "no_reason": gettext_lazy("A line that failed says why."),
    "other_count": gettext_lazy("The manifest names another number of records."),
}


def said(fault: Fault) -> str:
    """Return a fault as a sentence, with what was found."""
    if fault.code not in WORDS:
        return fields.said(fault, _)
    words = str(WORDS[fault.code])
    return f"{words} {_(FOUND) % {'found': fault.found}}" if fault.found else words


PARTS = {
    "people": gettext_lazy("People"),
    "checklists": gettext_lazy("Checklists"),
    "rubrics": gettext_lazy("Rubrics"),
    "domains": gettext_lazy("Areas"),
    "capabilities": gettext_lazy("Capabilities"),
    "collections": gettext_lazy("Collections of sources"),
    "sources": gettext_lazy("Sources"),
    "plan": gettext_lazy("Numbers of the plan"),
    "questions": gettext_lazy("Questions"),
}


Path = tuple[str, ...]


class RecordFate(StrEnum):
    NEW = "new"
    SAME = "same"
    MORE = "more"  # it is here, and the file goes on where this project ends
    DIFFERS = "differs"


class ProjectStanding:
    """What a project holds before a bank file comes in, told from the same records."""

    def __init__(self, project: Project) -> None:
        bank = self._bank = BankWriter(project)
        self.domains = {one.path: _bare(one) for one in bank.domains()}
        self.capabilities = {one.path: _bare(one) for one in bank.capabilities()}
        self.rubrics = {
            one.key: [records.rubric_sha(each) for each in one.versions] for one in bank.rubrics()
        }
        self.checklists = [one.lines for one in bank.checklists()]
        self.collections = {one.name for one in bank.collections()}
        self.cells = {_cell(one): one.wanted for one in bank.plan()}
        self.sources = {
            one.title: (_about(one), [each.sha for each in one.versions]) for one in bank.sources()
        }

    def questions(self, ids: Sequence[str]) -> dict[str, tuple[records.VersionRecord, ...]]:
        """Return the versions of questions that are here, by external id."""
        return {one.external_id: one.versions for one in self._bank.questions(ids)}

    def fate(self, part: str, one: Record) -> RecordFate:
        """Return what becomes of a record of any part but the questions."""
        find: dict[str, Callable[[Any], RecordFate]] = {
            "domains": lambda one: _same_or_not(self.domains.get(one.path), _bare(one)),
            "capabilities": lambda one: _same_or_not(self.capabilities.get(one.path), _bare(one)),
            "plan": lambda one: _same_or_not(self.cells.get(_cell(one)), one.wanted),
            "rubrics": self._rubric,
            "sources": self._source,
            "checklists": lambda one: _here(one.lines in self.checklists),
            "collections": lambda one: _here(one.name in self.collections),
        }
        return find[part](one)

    def _rubric(self, one: records.RubricRecord) -> RecordFate:
        if one.key not in self.rubrics:
            return RecordFate.NEW
        theirs = [records.rubric_sha(each) for each in one.versions]
        return _history(self.rubrics[one.key], theirs)

    def _source(self, one: records.SourceRecord) -> RecordFate:
        if one.title not in self.sources:
            return RecordFate.NEW
        about, shas = self.sources[one.title]
        if about != _about(one):
            return RecordFate.DIFFERS
        more = any(each.sha not in shas for each in one.versions)
        return RecordFate.MORE if more else RecordFate.SAME


def question_fate(
    ours: Sequence[records.VersionRecord] | None, theirs: Sequence[records.VersionRecord]
) -> RecordFate:
    """Return what becomes of a question: its history goes on only where ours is decided."""
    if ours is None:
        return RecordFate.NEW
    fate = _history(
        [records.version_sha(each) for each in ours], [records.version_sha(each) for each in theirs]
    )
    if fate is RecordFate.MORE and ours[-1].state in {"DRAFT", "SUBMITTED"}:
        return RecordFate.DIFFERS
    return fate


def _history(ours: Sequence[str], theirs: Sequence[str]) -> RecordFate:
    shared = min(len(ours), len(theirs))
    if ours[:shared] != theirs[:shared]:
        return RecordFate.DIFFERS
    return RecordFate.MORE if len(theirs) > len(ours) else RecordFate.SAME


def _here(found: bool) -> RecordFate:
    return RecordFate.SAME if found else RecordFate.NEW


def _same_or_not(ours: object, theirs: object) -> RecordFate:
    if ours is None:
        return RecordFate.NEW
    return RecordFate.SAME if ours == theirs else RecordFate.DIFFERS


def _bare(one: records.AreaRecord | records.Skill) -> Record:
    """Leave out where a node stands among its siblings: that is a matter of looks."""
    return replace(one, position=0)


def _about(one: records.SourceRecord) -> dict[str, Any]:
    about = fields.values(one, Particulars)
    return {name: value for name, value in about.items() if name != "title"}


def _cell(one: records.PlanCellRecord) -> tuple[Path, str, Path | None]:
    return one.capability, one.difficulty, one.domain


@dataclass(frozen=True)
class BankFilePart:
    """A part of a bank: how many records, or what would become of them."""

    label: str
    total: int
    new: int = 0
    more: int = 0
    same: int = 0
    differs: int = 0


def page(project: Project, after: str) -> "keyset.Page[BankFile]":
    """Return the files of a project, the newest first."""
    rows = BankFile.objects.filter(project=project).select_related("by__person")
    return keyset.page(rows, by=("-number",), after=after)


def lines(file: BankFile) -> list[BankFilePart]:
    """Return what a file holds, part by part: of an import with what becomes of it."""
    counts = file.report.get("counts") or {}
    found = []
    for part, label in PARTS.items():
        said = counts.get(part)
        if isinstance(said, dict):
            found.append(BankFilePart(str(label), sum(said.values()), **said))
        elif isinstance(said, int):
            found.append(BankFilePart(str(label), said))
    return found


def pieces(file: BankFile) -> Iterator[bytes]:
    """Yield the bytes of a file, one stored piece at a time."""
    ordinal = 0
    rows = BankPiece.objects.filter(file=file).values_list("data", flat=True)
    while (data := rows.filter(ordinal=ordinal).first()) is not None:
        yield bytes(data)
        ordinal += 1
