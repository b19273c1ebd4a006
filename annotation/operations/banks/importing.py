"""Bring a bank file in: read it through first; then all of it in one transaction, or nothing."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import DatabaseError, transaction
from django.utils.translation import gettext as _

from annotation.models import BankFile, Project, User
from annotation.operations import audit, similarity
from annotation.operations.banks import files
from annotation.operations.banks.histories import Histories
from annotation.operations.banks.settling import Settling
from annotation.queries.banks import checks
from annotation.queries.banks.comparing import Standing
from annotation.queries.banks.reading import BankArchive, NoBank
from annotation.rules.banks.records import PARTS

Clock = Callable[[], datetime]
State = BankFile.State


class _Differs(Exception):
    """Something differs here that did not when the file was read through."""


def check(*, file: BankFile, clock: Clock) -> None:
    """Read a file through and store what would come of it. Nothing of the bank is written."""

    def tell(done: int) -> None:
        BankFile.objects.filter(pk=file.pk).update(done=done, touched_at=clock())

    try:
        with files.opened(file) as kept:
            archive = BankArchive(kept)
            said = archive.manifest
            BankFile.objects.filter(pk=file.pk).update(total=min(said.n_records, 2**31 - 1))
            report = checks.check(archive, file.project, tell)
    except NoBank as stop:
        files.move(file, State.REFUSED, clock(), said=str(stop)[:500], report={})
        return
    found: dict[str, Any] = report.as_dict()
    found |= {"sha": said.sha, "from": said.title, "slug": said.slug, "named": said.named}
    state = State.REFUSED if report.n_problems else State.READY
    files.move(file, state, clock(), report=found, said="")


def bring_in(*, file: BankFile, clock: Clock) -> None:
    """Bring in a file that was confirmed: all of it, or nothing and the reason is told."""
    now = clock()
    try:
        with files.opened(file) as kept, transaction.atomic():
            Project.objects.select_for_update().get(pk=file.project_id)
            fresh = BankFile.objects.select_for_update().get(pk=file.pk)
            if fresh.state != State.CONFIRMED:
                return
            archive = BankArchive(kept)
            archive.verify()
            counts: dict[str, Any] = write(
                archive=archive, project=file.project, keep_own=fresh.keep_own, by=file.by, now=now
            )
            files.move(fresh, State.APPLIED, now, report={**fresh.report, "made": counts})
            audit.record(
                project=file.project,
                actor=file.by,
                verb="bank.imported",
                subject=f"bank:{file.number}",
                at=now,
                sha=file.sha,
                **counts,
            )
            _read_anew(file.project)
    except NoBank as stop:
        files.move(file, State.FAILED, clock(), said=str(stop)[:500])
    except _Differs as stop:
        files.move(file, State.FAILED, clock(), said=str(stop)[:500])
    except DatabaseError as problem:
        words = _("Nothing was brought in: the database refused a record (%(reason)s).")
        files.move(file, State.FAILED, clock(), said=(words % {"reason": problem})[:500])


def write(
    *, archive: BankArchive, project: Project, keep_own: bool, by: User, now: datetime
) -> dict[str, Any]:
    """Write the records of a bank that a project lacks; return how many of each part.

    Called within a transaction. The archive was read through and had no problems.

    Raises:
        _Differs: something differs here, and nothing was said of what is to become of it.
        NoBank: the archive cannot be read.
    """
    standing = Standing(project)
    settling = Settling(project, standing, archive.manifest.named, keep_own, by, now)
    histories = Histories(project, standing, settling, keep_own)
    in_batches = {"questions": histories.add, "sources": settling.sources}
    for part in PARTS:
        rows = (one for _line, one in archive.records(part) if isinstance(one, dict))
        if part in in_batches:
            for some in checks.batches(rows, checks.SOME):
                in_batches[part](some)
        else:
            settling.take(part, list(rows))
    differing = settling.n_differing + histories.n_differing
    if differing and not keep_own:
        raise _Differs(
            _("Nothing was brought in: meanwhile something differs here. Check the file again.")
        )
    return {**settling.made, **histories.made}


def _read_anew(project: Project) -> None:
    """Have the questions be found by words and near-duplicates as soon as a worker has read them."""
    similarity.ring(project.pk)
