"""Try a file out: read it to the end, write nothing but the report."""

import json
import time
import zlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime

from annotation.models import ImportKind, Upload, UploadProblems
from annotation.operations.imports import limits, uploading
from annotation.queries.imports import checks
from annotation.rules.tabular.problems import Problem
from evalsite import queue

#: Problems that the report keeps, and those that can be downloaded.
KEPT = 200
MOST_KEPT = 10_000
QUIET = timedelta(seconds=60)

Clock = Callable[[], datetime]


def check(
    *, upload: Upload, clock: Clock, is_stopping: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Read the whole file by its mapping and store what would come of it.

    Args:
        upload: the file.
        clock: tells the time.
        is_stopping: says whether to leave it for another worker, who begins anew.
    """
    began = time.perf_counter()
    tally = _Tally()
    trial = checks.begin(upload)
    told = began
    for step in checks.steps(upload, trial):
        tally.add(step)
        if time.perf_counter() - told > 1:
            told = time.perf_counter()
            if not _tell(upload, _running(step.n_rows, clock())) or is_stopping():
                return _running(step.n_rows, clock())  # mapped anew meanwhile
    uploading.add_columns(upload=upload, names=tally.new_columns)
    report = {
        **trial.summary(),
        **tally.result(),
        "running": False,
        "checked_at": clock().isoformat(),
        "seconds": round(time.perf_counter() - began, 2),
    }
    if _tell(upload, report):
        _keep(upload, tally.kept)
    return report


def request_check(*, upload: Upload, clock: Clock) -> None:
    """Check a small file now; leave a large one to a worker.

    Raises:
        limits.TooManyImports: too many wait already.
    """
    if not upload.is_large:
        check(upload=upload, clock=clock)
        return
    limits.refuse_more_work(upload=upload)
    with transaction.atomic():
        _tell(upload, _running(0, clock()))
        _ring(upload)


def ring_again(*, now: datetime) -> int:
    """Ring for checks that have not moved for a while; return how many."""
    stuck = [
        upload
        for upload in Upload.objects.filter(report__running=True, kind__in=ImportKind.values).defer(
            "layout", "mapping"
        )
        if upload.report and (parse_datetime(upload.report["touched_at"]) or now) < now - QUIET
    ]
    for upload in stuck:
        _ring(upload)
    return len(stuck)


def _ring(upload: Upload) -> None:
    """Ring for a worker; the files of one person take turns with those of others."""
    queue.enqueue(
        "annotation.jobs.check_import",
        queue=upload.queue,
        key=f"check-{upload.pk}",
        turn=f"user-{upload.created_by_id}",
        upload_id=upload.pk,
    )


def _keep(upload: Upload, problems: list[Problem]) -> None:
    """Keep the problems to be downloaded, so that nobody reads the whole file again for them."""
    if not problems:
        UploadProblems.objects.filter(upload=upload).delete()
        return
    written = json.dumps([one.as_dict() for one in problems]).encode()
    data = {"data": zlib.compress(written)}
    UploadProblems.objects.update_or_create(upload=upload, defaults=data)


def _running(n_rows: int, now: datetime) -> dict[str, Any]:
    return {"running": True, "n_rows": n_rows, "touched_at": now.isoformat()}


def _tell(upload: Upload, report: dict[str, Any]) -> bool:
    """Store a report unless the mapping has changed since."""
    same = Upload.objects.filter(pk=upload.pk, mapping_sha=upload.mapping_sha)
    upload.report = report
    return bool(same.update(report=report))


class _Tally:
    def __init__(self) -> None:
        self.n_rows = 0
        self.by_code: Counter[str] = Counter()
        self.n_errors = self.n_warnings = 0
        self.kept: list[Problem] = []
        self.new_columns: dict[str, None] = {}

    def add(self, step: checks.Step) -> None:
        self.n_rows = step.n_rows
        for problem in step.problems:
            self.by_code[problem.code] += 1
            self.n_warnings += problem.warning
            self.n_errors += not problem.warning
            if problem.code == "new_column":
                self.new_columns.setdefault(problem.column)
            if len(self.kept) < MOST_KEPT:
                self.kept.append(problem)

    def result(self) -> dict[str, Any]:
        return {
            "n_rows": self.n_rows,
            "ok": self.n_errors == 0 and self.n_rows > 0,
            "n_errors": self.n_errors,
            "n_warnings": self.n_warnings,
            "by_code": dict(self.by_code),
            "problems": [problem.as_dict() for problem in self.kept[:KEPT]],
        }
