"""Large files of conversations and dialogues: how far a worker is with them, for their pages.

* How a worker reads large files of conversations and dialogues, and how they are handed to it.
"""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.files.models import Upload, WholeKind
from annotation.imports import lists
from annotation.people.models import Project

SHOWN = 20


@dataclass(frozen=True)
class Line:
    """A file, whether a worker has yet to read it, and what came of it."""

    name: str
    moves: bool
    is_refused: bool
    said: str
    more: tuple[str, ...]
    url: str


def shown(project: Project, kind: WholeKind) -> dict[str, Any]:
    """Return what their part of a page shows."""
    found = of(project, kind)
    return {"on_their_way": found, "is_moving": any(one.moves for one in found)}


def of(project: Project, kind: WholeKind) -> list[Line]:
    """Return the files of a kind that are being read, or were within a day, the newest first."""
    found = []
    for upload in lists.wholes(project).filter(kind=kind)[:SHOWN]:
        report = upload.report or {}
        url = reverse(report["page"], args=report["parts"]) if report.get("page") else ""
        query = report.get("query", "")
        found.append(
            Line(
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

Pieces = Callable[[], Iterator[bytes]]


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
    return _("The file is here. A worker reads it; what comes of it is told on this page.")
