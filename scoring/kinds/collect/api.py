"""Connections of releases, and the answers they have not given, as JSON."""

from typing import Any

from django.utils import timezone
from rest_framework.response import Response

from annotation.imports import collecting as wants
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get, of_form, whole
from evalsite.contract.shapes import rows
from scoring.endpoints.api import OfferOut, _draft, _of_bank
from scoring.engine.api import begin, begins
from scoring.kinds.collect import operations as collect


@contract(
    get(
        rows(OfferOut),
        "Return which answers are missing, of a round or of the bank.",
        query=[
            whole("round", "Of this draft of a round; of the bank without one."),
            *of_form(wants.CollectForm),
        ],
    ),
    begins(collect.KIND, "Estimate what collecting answers would take, or start it."),
)
@door(permissions.CURATORS)
def answers(request: Any, scope: Scope) -> Response:
    """Return whose answers are missing (of ?round=, or of ?capability= and ?release=); POST collects them."""
    if request.method == "POST":
        return begin(request, scope, collect.KIND, scope.project)
    given = str(request.GET.get("round", ""))
    if given:
        round_ = _draft(scope, int(given) if given.isascii() and given.isdigit() else 0)
        wanted = wants.of_round(round_, timezone.now())
    else:
        wanted = _of_bank(request, scope)
    return Response({"results": OfferOut(collect.offers(wanted), many=True).data})
