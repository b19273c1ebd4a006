"""One shape for every error of the API: code, message, fields (what slips by: evalsite/api/errors.py)."""

from typing import Any, Final

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from evalsite import errors
from evalsite.web import languages


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere: JSON below /api/, a page elsewhere."""
    languages.say_problems(request)
    if request.path.startswith("/api/"):
        message = _("There is nothing at this address. /api/v1/ lists what there is.")
        return JsonResponse(errors.body("not_found", message), status=404)
    return defaults.page_not_found(request, exception)


def explain(problem: Exception, context: dict[str, Any]) -> Response | None:
    """Turn a refusal or one of REST framework's exceptions into the one error shape."""
    if request := context.get("request"):
        languages.say_problems(getattr(request, "_request", request))
    if isinstance(problem, errors.Refusal):
        return Response(
            errors.body(problem.code, problem.message, problem.fields), status=problem.status
        )
    for kinds, status, code, message in _KNOWN:
        if isinstance(problem, kinds):
            # Of who is not signed in, REST framework has noted how they do.
            header = getattr(problem, "auth_header", "")
            headers = {"WWW-Authenticate": header} if header else {}
            return Response(errors.body(code, str(message)), status=status, headers=headers)
    response = exception_handler(problem, context)
    if response is not None and isinstance(problem, exceptions.APIException):
        if isinstance(problem, exceptions.ValidationError):
            response.data = errors.body(
                "invalid", _("Some fields cannot be used; see fields."), _named(problem.detail)
            )
        else:
            response.data = errors.body(str(problem.default_code), str(problem.detail))
    return response


_KNOWN: Final[tuple[tuple[tuple[type[Exception], ...], int, str, str | Promise], ...]] = (
    ((Http404,), 404, "not_found", gettext_lazy("There is nothing here that you may see.")),
    ((PermissionDenied,), 403, "not_allowed", gettext_lazy("Your role does not allow this.")),
    (
        (exceptions.NotAuthenticated, exceptions.AuthenticationFailed),
        401,
        "signed_out",
        gettext_lazy("Sign in to go on."),
    ),
    (
        (RequestDataTooBig,),
        413,
        "too_large",
        gettext_lazy("This is more than can be sent at once."),
    ),
    (
        (SuspiciousOperation, UnreadablePostError, MultiPartParserError),
        400,
        "bad_request",
        gettext_lazy("This request cannot be read."),
    ),
)


def _named(detail: Any) -> dict[str, Any]:
    """Return what is wrong by field; of a list, by the place in it."""
    if isinstance(detail, dict):
        return detail
    if any(isinstance(one, dict) for one in detail):
        return {str(place): one for place, one in enumerate(detail) if one}
    return {"non_field_errors": list(detail)}
