"""When not the code failed but the machine: its disk is full, or its database is away. Said in words, at every door.

Whoever sent something learns that it was not saved and may be sent again; the health check learns that
the disk was full a moment ago.
"""

import errno
import logging
import sqlite3
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views import defaults

from evalsite import errors
from evalsite.web import middleware

logger = logging.getLogger(__name__)

#: Seconds after which one may try again.
AGAIN: Final = 30
#: For so many seconds the health check remembers that nothing could be written.
REMEMBERED: Final = 60.0


@dataclass(frozen=True)
class SiteFailure:
    """A failure of the machine: how it is answered, and the page that says so."""

    status: int
    code: str
    message: Promise
    page: str


FULL: Final = SiteFailure(
    507,
    "storage_full",
    _(
        "The server cannot save anything just now: its disk is full. Nothing of this was saved. "
        "Keep what you entered and send it again once the operator has made room."
    ),
    "507.html",
)
AWAY: Final = SiteFailure(
    503,
    "database_away",
    _("The database does not answer just now. Nothing of this was saved; try again in a minute."),
    "503.html",
)

_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
_SQLITE: Final = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: FULL,
    sqlite3.SQLITE_READONLY: FULL,
    sqlite3.SQLITE_BUSY: AWAY,
    sqlite3.SQLITE_CANTOPEN: AWAY,
}
#: Of PostgreSQL: disk full, an error of its disk; it is starting, stopping, taken by too many, read-only.
_POSTGRES: Final = {"53100": FULL, "58030": FULL, "53300": AWAY, "25006": AWAY}
_POSTGRES_CLASSES: Final = {"08": AWAY, "57P": AWAY}

_full_at = -REMEMBERED


def failure_of(problem: BaseException) -> SiteFailure | None:
    """Return which failure of the machine is behind an exception, if one is."""
    return next((found for one in _behind(problem) if (found := _kind(one))), None)


def page(request: HttpRequest) -> HttpResponse:
    """Answer a request that came to no answer (Django's handler500): 507, 503, or the 500 of a fault in the code.

    A refusal that a page did not expect is said too: what was sent was not in order, not the code.
    """
    problem = sys.exc_info()[1]
    if isinstance(problem, errors.Refusal):
        return _refused(request, problem)
    found = failure_of(problem) if problem is not None else None
    if found is None:
        return defaults.server_error(request)
    note(found)
    return answer(request, found)


def answer(request: HttpRequest, failure: SiteFailure) -> HttpResponse:
    """Say what failed: to programs in the one shape of errors, to people on a page."""
    said: HttpResponse
    if middleware.wants_json(request):
        body = errors.body(failure.code, str(failure.message))
        said = JsonResponse(body, status=failure.status)
    else:
        said = HttpResponse(render_to_string(failure.page), status=failure.status)
    said.headers["Retry-After"] = str(AGAIN)
    return said


def _refused(request: HttpRequest, refusal: errors.Refusal) -> HttpResponse:
    if middleware.wants_json(request):
        body = errors.body(refusal.code, refusal.message, refusal.fields)
        return JsonResponse(body, status=refusal.status)
    said = {"status": refusal.status, "message": refusal.message}
    return HttpResponse(render_to_string("refused.html", said), status=refusal.status)


def note(failure: SiteFailure) -> None:
    """Write into the log what an operator has to mend, and remember a full disk for a minute."""
    global _full_at
    if failure is FULL:
        _full_at = time.monotonic()
        logger.error("The disk is full, or cannot be written. Make room: nothing can be saved.")
    else:
        logger.error("The database does not answer. See whether it runs and can be reached.")


def was_full_lately() -> bool:
    """Say whether something could not be written within the last minute, in this process."""
    return time.monotonic() - _full_at < REMEMBERED


def _behind(problem: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while problem is not None and id(problem) not in seen:
        seen.add(id(problem))
        yield problem
        problem = problem.__cause__ or problem.__context__


def _kind(problem: BaseException) -> SiteFailure | None:
    if isinstance(problem, sqlite3.Error):
        # The lowest eight bits are the kind, the others its place.
        return _SQLITE.get(getattr(problem, "sqlite_errorcode", 0) & 0xFF)
    if type(problem).__module__.partition(".")[0] in {"psycopg", "psycopg_pool"}:
        return _postgres(problem)
    if isinstance(problem, OSError):
        return FULL if problem.errno in _NO_ROOM else None
    return None


def _postgres(problem: Any) -> SiteFailure | None:
    state = getattr(problem, "sqlstate", None)
    if state is None:
        # Nobody there, or the line is cut. (Errors of programming have a class of their own.)
        names = {one.__name__ for one in type(problem).__mro__}
        return AWAY if names & {"OperationalError", "InterfaceError"} else None
    by_class = (found for start, found in _POSTGRES_CLASSES.items() if state.startswith(start))
    return _POSTGRES.get(state) or next(by_class, None)
