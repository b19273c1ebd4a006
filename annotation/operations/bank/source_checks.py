"""Check sources: verified, not verified, withdrawn. Each time a row that stays."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Source, SourceCheck, SourceVersion, User
from annotation.operations import audit
from annotation.operations.bank.refusals import Incomplete, NotNow
from annotation.queries import sources as reads
from annotation.queries import standing
from annotation.rules import questions as rules
from annotation.rules.corpus import Standing

WITHDRAWN = SourceCheck.Outcome.WITHDRAWN


@transaction.atomic
def check(
    *, source: Source, number: int, outcome: str, how: str, by: User, now: datetime
) -> SourceCheck:
    """Write down what was found of a source; `number` is the version that was read.

    Raises:
        NotNow: it is not theirs to do, the source has a newer version, or it is withdrawn already.
        Incomplete: it does not say how.
    """
    source = (
        Source.objects.select_for_update(of=("self",)).select_related("project").get(pk=source.pk)
    )
    newest = SourceVersion.objects.filter(source=source).order_by("-number").first()
    assert newest is not None
    before = reads.standing_by(reads.checks_of(source), newest.number)
    _refuse(source, outcome, before, by)
    if number != newest.number:
        message = _("The source has version %(n)d by now. Read it before you say this.")
        raise NotNow(message % {"n": newest.number})
    how = how.strip()
    if not how:
        words = _("Say how you checked it, or why it is withdrawn.")
        raise Incomplete(words, fields={"how": [words]})
    made = SourceCheck.objects.create(version=newest, outcome=outcome, how=how, by=by, at=now)
    audit.record(
        project=source.project,
        actor=by,
        verb="source.checked",
        subject=f"source:{source.pk}/{newest.number}",
        at=now,
        note=how,
        outcome=outcome,
    )
    return made


def _refuse(source: Source, outcome: str, before: Standing, by: User) -> None:
    roles = standing.roles(source.project_id, by)
    if not roles & rules.INSPECTORS:
        raise NotNow(_("Inspectors, curators and owners check sources."))
    is_withdrawn = before == Standing.WITHDRAWN
    if (outcome == WITHDRAWN or is_withdrawn) and not roles & rules.CURATORS:
        raise NotNow(_("Owners and curators withdraw a source, or take it back into use."))
    if outcome == WITHDRAWN and is_withdrawn:
        raise NotNow(_("This source is withdrawn already."))
