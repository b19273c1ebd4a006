"""What a run of interviews came to, as a page and as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.interviews import ProfileFilter
from scoring.models import Figure
from scoring.operations import exporting, figures, run_exporting
from scoring.queries import (
    banner,
    interview_profiles,
    interview_results,
    interview_sheets,
    pictures,
)
from scoring.queries.interview_results import Board
from scoring.queries.pictures import NothingToDraw
from scoring.queries.run_reading import Reading
from scoring.views import interviews, waiting
from scoring.views.files import stream

PAGE = "scoring/runs/interviews.html"


@require_GET
@door(permissions.UNBLINDED)
def run_interviews(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the scores of every system under a profile, in pairs, and under other profiles."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    options = interview_profiles.of_params(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": ProfileFilter(options.params),
        "options": options,
        "query": request.GET.urlencode(),
        "named": interview_profiles.named(options),
    }
    figure = _figure(reading, options)
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    board = Board(figure.data or {}, options, reading)
    context |= {"board": board, "ready": figure, "picture": pictures.picture(board.draw)}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_interviews_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every score as CSV; while it is computed, go to the page that waits for it."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading, form="scores.csv", lines=found.csv_lines(), now=timezone.now()
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_interviews_table(
    request: HttpRequest, scope: Scope, number: int, table: str
) -> HttpResponseBase:
    """Send a table of the results as CSV; while it is computed, go to the page that waits for it."""
    if table not in interview_sheets.SHEETS:
        raise Http404(_("There is no such table."))
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading,
        form=f"{table}.csv",
        lines=interview_sheets.csv_lines(found, table),
        now=timezone.now(),
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_interviews_svg(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the scores as a drawing; while they are computed, go to the page that waits for them."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    try:
        drawn = found.draw(False).file()
    except NothingToDraw:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading,
        form=banner.named("scores.svg", banner.of_run(found.reading.run)),
        lines=iter([drawn]),
        now=timezone.now(),
        content_type=exporting.SVG,
    )
    return stream(export)


def _figure(reading: Reading, options: interview_profiles.Options) -> Figure:
    return figures.of_run(
        name=interview_results.FIGURE,
        run=reading.run,
        params=options.params,
        now=timezone.now(),
    )


def _ready(request: HttpRequest, scope: Scope, number: int) -> Board | None:
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal:
        return None
    options = interview_profiles.of_params(request.GET.dict())
    figure = _figure(reading, options)
    if figure.state != Figure.State.READY:
        return None
    return Board(figure.data or {}, options, reading)


def _page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    there = reverse("run_interviews", args=[scope.project.slug, number])
    return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)
