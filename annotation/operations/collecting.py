"""Take a filled-in sheet of answers back: into the importer, its columns already placed."""

import io
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import PurePath

from django.utils.translation import gettext as _

from annotation.models import ImportKind, Project, SystemRelease, Upload, User
from annotation.operations.imports import checking, uploading
from annotation.queries.imports import wording, workbooks
from annotation.rules import sheets
from annotation.rules.tabular import encodings, layouts
from annotation.rules.tabular.mappings import AnswerMapping, Place
from annotation.rules.tabular.problems import Unreadable
from annotation.rules.tabular.records import Record, is_blank
from annotation.rules.tabular.targets import Target
from evalsite import errors

MOST = 16 * 1024 * 1024
NEEDED = ("external_id", "fingerprint", "system", "release", "response")
MAPPING = AnswerMapping(
    tuple(
        Place(name, target)
        for name, target in zip(
            NEEDED,
            (
                Target.EXTERNAL_ID,
                Target.FINGERPRINT,
                Target.SYSTEM,
                Target.RELEASE,
                Target.RESPONSE,
            ),
            strict=True,
        )
    )
)


class NoSheet(errors.Invalid):
    code = "no_sheet"


def receive(
    *, project: Project, name: str, pieces: Iterable[bytes], by: User, now: datetime
) -> Upload:
    """Store the answers of a sheet as a file to import, with its mapping, tried out.

    Formulas are restored; rows without an answer are left out, and every row keeps its line.

    Raises:
        NoSheet: the file is no such sheet, holds formulas or broken rows, or no answer at all.
        FileRefused: it cannot be read.
    """
    data = b"".join(_limited(pieces))
    try:
        records = list(_records(name, data))
    except Unreadable as stop:
        raise uploading.FileRefused(wording.placed(stop.problem)) from stop
    _check(records)
    _check_releases(project, records)
    upload = uploading.receive(
        project=project,
        kind=ImportKind.ANSWERS,
        name=f"{PurePath(name).stem or 'answers'}.jsonl",
        pieces=[b"".join(_lines(records))],
        by=by,
        now=now,
    )
    uploading.set_mapping(upload=upload, mapping=MAPPING)
    checking.request_check(upload=upload, clock=lambda: now)
    return upload


def _limited(pieces: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MOST:
            raise NoSheet(
                _("The sheet is larger than %(most)d MB. Bring it in as a file under Imports.")
                % {"most": MOST // 1024**2}
            )
        yield piece


def _records(name: str, data: bytes) -> Iterator[Record]:
    layout = layouts.recognise(name, lambda: [data])
    if layout.format == "workbook":
        workbooks.weigh(io.BytesIO(data), MOST)
        return workbooks.read(io.BytesIO(data))
    if layout.doubtful:
        raise encodings.unsure(layout)
    return layouts.read(layout, [data], MOST)


def _check(records: list[Record]) -> None:
    columns = {name for record in records for name in record.cells}
    if lacking := [name for name in NEEDED if name not in columns]:
        raise NoSheet(
            _(
                "This is no sheet of answers to collect: it has no column %(columns)s. Download "
                "the sheet from this page, fill in the column response, and leave the others."
            )
            % {"columns": ", ".join(lacking)}
        )
    problems = [problem for record in records for problem in record.problems]
    if problems:
        said = " ".join(wording.placed(one) for one in problems[:5])
        raise NoSheet(_("Some rows cannot be read. %(problems)s") % {"problems": said})
    if all(is_blank(record.cells["response"]) for record in records):
        raise NoSheet(_("No answer is filled in yet. Write them into the column response."))


def _check_releases(project: Project, records: Iterable[Record]) -> None:
    """Refuse what no release of the project is called: a spreadsheet makes dates of names."""
    seen = SystemRelease.objects.seen().filter(system__project=project)
    known = set(seen.values_list("system__name", "label"))
    for record in records:
        named = tuple(
            " ".join(str(_restored(record.cells[name])).split()) for name in ("system", "release")
        )
        if not is_blank(record.cells["response"]) and named not in known:
            raise NoSheet(
                _(
                    "Row %(row)d names the release %(release)s, which this project does not have. "
                    "Spreadsheets turn some names into dates: use the sheet as XLSX, and leave the "
                    "columns system and release as they were."
                )
                % {"row": record.line, "release": " · ".join(named)}
            )


def _lines(records: Iterable[Record]) -> Iterator[bytes]:
    """Yield the answers, each on the line it has in the sheet."""
    at = 1
    for record in records:
        if is_blank(record.cells["response"]):
            continue
        yield b"\n" * (record.line - at)
        at = record.line + 1
        kept = {name: _restored(record.cells[name]) for name in NEEDED}
        yield json.dumps(kept, ensure_ascii=False).encode() + b"\n"


def _restored(value: object) -> object:
    return sheets.restored(value) if isinstance(value, str) else value
