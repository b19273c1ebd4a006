"""From which network address a request comes."""

from django.conf import settings
from django.http import HttpRequest


def of(request: HttpRequest) -> str:
    """Return the network address that asks: behind a proxy, the one that the proxy saw."""
    passed_on = request.headers.get("X-Forwarded-For", "") if settings.PRODUCTION else ""
    return passed_on.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")
