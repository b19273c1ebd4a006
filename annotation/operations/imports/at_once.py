"""Take a file, map it, check it and bring it in, in one go: for programs, which look at no page between.

A large file is kept with what is wished of it, and a worker does the rest.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import ImportBatch, ImportKind, Project, Upload, User, WholeKind
from annotation.operations.imports import applying, checking, limits, uploading
from annotation.queries.imports import files, lists, wording
from annotation.rules.tabular import encodings
from annotation.rules.tabular.mappings import FileMapping
from annotation.rules.tabular.problems import Problem
from evalsite import errors

#: How long a file is kept that a program handed in and nothing was imported from.
KEPT: Final = timedelta(days=1)
TOLD: Final = 100


class FileHasProblems(errors.Invalid):
    """Nothing was imported; `fields` says line by line what is wrong and how to mend it."""

    code = "file_has_problems"


@dataclass(frozen=True)
class Outcome:
    """What the check found, and the import that came of it; none where only a check was wanted.

    Of a large file it is the file alone: a worker goes on with it.
    """

    report: dict[str, Any]
    batch: ImportBatch | None
    waits: Upload | None = None


def bring_in(
    *,
    project: Project,
    kind: ImportKind,
    name: str,
    pieces: Iterable[bytes],
    mapping: Callable[[Upload], FileMapping],
    columns: Iterable[str] = (),
    encoding: str = "",
    only_check: bool,
    by: User,
    clock: Callable[[], datetime],
) -> Outcome:
    """Bring in a file as it stands, or only check it. The same file again is the same import.

    A large one is kept, and a worker does it.

    Args:
        mapping: says where the columns go, once it is known which there are.
        columns: those that it speaks of.
        encoding: of the file; else it is found out.
        only_check: writes nothing that stays.

    Raises:
        uploading.FileRefused: it cannot be read, or is too large for this way.
        uploading.MappingIncomplete: a column goes nowhere.
        FileHasProblems: the check found something that has to be mended first.
        errors.Refusal: another import is not finished, or too many wait.
    """
    upload = uploading.receive(
        project=project,
        kind=kind,
        name=name,
        pieces=pieces,
        by=by,
        now=clock(),
        encoding=encoding,
    )
    waits = False
    try:
        if files.layout_of(upload).doubtful:
            said = wording.sentence(encodings.unsure(files.layout_of(upload)).problem)
            raise FileHasProblems(said, fields={"encoding": [said]})
        whole = not upload.is_large
        if missing := uploading.find_columns(upload=upload, names=columns, whole=whole):
            message = uploading.no_column(upload=upload, names=missing)
            raise FileHasProblems(message, fields={"columns": [message]})
        uploading.set_mapping(upload=upload, mapping=mapping(upload))
        if (twin := lists.applied_twin(upload)) and not only_check:
            return Outcome({}, twin)
        if upload.is_large:
            waits = _leave_to_worker(upload, only_check, clock)
            return Outcome({}, None, upload)
        report = checking.check(upload=upload, clock=clock)
        if not report["ok"]:
            raise _refused(report)
        if only_check:
            return Outcome(report, None)
        batch = applying.start(upload=upload, by=by, now=clock())
        return Outcome(report, applying.carry_on(batch_id=batch.pk, clock=clock))
    finally:
        if not waits and not upload.batches.exists():
            uploading.discard(upload=upload)


def go_on(*, upload: Upload, now: datetime) -> None:
    """Begin to bring in a file that was read since, if that is wished; a later call tries again."""
    if upload.wish != Upload.Wish.APPLY or not (upload.report or {}).get("ok"):
        return
    try:
        applying.start(upload=upload, by=upload.created_by, now=now)
    except (applying.OneAtATime, limits.TooManyImports):
        return
    except errors.Refusal as refusal:
        report = {**(upload.report or {}), "ok": False, "refused": refusal.message}
        Upload.objects.filter(pk=upload.pk).update(report=report)


def sweep(now: datetime) -> None:
    """Go on with files whose turn has come, and forget those that nothing came of."""
    wished = Upload.objects.exclude(wish="").filter(batches=None, kind__in=ImportKind.values)
    wished = wished.select_related("created_by")
    for upload in wished.select_related("project").defer("layout"):
        go_on(upload=upload, now=now)
        moving = (upload.report or {}).get("running")
        waits = upload.wish == Upload.Wish.APPLY and (upload.report or {}).get("ok")
        if upload.created_at < now - KEPT and not moving and not waits:
            uploading.discard(upload=upload)


def state_of(upload: Upload, batch: ImportBatch | None) -> str:
    """Return how far a file is that a worker goes on with, in one word."""
    if upload.kind in WholeKind.values:
        return _state_of_whole(upload.report or {})
    if batch is not None:
        if batch.state != ImportBatch.State.STAGED:
            return "imported"
        return "stopped" if batch.stopped else "importing"
    report = upload.report or {}
    if not report or report.get("running"):
        return "checking"
    if not report["ok"]:
        return "refused"
    return "checked" if upload.wish == Upload.Wish.CHECK else "waiting"


def _state_of_whole(report: dict[str, Any]) -> str:
    if not report or report.get("running"):
        return "importing" if report.get("tries") else "checking"
    return "imported" if report["ok"] else "refused"


def problems_of(report: dict[str, Any]) -> dict[str, list[str]]:
    """Return in words what is wrong with a file, by line."""
    found: dict[str, list[str]] = {}
    for one in report.get("problems", ())[:TOLD]:
        problem = Problem.from_dict(one)
        if not problem.warning:
            where = _("line %(n)s") % {"n": problem.line} if problem.line else _("file")
            place = ", ".join(filter(None, (where, problem.column)))
            found.setdefault(place, []).append(wording.sentence(problem))
    return found


def _leave_to_worker(upload: Upload, only_check: bool, clock: Callable[[], datetime]) -> bool:
    upload.wish = Upload.Wish.CHECK if only_check else Upload.Wish.APPLY
    upload.save(update_fields=["wish"])
    checking.request_check(upload=upload, clock=clock)
    return True


def _refused(report: dict[str, Any]) -> FileHasProblems:
    message = _("Nothing was imported: mend the problems and try again (%d found).")
    return FileHasProblems(message % report["n_errors"], fields=problems_of(report))
