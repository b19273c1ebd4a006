"""Tables and plots of a round, and of a movement, for programs: CSV and SVG."""

from collections.abc import Iterator

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite import errors
from evalsite.contract.calls import AnyForm, choice, contract, get
from evalsite.contract.shapes import FILE
from scoring.figures import api as asking
from scoring.figures import labels
from scoring.figures.labels import Reading
from scoring.results import api as results_api
from scoring.results import exports as exporting
from scoring.results import queries as sources
from scoring.results.pictures import PICTURES
from scoring.results.queries import Source
from scoring.results.sheets import SHEETS
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw


class NothingThere(errors.Conflict):
    """There is nothing to draw; the JSON of the figure says why."""

    code = "nothing_to_draw"


@api_view(["GET"])
@contract(
    get(
        FILE,
        query=results_api.TABLE,
        figure=True,
        parts=[choice("table", tuple(SHEETS), "Which table of the results.")],
    ),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def sheet(request: HttpRequest, scope: Scope, number: int, table: str) -> HttpResponseBase:
    """Stream a table as CSV; 202 while its figure is computed."""
    mine = labels.allowed(scope, number)
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
        query=results_api.TABLE,
        figure=True,
        parts=[choice("plot", tuple(PICTURES), "Which plot of the results.")],
    ),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def picture(request: HttpRequest, scope: Scope, number: int, plot: str) -> HttpResponseBase:
    """Send a plot as SVG; 202 while its figure is computed."""
    mine = labels.allowed(scope, number)
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
    return _send(mine, f"{plot}.svg", iter([drawn]), shown_sheet.SVG)


def _source(request: HttpRequest, mine: Reading, name: str) -> Source | Response:
    wish = sources.wish(name, mine, dict(request.GET.lists()))
    found = asking.figure(request, name, mine.round, wish.params, now=timezone.now())
    if isinstance(found, Response):
        return found
    return Source(mine.round, found.data or {}, labels.of(mine.round), mine.names)


def _send(
    mine: Reading, form: str, lines: Iterator[str], content_type: str = shown_sheet.CSV
) -> StreamingHttpResponse:
    export = exporting.export_lines(
        reading=mine, form=form, lines=lines, now=timezone.now(), content_type=content_type
    )
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
