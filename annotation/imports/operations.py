"""Try a file out: read it to the end, write nothing but the report.

* Bring the rows of a checked file in, batch by batch; they are seen when the last one is in.
* Take a file, map it, check it and bring it in, in one go: for programs, which look at no page between.
"""

import itertools
import json
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.common import beats
from annotation.common.pace import Batches
from annotation.files import asked as asked_of
from annotation.files import grades as grade_rows
from annotation.files import stored as files
from annotation.files import wording
from annotation.files.asked import AskedFile
from annotation.files.asks import FileAsk, Told, open_ones
from annotation.files.cells import BadFile, FileProblem, FileRecord
from annotation.files.choices import ChoiceMapping
from annotation.files.mappings import AnswerMapping, FileMapping, GradeMapping, QuestionMapping
from annotation.files.models import ImportBatch, ImportKind, Upload, UploadProblems, WholeKind
from annotation.files.pairs import PairMapping
from annotation.imports import checks, lists, pairs, undoing, uploading, writers
from annotation.imports import grades as grades
from annotation.imports.uploading import KindWriter
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.search import similarity
from evalsite import errors, queue

#: Problems that the report keeps, and those that can be downloaded.
KEPT = 200
#: The key of the question whether rows that cannot be used are left out.
BROKEN: Final = "broken"
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
    tally = _CheckTally()
    tries = (upload.report or {}).get("tries", 0)
    trial = checks.begin(upload)
    told = began
    for step in checks.steps(upload, trial):
        tally.add(step)
        if time.perf_counter() - told > 1:
            told = time.perf_counter()
            stops = is_stopping()
            running = _running(step.n_rows, clock(), 0 if stops else tries)
            if not _tell(upload, running) or stops:
                return running  # mapped anew meanwhile, or left to another worker
    uploading.add_columns(upload=upload, names=tally.new_columns)
    asks = [*(trial.asks() if isinstance(trial, checks.AskingCheck) else ()), *tally.asks()]
    report = {
        **trial.summary(),
        **tally.result(asks, upload.told),
        "taken": trial.taken if isinstance(trial, checks.Surveying) else upload.told,
        "running": False,
        "checked_at": clock().isoformat(),
        "seconds": round(time.perf_counter() - began, 2),
    }
    if _tell(upload, report):
        _keep(upload, tally.kept, tally.left_out(upload.told))
    return report


def check_waiting(
    *, upload: Upload, clock: Clock, is_stopping: Callable[[], bool] = lambda: False
) -> None:
    """Check a file that waits for a worker, or say that workers end over it; nothing if it does not wait."""
    report = upload.report or {}
    if not report.get("running"):
        return
    tries = report.get("tries", 0)
    if tries >= beats.TRIES:
        _tell(upload, _given_up(clock()))
    elif _tell(upload, _running(report["n_rows"], clock(), tries + 1)):
        with beats.beating(lambda: _beat(upload, clock())):
            check(upload=upload, clock=clock, is_stopping=is_stopping)


def request_check(*, upload: Upload, clock: Clock) -> None:
    """Check a small file now; leave a large one to a worker.

    Raises:
        limits.TooManyImports: too many wait already.
    """
    if not upload.is_large:
        check(upload=upload, clock=clock)
        return
    uploading.refuse_more_work(upload=upload)
    with transaction.atomic():
        _tell(upload, _running(0, clock()))
        _ring(upload)


def ring_again(now: datetime) -> int:
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


def _keep(upload: Upload, problems: list[FileProblem], left_out: list[int]) -> None:
    """Keep the problems to be downloaded, so that nobody reads the whole file again for them."""
    if not problems:
        UploadProblems.objects.filter(upload=upload).delete()
        return
    data = {"data": _packed([one.as_dict() for one in problems]), "left_out": _packed(left_out)}
    UploadProblems.objects.update_or_create(upload=upload, defaults=data)


def _packed(found: list[Any]) -> bytes:
    return zlib.compress(json.dumps(found).encode()) if found else b""


