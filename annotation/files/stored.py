"""A file that was handed in: its bytes from the database, its records by its layout.

* How much a project keeps of files that were handed in or written: all projects share one disk.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Final

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation.bankfile.models import BankFile
from annotation.files.asks import Told
from annotation.files.cells import BadFile, FileProblem, FileRecord
from annotation.files.look import archives, layouts, workbooks, zips
from annotation.files.look.layouts import Layout
from annotation.files.models import Upload, UploadChunk
from annotation.files.values import ValueReader
from annotation.people.models import Project
from evalsite import env, panels

SPOOLED = 8 * 1024 * 1024
CHILD: Final = "annotation.files.look.workbook_child"
#: Large workbooks that one process has opened at a time, seconds that one may take, and may wait for its turn.
_OPENED = threading.BoundedSemaphore(2)
PATIENCE: Final = 60
TURN: Final = 1.0


def chunks(upload: Upload) -> Iterator[bytes]:
    """Yield the bytes of a file, one stored piece at a time."""
    ordinal = 0
    # One short query a piece: no cursor stays open while something else is written.
    while piece := _piece(upload, ordinal):
        yield piece
        ordinal += 1


def weigh(upload: Upload, *, whole: bool = False) -> int | None:
    """Return how many bytes a file has when it is unpacked; None where that is for a worker to find out.

    Args:
        upload: the file.
        whole: unpack it to its end, however long that takes.

    Raises:
        BadFile: more than may be, or it cannot be unpacked.
    """
    head = next(chunks(upload), b"")
    if head.startswith(archives.ARCHIVE):
        if upload.size > Upload.SMALL and not whole:
            return None  # even its list of parts may be millions long
        damaged = "damaged_archive" if zips.are_here(upload.name) else "damaged_workbook"
        with _spooled(upload) as file:
            return workbooks.weigh(file, settings.FILE_MOST, damaged)
    if not head.startswith(b"\x1f\x8b"):
        return upload.size
    total = 0
    for piece in archives.unzip(chunks(upload), settings.FILE_MOST):
        total += len(piece)
        if total > Upload.LARGE and not whole:
            return None
    return total


def describe(upload: Upload, told: Told | None = None) -> Layout:
    """Return how a file is written, and its columns, from its beginning.

    Args:
        upload: the file.
        told: what a person said of it, by the key of what was asked.

    Raises:
        BadFile: it cannot be brought in; the problem says why.
    """
    if zips.are_here(upload.name, next(chunks(upload), b"")):
        return _describe_archive(upload, told or {})
    layout = layouts.recognise(upload.name, lambda: chunks(upload), told)
    if layout.format == "workbook":
        return _describe_archive(upload, told or {}, layout)
    columns, n_sampled = layouts.columns_of(layouts.sample(layout, chunks(upload)))
    return replace(layout, columns=columns, n_sampled=n_sampled)


def _describe_archive(upload: Upload, told: Told, book: Layout | None = None) -> Layout:
    """Return the layout of a workbook, or of what is in a ZIP."""
    if upload.is_large:
        with _real(upload) as file:
            return _described_apart(file, upload.name, told)
    with _spooled(upload) as file:
        layout = (
            workbooks.describe(book, file, upload.name)
            if book
            else zips.describe(file, told, settings.FILE_MOST)
        )
    columns, n_sampled = layouts.columns_of(_records(upload, layout))
    return replace(layout, columns=columns, n_sampled=n_sampled)


def _described_apart(file: IO[bytes], name: str, told: Told) -> Layout:
    """Have a large workbook or ZIP described by a process of its own."""
    if not _OPENED.acquire(timeout=TURN):
        raise BadFile("workbooks_wait")
    try:
        done = subprocess.run(  # noqa: S603  our own module, no shell; the file goes in as bytes
            [sys.executable, "-m", CHILD, str(settings.FILE_MOST), name, json.dumps(dict(told))],
            stdin=file,
            capture_output=True,
            cwd=env.BASE_DIR,
            timeout=PATIENCE,
            check=False,
        )
        found = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as problem:
        raise BadFile("workbook_too_heavy") from problem
    finally:
        _OPENED.release()
    if "problem" in found:
        stop = BadFile("damaged_workbook")
        stop.problem = FileProblem.from_dict(found["problem"])
        raise stop
    return Layout.from_dict(found["layout"])


def layout_of(upload: Upload) -> Layout:
    return Layout.from_dict(upload.layout)


def is_table(upload: Upload) -> bool:
    """Return whether a file is made for spreadsheets, whose texts may carry a shield."""
    return layout_of(upload).format in {"csv", "workbook"}


def values_of(upload: Upload, told: Told) -> ValueReader:
    """Return what reads the values of a file by what was said of it."""
    return ValueReader(told, decimal_comma=layout_of(upload).delimiter == ";")


def records(upload: Upload) -> Iterator[FileRecord]:
    """Yield the records of a file in their order.

    Raises:
        BadFile: the rest of the file cannot be read.
    """
    return _records(upload, layout_of(upload))


def names_of(upload: Upload) -> set[str]:
    """Return the names of all columns of a file; its rest is not looked at where it cannot be read."""
    found: set[str] = set()
    try:
        for record in records(upload):
            found.update(record.cells)
    except BadFile:
        pass  # the check tells where reading stopped, with its row
    return found


def beginning(upload: Upload) -> Iterator[FileRecord]:
    """Yield the first records of a file, as far as a page may wait for; of a large workbook or ZIP none.

    Raises:
        BadFile: they cannot be read.
    """
    layout = layout_of(upload)
    if not upload.is_large:
        yield from records(upload)
    elif layout.format != "workbook" and not layout.members:
        yield from layouts.sample(layout, chunks(upload))


def _records(upload: Upload, layout: Layout) -> Iterator[FileRecord]:
    if layout.format != "workbook" and not layout.members:
        yield from layouts.read_records(layout, chunks(upload), settings.FILE_MOST)
        return
    with _spooled(upload) as file:
        yield from (
            zips.read_members(layout, file, settings.FILE_MOST)
            if layout.members
            else workbooks.read_sheet(layout, file)
        )


def _spooled(upload: Upload) -> "tempfile.SpooledTemporaryFile[bytes]":
    file = tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # noqa: SIM115  the caller closes it
    for piece in chunks(upload):
        file.write(piece)
    file.seek(0)
    return file


def _real(upload: Upload) -> IO[bytes]:
    """Return a file that another process can read."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    for piece in chunks(upload):
        file.write(piece)
    file.seek(0)
    return file


