"""Bring the rows of a checked file in, batch by batch; they are seen when the last one is in."""

import itertools
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import ImportBatch, ImportKind, Project, Upload, User
from annotation.operations import audit, similarity
from annotation.operations.imports import (
    answers,
    appearing,
    grades,
    limits,
    questions,
    supplied,
    undoing,
)
from annotation.operations.imports.supplied import Writer
from annotation.operations.pace import Pace
from annotation.queries.imports import checks, files, wording
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.mappings import AnswerMapping, GradeMapping, QuestionMapping
from annotation.rules.tabular.problems import Problem, Unreadable
from annotation.rules.tabular.records import Record
from evalsite import errors

Clock = Callable[[], datetime]
State = ImportBatch.State


class NotChecked(errors.Conflict):
    code = "not_checked"


class HasProblems(errors.Conflict):
    code = "has_problems"


class AlreadyImported(errors.Conflict):
    """The same file came in under the same mapping before; `batch` is that import."""

    code = "already_imported"

    def __init__(self, message: str, batch: ImportBatch) -> None:
        super().__init__(message)
        self.batch = batch


class OneAtATime(errors.Conflict):
    code = "import_running"


class _Stop(Exception):
    """The import cannot go on; the message is for the person who started it."""


class _Overtaken(Exception):
    """Another worker does this import already."""


class _Turn:
    """How long one may work until others have their turn; finding one's place again counts double."""

    def __init__(self, seconds: float | None, others_wait: Callable[[], bool]) -> None:
        self._seconds, self._others_wait = seconds, others_wait
        self._began = time.perf_counter()
        self._until = self._began + (seconds or 0.0)

    def begin(self) -> None:
        now = time.perf_counter()
        self._until = now + max(self._seconds or 0.0, 2 * (now - self._began))

    def is_over(self) -> bool:
        if self._seconds is None or time.perf_counter() < self._until:
            return False
        return self._others_wait()


def start(*, upload: Upload, by: User, now: datetime) -> ImportBatch:
    """Begin to bring a checked file in, or begin again after an undo.

    Raises:
        NotChecked: the file was not checked since its mapping was last changed.
        HasProblems: the check found something that has to be mended first.
        AlreadyImported: the same file is here, or on its way, under the same mapping.
        OneAtATime: another import of the project is not finished.
        NotNow: they do not write questions, or not under the name that was chosen.
        limits.TooManyImports: too many large files wait already.
    """
    limits.refuse_more_work(upload=upload)
    report = upload.report
    if not report or report.get("running") or not upload.mapping_sha:
        raise NotChecked(_("Check the file first, so that you see what will come of it."))
    if not report["ok"]:
        raise HasProblems(_("Nothing was imported: mend the problems and check the file again."))
    with transaction.atomic():
        batch = _stage(upload, report["n_rows"], by, now)
        if how := supplied.of(batch.kind):
            how.begin(batch=batch, report=report, by=by, now=now)
        elif batch.kind == ImportKind.GRADES:
            grades.open_round(batch=batch, criteria=report["criteria"], by=by, now=now)
        elif batch.kind == ImportKind.QUESTIONS:
            questions.begin(batch=batch, report=report, by=by)
        else:
            answers.create_missing(batch=batch, report=report, by=by, now=now)
        _record(batch, "import.started", by, now, rows=batch.n_rows)
        if upload.is_large:
            undoing.ring(batch)
    return batch


def resume(*, batch: ImportBatch, by: User, now: datetime) -> None:
    """Have a stopped import go on.

    Raises:
        undoing.NotStopped: it is finished, or still moving.
    """
    with transaction.atomic():
        moved = ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED).exclude(
            stopped="", touched_at__gt=now - undoing.QUIET
        )
        if not moved.update(stopped="", touched_at=now):
            raise undoing.NotStopped(_("This import has not stopped. Look at the page again."))
        _record(batch, "import.resumed", by, now, cursor=batch.cursor)
        undoing.ring(batch)
    batch.refresh_from_db()


