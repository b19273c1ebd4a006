"""Tables and plots of a round, and of a movement, for programs: CSV and SVG."""

from collections.abc import Iterator

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from evalsite.contract.calls import choice, contract, get
from evalsite.contract.files import AnyForm
from evalsite.contract.shapes import FILE
from scoring.api import asking, parameters
from scoring.operations import exporting
from scoring.queries import labels, movement, reading, sheets_of_movement, sources
from scoring.queries.pictures import PICTURES, NothingToDraw
from scoring.queries.reading import Reading
from scoring.queries.sheets import SHEETS
from scoring.queries.sources import Source


class NothingThere(errors.Conflict):
    """There is nothing to draw; the JSON of the figure says why."""

    code = "nothing_to_draw"


@api_view(["GET"])
@contract(
    get(
        FILE,
        query=parameters.TABLE,
        figure=True,
        parts=[choice("table", tuple(SHEETS), "Which table of the results.")],
    ),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def sheet(request: HttpRequest, scope: Scope, number: int, table: str) -> HttpResponseBase:
    """Stream a table as CSV; 202 while its figure is computed."""
    mine = reading.allowed(scope, number)
    if table not in SHEETS:
        raise Http404
    kind = SHEETS[table]
    found = _source(request, mine, kind.figure)
    if isinstance(found, Response):
        return found
    return _send(mine, f"{table}.csv", kind.make(found).lines())


@api_view(["GET"])
@contract(
    get(
        FILE,
        query=parameters.TABLE,
        figure=True,
        parts=[choice("plot", tuple(PICTURES), "Which plot of the results.")],
    ),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def picture(request: HttpRequest, scope: Scope, number: int, plot: str) -> HttpResponseBase:
    """Send a plot as SVG; 202 while its figure is computed."""
    mine = reading.allowed(scope, number)
    if plot not in PICTURES:
        raise Http404
    kind = PICTURES[plot]
    found = _source(request, mine, kind.figure)
    if isinstance(found, Response):
        return found
    try:
        drawn = kind.make(found, False).file()
    except NothingToDraw:
        said = _("There is nothing to draw yet; the JSON of the figure says why.")
        raise NothingThere(said) from None
    return _send(mine, f"{plot}.svg", iter([drawn]), exporting.SVG)


@api_view(["GET"])
@contract(
    get(FILE, query=parameters.MOVEMENT, figure=True),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def moved(
    request: HttpRequest, scope: Scope, before: int, after: int, system: int, form: str
) -> HttpResponseBase:
    """Send the causes of a movement as CSV or SVG, or the pairs it rests on as CSV."""
    mine, chosen = asking.chosen(scope, before, after, system)
    if form == "tags.csv":
        return _send(mine, form, sheets_of_movement.tags(chosen).lines())
    found = asking.figure(
        request, "fluctuation", chosen.after, movement.params(chosen), now=timezone.now()
    )
    if isinstance(found, Response):
        return found
    data = found.data or {}
    if form == "movement.csv":
        titles = {one.pk: one.name for one in movement.capabilities(data, scope.project)}
        return _send(mine, form, sheets_of_movement.causes(chosen, data, titles).lines())
    shown = movement.asked(data, request.GET)
    if shown.problem:
        raise NothingThere(shown.problem)
    return _send(mine, form, iter([shown.drawing().file()]), exporting.SVG)


def _source(request: HttpRequest, mine: Reading, name: str) -> Source | Response:
    wish = sources.wish(name, mine, dict(request.GET.lists()))
    found = asking.figure(request, name, mine.round, wish.params, now=timezone.now())
    if isinstance(found, Response):
        return found
    return Source(mine.round, found.data or {}, labels.of(mine.round), mine.names)


def _send(
    mine: Reading, form: str, lines: Iterator[str], content_type: str = exporting.CSV
) -> StreamingHttpResponse:
    export = exporting.export_lines(
        reading=mine, form=form, lines=lines, now=timezone.now(), content_type=content_type
    )
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
