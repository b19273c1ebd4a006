"""Take a file, map it, check it and bring it in, in one go: for programs, which look at no page between."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import ImportBatch, ImportKind, Project, Upload, User
from annotation.operations.imports import applying, checking, uploading
from annotation.queries.imports import files, lists, wording
from annotation.rules.tabular import encodings
from annotation.rules.tabular.mappings import FileMapping
from annotation.rules.tabular.problems import Problem
from evalsite import errors

#: A larger file takes longer than a request may: it goes through the page or the terminal.
MOST: Final = 20 * 1024 * 1024
TOLD: Final = 100


class FileHasProblems(errors.Invalid):
    """Nothing was imported; `fields` says line by line what is wrong and how to mend it."""

    code = "file_has_problems"


@dataclass(frozen=True)
class Outcome:
    """What the check found, and the import that came of it; none where only a check was wanted."""

    report: dict[str, Any]
    batch: ImportBatch | None


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

    Args:
        mapping: says where the columns go, once it is known which there are.
        columns: those that it speaks of.
        encoding: of the file; else it is found out.
        only_check: writes nothing that stays.

    Raises:
        uploading.FileRefused: it cannot be read, or is too large for this way.
        uploading.MappingIncomplete: a column goes nowhere.
        FileHasProblems: the check found something that has to be mended first.
        errors.Refusal: another import is not finished.
    """
    upload = uploading.receive(
        project=project,
        kind=kind,
        name=name,
        pieces=pieces,
        by=by,
        now=clock(),
        most=MOST,
        encoding=encoding,
    )
    try:
        if files.layout_of(upload).doubtful:
            said = wording.sentence(encodings.unsure(files.layout_of(upload)).problem)
            raise FileHasProblems(said, fields={"encoding": [said]})
        if missing := uploading.find_columns(upload=upload, names=columns):
            message = uploading.no_column(upload=upload, names=missing)
            raise FileHasProblems(message, fields={"columns": [message]})
        uploading.set_mapping(upload=upload, mapping=mapping(upload))
        if (twin := lists.applied_twin(upload)) and not only_check:
            return Outcome({}, twin)
        report = checking.check(upload=upload, clock=clock)
        if not report["ok"]:
            raise _refused(report)
        if only_check:
            return Outcome(report, None)
        batch = applying.start(upload=upload, by=by, now=clock())
        return Outcome(report, applying.carry_on(batch_id=batch.pk, clock=clock))
    finally:
        if not upload.batches.exists():
            uploading.discard(upload=upload)


def _refused(report: dict[str, Any]) -> FileHasProblems:
    found: dict[str, list[str]] = {}
    for one in report["problems"][:TOLD]:
        problem = Problem.from_dict(one)
        if not problem.warning:
            where = _("line %(n)s") % {"n": problem.line} if problem.line else _("file")
            place = ", ".join(filter(None, (where, problem.column)))
            found.setdefault(place, []).append(wording.sentence(problem))
    message = _("Nothing was imported: mend the problems and try again (%d found).")
    return FileHasProblems(message % report["n_errors"], fields=found)
