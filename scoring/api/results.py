"""Grades of a round for programs."""

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.decorators import api_view, content_negotiation_class

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite.contract.calls import contract, get
from evalsite.contract.files import AnyForm
from evalsite.contract.shapes import FILE
from scoring.operations import exporting
from scoring.queries import reading


@api_view(["GET"])
@contract(
    get(FILE),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def grades(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream the grades of a round as CSV, as lines of JSON, or as the wide table."""
    mine = reading.allowed(scope, number)
    export = exporting.export_grades(reading=mine, form=form, now=timezone.now())
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
