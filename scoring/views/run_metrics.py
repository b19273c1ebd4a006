"""What a run of metrics came to, as a page and as a file."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.operations import run_exporting
from scoring.queries import metric_results, run_reading
from scoring.views.files import stream


@require_GET
@door(permissions.UNBLINDED)
def run_metrics(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the means of every release, and why answers have no value."""
    try:
        reading = metric_results.allowed(scope, number)
        board = metric_results.board(reading)
    except errors.Refusal as refusal:
        context = {"scope": scope, "run": run_reading.of(scope, number).run, "refusal": refusal}
        return render(request, "scoring/runs/closed.html", context, status=refusal.status)
    context = {"scope": scope, "run": reading.run, "board": board}
    return render(request, "scoring/runs/metrics.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_metrics_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the means of every release as CSV."""
    try:
        reading = metric_results.allowed(scope, number)
        board = metric_results.board(reading)
    except errors.Refusal:
        return redirect("run_metrics", scope.project.slug, number)  # that page says why
    return stream(run_exporting.export_metrics(reading=reading, board=board, now=timezone.now()))
