"""Interview scores of a run against accuracy and other benchmarks."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.contamination import ContaminationFilter
from scoring.models import Figure
from scoring.operations import contamination_figuring, run_exporting
from scoring.queries import contamination_options, interview_results
from scoring.queries.contamination_results import Board
from scoring.queries.run_reading import Reading
from scoring.views import interviews, waiting
from scoring.views.files import stream

PAGE = "scoring/runs/contamination.html"


@require_GET
@door(permissions.UNBLINDED)
def run_contamination(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show who is interviewed worse than its accuracy suggests, and what other benchmarks say."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    options = contamination_options.of_run(reading.run, request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": ContaminationFilter(options.params, project=scope.project),
        "options": options,
        "query": request.GET.urlencode(),
        "may_import": scope.may(permissions.CURATORS),
    }
    figure = _figure(reading, options)
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    context |= {"board": _board(figure, reading, options), "ready": figure}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_contamination_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every distance and correlation as CSV; while they are computed, go to the page."""
    there = reverse("run_contamination", args=[scope.project.slug, number])
    there = f"{there}?{request.GET.urlencode()}" if request.GET else there
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal:
        return redirect(there)
    options = contamination_options.of_run(reading.run, request.GET.dict())
    figure = _figure(reading, options)
    if figure.state != Figure.State.READY:
        return redirect(there)
    lines = _board(figure, reading, options).csv_lines()
    export = run_exporting.export_lines(
        reading=reading, form="contamination.csv", lines=lines, now=timezone.now()
    )
    return stream(export)


def _figure(reading: Reading, options: contamination_options.Options) -> Figure:
    return contamination_figuring.figure_of(run=reading.run, options=options, now=timezone.now())


def _board(figure: Figure, reading: Reading, options: contamination_options.Options) -> Board:
    named = dict(contamination_options.axes(reading.run.project))
    return Board(figure.data or {}, options, reading, named.get(options.axis, options.axis))