def _left_out(batch: ImportBatch) -> frozenset[int]:
    """Return the places of rows that are not brought in."""
    packed = bytes(batch.left_out)
    return frozenset(json.loads(zlib.decompress(packed))) if packed else frozenset()


def _running(n_rows: int, now: datetime, tries: int = 0) -> dict[str, Any]:
    return {"running": True, "n_rows": n_rows, "tries": tries, "touched_at": now.isoformat()}


def _given_up(now: datetime) -> dict[str, Any]:
    said = _(
        "This file could not be read: the worker that read it ended three times. Make it smaller, or "
        "ask whoever runs this site."
    )
    told = {"running": False, "ok": False, "refused": said, "checked_at": now.isoformat()}
    return {**told, "n_rows": 0, "n_errors": 0, "n_warnings": 0, "by_code": {}, "problems": []}


def _beat(upload: Upload, now: datetime) -> None:
    """Say that the file is still being read, so that no other worker begins."""
    mine = Upload.objects.filter(pk=upload.pk, mapping_sha=upload.mapping_sha, report__running=True)
    mine.update(report={**(upload.report or {}), "touched_at": now.isoformat()})


def _tell(upload: Upload, report: dict[str, Any]) -> bool:
    """Store a report unless the mapping has changed since."""
    same = Upload.objects.filter(pk=upload.pk, mapping_sha=upload.mapping_sha)
    upload.report = report
    return bool(same.update(report=report))


class _CheckTally:
    def __init__(self) -> None:
        self.n_rows = 0
        self.by_code: Counter[str] = Counter()
        self.n_errors = self.n_warnings = self.n_other = 0
        self.broken: list[int] = []
        self.kept: list[FileProblem] = []
        self.new_columns: dict[str, None] = {}

    def add(self, step: checks.CheckStep) -> None:
        self.n_rows = step.n_rows
        for problem in step.problems:
            self.by_code[problem.code] += 1
            self.n_warnings += problem.warning
            self.n_errors += not problem.warning
            if problem.code == "new_column":
                self.new_columns.setdefault(problem.column)
            if len(self.kept) < MOST_KEPT:
                self.kept.append(problem)
        self.broken += step.broken
        self.n_other += step.n_other

    def asks(self) -> list[FileAsk]:
        """Return whether rows that cannot be used are to be left out, where others can."""
        if not self.broken or len(self.broken) >= self.n_rows:
            return []
        facts = {"n": str(len(self.broken)), "of": str(self.n_rows)}
        return [FileAsk(BROKEN, BROKEN, ("leave_out", "stop"), facts=facts)]

    def left_out(self, told: Told) -> list[int]:
        """Return the places of rows that are not brought in, where a person said so."""
        wished = told.get(BROKEN) == "leave_out" and len(self.broken) < self.n_rows
        return self.broken if wished else []

    def result(self, asks: list[FileAsk], told: Told) -> dict[str, Any]:
        left_out = self.left_out(told)
        n_in_the_way = self.n_other if left_out else self.n_errors
        return {
            "n_rows": self.n_rows,
            "ok": n_in_the_way == 0 and self.n_rows > 0 and not open_ones(asks, told),
            "asks": [one.as_dict() for one in asks],
            "n_left_out": len(left_out),
            "n_other": self.n_other,
            "n_errors": self.n_errors,
            "n_warnings": self.n_warnings,
            "by_code": dict(self.by_code),
            "problems": [problem.as_dict() for problem in self.kept[:KEPT]],
        }


State = ImportBatch.State


class NotChecked(errors.Conflict): ...


class HasProblems(errors.Conflict): ...


class AlreadyImported(errors.Conflict):
    """The same file came in under the same mapping before; `batch` is that import."""

    def __init__(self, message: str, batch: ImportBatch) -> None:
        super().__init__(message)
        self.batch = batch


class OneAtATime(errors.Conflict):
    code = "import_running"


class _Stop(Exception):
    """The import cannot go on; the message is for the person who started it."""


