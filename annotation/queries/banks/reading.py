"""A bank file as it was handed in: unpacked with care, its records line by line."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.rules.banks import records
from annotation.rules.banks.records import PARTS, Record
from annotation.rules.banks.shapes import Fault

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
class Manifest:
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
        for part in PARTS:
            digest = hashlib.sha256()
            try:
                with self._zip.open(f"{part}.jsonl") as file:
                    while piece := file.read(PIECE):
                        digest.update(piece)
            except BROKEN as problem:
                raise NoBank(_damaged(part)) from problem
            if digest.hexdigest() != self.manifest.shas[part]:
                raise NoBank(_damaged(part))

    def records(self, part: str) -> Iterator[tuple[int, Record | Fault]]:
        """Yield the records of a part with their lines; a line that is no object is a fault.

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
                        yield number, _parsed(line)
        except NoBank:
            raise
        except BROKEN as problem:
            raise NoBank(_damaged(part)) from problem

    def _refuse_traps(self) -> None:
        infos = self._zip.infolist()
        wanted = {f"{part}.jsonl" for part in PARTS} | {records.MANIFEST}
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


def _parsed(line: bytes) -> Record | Fault:
    try:
        found = _DECODER.decode(line.decode())
    except (ValueError, RecursionError):
        return Fault("no_json")
    return found if isinstance(found, dict) else Fault("no_object")


def _refused(constant: str) -> Any:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refused)


def _manifest(said: Any) -> Manifest:
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
    for part in PARTS:
        entry = files.get(f"{part}.jsonl")
        n = entry.get("records") if isinstance(entry, dict) else None
        sha = entry.get("sha256") if isinstance(entry, dict) else None
        if not isinstance(n, int) or isinstance(n, bool) or not isinstance(sha, str):
            raise NoBank(
                _("The manifest lacks the count or the checksum of %(part)s.") % {"part": part}
            )
        counts[part], shas[part] = n, sha
    return Manifest(
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
