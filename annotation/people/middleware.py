"""Programs sign in with a personal token: who asks is settled before any view, and what the token is for.

* Pages are in the reader's language; what was chosen before signing in moves into the account.
* Whoever has a password that somebody else gave sets their own before anything else.
* Idempotency-Key: the same request again changes nothing and gets the same answer.
"""

import contextlib
import hashlib
import json
import re
import uuid
from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from annotation.common.sentences import gettext as _
from annotation.people import access as failed_tries
from annotation.people import operations as people
from annotation.people import permissions, tokens
from annotation.people.models import PersonalToken, Role, User
from annotation.people.tokens import KeyClaim, ToldAnswer
from evalsite import errors
from evalsite.contract.calls import Promise
from evalsite.web import addresses, languages, scopes
from evalsite.web.middleware import wants_json

ROOT: Final = "/api/v1/"
SCHEME: Final = "bearer"
CHALLENGE: Final = 'Bearer realm="evalsite"'


class Middleware:
    """What stands between the site and its pages, and lets everything through."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)


class PersonalTokens(Middleware):
    """Let whoever shows a token in as its person, below /api/v1/ only; keep to what the token is for.

    Stands after Django's own authentication: a token counts before a session that may be there too.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        secret = _shown(request)
        if secret is not None:
            now = timezone.now()
            token = tokens.known(secret=secret, now=now)
            if token is None:
                return _refused(request, now)
            _enter(request, token)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        token = token_of(request)
        if token is None or request.resolver_match is None:
            return None
        needed = scopes.needed(request.resolver_match.route, request.method or "")
        missing = [one for one in needed if one not in token.scopes]
        if needed and not missing:
            return None
        if not needed:
            said = _("No token may do this. Sign in on the site.")
        else:
            said = _("This token is not made for this; it needs the scope %(scope)s.")
        message = said % {"scope": ", ".join(missing)}
        fields = {"scope": missing} if missing else {}
        return JsonResponse(errors.body("scope_missing", message, fields), status=403)


class Languages(Middleware):
    """Have every page be in the reader's language, as far as it is translated.

    Stands after the tokens: what a program is answered is in the language that it asks for.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        user = getattr(request, "user", None)
        if left := getattr(request, "left_in", ""):
            languages.keep(response, languages.LEFT, left)
        if languages.chosen_here(request) and isinstance(user, User) and not token_of(request):
            people.keep_language(user=user, language=languages.chosen_here(request))
            response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        languages.settle(request)
        if request.resolver_match and request.resolver_match.view_name == "logout":
            request.left_in = getattr(request.user, "language", "")  # type: ignore[attr-defined]
        return None

    def process_exception(self, request: HttpRequest, problem: Exception) -> None:
        languages.say_problems(request)


#: What somebody may open who has no password of their own yet: where they set one, and ways out.
OPEN: Final = frozenset({"own_password", "logout", "language", "login", "password_link", "healthz"})


class OwnPasswords(Middleware):
    """Lead whoever has a password that somebody else gave to where they set their own, from every address.

    Stands after the tokens: one works only for whoever has a password of their own.
    """

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        if match is None or match.view_name in OPEN:
            return None
        if not (isinstance(request.user, User) and request.user.must_set_password):
            return None
        if wants_json(request):
            refused = errors.body(tokens.OwnPasswordMissing.code, tokens.own_password_first())
            return JsonResponse(refused, status=tokens.OwnPasswordMissing.status)
        came_from = request.get_full_path() if request.method in scopes.SAFE else reverse("home")
        return redirect_to_login(came_from, reverse("own_password"))


class TokenAuthentication(BaseAuthentication):
    """Tells REST framework who it was; there is no cookie, so no CSRF token is asked for."""

    def authenticate(self, request: Request) -> tuple[User, PersonalToken] | None:
        token = token_of(request._request)
        return None if token is None else (token.user, token)

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


def token_of(request: HttpRequest) -> PersonalToken | None:
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
        failed_tries.begin(
            doors=failed_tries.token_doors(address=addresses.address_of(request)), now=now
        )
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


View = TypeVar("View", bound=Callable[..., Any])

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY: Final = re.compile(r"[!-~]{1,200}")
#: Of an answer these headers are given again.
HEADERS: Final = ("Content-Type", "Location", "Retry-After", "Content-Disposition")
#: Answers to a request that was not begun: nothing is done then, and the key is free again.
NOT_BEGUN: Final = frozenset({401, 403, 404, 405, 406, 413, 415, 429})


class BadKey(errors.Refusal):
    code = "idempotency_key_invalid"


class NoKeyHere(errors.Refusal):
    """The answer holds a secret, and an answer under a key is kept."""

    code = "idempotency_key_refused"


def answers_a_secret(view: View) -> View:
    """Mark a view whose answers must not be kept: a key is refused there."""
    view.answers_a_secret = True  # type: ignore[attr-defined]
    return view


def in_steps(view: View) -> View:
    """Mark a view that takes long and commits as it goes on: one transaction would lock others out."""
    view.in_steps = True  # type: ignore[attr-defined]
    return view


class UndoRequest(Exception):
    """Takes back what a view did that did not get to an answer to be kept."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


