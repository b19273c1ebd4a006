"""Interview scores against accuracy, as JSON."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get, unfit_value
from evalsite.contract.shapes import maybe, said, shape
from scoring.figures import api as figures
from scoring.kinds.contamination import pages as contamination_figuring
from scoring.kinds.contamination import queries as contamination_options
from scoring.kinds.contamination.queries import Board
from scoring.kinds.interviews import api as interviews_api
from scoring.kinds.interviews import results as interview_results
from scoring.shown import names as banner

CONTAMINATION = shape(
    "Contamination",
    note=str,
    axis=str,
    aspect=str,
    scale=str,
    decay=str,
    after_stop=str,
    unscored=str,
    stopping=str,
    axes=said({str: str}, "What scores can be set against, by what the address takes."),
    flagged=[shape("Flagged", dataset=str, system=str)],
    results=[
        shape(
            "AgainstAccuracy",
            part=str,
            dataset=str,
            system=maybe(str),
            against=str,
            x=maybe(float),
            interview_score=maybe(float),
            residual=maybe(float),
            studentised=maybe(float),
            p_holm=maybe(float),
            coefficient=maybe(str),
            value=maybe(float),
            low=maybe(float),
            high=maybe(float),
            n=maybe(int),
            reason=maybe(str),
            note=str,
        )
    ],
    losses=[
        shape(
            "LossOf",
            system=str,
            dataset=str,
            train=maybe(float),
            test=maybe(float),
            difference=maybe(float),
        )
    ],
)


@api_view(["GET"])
@contract(
    get(CONTAMINATION, query=[figures.AXIS, *interviews_api.PROFILE], figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return distances from the line, correlations and losses; `axes` are what can be chosen."""
    reading = interview_results.allowed(scope, number)
    offered = dict(contamination_options.axes(scope.project))
    if (axis := request.GET.get("axis")) and axis not in offered:
        raise unfit_value("axis", _("One of these: %(values)s.") % {"values": ", ".join(offered)})
    options = contamination_options.of_run(reading.run, request.GET.dict())
    figure = contamination_figuring.figure_of(run=reading.run, options=options, now=timezone.now())
    if wait := figures.waiting(request, figure):
        return wait
    name = offered.get(options.axis, options.axis)
    board = Board(figure.data or {}, options, reading, name)
    return Response(
        {
            "note": banner.of_run(reading.run),
            **options.params,
            "axes": offered,
            "flagged": [{"dataset": where, "system": who} for where, who in board.flagged],
            "results": list(board.records()),
            "losses": [
                {
                    "system": one["name"],
                    **{key: one[key] for key in ("dataset", "train", "test", "difference")},
                }
                for one in board.losses
            ],
        }
    )