def _piece(upload: Upload, ordinal: int) -> bytes:
    found = (
        UploadChunk.objects.filter(upload_id=upload.pk, ordinal=ordinal)
        .values_list("data", flat=True)
        .first()
    )
    return bytes(found) if found else b""


MB = 1024 * 1024


def kept(project: Project) -> int:
    """Return the bytes of the files of a project; of those under way, what has arrived."""
    uploads = Upload.objects.filter(project=project)
    whole = uploads.aggregate(n=Sum("size"))["n"] or 0
    banks = BankFile.objects.filter(project=project).aggregate(n=Sum("size"))["n"] or 0
    begun = UploadChunk.objects.filter(upload__in=uploads.filter(sha="")).count() * MB
    others: int = sum(count(project) for count in panels.supplied("files_kept").values())
    return int(whole + banks + begun + others)


def trouble(project: Project) -> str:
    """Say that a project may keep no more files, and what to do; empty while it may."""
    most = settings.PROJECT_FILES * MB
    if not most or kept(project) < most:
        return ""
    return _(
        "The files of this project take %(most)d MB, as much as they may. Throw away files under "
        "Imports and Whole bank, or have them kept for a shorter time (Settings, Retention). The "
        "operator can allow more (EVALSITE_PROJECT_FILES)."
    ) % {"most": settings.PROJECT_FILES}
