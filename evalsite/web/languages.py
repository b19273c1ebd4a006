"""In which language a page is shown.

A choice on this device before signing in, else the person's own, else the project's, else what the browser
asks for. An answer of the API is in the language that is asked for (Accept-Language), or, where a page's
script asks, in that of its person.

Only pages that are translated as a whole are shown in another language than English: half a page of each
is worse than an English one.
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

API: Final = "/api/v1/"
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
    }
)
TRANSLATED: Final = IN_PROJECTS | OUTSIDE


def offered() -> dict[str, str]:
    """Return the languages there are: code, and name in that language."""
    return {code: str(name) for code, name in settings.LANGUAGES}


def chosen_here(request: HttpRequest) -> str:
    """Return what was chosen on this device before signing in, or nothing."""
    code = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return code if code in offered() else ""


def settle(request: HttpRequest, of_project: str = "") -> None:
    """Have what is said from now on be in the reader's language, as far as this page is translated."""
    if request.path_info.startswith(API) and hasattr(request, "personal_token"):
        return  # a program: Accept-Language alone
    own = chosen_here(request) or getattr(getattr(request, "user", None), "language", "")
    known = [code for code in (own, of_project) if code in offered()]
    code = known[0] if known else translation.get_language_from_request(request)
    request.reads = code  # type: ignore[attr-defined]
    _say(request, code if is_translated(request) else settings.LANGUAGE_CODE)


def is_translated(request: HttpRequest) -> bool:
    """Whether this page is there in every language; a page of an error is."""
    match = request.resolver_match
    return match is None or request.path_info.startswith(API) or match.view_name in TRANSLATED


def say_problems(request: HttpRequest) -> None:
    """Have what follows be said in the reader's language: a page of a problem is always translated."""
    _say(request, getattr(request, "reads", "") or translation.get_language_from_request(request))


def _say(request: HttpRequest, code: str) -> None:
    translation.activate(code)
    request.LANGUAGE_CODE = code