class _ImportOvertaken(Exception):
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
    uploading.refuse_more_work(upload=upload)
    report = upload.report
    if not report or report.get("running") or not upload.mapping_sha:
        raise NotChecked(_("Check the file first, so that you see what will come of it."))
    if not report["ok"]:
        raise HasProblems(_("Nothing was imported: mend the problems and check the file again."))
    with transaction.atomic():
        batch = _stage(upload, report["n_rows"], by, now)
        if how := uploading.supplied_for(batch.kind):
            how.begin(batch=batch, report=report, by=by, now=now)
        elif batch.kind == ImportKind.GRADES:
            made = {
                name: grade_rows.FileLabels(**of) for name, of in report.get("made", {}).items()
            }
            grades.open_round(batch=batch, criteria=report["criteria"], made=made, by=by, now=now)
        elif batch.kind == ImportKind.PAIRS:
            pairs.open_round(batch=batch, report=report, by=by, now=now)
        elif batch.kind == ImportKind.QUESTIONS:
            writers.begin(batch=batch, report=report, by=by)
        else:
            writers.create_missing(batch=batch, report=report, by=by)
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
        if not moved.update(stopped="", tries=0, touched_at=now):
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
    if not _begin(batch, clock()):
        return batch
    mine = ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED, stopped="")
    with beats.beating(lambda: mine.update(touched_at=clock())):
        turn = _Turn(seconds, others_wait)
        if batch.undoing:
            return undoing.carry_on(batch=batch, clock=clock, is_over=turn.is_over)
        try:
            _bring_in(batch, clock, turn)
        except _ImportOvertaken:
            pass
        except _Stop as stop:
            mine.filter(undoing=False).update(stopped=str(stop)[:300], touched_at=clock())
    batch.refresh_from_db()
    return batch


def _begin(batch: ImportBatch, now: datetime) -> bool:
    """Count that a worker begins; return whether those before it got on, or there were few of them."""
    mine = ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED, stopped="")
    if batch.tries < beats.TRIES:
        return bool(mine.update(tries=F("tries") + 1, touched_at=now))
    said = _(
        "The worker ended three times at the same place. Go on to try once more, or discard this "
        "import and make the file smaller."
    )
    mine.update(stopped=said, touched_at=now)
    batch.refresh_from_db()
    return False


def ring_for_applying(now: datetime) -> int:
    """Ring for imports that should move, or be read, and have not for a while; return how many move."""
    unread = ImportBatch.objects.filter(
        state=State.APPLIED, words_kept=False, touched_at__lt=now - undoing.QUIET
    )
    for project in unread.values_list("project_id", flat=True).distinct():
        similarity.ring(project)
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
        "told": (upload.report or {}).get("taken", upload.told),
        "left_out": _kept_left_out(upload),
        "state": State.STAGED,
        "stopped": "",
        "undoing": False,
        "tries": 0,
        "cursor": 0,
        "n_rows": n_rows,
        "counts": {},
        "words_kept": False,
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


def _kept_left_out(upload: Upload) -> bytes:
    kept = UploadProblems.objects.filter(upload=upload).first()
    return bytes(kept.left_out) if kept else b""


def already(batch: ImportBatch) -> AlreadyImported:
    message = _("Imported with this mapping already, as import %(number)d. Nothing changed.")
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
    writer, left_out = _writer(batch), _left_out(batch)
    pace = Batches(start=50, most=500, target=0.08)
    try:
        source = _from_cursor(batch, writer, left_out)
        turn.begin()
        while records := list(itertools.islice(source, pace.size)):
            _bring_batch(batch, writer, records, left_out, pace, clock)
            if turn.is_over():
                transaction.on_commit(lambda: undoing.ring(batch))
                return
    except BadFile as stop:
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
    batch: ImportBatch,
    writer: KindWriter,
    records: list[FileRecord],
    left_out: Set[int],
    pace: Batches,
    clock: Clock,
) -> None:
    # Rows are read and looked up before the transaction: it only writes, and is short.
    prepared = writer.prepare(_usable(records, batch.cursor, left_out))
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


def _raise_problems(problems: list[FileProblem]) -> None:
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
    if not mine.update(cursor=batch.cursor + n_records, tries=0, touched_at=now):
        raise _ImportOvertaken
    batch.cursor += n_records


