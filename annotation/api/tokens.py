"""Programs sign in with a personal token: who asks is settled before any view, and what the token is for."""

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from annotation.models import PersonalToken, User
from annotation.operations import failed_tries, personal_tokens
from evalsite import addresses, errors, scopes

ROOT: Final = "/api/v1/"
SCHEME: Final = "bearer"
CHALLENGE: Final = 'Bearer realm="evalsite"'


class PersonalTokens:
    """Let whoever shows a token in as its person, below /api/v1/ only; keep to what the token is for.

    Stands after Django's own authentication: a token counts before a session that may be there too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        secret = _shown(request)
        if secret is not None:
            now = timezone.now()
            token = personal_tokens.known(secret=secret, now=now)
            if token is None:
                return _refused(request, now)
            _enter(request, token)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        token = of(request)
        if token is None or request.resolver_match is None:
            return None
        needed = scopes.needed(request.resolver_match.route, request.method or "")
        if needed is not None and needed in token.scopes:
            return None
        if needed is None:
            said = _("No token may do this. Sign in on the site.")
        else:
            said = _("This token is not made for this; it needs the scope %(scope)s.")
        message = said % {"scope": needed}
        fields = {"scope": [needed]} if needed else {}
        return JsonResponse(errors.body("scope_missing", message, fields), status=403)


class TokenAuthentication(BaseAuthentication):
    """Tells REST framework who it was; there is no cookie, so no CSRF token is asked for."""

    def authenticate(self, request: Request) -> tuple[User, PersonalToken] | None:
        token = of(request._request)
        return None if token is None else (token.user, token)

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


def of(request: HttpRequest) -> PersonalToken | None:
    """Return the token that this request was let in with."""
    found: PersonalToken | None = getattr(request, "personal_token", None)
    return found


def _shown(request: HttpRequest) -> str | None:
    """Return what was shown as a token; None where none was."""
    if not request.path_info.startswith(ROOT):
        return None
    scheme, _space, secret = request.headers.get("Authorization", "").strip().partition(" ")
    return secret.strip() if scheme.lower() == SCHEME else None


def _enter(request: HttpRequest, token: PersonalToken) -> None:
    user: User = token.user
    user.confined_to = token.project_id
    request.user = user
    request.personal_token = token  # type: ignore[attr-defined]


def _refused(request: HttpRequest, now: Any) -> HttpResponseBase:
    try:
        failed_tries.begin(doors=failed_tries.token_doors(address=addresses.of(request)), now=now)
    except failed_tries.TooManyTries:
        message = _("Too many tokens from your address were wrong. Wait a quarter of an hour.")
        seconds = int(failed_tries.WITHIN.total_seconds())
        answer = JsonResponse(errors.body("too_many", message), status=429)
        answer.headers["Retry-After"] = str(seconds)
        return answer
    message = _("This token does not work: it is wrong, over or revoked. Make another one.")
    answer = JsonResponse(errors.body("signed_out", message), status=401)
    answer.headers["WWW-Authenticate"] = CHALLENGE
    return answer
