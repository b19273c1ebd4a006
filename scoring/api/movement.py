"""A system's movement between two rounds as JSON; every field named here, systems by name."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite.contract.calls import contract, get
from scoring.api import asking, figure_shapes
from scoring.models import Figure
from scoring.queries import movement as reads

CAUSES = ("questions", "responses", "same_raters", "other_raters", "together", "change", "drift")


@api_view(["GET"])
@contract(
    get(figure_shapes.MOVEMENT, figure=True),
)
@door(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope, before: int, after: int, system: int) -> Response:
    """Return the causes of the change by every method; 202 while they are computed.

    `system` counts the systems of both rounds by name, from 1.
    """
    chosen = asking.chosen(scope, before, after, system)[1]
    figure = asking.figure(
        request, "fluctuation", chosen.after, reads.params(chosen), now=timezone.now()
    )
    if isinstance(figure, Response):
        return figure
    return Response(said(chosen, figure, scope))


def said(chosen: reads.Chosen, figure: Figure, scope: Scope) -> dict[str, Any]:
    """Return what the API says of a movement that was computed."""
    data = figure.data or {}
    titles = {one.pk: one.name for one in reads.capabilities(data, scope.project)}
    return {
        "state": "ready",
        "system": chosen.system.name,
        "before": chosen.before.number,
        "after": chosen.after.number,
        "as_of": figure.ready_at,
        "pairs": data["pairs"],
        "figures": [
            {
                "figure": one["figure"],
                "capability": titles.get(one["capability"]),
                "problem": one["problem"],
                "methods": {
                    name: {
                        "before": method["before"],
                        "after": method["after"],
                        **{cause: method[cause] for cause in CAUSES},
                        "reason": method["reason"],
                    }
                    for name, method in one["methods"].items()
                },
                "intervals": {
                    name: {key: interval[key] for key in ("low", "high", "n_clusters", "reason")}
                    for name, interval in one["intervals"].items()
                },
                "scenarios": one["scenarios"],
            }
            for one in data["figures"]
        ],
    }
