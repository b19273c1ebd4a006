"""What a page answers while the figures it shows are being computed."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from scoring.engine import queries as run_reading
from scoring.engine.pages import back
from scoring.figures import operations as figures
from scoring.figures.models import Figure

POLL_SECONDS = 2


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


@require_POST
@door(permissions.UNBLINDED)
def run_figures_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Try the figures of a run that could not be computed once more."""
    reading = run_reading.of(scope, number)
    figures.ask_again_of_run(run=reading.run, now=timezone.now())
    messages.info(request, _("The figures are being computed again."))
    to = request.POST.get("next", "")
    return (
        redirect(to)
        if url_has_allowed_host_and_scheme(to, allowed_hosts=None)
        else back(reading.run)
    )
