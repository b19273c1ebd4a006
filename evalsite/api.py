"""One shape for every error of the API: code, message, fields."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from evalsite import errors


def body(code: str, message: str, fields: Any = None) -> dict[str, Any]:
    return {"code": code, "message": message, "fields": fields or {}}


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere: JSON below /api/, a page elsewhere."""
    if request.path.startswith("/api/"):
        message = _("There is nothing at this address. /api/v1/ lists what there is.")
        return JsonResponse(body("not_found", message), status=404)
    return defaults.page_not_found(request, exception)


def explain(problem: Exception, context: dict[str, Any]) -> Response | None:
    """Turn a refusal or one of REST framework's exceptions into the one error shape."""
    if isinstance(problem, errors.Refusal):
        return Response(body(problem.code, problem.message, problem.fields), status=problem.status)
    if isinstance(problem, Http404):
        return Response(body("not_found", _("There is nothing here that you may see.")), status=404)
    if isinstance(problem, PermissionDenied):
        return Response(body("not_allowed", _("Your role does not allow this.")), status=403)
    if isinstance(problem, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return Response(body("signed_out", _("Sign in to go on.")), status=401)
    response = exception_handler(problem, context)
    if response is not None and isinstance(problem, exceptions.APIException):
        if isinstance(problem, exceptions.ValidationError):
            response.data = body(
                "invalid", _("Some fields cannot be used; see fields."), problem.detail
            )
        else:
            response.data = body(str(problem.default_code), str(problem.detail))
    return response
