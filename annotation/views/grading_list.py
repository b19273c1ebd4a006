"""The annotator's home: what to grade now, what to know, and one's own week. Plain values only."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.models import Rater
from annotation.operations import reasons
from annotation.permissions import Scope, door
from annotation.queries import worklist, workmessages, workweek
from annotation.queries.worklist import Work
from annotation.rules.names import isolated
from annotation.views import grading
from evalsite import panels

#: Of several reasons why there is nothing to grade, the one that says most of what comes next.
TELLING = (
    "not_qualified",
    "waiting",
    "paused",
    "deadline_passed",
    "all_done",
    "closed",
    "not_invited",
)


@require_GET
@grading.private
@door(permissions.ANNOTATORS)
def work(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what there is to grade, and everything that somebody who grades should know."""
    rater, now = grading.rater_of(scope), timezone.now()
    rounds = worklist.list_work(rater, now)
    first = next((one for one in rounds if one.held or one.can_claim), None)
    week = workweek.week(rater, now)
    flagged = workmessages.n_flagged(rater)
    context = {
        "project": scope.project,
        "guide": next(panels.fill("annotator_guide", scope=scope), None),
        "name": scope.user.display_name,
        "first": first,
        "minutes_each": week.minutes_each.get(first.number) if first else None,
        "rounds": [one for one in rounds if one is not first],
        "empty": None if first else empty(scope, rater, rounds, flagged),
        "messages_for_me": messages_for(scope, rater, now),
        "week": week,
        "flagged": workmessages.flagged_text(flagged) if flagged else "",
        "device": device(request, scope),
    }
    return render(request, "annotation/worklist.html", context)


def messages_for(scope: Scope, rater: Rater, now: datetime) -> list[dict[str, Any]]:
    """Return what to know; other parts of the product add theirs in the slot "annotator_messages"."""
    more = panels.fill("annotator_messages", scope=scope, rater=rater, now=now)
    found = workmessages.list_messages(
        scope.project, rater, now, [one for several in more for one in several]
    )
    return [
        {"message": one, "url": reverse("grade", args=[scope.project.slug, one.token])}
        if one.token
        else {"message": one, "url": ""}
        for one in found
    ]


def empty(scope: Scope, rater: Rater, rounds: list[Work], flagged: int) -> dict[str, str]:
    """Return why there is nothing to grade, and what happens next.

    Whoever has to qualify first is told so by the slot "annotator_gate", with the way there.
    """
    for gate in panels.fill("annotator_gate", scope=scope, rater=rater):
        return dict(gate)
    if opening := worklist.opening_soon(rater):
        title = _("%(name)s opens in a moment") % {"name": isolated(opening[0])}
        return {
            "title": title,
            "text": _("It is being set out just now. It appears here by itself when it is ready."),
        }
    whys = {one.why for one in rounds}
    why = next((one for one in TELLING if one in whys), "")
    if flagged and why in {"", "all_done", "closed", "not_invited"}:
        return {
            "title": _("Your flags await an answer"),
            "text": workmessages.flagged_text(flagged)
            + " "
            + _("The curator looks at them; the answer appears here. Everything else is done."),
        }
    if not why:
        return {
            "title": _("Nothing to grade yet"),
            "text": _(
                "When a curator opens a round and chooses you as an annotator, it appears here "
                "by itself. There is nothing you need to do."
            ),
        }
    known = reasons.WHY[why]
    return {"title": str(known[0]), "text": str(known[1])}


def device(request: HttpRequest, scope: Scope) -> dict[str, str]:
    """Return what the script needs to send what this device still keeps for this person."""
    return {
        "device": grading.device_of(scope.user),
        "csrf": get_token(request),
        "base": reverse("grading", args=[scope.project.slug]),
    }
