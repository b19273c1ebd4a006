"""Archives of dialogues as they are exported here: files with their checksums in a manifest that has one itself."""

import hashlib
import io
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext as _

#: What our own files say they are.
FORMAT: Final = "evalsite dialogues"
VERSION: Final = 1
MANIFEST, DIALOGUES = "manifest.json", "dialogues.jsonl"
PIECE: Final = 1024 * 1024
#: What of a file could be held against a checksum: archives from before had none of the manifest itself.
ALL, BUT_MANIFEST, NOTHING = "all", "but_manifest", "nothing"
#: What computers add to archives by themselves.
NOT_OURS: Final = ("__MACOSX/", ".DS_Store")


class Unreadable(ValueError):
    """The file as a whole cannot be read; the message says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The dialogues as lines, what the manifest says, and what could be checked."""

    lines: bytes
    manifest: Mapping[str, Any]
    checked: str


#: What unpacking a damaged archive, or reading what is in it, may raise.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    json.JSONDecodeError,
    UnicodeDecodeError,
    EOFError,
    OSError,
    RuntimeError,
)


def read(data: bytes) -> Archive:
    """Return what an archive holds, every file of it held against its checksum.

    Raises:
        Unreadable: it is none of ours, damaged, too large, or was changed; names the file.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _refuse_lacking({MANIFEST, DIALOGUES}, archive.namelist())
            if sum(one.file_size for one in archive.infolist()) > settings.FILE_MOST:
                most = settings.FILE_MOST // 1024**2
                said = _("The archive holds more than %(most)d MB (EVALSITE_FILE_MB). Split it.")
                raise Unreadable(said % {"most": most})
            manifest = _manifest(archive.read(MANIFEST))
            _verify(archive, manifest["files"])
            lines = archive.read(DIALOGUES)
    except _DAMAGED as problem:
        raise Unreadable(_("The archive is damaged. Export it anew.")) from problem
    checked = ALL if "sha256" in manifest else BUT_MANIFEST
    return Archive(lines, manifest, checked)


def _manifest(written: bytes) -> Mapping[str, Any]:
    manifest = json.loads(written)
    if not isinstance(manifest, Mapping) or manifest.get("format") != FORMAT:
        raise Unreadable(_("Its manifest is of another format. Take an archive exported here."))
    parts = {"files": Mapping, "config": Mapping, "systems": list}
    if not all(isinstance(manifest.get(name), kind) for name, kind in parts.items()):
        raise Unreadable(_("Its manifest lacks a part. Take an archive exported here."))
    if manifest.get("version") != VERSION:
        raise Unreadable(
            _("The archive is of version %(version)s, and %(known)d can be read.")
            % {"version": manifest.get("version"), "known": VERSION}
        )
    if "sha256" in manifest and manifest["sha256"] != manifest_sha(manifest):
        raise _changed(MANIFEST)
    return manifest


def manifest_sha(manifest: Mapping[str, Any]) -> str:
    """Return the checksum of a manifest, but for the checksum in it."""
    kept = {name: value for name, value in manifest.items() if name != "sha256"}
    text = json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _verify(archive: zipfile.ZipFile, files: Mapping[str, Any]) -> None:
    """Compare every file with its checksum in the manifest; each is there once, and no other.

    Raises:
        Unreadable: names the file that was changed, added or taken away.
    """
    names = [one for one in archive.namelist() if not one.startswith(NOT_OURS) and one[-1] != "/"]
    _refuse_lacking({DIALOGUES, *files}, names)
    more = {one for one in names if one not in {MANIFEST, DIALOGUES, *files}}
    if twice := {one for one, n in Counter(names).items() if n > 1} or more:
        raise Unreadable(
            _("The archive holds more than its manifest names: %(names)s. Export it anew.")
            % {"names": ", ".join(sorted(twice)[:5])[:200]}
        )
    for name in dict.fromkeys([DIALOGUES, *files]):
        said = files.get(name)
        digest = hashlib.sha256()
        with archive.open(name) as file:
            while piece := file.read(PIECE):
                digest.update(piece)
        if not isinstance(said, Mapping) or said.get("sha256") != digest.hexdigest():
            raise _changed(name)


def _refuse_lacking(wanted: Collection[str], names: Collection[str]) -> None:
    if lacking := sorted(set(wanted) - set(names)):
        raise Unreadable(
            _("The archive lacks %(names)s. Take one that was exported here.")
            % {"names": ", ".join(lacking[:5])[:200]}
        )


def _changed(name: str) -> Unreadable:
    return Unreadable(
        _("“%(name)s” was changed after it was exported: its checksum differs. Export it anew.")
        % {"name": name}
    )
