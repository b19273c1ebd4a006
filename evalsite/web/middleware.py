"""Closed by default: whoever is not signed in gets the login page, or a 401 where a program asks.

* HEAD below /api/v1/: what GET says before its body.
* Pages are for the person who asked; nobody in between keeps them.
"""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.http.response import HttpResponseBase as CachingHttpResponseBase
from django.http.response import HttpResponseBase as HeadsHttpResponseBase
from django.utils.translation import gettext as _

#: Pages about the API, for people.
REFERENCE = "/api/docs/"


def wants_json(request: HttpRequest) -> bool:
    accept = request.headers.get("Accept", "")
    return (
        (request.path.startswith("/api/") and not request.path.startswith(REFERENCE))
        or "HX-Request" in request.headers
        or ("application/json" in accept and "text/html" not in accept)
    )


class LoginRequired(LoginRequiredMiddleware):
    def handle_no_permission(  # type: ignore[override]  # programs get JSON, not a redirect
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponseBase:
        if wants_json(request):
            body = {"code": "signed_out", "message": _("Sign in to go on."), "fields": {}}
            return JsonResponse(body, status=401)
        if request.method not in ("GET", "HEAD"):
            # The address of a deed cannot be opened; after signing in one is back at its form.
            url = self.get_login_url(view_func)
            return redirect_to_login(_came_from(request), url)
        return super().handle_no_permission(request, view_func)


def _came_from(request: HttpRequest) -> str:
    page = urlsplit(request.headers.get("Referer", ""))
    return page.path if page.path and page.netloc == request.get_host() else "/"


ROOT: Final = "/api/v1/"


class Heads:
    """Answer HEAD as GET would be, without the body; REST framework's views know GET only."""

    def __init__(self, get_response: Callable[[HttpRequest], HeadsHttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HeadsHttpResponseBase:
        if request.method != "HEAD" or not request.path_info.startswith(ROOT):
            return self.get_response(request)
        request.method = "GET"
        response = self.get_response(request)
        request.method = "HEAD"
        # The server closes the bare answer; a stream that nobody began to read holds nothing.
        return HttpResponse(status=response.status_code, headers=response.headers)


GetResponse = Callable[[HttpRequest], CachingHttpResponseBase]


class PrivatePages:
    """Mark every answer that does not say otherwise as private and to be asked for again."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> CachingHttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response
