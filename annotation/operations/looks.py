"""Keep what somebody found who looked into an annotator's signals. Nothing else follows from it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Grade, Look, Rater, Round, User
from annotation.operations import audit
from annotation.operations.rounds import drafting
from evalsite import errors

LONGEST = 1000


class NoteMissing(errors.Invalid):
    code = "note_missing"


class NotOfThisRound(errors.Invalid):
    code = "not_of_this_round"


class OwnSignals(errors.NotAllowed):
    code = "own_signals"


@transaction.atomic
def look(
    *, round_: Round, rater: Rater, because: Mapping[str, Any], note: str, by: User, now: datetime
) -> Look:
    """Say what was found; the annotator leaves the list until another signal is raised.

    Args:
        round_: whose signals.
        rater: the annotator.
        because: the signals that stood, with how much each rested on.
        note: what was found.
        by: who looked.
        now: the clock.

    Raises:
        NoteMissing: nothing is said, or too much.
        NotOfThisRound: the annotator has graded nothing in it.
        OwnSignals: the signals are of who looks.
    """
    said = note.strip()
    if not 0 < len(said) <= LONGEST:
        message = _("Write down what you found, in at most %(n)d signs.") % {"n": LONGEST}
        raise NoteMissing(message, fields={"note": [message]})
    if not Grade.objects.filter(round=round_, rater=rater).exists():
        raise NotOfThisRound(_("This annotator has graded nothing in the round."))
    if rater.user_id == by.pk:
        raise OwnSignals(
            _("These signals are about your own grades: somebody else looks into them.")
        )
    made = Look.objects.create(
        round=round_, rater=rater, because=dict(because), note=said, by=by, at=now
    )
    audit.record(
        project=round_.project,
        actor=by,
        verb="annotator.looked_into",
        subject=drafting.subject(round_),
        at=now,
        note=said,
        rater=str(rater.public_id),
        signals=sorted(because),
    )
    return made
