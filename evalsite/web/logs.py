"""What is written into logs: one line a record, as words or as JSON, without secrets and without texts.

* The log of requests, as gunicorn writes it: one line each, and nothing that lets somebody in.
"""

import json
import logging
import re
import traceback
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from gunicorn import glogging

#: Of the request that is being answered; empty outside one.
_request: ContextVar[str] = ContextVar("request", default="")
HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9_.-]{8,64}")
LONGEST = 2000
HIDDEN = "[hidden]"
_SECRETS = (
    (re.compile(r"(/set-up/)[^/\s\"'?]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(/join/)[^/\s\"'?]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(/password/[0-9a-f-]{36}/)[^/\s\"'?]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(://[^:/@\s]*:)[^@\s/]+(?=@)"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\b(sk|pk|key)-[\w-]{8,}"), HIDDEN),
    (
        re.compile(
            r"(?i)\b(pass(?:word|wd)?|secret(?:_key)?|api[_-]?key|token|sessionid|csrftoken|authorization)"
            r"([\"']?\s*[=:]\s*[\"']?)[^\s\"',;&}]+"
        ),
        rf"\1\2{HIDDEN}",
    ),
)


def hide(text: str) -> str:
    """Return a text without what lets somebody in."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


class RequestIds:
    """Give each request an id: the one that the proxy in front gave it, or a new one.

    It stands in every line of the log, and in the answer where the proxy asked or something failed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        known = _GIVEN.fullmatch(given) is not None
        name = given if known else uuid.uuid4().hex
        held = _request.set(name)
        try:
            response = self.get_response(request)
        finally:
            _request.reset(held)
        if known or response.status_code >= 500:
            response.headers[HEADER] = name
        return response


class _Careful(logging.Formatter):
    def formatException(self, ei: Any) -> str:  # noqa: N802  logging's own name
        """Return the places of an exception, and the first line of what it says."""
        kind, value, places = ei
        lines = traceback.format_tb(places)
        said = (str(value).splitlines() or [""])[0]
        return "".join([*lines, f"{kind.__name__}: {hide(said)[:300]}"])

    def said(self, record: logging.LogRecord) -> str:
        return hide(record.getMessage())[:LONGEST]


class LogLines(_Careful):
    """Lines for people to read."""

    def format(self, record: logging.LogRecord) -> str:
        request = _request.get()
        at = self.formatTime(record)
        during = f" [{request}]" if request else ""
        line = f"{at} {record.levelname} {record.name}{during}: {self.said(record)}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class LogObjects(_Careful):
    """An object a line, for programs that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        found: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": self.said(record),
        }
        if request := _request.get():
            found["request"] = request
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found, ensure_ascii=False)


class AccessLog(glogging.Logger):
    """Gunicorn's log of requests: without query, referrer, browser and links that let somebody in."""

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        if not self.cfg.accesslog:
            return
        headers = {key.lower(): value for key, value in resp.headers}
        seconds = request_time.seconds + request_time.microseconds / 1e6
        found: dict[str, Any] = {
            "at": timezone.now().isoformat(timespec="milliseconds"),
            "from": environ.get("REMOTE_ADDR", "-"),
            "method": environ.get("REQUEST_METHOD", "-"),
            "path": hide(str(environ.get("PATH_INFO", "-"))),
            "status": int(str(resp.status).split(None, 1)[0]),
            "bytes": getattr(resp, "sent", None),
            "seconds": round(seconds, 4),
        }
        if name := headers.get(HEADER.lower()):
            found["request"] = name
        if settings.LOG_FORMAT == "json":
            self.access_log.info("%s", json.dumps({"logger": "access", **found}))
        else:
            line = '%(at)s %(from)s "%(method)s %(path)s" %(status)s %(bytes)s %(seconds)ss'
            self.access_log.info(line % found)
