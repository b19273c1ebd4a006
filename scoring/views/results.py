"""The list of rounds that have results; every grade of one; names and figures asked for."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation import permissions
from annotation.operations import unblinding
from annotation.permissions import Scope, door
from annotation.queries import grade_table
from evalsite import errors, keyset
from scoring.operations import figures
from scoring.queries import exports, reading, rounds
from scoring.queries import table as wide


@require_GET
@door(permissions.UNBLINDED)
def insight(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the rounds that have results."""
    page = rounds.page(scope.project, after=request.GET.get("after", ""))
    context = {
        "scope": scope,
        "lines": rounds.lines(page.rows),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/insight.html", context)


@require_POST
@door(permissions.UNBLINDED)
def show_names(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show this person the names of the systems from now on."""
    try:
        mine = reading.allowed(scope, number)
        unblinding.show_names(round_=mine.round, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, str(refusal))
    return _back(request, scope, number)


@require_POST
@door(permissions.UNBLINDED)
def compute_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Try the figures of the round that could not be computed once more."""
    try:
        mine = reading.allowed(scope, number)
    except errors.Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        figures.ask_again(round_=mine.round, now=timezone.now())
        messages.info(request, _("The figures are being computed again."))
    return _back(request, scope, number)


@require_GET
@door(permissions.UNBLINDED)
def results_table(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the four-dimensional table, wide, some questions a page."""
    try:
        mine = reading.allowed(scope, number)
    except errors.Refusal:
        return redirect("results", scope.project.slug, number)
    page = wide.page(mine.round, after=request.GET.get("after", ""))
    items = [place.item_id for place in page.rows]
    known = grade_table.facts([mine.round], items=items)
    context = {
        "scope": scope,
        "round": mine.round,
        "reading": mine,
        "names": list(mine.names.values()),
        "lines": wide.lines(exports.wide_rows(known, items), mine.names),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/results_table.html", context)


def _back(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Return to where the button stands, or to the scores where the form does not say."""
    to = request.POST.get("next", "")
    if to.startswith("/") and url_has_allowed_host_and_scheme(to, allowed_hosts=None):
        return redirect(to)
    return redirect("results", scope.project.slug, number)
