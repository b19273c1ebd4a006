"""Decide what annotators see where a response names its system."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import IdentityHit, Round, User
from annotation.operations import audit
from annotation.operations.rounds import drafting


@transaction.atomic
def decide(
    *,
    round_: Round,
    terms: Sequence[str] | None = None,
    hits: Sequence[int] | None = None,
    undecided_only: bool = False,
    decision: IdentityHit.Decision,
    by: User,
    now: datetime,
) -> int:
    """Mask these places for the annotators, or leave them as they are; return how many.

    Args:
        terms: all places of these terms.
        hits: these places only.
        undecided_only: leave what was decided before as it is.

    Raises:
        NotADraft: the round is open, and what annotators see is frozen.
    """
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if locked.state != Round.State.DRAFT or locked.opening_at is not None:
        raise drafting.NotADraft(
            _("This round has been opened; what its annotators see is frozen.")
        )
    chosen = round_.identity_hits.all()
    if terms is not None:
        chosen = chosen.filter(term__in=terms)
    if hits is not None:
        chosen = chosen.filter(pk__in=hits)
    if undecided_only:
        chosen = chosen.filter(decision=IdentityHit.Decision.UNDECIDED)
    decided = chosen.update(decision=decision, decided_by=by, decided_at=now)
    audit.record(
        project=round_.project,
        actor=by,
        verb="round.identity_decided",
        subject=drafting.subject(round_),
        at=now,
        decision=str(decision),
        n=decided,
    )
    return decided
