"""Who is signed in: asked with every request, so its two questions are worked out once.

* From which network address a request comes, and which addresses are one visitor's.
"""

import re
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from evalsite.db import prepared

_SESSION = prepared.Query(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now),
    key=str,
    now=datetime,
)
_USER = prepared.Query(lambda pk: get_user_model()._default_manager.filter(pk=pk), pk=int)


class SessionStore(db.SessionStore):
    """Django's sessions in the database."""

    def _get_session_from_db(self) -> Any:
        found = _SESSION.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
        return found


class Accounts(ModelBackend):
    """Django's accounts, by user name and password."""

    def get_user(self, user_id: Any) -> Any:
        user = _USER.first(pk=int(user_id))
        return user if user is not None and self.user_can_authenticate(user) else None


#: So much of an IPv6 address belongs to one line or device, which picks the rest as it likes.
LINE: Final = 64
#: The addresses in which an IPv4 address is written as IPv6 by a translator (RFC 6052).
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
#: As some proxies write it: an address with the port of the connection.
_WITH_PORT: Final = re.compile(r"\[(.+)\](?::\d+)?|([0-9.]+):\d+")


def of(request: HttpRequest) -> str:
    """Return the network address that asks: behind a proxy, the one that the proxy saw."""
    passed_on = request.headers.get("X-Forwarded-For", "") if settings.PRODUCTION else ""
    return passed_on.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def line_of(address: str, *, bits: int = LINE) -> str:
    """Return what tries from an address are counted under: all addresses that one visitor can have at will.

    An IPv4 address stands for itself, however it is written; an IPv6 address for its /64, or another
    number of bits. What is no address stands for itself too.
    """
    found = _WITH_PORT.fullmatch(address)
    plain = (found[1] or found[2]) if found else address
    try:
        known = ip_address(plain.partition("%")[0])
    except ValueError:
        return plain
    if isinstance(known, IPv4Address):
        return str(known)
    inner = known.ipv4_mapped or known.sixtofour or _translated(known)
    return str(inner or ip_network((int(known), bits), strict=False))


def _translated(address: IPv6Address) -> IPv4Address | None:
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _TRANSLATED else None
