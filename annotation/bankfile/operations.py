"""Bank files: asked for or handed in, worked on by a worker, thrown away."""

import hashlib
import tempfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import IO, Any, Final

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils.translation import gettext as _

from annotation.bank.models import Question
from annotation.bankfile.models import BankFile, BankPiece
from annotation.common import beats, names
from annotation.files import stored as room
from annotation.people import audit
from annotation.people.models import Project, User
from evalsite import errors, queue

State, Way = BankFile.State, BankFile.Way
CHUNK: Final = 1024 * 1024
MOST: Final = 200 * 1024 * 1024
SPOOLED: Final = 8 * 1024 * 1024
QUIET: Final = timedelta(seconds=90)
#: Of more questions it takes some seconds to write a bank; a larger file takes minutes to read.
MANY: Final = 1_000
SMALL: Final = 1024 * 1024


class Overtaken(Exception):
    """Another worker has begun to write the file since."""


def ask_export(*, project: Project, named: bool, by: User, now: datetime) -> BankFile:
    """Have the whole bank written into a file.

    Args:
        named: people stand in it by their names, not by pseudonyms alone.

    Raises:
        NotNow: the project keeps as many files as it may.
    """
    if problem := room.trouble(project):
        raise errors.NotNow(problem)
    with transaction.atomic():
        name = f"{project.slug}-bank.zip"
        made = _open(project, Way.OUT, name, by, now, named=named)
        _record(made, "bank.export_asked", by, now, named=named)
        ring(made)
    return made


def receive(
    *, project: Project, name: str, pieces: Iterable[bytes], by: User, now: datetime
) -> BankFile:
    """Store a bank file; a worker reads it through before anything else.

    Raises:
        FileRefused: it is empty or too large, or the project keeps as many files as it may.
    """
    if problem := room.trouble(project):
        raise errors.FileRefused(problem)
    made = _open(project, Way.IN, names.of_file(name) or "bank.zip", by, now, held=True)
    try:
        size, sha = store(made, pieces)
        if not size:
            raise errors.FileRefused(_("The file is empty. Choose the one that was exported."))
    except BaseException:
        _drop(made)
        raise
    with transaction.atomic():
        BankFile.objects.filter(pk=made.pk).update(size=size, sha=sha, state=State.ASKED)
        _record(made, "bank.received", by, now, sha=sha, size=size)
        ring(made)
    made.refresh_from_db()
    return made


@transaction.atomic
def confirm(*, file: BankFile, keep_own: bool, by: User, now: datetime) -> None:
    """Have a file that was read through brought in.

    Args:
        keep_own: what differs here stays as it is; else nothing may differ.

    Raises:
        NotNow: it was not read through, or has problems, or something differs here.
    """
    ready = BankFile.objects.filter(pk=file.pk, way=Way.IN, state=State.READY)
    if file.report.get("n_differing") and not keep_own:
        raise errors.NotNow(
            _("Something differs here. Say that it stays as it is, or mend it first.")
        )
    moved = ready.update(
        state=State.CONFIRMED,
        keep_own=keep_own,
        touched_at=now,
        tries=0,
        done=0,
        said="",
        finished_at=None,
    )
    if not moved:
        raise errors.NotNow(_("This file cannot be brought in now. Load the page again."))
    _record(file, "bank.import_confirmed", by, now, sha=file.sha, keep_own=keep_own)
    ring(file)


def throw_away(*, file: BankFile, by: User, now: datetime) -> None:
    """Delete a file; what came of it stays.

    Raises:
        NotNow: a worker is at it.
    """
    fresh = BankFile.objects.get(pk=file.pk)
    if fresh.is_moving and fresh.touched_at > now - QUIET:
        raise errors.NotNow(_("A worker is at this file. Wait until it is done."))
    _record(file, "bank.file_deleted", by, now, sha=file.sha)
    _drop(fresh)


def opened(file: BankFile) -> IO[bytes]:
    """Return the bytes of a file, to be read from the beginning."""
    kept: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=SPOOLED)  # noqa: SIM115  the caller closes it
    for ordinal in range(file.pieces.count()):
        kept.write(bytes(file.pieces.get(ordinal=ordinal).data))
    kept.seek(0)
    return kept


def begin(file: BankFile, now: datetime) -> bool:
    """Count that a worker begins with a file; give it up where three have ended over it."""
    if file.tries < beats.TRIES:
        same = BankFile.objects.filter(pk=file.pk, state=file.state)
        return bool(same.update(tries=F("tries") + 1, touched_at=now))
    move(file, State.FAILED, now, said=_given_up(file))
    return False


