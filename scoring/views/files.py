"""Results and grades of a round as files."""

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.models import Figure
from scoring.operations import exporting, figures
from scoring.operations.exporting import Export
from scoring.queries import (
    breakdown,
    cut,
    exports,
    graded,
    reading,
    results,
    sheets_of_scores,
)


def stream(export: Export) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )


@require_GET
@door(permissions.UNBLINDED)
def grades(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream the grades of a round; systems go by numbers while their names are hidden."""
    try:
        mine = reading.allowed(scope, number)
    except errors.Refusal:
        return redirect("results", scope.project.slug, number)  # that page says why
    return stream(exporting.export_grades(reading=mine, form=form, now=timezone.now()))


@require_GET
@door(permissions.UNBLINDED)
def results_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the scores and accuracies with their intervals; while they are computed, the page."""
    page = _page(request, scope, number, "results")
    try:
        mine = reading.allowed(scope, number)
        chosen = cut.read(mine, dict(request.GET.lists()))
    except errors.Refusal:
        return redirect(page)
    now = timezone.now()
    figure = figures.get(name=results.FIGURE, round_=mine.round, params=chosen.params, now=now)
    if figure.state != Figure.State.READY or figure.data is None:
        return redirect(page)
    filters = "; ".join(f"{title}: {value}" for title, value in chosen.said())
    lines = exports.score_lines(chosen.result(figure.data), filters)
    return stream(exporting.export_scores(reading=mine, lines=lines, now=now))


@require_GET
@door(permissions.UNBLINDED)
def breakdown_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every cell of capability, difficulty and area; while they are computed, the page."""
    page = _page(request, scope, number, "results_breakdown")
    try:
        mine = reading.allowed(scope, number)
        chosen = cut.read(mine, dict(request.GET.lists()))
    except errors.Refusal:
        return redirect(page)
    now = timezone.now()
    figure = figures.get(
        name=breakdown.FIGURE, round_=mine.round, params=breakdown.params(chosen), now=now
    )
    if figure.state != Figure.State.READY or figure.data is None:
        return redirect(page)
    sheet = sheets_of_scores.parts(breakdown.Breakdown(figure.data, chosen), chosen)
    return stream(
        exporting.export_lines(reading=mine, form="breakdown.csv", lines=sheet.lines(), now=now)
    )


@require_GET
@door(permissions.UNBLINDED)
def items_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream the grades behind a cell; where the address names none, the page says so."""
    try:
        mine = reading.allowed(scope, number)
        query = dict(request.GET.lists())
        cell = graded.cell(cut.read(mine, query), query)
    except errors.Refusal:
        return redirect(_page(request, scope, number, "results_items"))
    sheet = sheets_of_scores.grades(cell, with_people=scope.may(permissions.CURATORS))
    lines, now = sheet.lines(), timezone.now()
    return stream(exporting.export_lines(reading=mine, form="cell.csv", lines=lines, now=now))


def _page(request: HttpRequest, scope: Scope, number: int, name: str) -> str:
    """Return the page that shows the same, or says why not."""
    url = reverse(name, args=[scope.project.slug, number])
    return f"{url}?{request.GET.urlencode()}" if request.GET else url
