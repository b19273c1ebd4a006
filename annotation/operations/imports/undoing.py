"""Take an import back, or drop one that has stopped: out of sight first, then away batch by batch."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from annotation.models import (
    Display,
    Grade,
    ImportBatch,
    ImportKind,
    Question,
    QuestionComment,
    QuestionVersion,
    Remark,
    Round,
    RoundItem,
    RoundResponse,
    User,
)
from annotation.operations import audit
from annotation.operations.imports import appearing, supplied
from annotation.operations.pace import Pace
from annotation.queries.imports import reasons
from evalsite import errors, queue

QUIET = timedelta(seconds=60)
#: More rows than this are taken away by a worker.
MANY = 5000

Clock = Callable[[], datetime]
State = ImportBatch.State


class StillUsed(errors.Conflict):
    code = "still_used"


class NotApplied(errors.Conflict):
    code = "not_applied"


class NotStopped(errors.Conflict):
    code = "not_stopped"


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
        if not stopped.update(undoing=True, stopped="", touched_at=now):
            raise NotStopped(_("This import has not stopped. Look at the page again."))
        _record(batch, "import.dropped", by, now)
    return _begin(batch, clock)


def carry_on(
    *, batch: ImportBatch, clock: Clock, is_over: Callable[[], bool] = lambda: False
) -> ImportBatch:
    """Go on taking away, until nothing is left or it is the turn of others."""
    for rows in _layers(batch):
        pace = Pace(start=200, most=2000)
        while pks := list(rows.order_by("-pk").values_list("pk", flat=True)[: pace.size]):
            try:
                _remove(rows.model, pks, batch, pace, clock())
            except (IntegrityError, models.ProtectedError):
                message = _(
                    "Something began to use the rows of this import while they were removed."
                )
                ImportBatch.objects.filter(pk=batch.pk).update(stopped=message, touched_at=clock())
                batch.refresh_from_db()
                return batch
            if is_over():
                ring(batch)
                return batch
    now = clock()
    ImportBatch.objects.filter(pk=batch.pk, state=State.STAGED, undoing=True).update(
        state=State.UNDONE, undoing=False, undone_at=now, touched_at=now, cursor=0
    )
    batch.refresh_from_db()
    return batch


def _begin(batch: ImportBatch, clock: Clock) -> ImportBatch:
    batch.refresh_from_db()
    counted = sum(
        int(batch.counts.get(name, 0))
        for name in ("items", "responses", "grades", "questions", "scores", "unscored")
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
    if not mine.update(state=State.STAGED, undoing=True, stopped="", touched_at=now):
        raise NotApplied(_("Only an import that is applied can be undone."))
    appearing.hide(batch)
    if found := reasons.against_undo(batch):
        raise StillUsed(
            _("This import stays, because something was built on it: %(reasons)s.")
            % {"reasons": "; ".join(map(str, found))}
        )
    appearing.take_later_versions(batch)
    _record(batch, verb, by, now)


def _layers(batch: ImportBatch) -> Iterator["models.QuerySet[models.Model]"]:
    """Yield what has to go, from the leaves to the root."""
    yield from supplied.layers(batch)
    if batch.kind == ImportKind.GRADES:
        yield Remark.objects.filter(grade__batch=batch)
        yield Grade.objects.filter(batch=batch)
        yield RoundResponse.objects.filter(round_item__round__batch=batch)
        yield RoundItem.objects.filter(round__batch=batch)
        yield Round.objects.filter(batch=batch)
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
    model: type[models.Model], pks: list[int], batch: ImportBatch, pace: Pace, now: datetime
) -> None:
    began = time.perf_counter()
    model._base_manager.filter(pk__in=pks).delete()
    ImportBatch.objects.filter(pk=batch.pk).update(touched_at=now)
    pace.learn(len(pks), time.perf_counter() - began)


def _record(batch: ImportBatch, verb: str, by: User, now: datetime) -> None:
    audit.record(
        project=batch.project,
        actor=by,
        verb=verb,
        subject=f"import:{batch.number}",
        at=now,
        **batch.counts,
    )
