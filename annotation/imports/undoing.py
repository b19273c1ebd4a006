"""Take an import back, or drop one that has stopped: out of sight first, then away batch by batch."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from annotation.bank.models import Question, QuestionComment, QuestionVersion
from annotation.common.pace import Batches
from annotation.files.models import ImportBatch, ImportKind
from annotation.grading.models import Grade, Remark
from annotation.imports import lists as reasons
from annotation.imports import uploading as supplied
from annotation.imports import writers as appearing
from annotation.people import audit
from annotation.people.models import User
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.systems.models import Display
from evalsite import errors, queue

QUIET = timedelta(seconds=60)
#: More rows than this are taken away by a worker.
MANY = 5000
#: How often it is tried again where something begins to use the rows while they go.
TRIES = 3

Clock = Callable[[], datetime]
State = ImportBatch.State


class NotApplied(errors.Conflict): ...


class NotStopped(errors.Conflict): ...


def undo(*, batch: ImportBatch, by: User, clock: Clock) -> ImportBatch:
    """Take everything away that an import brought. What it found here already stays.

    Raises:
        NotApplied: the import is not applied, or another one is not finished.
        StillUsed: a round, another import or a grade stands on its rows; the message says which.
    """
    _hide(batch, State.APPLIED, "import.undone", by, clock())
    return _begin(batch, clock)


def drop(*, batch: ImportBatch, by: User, clock: Clock) -> ImportBatch:
    """Give up an import that has stopped, and take away what it brought so far.

    Raises:
        NotStopped: it is finished, or still moving.
    """
    now = clock()
    with transaction.atomic():
        stopped = ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED).exclude(
            stopped="", touched_at__gt=now - QUIET
        )
        if not stopped.update(undoing=True, stopped="", tries=0, touched_at=now):
            raise NotStopped(_("This import has not stopped. Look at the page again."))
        _record(batch, "import.dropped", by, now)
    return _begin(batch, clock)


def carry_on(
    *, batch: ImportBatch, clock: Clock, is_over: Callable[[], bool] = lambda: False
) -> ImportBatch:
    """Go on taking away, until nothing is left or it is the turn of others.

    What something began to use meanwhile stays.
    """
    for _try in range(TRIES):
        _keep(batch)
        try:
            is_done = _take_away(batch, clock, is_over)
        except (IntegrityError, models.ProtectedError):
            continue  # something began to use the rows at this moment
        if is_done:
            _end(batch, clock(), state=State.UNDONE, undone_at=clock(), cursor=0)
        else:
            ring(batch)
        return batch
    _give_up(batch, clock())
    return batch


@transaction.atomic
def _keep(batch: ImportBatch) -> None:
    """Let go of rows that something uses by now: they stay, as if they had been added by hand."""
    n_kept = 0
    for model in reasons.BROUGHT:
        # A response that stays keeps its question and its release, which are looked at after it.
        pks = list(reasons.in_use(model, batch).values_list("pk", flat=True))
        for start in range(0, len(pks), 500):
            model._base_manager.filter(pk__in=pks[start : start + 500]).update(batch=None)
        n_kept += len(pks)
    if n_kept:
        batch.counts["kept"] = batch.counts.get("kept", 0) + n_kept
        ImportBatch.objects.filter(pk=batch.pk).update(counts=batch.counts)


def _take_away(batch: ImportBatch, clock: Clock, is_over: Callable[[], bool]) -> bool:
    """Take rows away; return whether nothing is left."""
    for rows in _layers(batch):
        pace = Batches(start=200, most=2000)
        while pks := list(rows.order_by("-pk").values_list("pk", flat=True)[: pace.size]):
            _remove(rows.model, pks, batch, pace, clock())
            if is_over():
                return False
    return True


@transaction.atomic
def _give_up(batch: ImportBatch, now: datetime) -> None:
    """Show what is left of an import that had been applied again, so that it blocks no other one."""
    stopped = _("What is in use stays.")
    if batch.applied_at is None:
        _end(batch, now, undoing=True, stopped=stopped)
        return
    appearing.appear(batch)
    _end(batch, now, state=State.APPLIED, stopped=stopped)


def _end(batch: ImportBatch, now: datetime, **fields: Any) -> None:
    mine = ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED, undoing=True)
    mine.update(**{"undoing": False, "touched_at": now, **fields})
    batch.refresh_from_db()


def _begin(batch: ImportBatch, clock: Clock) -> ImportBatch:
    batch.refresh_from_db()
    counted = sum(
        int(batch.counts.get(name, 0))
        for name in ("items", "responses", "grades", "questions", "scores", "unscored", "choices")
    )
    if counted > MANY:
        ring(batch)
        return batch
    return carry_on(batch=batch, clock=clock)


def ring(batch: ImportBatch) -> None:
    """Ring for a worker; the batches of one person take turns with those of others."""
    queue.enqueue(
        "annotation.jobs.apply_import",
        queue=batch.upload.queue if batch.upload else "bulk",
        key=f"import-{batch.pk}",
        turn=f"user-{batch.created_by_id}",
        batch_id=batch.pk,
    )


@transaction.atomic
def _hide(batch: ImportBatch, state: State, verb: str, by: User, now: datetime) -> None:
    others = ImportBatch.objects.filter(project_id=batch.project_id, state=State.STAGED)
    if others.exists():
        raise NotApplied(_("Another import of this project is not finished. Wait for it first."))
    mine = ImportBatch.objects.filter(pk=batch.pk, state=state)
    if not mine.update(state=State.STAGED, undoing=True, stopped="", tries=0, touched_at=now):
        raise NotApplied(_("Only an import that is applied can be undone."))
    appearing.hide(batch)
    if found := reasons.against_undo(batch):
        raise errors.StillUsed(
            _("This import stays, because something was built on it: %(reasons)s.")
            % {"reasons": "; ".join(map(str, found))}
        )
    appearing.take_later_versions(batch)
    _record(batch, verb, by, now)


def _layers(batch: ImportBatch) -> Iterator["models.QuerySet[models.Model]"]:
    """Yield what has to go, from the leaves to the root."""
    yield from supplied.layers(batch)
    if batch.kind in {ImportKind.GRADES, ImportKind.PAIRS}:
        yield Remark.objects.filter(grade__batch=batch)
        yield Grade.objects.filter(batch=batch)
        yield RoundResponse.objects.filter(round_item__round__batch=batch)
        yield RoundItem.objects.filter(round__batch=batch)
        yield Round.objects.filter(batch=batch)
    if batch.kind == ImportKind.GRADES:
        return
    if batch.kind == ImportKind.QUESTIONS:
        # What was said of a question outlives its versions; it goes right after them.
        QuestionComment.objects.filter(version__batch=batch).update(version=None)
        yield QuestionVersion.objects.filter(batch=batch)
        yield QuestionComment.objects.filter(question__batch=batch)
        yield Question.everything.filter(batch=batch)
        return
    yield Display.objects.filter(response__batch=batch)
    for model in reasons.BROUGHT:
        yield model._base_manager.filter(batch=batch)


@transaction.atomic
def _remove(
    model: type[models.Model], pks: list[int], batch: ImportBatch, pace: Batches, now: datetime
) -> None:
    began = time.perf_counter()
    model._base_manager.filter(pk__in=pks).delete()
    ImportBatch.objects.filter(pk=batch.pk).update(tries=0, touched_at=now)
    pace.learn(len(pks), time.perf_counter() - began)


def _record(batch: ImportBatch, verb: str, by: User, now: datetime) -> None:
    audit.done(batch, verb, by, now, **batch.counts)