def carry_on(
    *,
    batch_id: int,
    clock: Clock,
    seconds: float | None = None,
    others_wait: Callable[[], bool] = lambda: True,
) -> ImportBatch | None:
    """Work on an import, or on its undoing, until it is finished or the time is up.

    Starting this twice is harmless: whoever comes second sees that the first has moved on.

    Args:
        batch_id: which one.
        clock: tells the time.
        seconds: so long at a time; the rest is done later, where others wait.
        others_wait: says whether they do.
    """
    batch = ImportBatch.objects.select_related("project", "upload").filter(pk=batch_id).first()
    if batch is None or batch.state != State.STAGED or batch.stopped:
        return batch
    turn = _Turn(seconds, others_wait)
    if batch.undoing:
        return undoing.carry_on(batch=batch, clock=clock, is_over=turn.is_over)
    try:
        _bring_in(batch, clock, turn)
    except _Overtaken:
        pass
    except _Stop as stop:
        ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED, undoing=False).update(
            stopped=str(stop)[:300], touched_at=clock()
        )
    batch.refresh_from_db()
    return batch


def ring_again(*, now: datetime) -> int:
    """Ring for imports that should move and have not for a while; return how many."""
    quiet = ImportBatch.objects.filter(
        state=State.STAGED, stopped="", touched_at__lt=now - undoing.QUIET
    )
    batches = list(quiet.select_related("upload").defer("mapping", "upload__layout"))
    for batch in batches:
        undoing.ring(batch)
    return len(batches)


def _stage(upload: Upload, n_rows: int, by: User, now: datetime) -> ImportBatch:
    project = Project.objects.select_for_update().get(pk=upload.project_id)
    fresh: dict[str, Any] = {
        "upload": upload,
        "file_name": upload.name,
        "kind": upload.kind,
        "mapping": upload.mapping,
        "state": State.STAGED,
        "stopped": "",
        "undoing": False,
        "cursor": 0,
        "n_rows": n_rows,
        "counts": {},
        "created_by": by,
        "created_at": now,
        "touched_at": now,
        "applied_at": None,
        "undone_at": None,
    }
    same = {
        "project": project,
        "file_sha": upload.sha,
        "mapping_sha": upload.mapping_sha,
    }
    old = ImportBatch.objects.filter(**same).first()
    if old is not None and old.state == State.APPLIED:
        raise already(old)
    if old is not None and old.state == State.STAGED:
        raise _under_way(old)
    if ImportBatch.objects.filter(project=project, state=State.STAGED).exists():
        raise _one_at_a_time()
    if old is not None:
        ImportBatch.objects.filter(pk=old.pk, state=State.UNDONE).update(**fresh)
        old.refresh_from_db()
        return old
    last = ImportBatch.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    return ImportBatch.objects.create(**same, **fresh, number=(last or 0) + 1)


def already(batch: ImportBatch) -> AlreadyImported:
    message = _(
        "This file was imported with the same mapping already, as import %(number)d. Nothing changed."
    )
    return AlreadyImported(message % {"number": batch.number}, batch)


def _under_way(batch: ImportBatch) -> AlreadyImported:
    message = _("This file is being imported already, as import %(number)d.")
    return AlreadyImported(message % {"number": batch.number}, batch)


def _one_at_a_time() -> OneAtATime:
    return OneAtATime(
        _(
            "Another import of this project is not finished. Wait for it, or drop it if it has stopped."
        )
    )


