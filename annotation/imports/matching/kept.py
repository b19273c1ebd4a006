"""Mappings that are kept under a name: offered for the next file of the same shape, or sent along as a file."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.common import texts
from annotation.files import stored as files
from annotation.files.asks import Told
from annotation.files.columns import Target
from annotation.files.look.layouts import Layout
from annotation.files.models import ImportKind, KeptMapping, Upload
from annotation.imports import checks, uploading
from annotation.people import audit
from annotation.people.models import User
from evalsite import errors

#: What a file of a mapping says it is.
FORMAT: Final = "evalsite-mapping"
#: What names one file alone, and is said anew for the next; its name stands for the round.
_OF_ONE_FILE: Final = ("round_name",)


class NotMapped(errors.Conflict): ...


class NameIsKept(errors.Invalid): ...


class NoMapping(errors.Invalid):
    """This is no file of a mapping; the message says why."""


@dataclass(frozen=True, slots=True)
class MappingDocument:
    """A mapping as a file has it: of which kind of file, where its columns go, and what was answered."""

    kind: ImportKind
    mapping: Mapping[str, Any]
    told: Told


def key_of(layout: Layout) -> str:
    """Return what files have in common for which one mapping is kept: their maker, or their columns."""
    said = layout.shape or sorted(column.name for column in layout.columns)
    return hashlib.sha256(texts.canonical(said)).hexdigest()


def offered(upload: Upload) -> QuerySet[KeptMapping]:
    """Return the kept mappings of files that look like this one."""
    rows = KeptMapping.objects.filter(
        project=upload.project_id, key=key_of(files.layout_of(upload))
    )
    return rows.filter(kind=upload.kind) if upload.kind else rows


def document(upload: Upload) -> MappingDocument:
    """Return the mapping of a file as it may be used for others.

    Answers about the file itself, such as that broken rows are left out, are not in it.

    Raises:
        NotMapped: its columns are not all mapped yet.
    """
    if not upload.mapping_sha or not upload.mapping:
        raise NotMapped(_("Answer what is open first: the columns are not all mapped yet."))
    mapping = {key: value for key, value in upload.mapping.items() if key not in _OF_ONE_FILE}
    targets = {place["target"] for place in mapping["places"]}
    if "system" in mapping and Target.SYSTEM not in targets:
        mapping["system"] = ""  # each file is of a system of its own
    keys = {"encoding", *(one.key for one in files.layout_of(upload).asks)}
    told = {key: said for key, said in upload.told.items() if key in keys}
    return MappingDocument(ImportKind(upload.kind), mapping, told)


def keep(*, upload: Upload, name: str, by: User, now: datetime) -> KeptMapping:
    """Keep the mapping of a file under a name.

    Raises:
        NotMapped: its columns are not all mapped yet.
        NameIsKept: there is one of this name.
    """
    found = document(upload)
    try:
        with transaction.atomic():
            made = KeptMapping.objects.create(
                project=upload.project,
                name=name,
                kind=found.kind,
                key=key_of(files.layout_of(upload)),
                mapping=dict(found.mapping),
                told=dict(found.told),
                created_by=by,
                created_at=now,
            )
    except IntegrityError as problem:
        raise NameIsKept(
            _("There is a mapping of this name. Choose another name, or delete that one."),
            fields={"name": [_("There is a mapping of this name.")]},
        ) from problem
    _record(made, "mapping.kept", by, now)
    return made


def forget(*, kept: KeptMapping, by: User, now: datetime) -> None:
    """Delete a kept mapping; imports that came by it stay."""
    _record(kept, "mapping.deleted", by, now)
    kept.delete()


def use(*, upload: Upload, found: MappingDocument) -> bool:
    """Map a file as another one was; return whether it can be checked now, or something is still open.

    Raises:
        uploading.FileRefused: it cannot be read as that one was.
    """
    if upload.kind != found.kind:
        uploading.say_kind(upload=upload, kind=found.kind)
    uploading.answer(upload=upload, told=found.told)
    stored = completed(found, upload.name)
    mapping = checks.mapping_of(upload.kind, stored)
    if uploading.faults_of(upload=upload, mapping=mapping):
        uploading.keep_unfinished(upload=upload, mapping=stored)
        return False
    uploading.set_mapping(upload=upload, mapping=mapping)
    return True


def completed(found: MappingDocument, file_name: str) -> dict[str, Any]:
    """Return a mapping with what is said by the name of the file it is for."""
    if found.kind not in {ImportKind.GRADES, ImportKind.PAIRS}:
        return dict(found.mapping)
    stem = PurePath(file_name.removesuffix(".gz")).stem or file_name
    return {"round_name": stem, **found.mapping}


def written(found: MappingDocument) -> str:
    """Return a mapping as the text of a file."""
    said = {"format": FORMAT, "kind": found.kind, "mapping": found.mapping, "told": found.told}
    return json.dumps(said, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def read_mapping(text: str) -> MappingDocument:
    """Return the mapping in a file.

    Raises:
        NoMapping: there is none in it.
    """
    try:
        said = json.loads(text)
        if said["format"] != FORMAT:
            raise NoMapping(_("This is no file of a mapping."))
        found = MappingDocument(ImportKind(said["kind"]), dict(said["mapping"]), dict(said["told"]))
        checks.mapping_of(found.kind, completed(found, "file"))
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise NoMapping(_("This is no file of a mapping: %s") % problem) from problem
    return found


def kept_mapping(kept: KeptMapping) -> MappingDocument:
    """Return what was kept."""
    return MappingDocument(ImportKind(kept.kind), kept.mapping, kept.told)


def _record(kept: KeptMapping, verb: str, by: User, now: datetime) -> None:
    audit.record(
        project=kept.project,
        actor=by,
        verb=verb,
        subject=f"mapping:{kept.pk}",
        at=now,
        name=kept.name,
    )
