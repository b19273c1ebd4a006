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
    form = form_of(mine, request.GET.dict())
    with refusals.shown(form) as told:
        source = source_of(mine, request.GET.dict())
        context |= {"found": queries.counted(source), "kind": source.kind}
    context |= {"form": form, "query": request.GET.urlencode()}
    return render(request, page, context, status=told.status)


@shows(permissions.UNBLINDED)
def datasets_file(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the file; where none can be made, the page says so."""
    try:
        mine = labels.allowed(scope, number)
        source = source_of(mine, request.GET.dict())
    except errors.Refusal:
        return redirect(like_this(request, "results_datasets", scope.project.slug, number))
    return file_of(source)


def file_of(source: queries.DataSource) -> HttpResponseBase:
    """Return the file that is asked for, for pages and programs; who took it is written down."""
    if source.kind == OWN:
        return exports.sent(source.mine, "preferences.csv", queries.own_lines(source))
    pieces = queries.packed(source, timezone.now())
    return exports.sent(source.mine, f"{source.kind}.zip", pieces, shown_sheet.ZIP)
