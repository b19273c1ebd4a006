"""What the pages of imports show."""

import json
import zlib
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import (
    ImportBatch,
    ImportKind,
    Project,
    Round,
    Upload,
    UploadProblems,
    User,
    WholeKind,
)
from annotation.rules.tabular.problems import Problem

PAGE = 30
QUIET_SECONDS = 60


@dataclass(frozen=True)
class BatchPage:
    batches: list[ImportBatch]
    older: int | None

    @property
    def older_query(self) -> str:
        return f"?before={self.older}"


@dataclass(frozen=True)
class Progress:
    """How far an import is, and when it will be there."""

    done: int
    total: int
    rate: float
    seconds_left: int | None
    moving: bool


def list_batches(project: Project, before: int | None = None, of: User | None = None) -> BatchPage:
    """Return a page of imports, the newest first, from below a number on.

    Args:
        of: only the questions that this person brought in.
    """
    rows = ImportBatch.objects.filter(_of(of), project=project)
    rows = rows.select_related("created_by__person")
    if before is not None:
        rows = rows.filter(number__lt=before)
    found = list(rows.defer("mapping").order_by("-number")[: PAGE + 1])
    older = found[PAGE - 1].number if len(found) > PAGE else None
    return BatchPage(found[:PAGE], older)


def list_waiting(project: Project, of: User | None = None) -> list[Upload]:
    """Return files that were handed in and not imported yet, the newest ones."""
    used = ImportBatch.objects.filter(upload=OuterRef("pk"))
    rows = uploads(project, of).filter(~Exists(used))
    return list(
        rows.select_related(None)
        .select_related("created_by__person")
        .defer("layout", "mapping", "report")
        .order_by("-number")[:PAGE]
    )


def applied_twin(upload: Upload) -> ImportBatch | None:
    """Return the import of the same file under the same mapping, if it is applied."""
    return ImportBatch.objects.filter(
        project_id=upload.project_id,
        file_sha=upload.sha,
        mapping_sha=upload.mapping_sha,
        state=ImportBatch.State.APPLIED,
    ).first()


def uploads(project: Project, of: User | None = None) -> QuerySet[Upload]:
    rows = Upload.objects.filter(_of(of), project=project, kind__in=ImportKind.values)
    return rows.exclude(sha="").select_related("project")


def wholes(project: Project) -> QuerySet[Upload]:
    """Return the files that a worker reads whole, and those that it has read within a day."""
    rows = Upload.objects.filter(project=project, kind__in=WholeKind.values)
    return rows.exclude(sha="").order_by("-number")


def taken_on(project: Project) -> QuerySet[Upload]:
    """Return the files that a worker goes on with by itself, whatever is in them."""
    return Upload.objects.filter(project=project).exclude(sha="").exclude(wish="")


def batches(project: Project, of: User | None = None) -> QuerySet[ImportBatch]:
    rows = ImportBatch.objects.filter(_of(of), project=project)
    return rows.select_related("project", "upload", "created_by__person")


def problems(upload: Upload) -> list[Problem]:
    """Return the problems that the last check found and kept."""
    if not upload.report or upload.report.get("running"):
        return []
    kept = UploadProblems.objects.filter(upload=upload).first()
    found = json.loads(zlib.decompress(kept.data)) if kept else upload.report["problems"]
    return [Problem.from_dict(one) for one in found]


def _of(person: User | None) -> Q:
    """Return the condition of what a designer may know of; of everything for nobody."""
    return Q() if person is None else Q(created_by=person, kind=ImportKind.QUESTIONS)


def round_of(batch: ImportBatch) -> Round | None:
    return Round.objects.filter(batch=batch).first()


def progress(batch: ImportBatch, now: datetime) -> Progress:
    spent = max((batch.touched_at - batch.created_at).total_seconds(), 0.001)
    rate = batch.cursor / spent if spent > 1 else 0.0
    left = round((batch.n_rows - batch.cursor) / rate) if rate else None
    quiet = (now - batch.touched_at).total_seconds() > QUIET_SECONDS
    staged = batch.state == ImportBatch.State.STAGED
    return Progress(
        batch.cursor, batch.n_rows, rate, left, staged and not quiet and not batch.stopped
    )
