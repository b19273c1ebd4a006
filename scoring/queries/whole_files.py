"""Large files of conversations and dialogues: how far a worker is with them, for their pages."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from annotation.models import Project, WholeKind
from annotation.queries.imports import lists

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
