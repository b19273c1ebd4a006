"""The results of a round, and the list of rounds that have any."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation import permissions
from annotation.operations import unblinding
from annotation.permissions import Scope, door
from annotation.queries import grade_table
from evalsite import errors, keyset
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import exports, facts, plots, reading, results, rounds
from scoring.queries import table as wide
from scoring.queries.reading import Reading
from scoring.queries.tabs import tabs

POLL_SECONDS = 2


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


@require_GET
@door(permissions.UNBLINDED)
def round_results(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the results of a round, or how far they are; a page that waits asks again by itself."""
    mine = reading.of(scope, number)
    context: dict[str, Any] = {"scope": scope, "round": mine.round, "reading": mine}
    context["tabs"] = tabs(scope.project, mine.round, "results")
    context["here"] = request.get_full_path()
    try:
        reading.allowed(scope, number)
    except errors.Refusal as refusal:
        context["refusal"] = refusal
        status = 200 if mine.is_draft else refusal.status
        return render(request, "scoring/results_closed.html", context, status=status)
    figure = figures.scores_of(round_=mine.round, now=timezone.now())
    context |= {"figure": figure, "poll": POLL_SECONDS}
    if figure.state != Figure.State.READY:
        template = "results_part" if request.headers.get("HX-Request") else "results_wait"
        return render(request, f"scoring/{template}.html", context)
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/results.html", context | content(mine, figure))


def content(mine: Reading, figure: Figure) -> dict[str, Any]:
    """Return what the page shows of a figure that is ready."""
    result = results.of(mine.round, figure.data or {}, mine.names)
    plot = result.plot
    return {
        "result": result,
        "facts": facts.facts(result),
        "plot": plots.named(plot, result.names, result.title) if plot else None,
        "plot_config": plots.CONFIG,
        "scores": result.parts("score", criteria=True),
        "accuracy": result.parts("accuracy", criteria=False),
    }


@require_POST
@door(permissions.UNBLINDED)
def show_names(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show this person the names of the systems from now on."""
    try:
        mine = reading.allowed(scope, number)
        unblinding.show_names(round_=mine.round, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("results", scope.project.slug, number)


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
    return redirect("results", scope.project.slug, number)


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
