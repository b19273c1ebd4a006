"""From which network address a request comes, and which addresses are one visitor's."""

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from django.conf import settings
from django.http import HttpRequest

#: So much of an IPv6 address belongs to one line or device, which picks the rest as it likes.
LINE: Final = 64
#: The addresses in which an IPv4 address is written as IPv6 by a translator (RFC 6052).
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
#: As some proxies write it: an address with the port of the connection.
_WITH_PORT: Final = re.compile(r"\[(.+)\](?::\d+)?|([0-9.]+):\d+")


def address_of(request: HttpRequest) -> str:
    """Return the network address that asks: behind a proxy, the one that the proxy saw."""
    passed_on = request.headers.get("X-Forwarded-For", "") if settings.PRODUCTION else ""
    return passed_on.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def of_site(request: HttpRequest) -> str:
    """Return the address under which people open the site: as it is set, else as this request came."""
    return settings.SITE_ADDRESS or request.build_absolute_uri("/").rstrip("/")


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
