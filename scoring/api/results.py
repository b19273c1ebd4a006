"""Results and grades of a round for programs."""

from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.api import serializers
from scoring.models import Figure
from scoring.operations import exporting, figures
from scoring.queries import reading
from scoring.queries import results as reads

RETRY_SECONDS = 2


class NotComputed(errors.Refusal):
    """The figures could not be computed; the message says why."""

    code = "not_computed"
    status = 500


class AnyForm(BaseContentNegotiation):
    """The address says the form; whatever somebody accepts besides it does not matter."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


@api_view(["GET"])
@door(permissions.UNBLINDED)
def results(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return scores, accuracies, differences and coverage; 202 while they are computed."""
    mine = reading.allowed(scope, number)
    figure = figures.scores_of(round_=mine.round, now=timezone.now())
    if figure.state == Figure.State.FAILED:
        raise NotComputed(figure.problem)
    if figure.state != Figure.State.READY:
        here = reverse("api_results", args=[scope.project.slug, number])
        return Response(
            {"state": "computing", "message": _("The figures are being computed. Ask again.")},
            status=202,
            headers={"Location": here, "Retry-After": str(RETRY_SECONDS)},
        )
    result = reads.of(mine.round, figure.data or {}, mine.names)
    return Response(serializers.results(mine.round, result, figure, names_shown=mine.shown))


@api_view(["GET"])
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def grades(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream the grades of a round as CSV, as lines of JSON, or as the wide table."""
    mine = reading.allowed(scope, number)
    export = exporting.export_grades(reading=mine, form=form, now=timezone.now())
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
