"""Requests whose body is JSON: read with care, the CSRF token inside (a beacon sets no headers)."""

import contextlib
import functools
import json
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from evalsite import errors

LARGEST = 512 * 1024


class BodyNotReadable(errors.Invalid): ...


def json_body(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON object that was sent.

    Raises:
        BodyNotReadable: it is none, or too large.
    """
    if len(request.body) > LARGEST:
        raise BodyNotReadable(_("This is more than a page can send. Shorten your texts."))
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise BodyNotReadable(_("What was sent cannot be read. Load the page again."))
    return body


def refusal(problem: errors.Refusal, **more: Any) -> JsonResponse:
    """Return a refusal in the one shape of errors."""
    body = {"code": problem.code, "message": problem.message, "fields": problem.fields, **more}
    return JsonResponse(body, status=problem.status)


def csrf_in_body(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Check the CSRF token of the header, or the one under `csrf` in the JSON body."""

    @functools.wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "X-CSRFToken" not in request.headers and request.method == "POST":
            with contextlib.suppress(BodyNotReadable):  # has no token then
                token = json_body(request).get("csrf")
                if isinstance(token, str):
                    request.META["HTTP_X_CSRFTOKEN"] = token
        refused = _CHECK.process_view(request, view, (), {})
        return refused if refused is not None else view(request, *args, **kwargs)

    exempted: Callable[..., HttpResponse] = csrf_exempt(checked)
    return exempted


def _nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


_CHECK = CsrfViewMiddleware(_nothing)
