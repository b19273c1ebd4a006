"""Agreement, disputes, annotators and plan of a round for programs."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get
from scoring.figures import labels
from scoring.results import shapes as figure_shapes
from scoring.results.api import _answer_insight as _answer
from scoring.results.queries import Asked
from scoring.watching import queries as watching


@api_view(["GET"])
@contract(
    get(figure_shapes.SIGNALS, figure=True),
)
@door(permissions.UNBLINDED)
def signals(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return every annotator's signals, with how often each is raised by chance."""
    round_ = labels.allowed(scope, number).round
    wish = Asked(watching.params(round_))
    seen = watching.looks(round_)

    def say(
        data: Mapping[str, Any], named: labels.Labels, _names: Mapping[int, Any]
    ) -> Mapping[str, Any]:
        return {"annotators": watching.signals(watching.Signals(data, named, seen))}

    return _answer(request, scope, number, watching.FIGURE, wish, say)
