"""The one shape of errors below /api/, whoever answered: a view, Django, or something that broke."""

import json
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evalsite import errors
from evalsite.web import scopes

ROOT: Final = "/api/"
#: Pages about the API, for people.
PAGES: Final = "/api/docs/"
#: Code and words of an error that nobody put into words.
SAID: Final[dict[int, tuple[str, str | Promise]]] = {
    400: ("bad_request", _("This request cannot be read.")),
    401: ("signed_out", _("Sign in to go on.")),
    403: ("not_allowed", _("This is not allowed.")),
    404: ("not_found", _("There is nothing at this address. /api/v1/ lists what there is.")),
    405: ("method_not_allowed", _("This address does not take this method; see Allow.")),
    406: ("not_acceptable", _("The answer cannot be given in the form that Accept asks for.")),
    413: ("too_large", _("This is more than can be sent at once.")),
    415: ("unsupported_media_type", _("A body of this kind is not read here.")),
    429: ("too_many", _("Too many requests. Retry-After says when to go on.")),
    507: ("storage_full", _("The server cannot save anything just now: its disk is full.")),
    503: ("not_available", _("This is not available now. Try again later.")),
}
FAILED: Final = ("failed", _("Something failed on the server. It is in the log."))


class OneShape:
    """Give every error below /api/ its shape; what has it already stays as it is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 301 and request.method not in scopes.SAFE:
            response.status_code = 308  # a deed stays one: 301 would make a GET of it
        if response.status_code < 400 or not _is_for_programs(request.path_info):
            return response
        return response if _has_shape(response) else _shaped(response)


def _is_for_programs(path: str) -> bool:
    return path.startswith(ROOT) and not path.startswith(PAGES)


def _has_shape(response: HttpResponseBase) -> bool:
    if response.get("Content-Type", "").partition(";")[0] != "application/json":
        return False
    if not isinstance(response, HttpResponse):
        return False
    try:
        said = json.loads(response.content)
    except ValueError:
        return False
    return isinstance(said, dict) and {"code", "message", "fields"} <= said.keys()


def _shaped(response: HttpResponseBase) -> HttpResponseBase:
    """Return the answer with another body; its headers stay."""
    usual = FAILED if response.status_code >= 500 else SAID[400]
    code, message = SAID.get(response.status_code, usual)
    text = json.dumps(errors.body(code, str(message)))
    if not isinstance(response, HttpResponse):
        return HttpResponse(text, status=response.status_code, content_type="application/json")
    response.content = text.encode()
    response.headers["Content-Type"] = "application/json"
    if "Content-Length" in response.headers:
        response.headers["Content-Length"] = str(len(response.content))
    return response
