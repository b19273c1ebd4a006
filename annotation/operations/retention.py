"""Remove what a project keeps for a time only, and nothing else; count beforehand what that would be.

Each kind names its own rows. None of them holds a grade, a question, an event of the audit or an
outcome of a run; scoring supplies the kinds that are its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import (
    BankFile,
    BankPiece,
    ClaimEvent,
    Draft,
    ImportBatch,
    LinkAsked,
    PasswordLink,
    Project,
    Receipt,
    Round,
    SettingsVersion,
    Upload,
    UploadChunk,
)
from annotation.operations import audit, failed_tries, kept_answers
from annotation.operations.imports import uploading
from annotation.operations.pace import Pace
from annotation.queries import settings
from annotation.rules.settings import Section
from evalsite import queue

#: The sweeper rings this often.
EVERY = timedelta(hours=1)
JOB = "annotation.jobs.keep_for_a_time"
_rung: datetime | None = None

Rows = Callable[[Project, datetime], "QuerySet[Any]"]


@dataclass(frozen=True)
class Kind:
    """Rows that may go: those of a project that were last of use before a moment.

    `beside` are rows that go with each of them, by the name of their foreign key; of rows that stay,
    `emptied` is the field that goes.
    """

    rows: Rows
    beside: tuple[tuple[type[Any], str], ...] = ()
    emptied: str = ""


_kinds: dict[str, tuple[Kind, ...]] = {}


def supply(key: str, *kinds: Kind) -> None:
    """Say what is meant by a key of annotation.rules.settings.KEPT."""
    _kinds[key] = kinds


def _drafts(project: Project, before: datetime) -> "QuerySet[Any]":
    return Draft.objects.filter(
        assignment__round__project=project,
        assignment__round__state=Round.State.FINAL,
        saved_at__lt=before,
    )


def _kept(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return claims that still hold the draft of a seat that went to somebody else."""
    return ClaimEvent.objects.filter(
        assignment__round__project=project,
        assignment__round__state=Round.State.FINAL,
        kept__isnull=False,
        at__lt=before,
    )


def _receipts(project: Project, before: datetime) -> "QuerySet[Any]":
    return Receipt.objects.filter(
        assignment__round__project=project,
        assignment__round__state=Round.State.FINAL,
        at__lt=before,
    )


def _files(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return files that nothing is being made of; an import keeps its name, hash and mapping."""
    busy = ImportBatch.objects.filter(upload=OuterRef("pk")).filter(
        Q(state=ImportBatch.State.STAGED) | Q(undoing=True)
    )
    return Upload.objects.filter(
        ~Exists(busy), Q(report__isnull=True) | ~Q(report__running=True), project=project
    ).filter(created_at__lt=before)


def _bank_files(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return files of whole banks that no worker is at; the audit keeps name and checksum."""
    moving = [BankFile.State.ASKED, BankFile.State.CONFIRMED]
    rows = BankFile.objects.filter(project=project, touched_at__lt=before)
    return rows.exclude(state__in=moving)


supply("drafts", Kind(_drafts), Kind(_kept, emptied="kept"))
supply("receipts", Kind(_receipts))
supply(
    "files",
    Kind(_files, ((UploadChunk, "upload"),)),
    Kind(_bank_files, ((BankPiece, "file"),)),
)


def count(*, project: Project, days: dict[str, int | None], now: datetime) -> dict[str, int | None]:
    """Return how many rows of each kind would go now; None where nothing is to go."""
    return {
        key: None
        if n is None
        else sum(kind.rows(project, now - timedelta(days=n)).count() for kind in kinds)
        for key, kinds in _kinds.items()
        for n in [days.get(key)]
    }


def sweep(*, now: datetime) -> int:
    """Remove what is kept for a time only and has had it, in every project; return how many rows."""
    Session.objects.filter(expire_date__lt=now).delete()
    LinkAsked.objects.filter(at__lt=now - timedelta(days=1)).delete()
    PasswordLink.objects.filter(expires_at__lt=now - timedelta(days=1)).delete()
    failed_tries.forget(now=now)
    uploading.forget_halves(now=now)
    while kept_answers.forget(now=now):
        pass
    told = SettingsVersion.objects.filter(section=Section.RETENTION).values("project")
    return sum(tidy(project=one, now=now) for one in Project.objects.filter(pk__in=told))


def tidy(*, project: Project, now: datetime) -> int:
    """Remove what a project keeps for a time only; the audit says how much of what."""
    days = settings.retention_of(project).days
    removed = {
        key: sum(_remove(kind, project, now - timedelta(days=n)) for kind in _kinds.get(key, ()))
        for key, n in days.items()
    }
    gone = {key: n for key, n in removed.items() if n}
    if gone:
        audit.record(
            project=project,
            actor=None,
            verb="retention.removed",
            subject="settings:retention",
            at=now,
            removed=gone,
            days={key: days[key] for key in gone},
        )
    return sum(gone.values())


def _remove(kind: Kind, project: Project, before: datetime) -> int:
    pace, removed = Pace(start=100, breath=0.3), 0
    while pks := list(
        kind.rows(project, before).order_by("pk").values_list("pk", flat=True)[: pace.size]
    ):
        for batch in pace.batches(pks):
            removed += _take(kind, project, before, batch)
    return removed


def _take(kind: Kind, project: Project, before: datetime, pks: list[int]) -> int:
    for model, name in kind.beside:
        for pk in pks:
            _pieces(model, name, pk)
    with transaction.atomic():
        found = kind.rows(project, before).filter(pk__in=pks)
        n = found.count()
        if kind.emptied:
            found.update(**{kind.emptied: None})
        else:
            found.delete()
    return n


def _pieces(model: type[Any], name: str, pk: int) -> None:
    """Take large rows away a few at a time."""
    while some := list(model.objects.filter(**{name: pk}).values_list("pk", flat=True)[:20]):
        model.objects.filter(pk__in=some).delete()


def ring(now: datetime) -> None:
    """Have a worker remove what has had its time; called by the sweeper."""
    global _rung
    if _rung is not None and _rung <= now < _rung + EVERY:
        return
    _rung = now
    queue.enqueue(JOB, queue="bulk", key="retention")
