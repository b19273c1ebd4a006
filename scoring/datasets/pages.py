"""Training data of a round, in the browser: what would come out, and the file."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.common import forms as refusals
from annotation.people import permissions
from annotation.people.permissions import Scope, shows
from annotation.rounds.models import Round
from evalsite import errors
from scoring.datasets import queries
from scoring.datasets.forms import form_of, source_of
from scoring.datasets.rules import OWN
from scoring.figures import labels
from scoring.figures import pages as waiting
from scoring.figures.pages import like_this
from scoring.results import exports
from scoring.results.facts import around
from scoring.shown import sheet as shown_sheet


@shows(permissions.UNBLINDED)
def datasets_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how many examples come out by what is asked, and why the others are left out."""
    mine = labels.of_reading(scope, number)
    context: dict[str, Any] = around(mine, "results_datasets")
    if shut := waiting.closed(request, mine, context):
        return shut
    page = "scoring/datasets/results_datasets.html"
    if mine.round.state != Round.State.FINAL:
        return render(request, page, context)
    asked, status = request.GET.dict(), 200
    form = form_of(mine, asked)
    try:
        source = source_of(mine, asked)
    except errors.Invalid as refusal:
        status = refusal.status  # the fields say what is wrong
    except errors.Refusal as refusal:
        form, status = form_of(mine, {}), refusal.status
        refusals.show(form, refusal)
    else:
        context |= {"found": queries.counted(source), "kind": source.kind}
    context |= {"form": form, "query": request.GET.urlencode()}
    return render(request, page, context, status=status)


@shows(permissions.UNBLINDED)
def datasets_zip(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the examples; where none can be made, the page says so."""
    try:
        source = source_of(labels.allowed(scope, number), request.GET.dict())
    except errors.Refusal:
        return redirect(like_this(request, "results_datasets", scope.project.slug, number))
    return packed(source)


@shows(permissions.UNBLINDED)
def preferences_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send what was chosen as a table; where nothing was, the page says so."""
    asked = {**request.GET.dict(), "form": OWN}
    try:
        source = source_of(labels.allowed(scope, number), asked)
    except errors.Refusal:
        return redirect(like_this(request, "results_datasets", scope.project.slug, number))
    return exports.sent(source.mine, "preferences.csv", queries.own_lines(source))


def packed(source: queries.DataSource) -> HttpResponseBase:
    """Return the ZIP that is asked for, for pages and programs; who took it is written down."""
    pieces = queries.packed(source, timezone.now())
    return exports.sent(source.mine, f"{source.kind}.zip", pieces, shown_sheet.ZIP)