class KeptAnswers(Middleware):
    """Answer a deed that was asked for before, under the same key, as it was answered then.

    Stands last, so that the person, the CSRF token of a page and the scope are settled.
    """

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        key = request.headers.get(HEADER)
        if key is None or request.method in scopes.SAFE or not request.path_info.startswith(ROOT):
            return None
        if not isinstance(request.user, User) or not _may(request, view, kwargs):
            return None  # the view says so
        try:
            if getattr(view, "answers_a_secret", False):
                message = _("The answer is a secret that is kept nowhere. Leave the key out.")
                raise NoKeyHere(message, fields={HEADER: [message]})
            claim = _taken(request, request.user, key)
        except errors.Refusal as refusal:
            said = errors.body(refusal.code, refusal.message, refusal.fields)
            return JsonResponse(said, status=refusal.status)
        except RequestDataTooBig:
            return HttpResponse(status=413)  # evalsite.api.errors says it in words
        if claim.answer is not None:
            return _again(claim.answer)
        whole = not getattr(view, "in_steps", False)
        return _done(claim, lambda: view(request, *args, **kwargs), whole=whole)


def _may(request: HttpRequest, view: Any, kwargs: Any) -> bool:
    """Return whether the person has a role by which they may do this: the answer is theirs no longer."""
    assert isinstance(request.user, User)
    if "project" not in kwargs:
        return True
    try:
        scope = permissions.scope_of(request.user, kwargs["project"])
    except Http404:
        return False
    promise = getattr(getattr(view, "cls", None), "schema", None)
    roles = promise.roles(request.method or "") if isinstance(promise, Promise) else None
    return roles is None or scope.may({Role(one) for one in roles})


def _taken(request: HttpRequest, user: User, key: str) -> KeyClaim:
    if KEY.fullmatch(key) is None:
        message = _("An Idempotency-Key has 1 to 200 visible ASCII characters, such as a UUID.")
        raise BadKey(message, fields={HEADER: [message]})
    return tokens.take(
        user=user,
        key=key,
        request_sha=fingerprint(request),
        claim=uuid.uuid4(),
        now=timezone.now(),
    )


def fingerprint(request: HttpRequest) -> str:
    """Return a hash of method, address and body; of a form with files, of what is in it.

    The boundary of a form differs each time it is sent.

    Raises:
        RequestDataTooBig: the body is larger than any may be.
        MultiPartParserError: the form cannot be read.
    """
    found = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    if request.content_type != "multipart/form-data" or request.method != "POST":
        found.update(f"{request.content_type}\n".encode())
        found.update(request.body)
        return found.hexdigest()
    found.update(json.dumps(sorted(request.POST.lists())).encode())
    for name, files in sorted(request.FILES.lists()):
        for one in files:
            inner = hashlib.sha256()
            for piece in one.chunks():
                inner.update(piece)
            one.seek(0)
            found.update(json.dumps([name, one.name, inner.hexdigest()]).encode())
    return found.hexdigest()


def _done(claim: KeyClaim, ask: Callable[[], HttpResponseBase], *, whole: bool) -> HttpResponseBase:
    """Do what is asked, and keep the answer with it; what comes to no answer is undone if `whole`."""
    try:
        with transaction.atomic() if whole else contextlib.nullcontext():
            response = _whole(ask())
            if response.status_code >= 500 or response.status_code in NOT_BEGUN:
                raise UndoRequest(response)
            tokens.keep(claim=claim, answer=_answer(response), now=timezone.now())
        return response
    except UndoRequest as undo:
        tokens.drop(claim=claim)
        return undo.response
    except tokens.InProgress as refusal:
        return JsonResponse(errors.body(refusal.code, refusal.message), status=refusal.status)
    except BaseException:
        tokens.drop(claim=claim)
        raise


def _whole(response: HttpResponseBase) -> HttpResponse:
    """Return the answer with all of its body."""
    if hasattr(response, "render") and not getattr(response, "is_rendered", True):
        response = response.render()
    if isinstance(response, HttpResponse):
        return response
    pieces: Any = response
    headers = {name: response[name] for name in HEADERS if name in response}
    return HttpResponse(b"".join(pieces), status=response.status_code, headers=headers)


def _answer(response: HttpResponse) -> ToldAnswer:
    headers = {name: response[name] for name in HEADERS if name in response}
    return ToldAnswer(response.status_code, headers, response.content)


def _again(answer: ToldAnswer) -> HttpResponse:
    headers = {**answer.headers, REPLAYED: "true"}
    return HttpResponse(answer.body, status=answer.status, headers=headers)
