"""What a page answers while the figures it shows are being computed."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from annotation.people import permissions
from annotation.people.permissions import Scope, does
from evalsite import errors
from scoring.engine import queries as run_reading
from scoring.engine.pages import back
from scoring.figures import labels
from scoring.figures import operations as figures
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure

POLL_SECONDS = 2


def like_this(request: HttpRequest, name: str, *args: object) -> str:
    """Return the address of a page with all that this one asks."""
    there = reverse(name, args=args)
    return f"{there}?{request.GET.urlencode()}" if request.GET else there


def closed(request: HttpRequest, mine: ReadRound, context: dict[str, Any]) -> HttpResponse | None:
    """Return why somebody may not read the results of a round; None if they may."""
    try:
        labels.allowed(mine.scope, mine.round.number)
    except errors.Refusal as refusal:
        status = 200 if mine.is_draft else refusal.status
        shown = {**context, "refusal": refusal}
        return render(request, "scoring/results/results_closed.html", shown, status=status)
    return None


def answer(
    request: HttpRequest,
    figures: Sequence[Figure],
    context: dict[str, Any],
    *,
    page: str,
    here: str = "",
) -> HttpResponse | None:
    """Return the page that waits, or why there are no figures; None once all are there.

    A page that waits asks again by itself, for the part alone, and is loaded anew at the end.

    Args:
        request: what was asked.
        figures: that the page shows.
        context: of the page.
        page: the template of the whole page, which includes scoring/figures/parts/wait.html.
        here: the address to ask again at, where that of the request chooses less than was found.
    """
    by_itself = bool(request.headers.get("HX-Request"))
    missing = [one for one in figures if one.state != Figure.State.READY]
    if not missing:
        return HttpResponse(headers={"HX-Refresh": "true"}) if by_itself else None
    failed = [one for one in missing if one.will_not_come]
    made = context | {
        "figure": (failed or missing)[0],
        "n_figures": len(figures),
        "n_ready": len(figures) - len(missing),
        "poll": POLL_SECONDS,
        "here": here or request.get_full_path(),
    }
    return render(request, "scoring/figures/parts/wait.html" if by_itself else page, made)


@does(permissions.UNBLINDED)
def run_figures_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Try the figures of a run that could not be computed once more."""
    reading = run_reading.reading_of(scope, number)
    figures.ask_again_of_run(run=reading.run, now=timezone.now())
    messages.info(request, _("Recomputing."))
    to = request.POST.get("next", "")
    return (
        redirect(to)
        if url_has_allowed_host_and_scheme(to, allowed_hosts=None)
        else back(reading.run)
    )
