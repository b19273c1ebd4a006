"""Results and grades of a round as files."""

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.models import Figure
from scoring.operations import exporting, figures
from scoring.operations.exporting import Export
from scoring.queries import exports, reading, results


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
    try:
        mine = reading.allowed(scope, number)
    except errors.Refusal:
        return redirect("results", scope.project.slug, number)
    now = timezone.now()
    figure = figures.scores_of(round_=mine.round, now=now)
    if figure.state != Figure.State.READY or figure.data is None:
        return redirect("results", scope.project.slug, number)
    lines = exports.score_lines(results.of(mine.round, figure.data, mine.names))
    return stream(exporting.export_scores(reading=mine, lines=lines, now=now))
