"""A system's movement between two rounds as JSON; every field named here, systems by name."""

from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.api.results import RETRY_SECONDS, NotComputed
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import movement as reads
from scoring.queries import reading

CAUSES = ("questions", "responses", "same_raters", "other_raters", "together", "change", "drift")


class NamesHidden(errors.NotAllowed):
    code = "names_hidden"


@api_view(["GET"])
@door(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope, before: int, after: int, system: int) -> Response:
    """Return the causes of the change by every method; 202 while they are computed.

    `system` counts the systems of both rounds by name, from 1.
    """
    sides = [reading.allowed(scope, number) for number in sorted((before, after))]
    if not all(one.shown for one in sides):
        raise NamesHidden(_("Have the names of both rounds shown first: a system is compared."))
    known = sorted(reads.systems(sides[0].round, sides[1].round), key=lambda one: one.name)
    if before == after or not 1 <= system <= len(known):
        raise Http404
    chosen = reads.Chosen(sides[0].round, sides[1].round, known[system - 1])
    figure = figures.get(
        name="fluctuation",
        round_=chosen.after,
        params=reads.params(chosen),
        now=timezone.now(),
    )
    if figure.state == Figure.State.FAILED:
        raise NotComputed(figure.problem)
    if figure.state != Figure.State.READY:
        here = reverse("api_movement", args=[scope.project.slug, before, after, system])
        return Response(
            {"state": "computing", "message": _("The figures are being computed. Ask again.")},
            status=202,
            headers={"Location": here, "Retry-After": str(RETRY_SECONDS)},
        )
    return Response(_movement(chosen, figure, scope))


def _movement(chosen: reads.Chosen, figure: Figure, scope: Scope) -> dict[str, Any]:
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
