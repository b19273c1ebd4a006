"""Let people grade questions they wrote or inspected: an owner says why, and it is recorded."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Round, RoundAnnotator, User
from annotation.operations import audit
from annotation.operations.rounds import drafting
from annotation.queries import own
from annotation.rules.rounds import LONGEST_REASON
from evalsite import errors


class OwnerNeeded(errors.NotAllowed):
    code = "owner_needed"


class NobodyInvolved(errors.Conflict):
    code = "nobody_involved"


@transaction.atomic
def allow_own(*, round_: Round, reason: str, by: User, by_owner: bool, now: datetime) -> int:
    """Let the annotators grade what they wrote or inspected; an empty reason takes that back.

    What they have graded stays. Returns how many people it concerns.

    Raises:
        OwnerNeeded: only an owner may say so.
        NobodyInvolved: nobody of the round wrote or inspected any of its questions.
        NotADraft: the round is final.
    """
    locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    if not by_owner:
        raise OwnerNeeded(_("Only an owner may let people grade questions of their own."))
    if locked.state == Round.State.FINAL:
        raise drafting.NotADraft(_("This round takes no grades any more."))
    places = [one.place.pk for one in own.involved(locked)]
    if not places:
        raise NobodyInvolved(
            _("Nobody of this round wrote or inspected one of its questions. Nothing was changed.")
        )
    said = " ".join(reason.split())[:LONGEST_REASON]
    RoundAnnotator.objects.filter(pk__in=places).update(own_override=said)
    audit.record(
        project=locked.project,
        actor=by,
        verb="round.own_allowed" if said else "round.own_forbidden",
        subject=drafting.subject(locked),
        at=now,
        note=said,
        annotators=len(places),
    )
    return len(places)
