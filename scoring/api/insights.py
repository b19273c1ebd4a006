"""Agreement, disputes, annotators and plan of a round for programs."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite.contract.calls import contract, get
from scoring.api import asking, figure_shapes, parameters
from scoring.queries import agreement as of_agreement
from scoring.queries import asked, labels, plans, programs, reading
from scoring.queries import disputes as of_disputes
from scoring.queries import raters as of_raters
from scoring.queries import watching as of_signals
from scoring.queries.asked import Asked

Say = Callable[[Mapping[str, Any], labels.Labels, Mapping[int, Any]], Mapping[str, Any]]


def _answer(
    request: HttpRequest, scope: Scope, number: int, name: str, wish: Asked, say: Say
) -> Response:
    mine = reading.allowed(scope, number)
    figure = asking.figure(request, name, mine.round, wish.params, now=timezone.now())
    if isinstance(figure, Response):
        return figure
    said = say(figure.data or {}, labels.of(mine.round), mine.names)
    head = {"state": "ready", "as_of": figure.ready_at, "names_shown": mine.shown}
    return Response({**head, **said})


@api_view(["GET"])
@contract(
    get(figure_shapes.AGREEMENT, figure=True),
)
@door(permissions.UNBLINDED)
def agreement(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return agreement by capability and criterion, by pair, and without each annotator."""
    wish = Asked(of_agreement.PARAMS)
    return _answer(request, scope, number, of_agreement.FIGURE, wish, programs.agreement)


@api_view(["GET"])
@contract(
    get(figure_shapes.DISPUTES, query=parameters.DISPUTES, figure=True),
)
@door(permissions.UNBLINDED)
def disputes(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return who stands alone and which questions divide, by the rules in the address."""
    wish = asked.of_disputes(request.GET.dict(), scope.project)
    return _answer(request, scope, number, of_disputes.FIGURE, wish, programs.disputes)


@api_view(["GET"])
@contract(
    get(figure_shapes.ANNOTATORS, figure=True),
)
@door(permissions.UNBLINDED)
def annotators(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return severity, fair scores, steadiness, drift, pace and the effect of position."""
    wish = Asked(of_raters.PARAMS)
    return _answer(request, scope, number, of_raters.FIGURE, wish, programs.annotators)


@api_view(["GET"])
@contract(
    get(figure_shapes.SIGNALS, figure=True),
)
@door(permissions.UNBLINDED)
def signals(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return every annotator's signals, with how often each is raised by chance."""
    round_ = reading.allowed(scope, number).round
    wish = Asked(of_signals.params(round_))
    seen = of_signals.looks(round_)

    def say(
        data: Mapping[str, Any], named: labels.Labels, _names: Mapping[int, Any]
    ) -> Mapping[str, Any]:
        return {"annotators": programs.signals(of_signals.Signals(data, named, seen))}

    return _answer(request, scope, number, of_signals.FIGURE, wish, say)


@api_view(["GET"])
@contract(
    get(figure_shapes.PLAN, query=parameters.PLAN, figure=True),
)
@door(permissions.UNBLINDED)
def plan(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return how many questions each number of annotators needs."""
    round_ = reading.allowed(scope, number).round
    wish = asked.of_plan(request.GET.dict(), round_)
    return _answer(request, scope, number, plans.FIGURE, wish, programs.plan)
