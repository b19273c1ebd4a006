"""What happened to somebody's qualification lately, in the words of their own list: kindly, no figures."""

from collections.abc import Iterator
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.models import Qualification, Rater
from annotation.queries.workmessages import NEWS, Message
from annotation.rules.names import isolated

Event = Qualification.Event
#: Of these somebody hears; what they did themselves they know.
TOLD = (
    Event.PASSED,
    Event.FAILED,
    Event.UNDECIDED,
    Event.LAPSED,
    Event.ALLOWED,
    Event.REINSTATED,
)


def messages(rater: Rater, now: datetime) -> Iterator[Message]:
    """Yield what somebody should know of the last week, the newest first."""
    rows = Qualification.objects.filter(rater=rater, event__in=TOLD, at__gt=now - NEWS)
    for one in rows.select_related("capability", "round").order_by("-pk"):
        yield Message(_title(one), _text(one), one.at)


def _title(step: Qualification) -> str:
    named = {"about": isolated(step.capability.name)}
    if step.event in {Event.PASSED, Event.ALLOWED}:
        return _("You have qualified in %(about)s") % named
    if step.event in {Event.FAILED, Event.UNDECIDED}:
        return _("How your trial in %(about)s went") % named
    return _("Train once more in %(about)s") % named


def _text(step: Qualification) -> str:
    if step.event in {Event.PASSED, Event.ALLOWED}:
        return _("Its questions come to you from now on.")
    if step.event == Event.FAILED:
        return _(
            "Not passed yet. Under Training you see where your grades and the reference differ."
        )
    if step.event == Event.UNDECIDED:
        return _("It was too small to tell, or not finished. There will be another one.")
    return _("Go through the examples under Training; then there is another trial.")
