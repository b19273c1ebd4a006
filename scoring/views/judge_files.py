"""Tables and plots of judges beside people as files."""

from collections.abc import Iterator

from django.http import Http404, HttpRequest
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
from scoring.queries import banner, judge_asked, sheets_of_judges
from scoring.queries.judge_options import Options
from scoring.queries.pictures import NothingToDraw
from scoring.views import downloads

PAGES = {
    "judge_pairs": "judges_pairs",
    "judge_mixes": "judges_together",
    "powered": "judges_fewer",
    "judge": "judge_people",
    "judge_apart": "judge_apart",
}


@require_GET
@door(permissions.UNBLINDED)
def judges_csv(
    request: HttpRequest, scope: Scope, table: str, judge: int | None = None
) -> HttpResponseBase:
    """Stream a table as CSV; while its figure is computed, go to the page that waits for it."""
    kind = sheets_of_judges.TABLES.get(table)
    if kind is None or (kind.figure in judge_asked.OF_ONE) != (judge is not None):
        raise Http404
    found = _ready(request, scope, kind.figure, judge)
    if found is None:
        return redirect(_page(request, scope, kind.figure, judge))
    figure, options = found
    return _send(options, f"{table}.csv", kind.make(figure.data or {}, options).lines())


@require_GET
@door(permissions.UNBLINDED)
def judges_svg(
    request: HttpRequest, scope: Scope, plot: str, judge: int | None = None
) -> HttpResponseBase:
    """Send a plot as SVG; while its figure is computed, go to the page that waits for it."""
    kind = sheets_of_judges.PLOTS.get(plot)
    if kind is None or (kind.figure in judge_asked.OF_ONE) != (judge is not None):
        raise Http404
    found = _ready(request, scope, kind.figure, judge)
    if found is None:
        return redirect(_page(request, scope, kind.figure, judge))
    figure, options = found
    try:
        drawn = kind.make(figure.data or {}, options).file()
    except NothingToDraw:
        return redirect(_page(request, scope, kind.figure, judge))
    return _send(options, f"{plot}.svg", iter([drawn]), exporting.SVG)


def _ready(
    request: HttpRequest, scope: Scope, name: str, judge: int | None
) -> tuple[Figure, Options] | None:
    """Return the figure that an address asks for; None where its page has something to say first."""
    try:
        options = judge_asked.options(name, scope, request.GET, judge)
    except errors.Refusal:
        return None
    if options.choice is None:
        return None
    params = judge_asked.params(name, options.choice)
    figure = figures.get(name=name, round_=options.round, params=params, now=timezone.now())
    return (figure, options) if figure.state == Figure.State.READY else None


def _page(request: HttpRequest, scope: Scope, name: str, judge: int | None) -> str:
    found = [scope.project.slug] if judge is None else [scope.project.slug, judge]
    there = reverse(PAGES.get(name, "judges_people"), args=found)
    return f"{there}?{request.GET.urlencode()}" if request.GET else there


def _send(
    options: Options, form: str, lines: Iterator[str], content_type: str = exporting.CSV
) -> HttpResponseBase:
    judges = options.choice.judges if options.choice else ()
    export = exporting.export_lines(
        reading=options.chosen[0],
        form=banner.named(form, banner.of_judges(judges, [one.round for one in options.chosen])),
        lines=lines,
        now=timezone.now(),
        content_type=content_type,
    )
    return downloads.send(export)
