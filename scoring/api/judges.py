"""Judges beside people for programs: JSON, CSV and SVG; every field is a column of a table."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from evalsite.contract.calls import contract, get
from evalsite.contract.files import AnyForm
from evalsite.contract.shapes import FILE, With
from scoring.api import asking, judge_shapes, parameters
from scoring.api.downloads import NothingThere
from scoring.models import Figure
from scoring.operations import exporting
from scoring.queries import banner, judge_asked, sheets_of_judges
from scoring.queries.judge_options import Options
from scoring.queries.pictures import NothingToDraw


class NothingToCompare(errors.Conflict):
    code = "nothing_to_compare"


ALTERNATIVE = ("passes", "winning_rate", "advantage", "epsilon", "n_people", "n_tested", "reason")


@api_view(["GET"])
@contract(
    get(
        With("judge", judge_shapes.ONE_BESIDE_PEOPLE, judge_shapes.BESIDE_PEOPLE),
        query=parameters.JUDGES,
        figure=True,
    ),
)
@door(permissions.UNBLINDED)
def judges(request: HttpRequest, scope: Scope, judge: int | None = None) -> Response:
    """Return every judge beside people, or one of them; 202 while it is computed.

    The address chooses as that of the page: round, judge, raters, level, coefficient, criterion.
    """
    name = "judges" if judge is None else "judge"
    found = figure_of(request, scope, name, judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    data = figure.data or {}
    return Response(head(figure, options) | _own(data, judge) | tables(name, data, options))


@api_view(["GET"])
@contract(
    get(
        FILE,
        query=parameters.ANY_OF_JUDGES,
        figure=True,
        parts=[parameters.kinds_of_judges("table", sheets_of_judges.TABLES)],
    ),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def sheet(
    request: HttpRequest, scope: Scope, table: str, judge: int | None = None
) -> HttpResponseBase:
    """Stream a table as CSV; 202 while its figure is computed."""
    kind = sheets_of_judges.TABLES.get(table)
    if kind is None or (kind.figure in judge_asked.OF_ONE) != (judge is not None):
        raise Http404
    found = figure_of(request, scope, kind.figure, judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    return _send(options, f"{table}.csv", kind.make(figure.data or {}, options).lines())


@api_view(["GET"])
@contract(
    get(
        FILE,
        query=parameters.ANY_OF_JUDGES,
        figure=True,
        parts=[parameters.kinds_of_judges("plot", sheets_of_judges.PLOTS)],
    ),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def picture(
    request: HttpRequest, scope: Scope, plot: str, judge: int | None = None
) -> HttpResponseBase:
    """Send a plot as SVG; 202 while its figure is computed."""
    kind = sheets_of_judges.PLOTS.get(plot)
    if kind is None or (kind.figure in judge_asked.OF_ONE) != (judge is not None):
        raise Http404
    found = figure_of(request, scope, kind.figure, judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    try:
        drawn = kind.make(figure.data or {}, options).file()
    except NothingToDraw:
        said = _("There is nothing to draw yet; the JSON of the figure says why.")
        raise NothingThere(said) from None
    return _send(options, f"{plot}.svg", iter([drawn]), exporting.SVG)


def figure_of(
    request: HttpRequest, scope: Scope, name: str, judge: int | None = None
) -> tuple[Figure, Options] | Response:
    """Return a figure that is ready and what it was asked for; 202 while it is computed.

    Raises:
        NothingToCompare: nothing here was both graded and scored.
        BadChoice: something that the address names is not there, or cannot be compared.
    """
    options = judge_asked.options(name, scope, request.GET, judge)
    if options.choice is None:
        raise NothingToCompare(_("Nothing here was both graded by people and scored by machines."))
    params = judge_asked.params(name, options.choice)
    found = asking.figure(request, name, options.round, params, now=timezone.now())
    return found if isinstance(found, Response) else (found, options)


def head(figure: Figure, options: Options) -> dict[str, Any]:
    """Return of which ratings a figure tells."""
    choice = options.choice
    assert choice is not None
    return {
        "state": "ready",
        "as_of": figure.ready_at,
        "rounds": list(choice.rounds),
        "raters": list(choice.raters),
        "note": banner.of_judges(choice.judges, [one.round for one in options.chosen]),
        "names_shown": all(one.shown for one in options.chosen),
    }


def _own(data: Any, judge: int | None) -> dict[str, Any]:
    """Return what is no table: the counts, and of one judge whether it may stand in for a person."""
    if judge is None:
        return {"level": data["level"], "counts": data["facts"]}
    test = data["alternative"]
    return {
        "criterion": data["criterion"],
        "own_criterion": data["own"],
        "coefficient": data["coefficient"],
        "n": data["n"],
        "without_score": data["n_failed"],
        "alternative": None if test is None else {key: test[key] for key in ALTERNATIVE},
        "confusion": None
        if data["confusion"] is None
        else {key: data["confusion"][key] for key in ("levels", "table", "rounded")},
        "pairs_within_questions": {
            name: {key: one[key] for key in ("value", "low", "high", "n_pairs")}
            for name, one in data["pairwise"].items()
        },
        "pairs_of_systems": {key: data["over_systems"][key] for key in ("value", "n_pairs")},
        "soft_pairwise_accuracy": data["soft"]["value"],
    }


def tables(figure: str, data: Any, options: Options) -> dict[str, Any]:
    """Return every table of a figure: rows by column."""
    return {
        name: list(kind.make(data, options).records())
        for name, kind in sheets_of_judges.TABLES.items()
        if kind.figure == figure
    }


def _send(
    options: Options, form: str, lines: Iterator[str], content_type: str = exporting.CSV
) -> StreamingHttpResponse:
    judges = options.choice.judges if options.choice else ()
    export = exporting.export_lines(
        reading=options.chosen[0],
        form=banner.named(form, banner.of_judges(judges, [one.round for one in options.chosen])),
        lines=lines,
        now=timezone.now(),
        content_type=content_type,
    )
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