def _from_cursor(
    batch: ImportBatch, writer: KindWriter, left_out: Set[int]
) -> Iterator[FileRecord]:
    assert batch.upload is not None
    source = files.records(batch.upload)
    place = 0
    while place < batch.cursor and (
        passed := list(itertools.islice(source, min(batch.cursor - place, 1000)))
    ):
        writer.remember(_usable(passed, place, left_out))
        place += len(passed)
    return source


def _usable(records: list[FileRecord], first: int, left_out: Set[int]) -> list[FileRecord]:
    """Return the records that come in; the check found those that are left out, by their places."""
    if not left_out:
        return records
    return [one for place, one in enumerate(records, start=first) if place not in left_out]


def _writer(batch: ImportBatch) -> KindWriter:
    mapping = checks.mapping_of(batch.kind, batch.mapping)
    if how := uploading.supplied_for(batch.kind):
        return how.writer(batch, mapping)
    if isinstance(mapping, AnswerMapping | ChoiceMapping):
        return writers.QuestionsWriter(batch, mapping)
    if isinstance(mapping, QuestionMapping):
        return writers.QuestionWriter(batch, mapping)
    if isinstance(mapping, PairMapping):
        return pairs.PairsWriter(batch, mapping)
    assert isinstance(mapping, GradeMapping)
    return grades.GradesWriter(batch, mapping)


@transaction.atomic
def _appear(batch: ImportBatch, now: datetime) -> None:
    """Make everything that came in visible by one update."""
    mine = ImportBatch.objects.filter(
        pk=batch.pk, state=State.STAGED, undoing=False, cursor=batch.cursor
    )
    if not mine.update(state=State.APPLIED, applied_at=now, touched_at=now):
        raise _ImportOvertaken
    if batch.kind == ImportKind.QUESTIONS:
        writers.appear(batch)
    _record(batch, "import.applied", batch.created_by, now, **batch.counts)
    # What came in is found, and found as a near-duplicate, as soon as a worker has read it.
    similarity.ring(batch.project_id)


def _record(batch: ImportBatch, verb: str, by: User, now: datetime, **data: Any) -> None:
    audit.done(batch, verb, by, now, **data)


#: How long a file is kept that a program handed in and nothing was imported from.
KEPT_WISHES: Final = timedelta(days=1)
TOLD: Final = 100


class FileHasProblems(errors.Invalid):
    """Nothing was imported; `fields` says line by line what is wrong and how to mend it."""


class NeedsAnswer(errors.Conflict):
    """Nothing comes in before somebody has answered; `fields` has the questions by key, `asked` too.

    What is wrong with rows stands beside them, by line.
    """

    def __init__(self, asked: Sequence[AskedFile], problems: dict[str, list[str]]) -> None:
        self.asked = asked
        questions = {one.key: one.lines() for one in asked}
        super().__init__(
            _("Something has to be answered first: %(keys)s. Send it in “answers”.")
            % {"keys": ", ".join(questions)},
            fields=questions | problems,
        )


@dataclass(frozen=True)
class CheckOutcome:
    """What the check found, and the import that came of it; none where only a check was wanted.

    Of a large file it is the file alone: a worker goes on with it.
    """

    report: dict[str, Any]
    batch: ImportBatch | None
    waits: Upload | None = None
    asked: Sequence[AskedFile] = ()


