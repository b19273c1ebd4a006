"""The retraining list of designers: settle an entry with a note, say from when on one stands there."""

from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Project, Retraining, RetrainingLimit, User
from annotation.operations import audit
from annotation.operations.bank.refusals import Incomplete, NotNow
from annotation.queries import inspection_figures, standing
from annotation.rules import questions as rules


@transaction.atomic
def settle(*, project: Project, designer: User, note: str, by: User, now: datetime) -> Retraining:
    """Take a designer off the list; what was before no longer counts against them.

    Raises:
        NotNow: their role does not decide this, they stand on the list themselves, or nobody does.
        Incomplete: nothing was said about what was done.
    """
    _refuse_others(project, by)
    if designer.pk == by.pk:
        raise NotNow(_("Somebody else settles this for you."))
    Project.objects.select_for_update().get(pk=project.pk)
    entry = next(
        (one for one in inspection_figures.retraining(project) if one.designer.pk == designer.pk),
        None,
    )
    if entry is None:
        raise NotNow(_("They are not on the list. Somebody may have settled it just now."))
    note = note.strip()
    if not note or len(note) > 1000:
        message = _("Say what was done, in at most 1000 characters; it stays on record.")
        raise Incomplete(message, fields={"note": [message]})
    made = Retraining.objects.create(
        project=project, designer=designer, note=note, because=asdict(entry.need), by=by, at=now
    )
    audit.record(
        project=project,
        actor=by,
        verb="retraining.settled",
        subject=f"user:{designer.public_id}",
        at=now,
        note=note,
    )
    return made


@transaction.atomic
def set_limit(*, project: Project, percent: int, by: User, now: datetime) -> RetrainingLimit:
    """Say above which share of returns designers stand on the list.

    Raises:
        NotNow: their role does not decide this.
        Incomplete: it is no percentage.
    """
    _refuse_others(project, by)
    if not 1 <= percent <= 100:
        message = _("Give a percentage from 1 to 100.")
        raise Incomplete(message, fields={"percent": [message]})
    before = inspection_figures.limit_of(project)
    made = RetrainingLimit.objects.create(project=project, percent=percent, by=by, at=now)
    audit.record(
        project=project,
        actor=by,
        verb="retraining.limited",
        subject="retraining",
        at=now,
        before=before,
        after=percent,
    )
    return made


def _refuse_others(project: Project, by: User) -> None:
    if not standing.roles(project.pk, by) & rules.CURATORS:
        raise NotNow(_("Owners and curators decide on the retraining of designers."))
