"""In which language a page is shown.

A choice on this device before signing in, else the person's own, else the project's, else what the browser
asks for. A program's is the one that it asks for (Accept-Language), or, where a page's script asks, that of
its person.

Only what is translated as a whole is shown in another language than English, pages and answers of the API
alike: half of each is worse than English. Refusals that the API itself puts into words are always translated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation

API: Final = "/api/v1/"
#: The cookie that holds the language of whoever signed out last; unlike a choice it goes into no account.
LEFT: Final = "evalsite_read"
#: Of the pages of a project, those whose every word is translated: all that an annotator can open.
IN_PROJECTS: Final = frozenset(
    {
        "grading",
        "grade",
        "grade_none",
        "grade_sheet",
        "grade_next",
        "grade_draft",
        "grade_submit",
        "grade_state",
        "grade_renew",
        "grade_ahead",
        "grade_back",
        "training",
        "training_example",
        "training_trial",
        "first_steps",
        "first_step",
        "search",
        "search_json",
        "picture",
    }
)
#: Besides projects: for everybody who signs in, or wants to.
OUTSIDE: Final = frozenset(
    {
        "login",
        "logout",
        "sign_in_again",
        "language",
        "join",
        "set_up",
        "password_forgotten",
        "password_link",
        "own_password",
        "account",
        "account_devices",
        "account_erase",
        "account_tokens",
        "account_token_revoke",
        "account_tokens_revoke",
        "preferences",
        "home",
        "projects",
        "project_new",
        "help",
        "help_page",
        "healthz",
        "api_me",
        "api_projects",
    }
)
TRANSLATED: Final = IN_PROJECTS | OUTSIDE


def offered() -> dict[str, str]:
    """Return the languages there are: code, and name in that language."""
    return {code: str(name) for code, name in settings.LANGUAGES}


def comma() -> str:
    """Return what stands between the things of a list in the reader's language."""
    return translation.pgettext("between things of a list", ", ")


def listed(things: Iterable[object]) -> str:
    """Return several things as a list in the reader's language."""
    return comma().join(map(str, things))


def chosen_here(request: HttpRequest) -> str:
    """Return what was chosen on this device before signing in, or nothing."""
    code = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return code if code in offered() else ""


def keep(response: HttpResponseBase, cookie: str, code: str) -> None:
    """Have the browser keep a language."""
    response.set_cookie(
        cookie,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def left_here(request: HttpRequest) -> str:
    """Return what was read on this device by whoever signed out last: the sign-in page stays as it was."""
    code = request.COOKIES.get(LEFT, "")
    return code if code in offered() else ""


def settle(request: HttpRequest, of_project: str = "") -> None:
    """Have what is said from now on be in the reader's language, as far as this page is translated."""
    request.reads = reads(request, of_project)  # type: ignore[attr-defined]
    _say(request, request.reads if is_translated(request) else settings.LANGUAGE_CODE)  # type: ignore[attr-defined]


def reads(request: HttpRequest, of_project: str = "") -> str:
    """Return the language that somebody reads; a program's is what it asks for."""
    is_program = request.path_info.startswith(API) and hasattr(request, "personal_token")
    user = getattr(request, "user", None)
    own = getattr(user, "language", "")
    last = "" if getattr(user, "is_authenticated", False) else left_here(request)
    wished = (chosen_here(request), own, of_project, last)
    known = [code for code in wished if code in offered() and not is_program]
    return known[0] if known else translation.get_language_from_request(request)


def is_translated(request: HttpRequest) -> bool:
    """Whether this page is there in every language; a page of an error is."""
    match = request.resolver_match
    return match is None or match.view_name in TRANSLATED


def say_problems(request: HttpRequest) -> None:
    """Have what follows be said in the reader's language: a problem is always translated."""
    _say(request, getattr(request, "reads", "") or reads(request))


@dataclass(frozen=True)
class LanguageSwitch:
    """The languages that a page could be read in besides, and where one comes back to."""

    others: list[tuple[str, str]]
    back: str
    #: The page is in English, whatever its reader has chosen.
    is_english_only: bool


def switch(request: HttpRequest) -> LanguageSwitch:
    """Return what the switch of a page offers."""
    mine = getattr(request, "reads", "") or translation.get_language()
    others = [(code, name) for code, name in offered().items() if code != mine]
    said = translation.get_language()
    return LanguageSwitch(others, _back(request), is_english_only=said != mine)


def _back(request: HttpRequest) -> str:
    """Return the address of the page one looks at: after a form was refused, that of the form."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    page = urlsplit(request.headers.get("Referer", ""))
    return page.path if page.netloc == request.get_host() else ""


def _say(request: HttpRequest, code: str) -> None:
    translation.activate(code)
    request.LANGUAGE_CODE = code