def bring_in(
    *,
    project: Project,
    kind: ImportKind,
    name: str,
    pieces: Iterable[bytes],
    mapping: Callable[[Upload], FileMapping],
    columns: Iterable[str] = (),
    told: Told | None = None,
    only_check: bool,
    by: User,
    clock: Callable[[], datetime],
) -> CheckOutcome:
    """Bring in a file as it stands, or only check it. The same file again is the same import.

    A large one is kept, and a worker does it.

    Args:
        mapping: says where the columns go, once it is known which there are.
        columns: those that it speaks of.
        told: what the program says of the file, by the key of what is asked.
        only_check: writes nothing that stays.

    Raises:
        uploading.FileRefused: it cannot be read, or is too large for this way.
        uploading.MappingIncomplete: a column goes nowhere.
        FileHasProblems: the check found something that has to be mended first.
        NeedsAnswer: only a person can say something of it.
        errors.Refusal: another import is not finished, or too many wait.
    """
    upload = uploading.receive(
        project=project,
        kind=kind,
        name=name,
        pieces=pieces,
        by=by,
        now=clock(),
        told=told,
    )
    waits = False
    try:
        if asked := open_questions(upload):
            raise NeedsAnswer(asked, {})
        whole = not upload.is_large
        if missing := uploading.find_columns(upload=upload, names=columns, whole=whole):
            message = uploading.no_column(upload=upload, names=missing)
            raise FileHasProblems(message, fields={"columns": [message]})
        uploading.set_mapping(upload=upload, mapping=mapping(upload))
        if (twin := lists.applied_twin(upload)) and not only_check:
            return CheckOutcome({}, twin)
        if upload.is_large:
            waits = _leave_to_worker(upload, only_check, clock)
            return CheckOutcome({}, None, upload)
        report, said = _checked(upload, clock), questions(upload)
        if only_check:
            return CheckOutcome(report, None, asked=said)
        batch = start(upload=upload, by=by, now=clock())
        return CheckOutcome(report, carry_on(batch_id=batch.pk, clock=clock), asked=said)
    finally:
        if not waits and not upload.batches.exists():
            uploading.discard(upload=upload)


def _checked(upload: Upload, clock: Callable[[], datetime]) -> dict[str, Any]:
    report = check(upload=upload, clock=clock)
    if asked := open_questions(upload):
        raise NeedsAnswer(asked, problems_of(report))
    if not report["ok"]:
        raise _refused(report)
    return report


def go_on(*, upload: Upload, now: datetime) -> None:
    """Begin to bring in a file that was read since, if that is wished; a later call tries again."""
    if upload.wish != Upload.Wish.APPLY or not (upload.report or {}).get("ok"):
        return
    try:
        start(upload=upload, by=upload.created_by, now=now)
    except (OneAtATime, uploading.TooManyImports):
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
        if upload.created_at < now - KEPT_WISHES and not moving and not waits:
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
        return "needs_answer" if open_questions(upload) else "refused"
    return "checked" if upload.wish == Upload.Wish.CHECK else "waiting"


def _state_of_whole(report: dict[str, Any]) -> str:
    if not report or report.get("running"):
        return "importing" if report.get("tries") else "checking"
    return "imported" if report["ok"] else "refused"


def questions(upload: Upload) -> list[AskedFile]:
    """Return in words all that is asked of a file by now, with what was answered or is suggested."""
    report = upload.report or {}
    if not upload.layout:  # nothing of it was looked at, as of a file that a worker reads whole
        return []
    return asked_of.of_file(files.layout_of(upload), report.get("asks", ()), upload.told)


def open_questions(upload: Upload) -> list[AskedFile]:
    """Return the questions without which nothing comes in.

    Whether rows are left out is none where something is wrong with the whole file as well.
    """
    stops = (upload.report or {}).get("n_other", 0) > 0
    return [one for one in questions(upload) if one.is_open and not (stops and one.key == BROKEN)]


def problems_of(report: dict[str, Any]) -> dict[str, list[str]]:
    """Return in words what is wrong with a file, by line."""
    found: dict[str, list[str]] = {}
    for one in report.get("problems", ())[:TOLD]:
        problem = FileProblem.from_dict(one)
        if not problem.warning:
            where = wording.place(problem) or _("file")
            place = ", ".join(filter(None, (where, problem.column)))
            found.setdefault(place, []).append(wording.sentence(problem))
    return found


def _leave_to_worker(upload: Upload, only_check: bool, clock: Callable[[], datetime]) -> bool:
    upload.wish = Upload.Wish.CHECK if only_check else Upload.Wish.APPLY
    upload.save(update_fields=["wish"])
    request_check(upload=upload, clock=clock)
    return True


def _refused(report: dict[str, Any]) -> FileHasProblems:
    message = _("Nothing was imported: mend the problems and try again (%d found).")
    return FileHasProblems(message % report["n_errors"], fields=problems_of(report))
