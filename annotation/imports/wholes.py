"""Files that a worker reads whole, of which no rows are mapped: conversations, dialogues, sheets.

The app that knows a kind hands in how it is read. A file is kept until it was read; what came of it is
told for a day.

* How far a worker is with them, for their pages.
"""

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import IO, Any, Final

from django.db import transaction
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.common import beats
from annotation.files import stored as files
from annotation.files.models import Upload, UploadChunk, WholeKind
from annotation.imports import lists, uploading
from annotation.people.models import Project, User
from evalsite import errors, panels, queue

#: A worker that has not said for so long that it is at a file is gone.
QUIET: Final = timedelta(seconds=60)
KEPT: Final = timedelta(days=1)

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class WholeFileDone:
    """What came of a file: in words, in numbers, and where it is seen (the name of a page, its parts, its query)."""

    said: str
    counts: Mapping[str, Any] = field(default_factory=dict)
    page: str = ""
    parts: tuple[Any, ...] = ()
    query: str = ""


Pieces = Callable[[], Iterator[bytes]]
#: Reads a file by what was wished of it. It may come twice, and goes on then where it stopped.
Read = Callable[[Upload, Pieces, datetime], WholeFileDone]


def hand_in(
    *,
    project: Project,
    kind: WholeKind,
    name: str,
    pieces: Iterable[bytes],
    wish: Mapping[str, Any],
    by: User,
    now: datetime,
) -> Upload:
    """Keep a file until a worker has read it.

    Raises:
        uploading.FileRefused: it is too large, or the project keeps as much as it may.
        limits.TooManyImports: too much of this person or project waits already.
    """
    upload = uploading.keep(project=project, kind=kind, name=name, pieces=pieces, by=by, now=now)
    head = next(files.chunks(upload), b"")
    # What is packed is as large as it may be until it was read.
    upload.unpacked = None if head.startswith(b"PK") else upload.size
    try:
        uploading.refuse_more_work(upload=upload)
    except errors.Refusal:
        uploading.discard(upload=upload)
        raise
    with transaction.atomic():
        upload.mapping, upload.wish = dict(wish), Upload.Wish.APPLY
        upload.report = _running(0, now)
        upload.save(update_fields=["sha", "size", "unpacked", "mapping", "wish", "report"])
        uploading.record(upload=upload, by=by, now=now)
        _ring(upload)
    return upload


def read_whole(*, upload_id: int, clock: Clock) -> None:
    """Read a file, and keep what came of it. Nothing where it was read, or a worker is at it."""
    rows = Upload.objects.filter(pk=upload_id, kind__in=WholeKind.values)
    upload = rows.select_related("project", "created_by").first()
    if upload is None or not _begin(upload, clock()):
        return
    with beats.beating(lambda: _beat(upload, clock())):
        report = _read(upload, clock)
    Upload.objects.filter(pk=upload.pk).update(report=report, size=0)
    while pieces := list(upload.chunks.values_list("pk", flat=True)[:20]):
        UploadChunk.objects.filter(pk__in=pieces).delete()


def sweep(now: datetime) -> None:
    """Ring for files whose worker is gone, and forget what was told for a day."""
    rows = Upload.objects.filter(kind__in=WholeKind.values).exclude(sha="")
    for upload in rows.defer("layout", "mapping"):
        report = upload.report or {}
        if report.get("running"):
            if _is_quiet(report, now):
                _ring(upload)
        elif upload.created_at < now - KEPT:
            uploading.discard(upload=upload)


def _begin(upload: Upload, now: datetime) -> bool:
    """Take a file in hand; return whether it waits for that and nobody else has."""
    report = upload.report or {}
    if not report.get("running") or (report["tries"] and not _is_quiet(report, now)):
        return False
    mine = _running(report["tries"] + 1, now)
    same = Upload.objects.filter(pk=upload.pk, report__running=True, report__tries=report["tries"])
    upload.report = mine
    return bool(same.update(report=mine))


def _read(upload: Upload, clock: Clock) -> dict[str, Any]:
    assert upload.report is not None
    if upload.report["tries"] > beats.TRIES:
        said = _("The file could not be read: its worker ended over it. Split it and try again.")
        return _refused(said, {})
    try:
        read: Read = panels.supplied("files_read_whole")[upload.kind]
        done = read(upload, lambda: files.chunks(upload), clock())
    except errors.Refusal as refusal:
        return _refused(refusal.message, refusal.fields)
    return {"running": False, "ok": True, **asdict(done)}


def _refused(message: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"running": False, "ok": False, "refused": message, "told": list(fields.get("file", ()))}


def _running(tries: int, now: datetime) -> dict[str, Any]:
    return {"running": True, "tries": tries, "touched_at": now.isoformat()}


def _is_quiet(report: Mapping[str, Any], now: datetime) -> bool:
    return (parse_datetime(report["touched_at"]) or now) < now - QUIET


def _beat(upload: Upload, now: datetime) -> None:
    """Say that the file is being read, so that no other worker begins."""
    assert upload.report is not None
    Upload.objects.filter(pk=upload.pk).update(report=_running(upload.report["tries"], now))


def _ring(upload: Upload) -> None:
    queue.enqueue(
        "annotation.jobs.read_whole",
        queue=upload.queue,
        key=f"whole-{upload.pk}",
        turn=f"user-{upload.created_by_id}",
        upload_id=upload.pk,
    )


SHOWN = 20


@dataclass(frozen=True)
class WholeFileLine:
    """A file, whether a worker has yet to read it, and what came of it."""

    name: str
    moves: bool
    is_refused: bool
    said: str
    more: tuple[str, ...]
    url: str


def shown(project: Project, kind: WholeKind) -> dict[str, Any]:
    """Return what their part of a page shows."""
    found = wholes_of(project, kind)
    return {"on_their_way": found, "is_moving": any(one.moves for one in found)}


def wholes_of(project: Project, kind: WholeKind) -> list[WholeFileLine]:
    """Return the files of a kind that are being read, or were within a day, the newest first."""
    found = []
    for upload in lists.wholes(project).filter(kind=kind)[:SHOWN]:
        report = upload.report or {}
        url = reverse(report["page"], args=report["parts"]) if report.get("page") else ""
        query = report.get("query", "")
        found.append(
            WholeFileLine(
                name=upload.name,
                moves=bool(report.get("running")),
                is_refused=report.get("ok") is False,
                said=report.get("said") or report.get("refused", ""),
                more=tuple(one for one in report.get("told", ()) if one not in report["refused"]),
                url=f"{url}?{query}" if query else url,
            )
        )
    return found


#: What is larger, unpacked, is left to a worker.
SMALL: Final = Upload.SMALL


def is_large(file: IO[bytes], size: int) -> bool:
    """Say whether a file is for a worker to read: by what is in it, however small it was packed."""
    if size > SMALL:
        return True
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as parts:
            return sum(part.file_size for part in parts.infolist()) > SMALL
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # it is none, or whoever reads it says what is wrong with it
    finally:
        file.seek(0)


def said_that_it_waits() -> str:
    """Return in words that a file was taken and is not read yet."""
    return _("The file is here and waits to be read.")
