"""Take a file into the database, and what a person decided of its columns."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import ImportKind, Project, Upload, UploadChunk, User, WholeKind
from annotation.operations import audit
from annotation.operations.imports import limits
from annotation.queries import room
from annotation.queries.imports import files, grades, questions, wording
from annotation.rules import names
from annotation.rules.tabular import encodings, mappings
from annotation.rules.tabular.layouts import Column
from annotation.rules.tabular.mappings import FileMapping, GradeMapping, QuestionMapping
from annotation.rules.tabular.problems import Problem, Unreadable
from evalsite import errors

CHUNK = 1024 * 1024
#: After so many pieces it is looked whether the project may keep more.
LOOK_EVERY = 32

#: No file takes so long to arrive; one that has no checksum by then was cut off (a full disk, a kill).
HALF = timedelta(hours=6)


class FileRefused(errors.Invalid):
    code = "file_refused"


class StillNeeded(errors.Conflict):
    code = "still_needed"


class MappingIncomplete(errors.Invalid):
    """The mapping cannot be used; `problems` says why, column by column."""

    code = "mapping_incomplete"

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        said = [wording.sentence(problem) for problem in problems]
        fields = {
            problem.column or "mapping": [text]
            for problem, text in zip(problems, said, strict=True)
        }
        super().__init__(" ".join(said[:3]), fields=fields)


def receive(
    *,
    project: Project,
    kind: ImportKind,
    name: str,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
    encoding: str = "",
) -> Upload:
    """Store a file and find out what it looks like; `encoding` is what a person says of it.

    Raises:
        FileRefused: it is empty, too large as it is or unpacked, or nothing that can be brought in; or
            the project keeps as much as it may.
        limits.TooManyImports: too much of this person or project waits already.
    """
    upload = keep(project=project, kind=kind, name=name, pieces=pieces, by=by, now=now)
    try:
        upload.unpacked = files.weigh(upload)
        upload.layout = files.describe(upload, encoding).as_dict()
    except Unreadable as stop:
        discard(upload=upload)
        raise FileRefused(wording.placed(stop.problem)) from stop
    except BaseException:
        discard(upload=upload)
        raise
    with transaction.atomic():
        upload.save(update_fields=["sha", "size", "unpacked", "layout"])
        record(upload=upload, by=by, now=now)
    return upload


def keep(
    *,
    project: Project,
    kind: ImportKind | WholeKind,
    name: str,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
) -> Upload:
    """Store the bytes of a file. Nobody sees it until its checksum is saved and it is recorded.

    Raises:
        FileRefused: it is too large as it is, or the project keeps as much as it may.
        limits.TooManyImports: too much of this person or project waits already.
    """
    limits.refuse_more_files(project=project, by=by)
    upload = _open(project, kind, names.of_file(name) or "file", by, now)
    try:
        _store(upload, pieces)
    except BaseException:
        discard(upload=upload)
        raise
    return upload


def record(*, upload: Upload, by: User, now: datetime) -> None:
    """Write down that a file came in."""
    audit.record(
        project=upload.project,
        actor=by,
        verb="import.uploaded",
        subject=f"upload:{upload.number}",
        at=now,
        kind=str(upload.kind),
        sha=upload.sha,
        size=upload.size,
    )


def discard(*, upload: Upload) -> None:
    """Take a file away again, a few pieces at a time."""
    while ordinals := list(upload.chunks.values_list("pk", flat=True)[:20]):
        UploadChunk.objects.filter(pk__in=ordinals).delete()
    upload.delete()


def set_encoding(*, upload: Upload, encoding: str) -> None:
    """Have a file read in this encoding; what was said of its columns is said anew.

    Raises:
        FileRefused: it cannot be read so.
    """
    try:
        upload.layout = files.describe(upload, encoding).as_dict()
    except Unreadable as stop:
        raise FileRefused(wording.placed(stop.problem)) from stop
    upload.mapping, upload.mapping_sha, upload.report = None, "", None
    upload.save(update_fields=["layout", "mapping", "mapping_sha", "report"])


def forget_halves(*, now: datetime) -> int:
    """Take away files that never arrived whole, of which nobody can see anything; return how many."""
    halves = list(Upload.objects.filter(sha="", created_at__lt=now - HALF))
    for one in halves:
        discard(upload=one)
    return len(halves)


def throw_away(*, upload: Upload, by: User, now: datetime) -> None:
    """Take away a file that nothing was imported from.

    Raises:
        StillNeeded: an import came of it, and may be undone and applied again.
    """
    if upload.batches.exists():
        raise StillNeeded(_("An import was made of this file; it stays with the import."))
    audit.record(
        project=upload.project,
        actor=by,
        verb="import.discarded",
        subject=f"upload:{upload.number}",
        at=now,
        sha=upload.sha,
    )
    discard(upload=upload)


@transaction.atomic
def set_mapping(*, upload: Upload, mapping: FileMapping) -> Upload:
    """Record where the columns of a file go. A new mapping has not been tried yet.

    Raises:
        MappingIncomplete: the mapping leaves a column out, or cannot work.
    """
    layout = files.layout_of(upload)
    faults = mapping.faults(column.name for column in layout.columns)
    if layout.doubtful:
        faults.insert(0, encodings.unsure(layout).problem)
    named = mapping.rubric if isinstance(mapping, GradeMapping) else ""
    if named and grades.version_of(upload.project, named) is None:
        faults.append(Problem("unknown_rubric", found=named))
    if isinstance(mapping, QuestionMapping):
        faults += questions.faults_of(upload.project, mapping)
    if faults:
        raise MappingIncomplete(faults)
    upload.mapping, upload.mapping_sha = mapping.as_dict(), mappings.sha(mapping)
    upload.report = None
    upload.save(update_fields=["mapping", "mapping_sha", "report"])
    return upload


def find_columns(*, upload: Upload, names: Iterable[str], whole: bool = True) -> list[str]:
    """Look for columns that a program names and the beginning of a file has not; return the missing.

    What is declared holds for the whole file: in JSON a column may come up further down. A file that
    must not be read to its end here (`whole`) is believed to have it.
    """
    layout = files.layout_of(upload)
    wanted = set(names) - {column.name for column in layout.columns}
    if wanted and whole:
        found = wanted & files.names_of(upload)
    else:
        found = wanted if layout.format in {"lines", "list"} else set()
    add_columns(upload=upload, names=sorted(found))
    return sorted(wanted - found)


def no_column(*, upload: Upload, names: Iterable[str]) -> str:
    """Return the sentence that says that a file has no such column, and which ones it has."""
    return _("No column is called %(names)s. The file has: %(known)s.") % {
        "names": ", ".join(names),
        "known": ", ".join(column.name for column in files.layout_of(upload).columns),
    }


@transaction.atomic
def add_columns(*, upload: Upload, names: Iterable[str]) -> None:
    """Offer columns for mapping that only came up further down in the file."""
    layout = files.layout_of(upload)
    known = {column.name for column in layout.columns}
    more = tuple(Column(name) for name in dict.fromkeys(names) if name not in known)
    if more:
        upload.layout = replace(layout, columns=layout.columns + more).as_dict()
        upload.save(update_fields=["layout"])


@transaction.atomic
def _open(
    project: Project, kind: ImportKind | WholeKind, name: str, by: User, now: datetime
) -> Upload:
    Project.objects.select_for_update().get(pk=project.pk)
    last = Upload.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    return Upload.objects.create(
        project=project,
        number=(last or 0) + 1,
        kind=kind,
        name=name,
        sha="",
        size=0,
        created_by=by,
        created_at=now,
    )


def _store(upload: Upload, pieces: Iterable[bytes]) -> None:
    most = settings.FILE_MOST
    digest, buffer, ordinal = hashlib.sha256(), b"", 0
    for piece in pieces:
        upload.size += len(piece)
        if upload.size > most:
            raise FileRefused(
                _("The file is larger than %(most)d MB. Split it into several files.")
                % {"most": most // 1024**2}
            )
        digest.update(piece)
        buffer += piece
        while len(buffer) >= CHUNK:
            _check_room(upload, ordinal)
            _write(upload, ordinal, buffer[:CHUNK])
            buffer, ordinal = buffer[CHUNK:], ordinal + 1
    if buffer:
        _check_room(upload, ordinal)
        _write(upload, ordinal, buffer)
    upload.sha = digest.hexdigest()


def _check_room(upload: Upload, ordinal: int) -> None:
    """Look now and then whether the project may keep more; others may be handing in files as well."""
    if ordinal % LOOK_EVERY == 0 and (problem := room.trouble(upload.project)):
        raise FileRefused(problem)


def _write(upload: Upload, ordinal: int, data: bytes) -> None:
    # Each piece is a transaction of its own: others write in between.
    UploadChunk.objects.create(upload=upload, ordinal=ordinal, data=data)
