"""Closed by default: whoever is not signed in gets the login page, or a 401 where a program asks."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase, JsonResponse
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