def beat(file: BankFile, now: datetime) -> None:
    """Say that a worker is still at a file, so that no other one begins."""
    BankFile.objects.filter(pk=file.pk, state=file.state).update(touched_at=now)


def _given_up(file: BankFile) -> str:
    if file.way == Way.OUT:
        return _(
            "The bank could not be written: the worker that wrote it ended three times. Ask for it "
            "again, or ask whoever runs this site."
        )
    return _(
        "This file could not be read: the worker that read it ended three times. Hand in a smaller "
        "one, or ask whoever runs this site."
    )


def take_turn(file: BankFile) -> bool:
    """Begin to write a file; return whether no other worker has begun since it was read."""
    as_read = BankFile.objects.filter(pk=file.pk, state=file.state, turn=file.turn)
    if not as_read.update(turn=file.turn + 1):
        return False
    file.turn += 1
    return True


def store(file: BankFile, pieces: Iterable[bytes]) -> tuple[int, str]:
    """Keep bytes as a file's pieces; return how many they are and their checksum.

    Raises:
        FileRefused: they are too many.
        Overtaken: another worker has begun to write the file.
    """
    digest, buffer, size, ordinal = hashlib.sha256(), b"", 0, 0
    for piece in pieces:
        size += len(piece)
        if size > MOST:
            raise errors.FileRefused(
                _("The file is larger than %(most)d MB.") % {"most": MOST // CHUNK}
            )
        digest.update(piece)
        buffer += piece
        while len(buffer) >= CHUNK:
            _keep_piece(file, ordinal, buffer[:CHUNK])
            buffer, ordinal = buffer[CHUNK:], ordinal + 1
    if buffer:
        _keep_piece(file, ordinal, buffer)
    return size, digest.hexdigest()


@transaction.atomic
def _keep_piece(file: BankFile, ordinal: int, data: bytes) -> None:
    held = BankFile.objects.filter(pk=file.pk, turn=file.turn).update(turn=file.turn)
    if not held:
        raise Overtaken
    BankPiece.objects.create(file=file, ordinal=ordinal, data=data)


def clear(file: BankFile) -> None:
    """Take away what was stored of a file, a few pieces at a time."""
    while some := list(file.pieces.values_list("pk", flat=True)[:20]):
        BankPiece.objects.filter(pk__in=some).delete()


def move(file: BankFile, state: str, now: datetime, **fields: object) -> bool:
    """Move a file on from the state it was read in; return whether it was still in it."""
    same = BankFile.objects.filter(pk=file.pk, state=file.state, turn=file.turn)
    return bool(same.update(state=state, touched_at=now, finished_at=now, **fields))


def ring(file: BankFile) -> None:
    queue.enqueue(
        "annotation.jobs.bank_file",
        queue=_queue_of(file),
        key=f"bank-{file.pk}",
        turn=f"user-{file.by_id}",
        file_id=file.pk,
    )


def _queue_of(file: BankFile) -> str:
    if file.way == Way.OUT:
        n_questions = Question.objects.filter(project=file.project_id).count()
        return queue.for_amount(n_questions, many=MANY)
    return "bulk" if file.size <= SMALL else "large"


def ring_again(now: datetime) -> int:
    """Ring for files that should move and have not for a while; return how many."""
    moving = Q(state__in=[State.ASKED, State.CONFIRMED], touched_at__lt=now - QUIET)
    stuck = list(BankFile.objects.filter(moving).only("pk", "by_id", "project_id", "way", "size"))
    for one in stuck:
        ring(one)
    return len(stuck)


@transaction.atomic
def _open(
    project: Project,
    way: str,
    name: str,
    by: User,
    now: datetime,
    *,
    named: bool = False,
    held: bool = False,
) -> BankFile:
    Project.objects.select_for_update().get(pk=project.pk)
    last = BankFile.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    return BankFile.objects.create(
        project=project,
        number=(last or 0) + 1,
        way=way,
        # While its bytes come in, no worker looks at it.
        state=State.FAILED if held else State.ASKED,
        name=name,
        named=named,
        by=by,
        created_at=now,
        touched_at=now,
    )


def _drop(file: BankFile) -> None:
    clear(file)
    file.delete()


def _record(file: BankFile, verb: str, by: User, now: datetime, **data: Any) -> None:
    audit.done(file, verb, by, now, **data)
