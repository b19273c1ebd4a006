"""Show somebody the names of a round's systems; from then on they are not blind in it."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Round, Unblinding, User
from annotation.operations import audit
from annotation.operations.rounds import drafting
from annotation.queries import unblinding
from evalsite import errors


class StillBlind(errors.NotAllowed):
    code = "still_blind"


@transaction.atomic
def show_names(*, round_: Round, by: User, now: datetime) -> None:
    """Write down that this person sees the names from now on; a second time changes nothing.

    Raises:
        StillBlind: they grade in the round or in a copy of it, and that is not final.
    """
    if round_.state != Round.State.FINAL and unblinding.grades_in(round_, by):
        raise StillBlind(
            _(
                "You grade in this round, so its names stay hidden from you until it is final. "
                "Nothing was changed."
            )
        )
    if unblinding.grades_in_a_copy(round_, by):
        raise StillBlind(
            _(
                "You grade in a copy of this round, so its names stay hidden from you until the copy "
                "is final. Nothing was changed."
            )
        )
    _seen, first = Unblinding.objects.get_or_create(round=round_, user=by, defaults={"at": now})
    if first:
        audit.record(
            project=round_.project,
            actor=by,
            verb="round.unblinded",
            subject=drafting.subject(round_),
            at=now,
        )
