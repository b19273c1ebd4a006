"""Tables and plots of a round's results, and of a movement, as files."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, StreamingHttpResponse
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
from scoring.queries import labels, movement, reading, sheets_of_movement, sources
from scoring.queries.movement import Chosen
from scoring.queries.pictures import PICTURES, NothingToDraw
from scoring.queries.reading import Reading
from scoring.queries.sheets import SHEETS
from scoring.queries.sources import Source
from scoring.views import sides


def send(export: Export) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )


@require_GET
@door(permissions.UNBLINDED)
def sheet_csv(request: HttpRequest, scope: Scope, number: int, table: str) -> HttpResponseBase:
    """Stream a table as CSV; while its figure is computed, go to the tab that waits for it."""
    if table not in SHEETS:
        raise Http404
    kind = SHEETS[table]
    found = _source(request, scope, number, kind.figure)
    if not isinstance(found, Source):
        return found
    mine = reading.of(scope, number)
    lines = kind.make(found).lines()
    form = f"{table}.csv"
    now = timezone.now()
    return send(exporting.export_lines(reading=mine, form=form, lines=lines, now=now))


@require_GET
@door(permissions.UNBLINDED)
def picture_svg(request: HttpRequest, scope: Scope, number: int, plot: str) -> HttpResponseBase:
    """Send a plot as SVG; while its figure is computed, go to the tab that waits for it."""
    if plot not in PICTURES:
        raise Http404
    kind = PICTURES[plot]
    found = _source(request, scope, number, kind.figure)
    if not isinstance(found, Source):
        return found
    try:
        drawn = kind.make(found, False).file()
    except NothingToDraw:
        return redirect(sources.TABS[kind.figure], scope.project.slug, number)  # it says why
    mine = reading.of(scope, number)
    return send(_svg(mine, f"{plot}.svg", drawn))


@require_GET
@door(permissions.UNBLINDED)
def movement_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Stream the causes of a movement as CSV; while they are computed, go to the page that waits."""
    ready = _moved(request, scope)
    if ready is None:
        return redirect(_page(request, scope))
    mine, chosen, data = ready
    titles = {one.pk: one.name for one in movement.capabilities(data, scope.project)}
    lines = sheets_of_movement.causes(chosen, data, titles).lines()
    now = timezone.now()
    return send(exporting.export_lines(reading=mine, form="movement.csv", lines=lines, now=now))


@require_GET
@door(permissions.UNBLINDED)
def movement_tags_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Stream every pair of two rounds with what it counts as."""
    found = sides.complete(request, scope)
    if found is None:
        return redirect(_page(request, scope))
    lines = sheets_of_movement.tags(found[1]).lines()
    now = timezone.now()
    return send(exporting.export_lines(reading=found[0], form="tags.csv", lines=lines, now=now))


@require_GET
@door(permissions.UNBLINDED)
def movement_svg(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Send the waterfall of a movement as SVG."""
    ready = _moved(request, scope)
    if ready is None:
        return redirect(_page(request, scope))
    mine, _chosen, data = ready
    shown = movement.asked(data, request.GET)
    if shown.problem:
        return redirect(_page(request, scope))
    return send(_svg(mine, "movement.svg", shown.drawing().file()))


def _source(
    request: HttpRequest, scope: Scope, number: int, name: str
) -> Source | HttpResponseBase:
    """Return a figure that is ready; else the way to the tab that waits, or says why it will not."""
    tab = reverse(sources.TABS[name], args=[scope.project.slug, number])
    query = request.GET.urlencode()
    there = f"{tab}?{query}" if query else tab
    try:
        mine = reading.allowed(scope, number)
        wish = sources.wish(name, mine, dict(request.GET.lists()))
    except errors.Refusal:
        return redirect(there)
    figure = figures.get(name=name, round_=mine.round, params=wish.params, now=timezone.now())
    if figure.state != Figure.State.READY:
        return redirect(there)
    return Source(mine.round, figure.data or {}, labels.of(mine.round), mine.names)


def _moved(
    request: HttpRequest, scope: Scope
) -> tuple[Reading, Chosen, Mapping[str, object]] | None:
    found = sides.complete(request, scope)
    if found is None:
        return None
    mine, chosen = found
    now = timezone.now()
    figure = figures.get(
        name="fluctuation", round_=mine.round, params=movement.params(chosen), now=now
    )
    if figure.state != Figure.State.READY:
        return None
    return mine, chosen, figure.data or {}


def _page(request: HttpRequest, scope: Scope) -> str:
    here = reverse("movement", args=[scope.project.slug])
    return f"{here}?{request.GET.urlencode()}" if request.GET else here


def _svg(mine: Reading, form: str, drawn: str) -> Export:
    return exporting.export_lines(
        reading=mine,
        form=form,
        lines=iter([drawn]),
        now=timezone.now(),
        content_type=exporting.SVG,
    )
