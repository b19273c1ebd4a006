"""Query parameters that several routes of results take, by what reads them."""

from typing import Any

from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get
from evalsite.contract.shapes import shape
from scoring.endpoints import queries as connections
from scoring.engine.api import ESTIMATE, begin, begins
from scoring.kinds.accuracy import operations as accuracy
from scoring.kinds.interviews import queries as interview_choice

CHOICES = shape(
    "AccuracyChoices", over=[str], releases=[shape("AskedRelease", release=int, name=str)]
)


@contract(
    get(CHOICES, "Return the sources of questions and the systems, for accuracy."),
    begins(
        accuracy.KIND,
        "Estimate what measuring accuracy would take, or start it.",
        shape("AccuracyEstimate", ESTIMATE, questions=int, without_options=int),
    ),
)
@door(permissions.CURATORS)
def start(request: Any, scope: Scope) -> Response:
    """Return where questions can come from and who can be asked; POST estimates or starts."""
    if request.method == "POST":
        return begin(request, scope, accuracy.KIND, scope.project)
    sources = interview_choice.sources(scope.project)
    ready = [one.release for one in connections.of_project(scope.project) if one.is_ready]
    return Response(
        {
            "over": [
                interview_choice.BANK,
                *(key for _sort, rows in sources for key, _name in rows),
            ],
            "releases": [{"release": one.pk, "name": str(one)} for one in ready],
        }
    )
