"""What the API takes and answers, as an OpenAPI document; for everybody but those who only grade."""

from django.http import Http404
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Membership, User
from evalsite.contract import document
from evalsite.contract.calls import contract, get
from evalsite.contract.shapes import ANYTHING


@api_view(["GET"])
@contract(
    get({str: ANYTHING}),
)
def openapi(request: Request) -> Response:
    """Return this document (OpenAPI 3.1): every address with its parameters, bodies and answers."""
    mine = Membership.objects.active().with_role(permissions.READERS)
    if not (isinstance(request.user, User) and mine.filter(user=request.user).exists()):
        raise Http404
    return Response(document.document())
