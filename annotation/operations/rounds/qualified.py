"""Whether a round asks for qualification, and why it may open although too few have qualified."""

from datetime import datetime

from django.utils.translation import gettext as _

from annotation.models import Round
from annotation.rules.rounds import LONGEST_REASON
from evalsite import errors


class OwnerNeeded(errors.NotAllowed):
    code = "override_needed"


def asked_since(round_: Round, asked: bool | None, now: datetime) -> datetime | None:
    """Return since when a round asks for qualification; one that trains people never does.

    Args:
        round_: a draft.
        asked: what was entered; None leaves it as it is.
        now: the clock.
    """
    if asked is None:
        return round_.qualified_only_since
    if round_.kind != Round.Kind.PRODUCTION or not asked:
        return None
    return round_.qualified_only_since or now


def too_few_may(round_: Round, said: str | None, *, by_owner: bool) -> str | None:
    """Return the reason that a draft keeps; None: it may not open with too few.

    Args:
        round_: a draft.
        said: what was entered; None leaves the reason as it is, an empty one takes it back.
        by_owner: whether an owner entered it.

    Raises:
        OwnerNeeded: somebody else entered another reason than the one that stands.
    """
    before = round_.qualified_override
    wanted = before if said is None else " ".join(said.split())[:LONGEST_REASON] or None
    if wanted and wanted != before and not by_owner:
        message = _("Only an owner may let a round open although too few have qualified.")
        raise OwnerNeeded(message, fields={"qualified_override": [message]})
    return wanted
