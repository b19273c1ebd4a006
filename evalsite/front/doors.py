"""What the loop wants of the application: how much somebody may send, and words for a refusal."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from evalsite import errors
from evalsite.front.incoming import ANYBODY_MOST
from evalsite.front.outgoing import Outlet

MB: Final = 1024 * 1024
#: Names in the environ that no header can have.
REFUSED, ASKS = "evalsite.front.refused", "evalsite.front.asks"
#: What stands around a file in a form.
ENVELOPE: Final = MB

App = Callable[[dict[str, Any], Any], Any]
Answer = Callable[[HttpRequest], HttpResponseBase]


class Refusals:
    """Put a refusal of the loop into words, for people and for programs."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get(REFUSED)
        if not status:
            return self.get_response(request)
        code, message = _said(status)
        if request.path_info.startswith("/api/"):
            answer: HttpResponse = JsonResponse(errors.body(code, message), status=status)
        else:
            page = render_to_string("refused.html", {"message": message, "status": status})
            answer = HttpResponse(page, status=status)
        if status in (429, 503):
            answer.headers["Retry-After"] = "60"
        return answer


class Senders:
    """Tell the loop who sends a request, and how much they may send. Stands where that is known."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.META.get(ASKS):
            response = self.get_response(request)
            _name(request)
            return response
        known = request.user.is_authenticated
        _name(request)
        return HttpResponse(status=HTTPStatus.NO_CONTENT if known else HTTPStatus.UNAUTHORIZED)


def _name(request: HttpRequest) -> None:
    """Note whose request it was, where somebody has looked; another server does not ask."""
    outlet = request.META.get("gunicorn.socket")
    user = getattr(request, "_cached_user", None) or vars(request).get("user")
    if isinstance(outlet, Outlet) and user is not None and not isinstance(user, SimpleLazyObject):
        outlet.account = str(user.pk or "")  # "" says that somebody looked, and it is nobody


def marked(app: App) -> App:
    """Return the application, told of what the loop refused."""

    def called(environ: dict[str, Any], start_response: Any) -> Any:
        if refused := environ["gunicorn.socket"].refused:
            environ[REFUSED] = refused
        return app(environ, start_response)

    return called


def most_of(app: App, environ: dict[str, Any]) -> int:
    """Ask the application how many bytes the sender of a request may send."""
    said: list[str] = []
    body = app({**environ, ASKS: True}, lambda status, *_more: said.append(status))
    if hasattr(body, "close"):
        body.close()
    known = said[0].startswith("204")
    return settings.BODY_MOST + ENVELOPE if known else ANYBODY_MOST


def bare(status: int) -> bytes:
    """Return the answer to a request of which too little came to tell what it was."""
    phrase = HTTPStatus(status).phrase
    head = f"HTTP/1.1 {status} {phrase}\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    return f"{head}Content-Length: {len(phrase)}\r\n\r\n{phrase}".encode()


def _said(status: int) -> tuple[str, str]:
    if status == HTTPStatus.REQUEST_TIMEOUT:
        return "too_slow", _(
            "What you sent came in too slowly and was given up. Nothing was saved. Try again, over a "
            "faster connection."
        )
    if status == HTTPStatus.LENGTH_REQUIRED:
        return "length_required", _(
            "The request does not say how long its body is. Send it with Content-Length, not in chunks."
        )
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return "too_large", _(
            "This is more than can be sent at once: at most %(most)d MB if you are signed in, and "
            "%(anybody)d MB if you are not."
        ) % {"most": settings.BODY_MOST // MB, "anybody": ANYBODY_MOST // MB}
    if status == HTTPStatus.INSUFFICIENT_STORAGE:
        return "disk_full", _(
            "The disk of this site is full, so nothing was saved. Tell its operator, and try again later."
        )
    return "too_many", _(
        "Too many files are being sent at this moment. Wait until one of them is there, and try again."
    )
