"""Devices on which somebody has signed in before: a signed cookie says so.

Somebody else's wrong passwords, from the same network or from everywhere, do not keep such a device out.
The cookie opens nothing: it only has its wrong passwords counted apart.
"""

import hashlib
import secrets
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

COOKIE: Final = "evalsite_device"
SALT: Final = "evalsite.web.devices"
KEPT: Final = 400 * 24 * 3600  # seconds; browsers keep none for longer
#: So many people may share a device, the last to sign in first.
MOST: Final = 8


def known(request: HttpRequest, username: str) -> str:
    """Return the name of this device where this account has signed in on it before; else nothing."""
    device, accounts = _read(request)
    return device if _hidden(username) in accounts else ""


def remember(request: HttpRequest, response: HttpResponseBase, username: str) -> None:
    """Have the browser keep that this account has signed in on it."""
    device, accounts = _read(request)
    mine = _hidden(username)
    said = [device or secrets.token_urlsafe(12), [mine, *(a for a in accounts if a != mine)][:MOST]]
    response.set_cookie(
        COOKIE,
        signing.dumps(said, salt=SALT),
        max_age=KEPT,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    given = request.COOKIES.get(COOKIE, "")
    if not given:
        return "", []
    try:
        found: Any = signing.loads(given, salt=SALT, max_age=KEPT)
    except signing.BadSignature:
        return "", []
    device, accounts = found
    return device, accounts


def _hidden(username: str) -> str:
    """Return a hash that says nothing without the site's secret key."""
    name = username.strip().casefold()
    return hashlib.sha256(f"{settings.SECRET_KEY}/device/{name}".encode()).hexdigest()[:16]