def _bring_in(batch: ImportBatch, clock: Clock, turn: _Turn) -> None:
    if batch.upload is None:
        raise _Stop(_("The file of this import is no longer here. Drop the import."))
    writer = _writer(batch)
    pace = Pace(start=50, most=500, target=0.08)
    try:
        source = _from_cursor(batch, writer)
        turn.begin()
        while records := list(itertools.islice(source, pace.size)):
            _bring_batch(batch, writer, records, pace, clock)
            if turn.is_over():
                transaction.on_commit(lambda: undoing.ring(batch))
                return
    except Unreadable as stop:
        raise _Stop(wording.sentence(stop.problem)) from stop
    except IntegrityError as problem:
        raise _Stop(
            _("Something was added to the project at the same moment. Nothing is lost; go on.")
        ) from problem
    writer.finish(clock())
    try:
        _appear(batch, clock())
    except IntegrityError as problem:
        raise _Stop(
            _(
                "A question of this file got another version meanwhile. Throw that draft away and go "
                "on, or drop this import."
            )
        ) from problem


def _bring_batch(
    batch: ImportBatch, writer: Writer, records: list[Record], pace: Pace, clock: Clock
) -> None:
    # Rows are read and looked up before the transaction: it only writes, and is short.
    prepared = writer.prepare(records)
    _raise_problems(prepared.problems)
    with transaction.atomic():
        _advance(batch, len(records), clock())
        # Waiting for the turn and for the disk is left out: fewer rows would not shorten it, and
        # on a busy machine the pace would fall to a row or two a transaction.
        began = time.perf_counter()
        counts = writer.write(prepared)
        for name, n in counts.items():
            batch.counts[name] = batch.counts.get(name, 0) + n
        ImportBatch.objects.filter(pk=batch.pk).update(counts=batch.counts)
        taken = time.perf_counter() - began
    pace.learn(len(records), taken)


def _raise_problems(problems: list[Problem]) -> None:
    first = next((one for one in problems if not one.warning), None)
    if first is not None:
        raise _Stop(
            _("Since the check something changed. Line %(row)s: %(problem)s")
            % {"row": first.line, "problem": wording.sentence(first)}
        )


def _advance(batch: ImportBatch, n_records: int, now: datetime) -> None:
    """Take the next rows for this worker alone."""
    mine = ImportBatch.objects.filter(
        pk=batch.pk, state=State.STAGED, undoing=False, cursor=batch.cursor
    )
    if not mine.update(cursor=batch.cursor + n_records, touched_at=now):
        raise _Overtaken
    batch.cursor += n_records


def _from_cursor(batch: ImportBatch, writer: Writer) -> Iterator[Record]:
    assert batch.upload is not None
    source = files.records(batch.upload)
    left = batch.cursor
    while left and (passed := list(itertools.islice(source, min(left, 1000)))):
        writer.remember(passed)
        left -= len(passed)
    return source


def _writer(batch: ImportBatch) -> Writer:
    mapping = checks.mapping_of(batch.kind, batch.mapping)
    if how := supplied.of(batch.kind):
        return how.writer(batch, mapping)
    if isinstance(mapping, AnswerMapping | ChoiceMapping):
        return answers.Writer(batch, mapping)
    if isinstance(mapping, QuestionMapping):
        return questions.Writer(batch, mapping)
    assert isinstance(mapping, GradeMapping)
    return grades.Writer(batch, mapping)


@transaction.atomic
def _appear(batch: ImportBatch, now: datetime) -> None:
    """Make everything that came in visible by one update."""
    mine = ImportBatch.objects.filter(
        pk=batch.pk, state=State.STAGED, undoing=False, cursor=batch.cursor
    )
    if not mine.update(state=State.APPLIED, applied_at=now, touched_at=now):
        raise _Overtaken
    if batch.kind == ImportKind.QUESTIONS:
        appearing.appear(batch)
    _record(batch, "import.applied", batch.created_by, now, **batch.counts)
    # What came in is found as a near-duplicate as soon as a worker has read it.
    similarity.ring(batch.project_id)


def _record(batch: ImportBatch, verb: str, by: User, now: datetime, **data: Any) -> None:
    audit.record(
        project=batch.project, actor=by, verb=verb, subject=f"import:{batch.number}", at=now, **data
    )
