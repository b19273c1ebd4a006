"""Pictures that answers point to, fetched by the site: whoever wrote the address learns nothing of who reads.

Only from hosts that a project names, only what is an image, never from a private network that the operator
did not open. A link to one is signed for one person, by a page that shows the text with the address in it.
"""

import hashlib
import html
import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlencode, urljoin, urlsplit

from django.core import signing
from django.core.cache import caches
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from evalsite import errors
from evalsite.outside import addresses

MAX_BYTES: Final = 4 * 1024 * 1024
#: Seconds from the first byte sent to the last one read.
PATIENCE: Final = 8.0
MAX_REDIRECTS: Final = 3
MAX_HOSTS: Final = 50
#: Seconds for which nobody asks again for what could not be had.
FAILED_FOR: Final = 60
#: So many threads wait for other servers at once; others have a moment to become one of them.
_FETCHING, _TURN = threading.BoundedSemaphore(3), 5.0
_HEADERS: Final = {"Accept": "image/*", "User-Agent": "evalsite", "Connection": "close"}
#: SVG is none of them: it can hold scripts, and load what it likes.
_KINDS: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
)
#: As `evalsite.text.markdown` writes a picture.
_SHOWN: Final = re.compile(
    r'<span class="picture">(?=(?:(?!<span class="picture">).)*? ?'
    r'<span class="url">\(([^<>]*)\)</span></span>)',
    re.DOTALL,
)


class BadHosts(errors.Invalid):
    """The hosts of pictures cannot be used."""


class NoPicture(Exception):
    """There is nothing at this address that may be shown."""


@dataclass(frozen=True, slots=True)
class FetchedPicture:
    kind: str
    data: bytes


def read_hosts(lines: Sequence[str]) -> list[str]:
    """Return hosts in their usual form; of a whole address its host.

    Raises:
        BadHosts: one of them is none, or they are too many.
    """
    found = []
    for line in lines:
        try:
            place = addresses.parse(line if "://" in line else f"https://{line}")
        except addresses.AddressNotAllowed:
            told = _("“%(line)s” is no host. Write hosts such as images.example.org, one per line.")
            raise _bad(told % {"line": line}) from None
        usual = place.port in addresses.SCHEMES.values()
        found.append(place.host if usual else f"{place.host}:{place.port}")
    if len(found) > MAX_HOSTS:
        raise _bad(_("At most %(n)s hosts may be named.") % {"n": MAX_HOSTS})
    return list(dict.fromkeys(found))


def _bad(told: str) -> BadHosts:
    return BadHosts(told, fields={"picture_hosts": [told]})


def shown(page_text: str, *, slug: str, hosts: Sequence[str], user: int) -> str:
    """Return page text with the pictures of these hosts in it; its words stay what they are."""

    def picture(found: re.Match[str]) -> str:
        address = html.unescape(found[1])
        if _place(address, hosts) is None:
            return found[0]
        query = urlencode({"at": address, "by": _signature(address, slug, user)})
        link = html.escape(f"{reverse('picture', args=[slug])}?{query}")
        return f'{found[0]}<img src="{link}" alt="" loading="lazy">'

    return _SHOWN.sub(picture, page_text) if hosts else page_text


def fetched(
    query: Mapping[str, str], *, slug: str, hosts: Sequence[str], user: int, networks: Sequence[str]
) -> FetchedPicture:
    """Return the picture that a link of `shown` asks for: what was kept, or what its server gives.

    Raises:
        NoPicture: the link is another person's, its host is not allowed any more, or no image came.
    """
    address = query.get("at", "")
    if not constant_time_compare(query.get("by", ""), _signature(address, slug, user)):
        raise NoPicture("signature")
    if _place(address, hosts) is None:
        raise NoPicture("host")
    kept = caches["pictures"]
    key = hashlib.sha256(f"{slug} {address}".encode()).hexdigest()
    data = kept.get(key)
    if data is None:
        try:
            data = _asked_for(address, hosts, networks)
        except NoPicture:
            kept.set(key, b"", FAILED_FOR)
            raise
        kept.set(key, data)
    return FetchedPicture(_kind(data), data)


def _signature(address: str, slug: str, user: int) -> str:
    return signing.Signer(salt=f"picture {slug} {user}").signature(address)


def _place(address: str, hosts: Sequence[str]) -> addresses.OutsideAddress | None:
    """Return where an address leads if its host is among these."""
    try:
        place = addresses.parse(re.split(r"[?#]", address, maxsplit=1)[0])
    except addresses.AddressNotAllowed:
        return None
    usual = place.port == addresses.SCHEMES[place.scheme]
    return place if (place.host if usual else f"{place.host}:{place.port}") in hosts else None


def _kind(data: bytes) -> str:
    for start, kind in _KINDS:
        if start.match(data):
            return kind
    raise NoPicture("kind")


def _asked_for(address: str, hosts: Sequence[str], networks: Sequence[str]) -> bytes:
    if not _FETCHING.acquire(timeout=_TURN):
        raise NoPicture("busy")
    try:
        for _turn in range(MAX_REDIRECTS + 1):
            place = _place(address, hosts)
            if place is None:
                raise NoPicture("host")
            moved, data = _answer(place, address, networks)
            if not moved:
                _kind(data)
                return data
            address = urljoin(address, moved)
    except (OSError, http.client.HTTPException, ValueError, addresses.AddressNotAllowed) as problem:
        raise NoPicture(type(problem).__name__) from problem
    finally:
        _FETCHING.release()
    raise NoPicture("redirects")


def _answer(
    place: addresses.OutsideAddress, address: str, networks: Sequence[str]
) -> tuple[str, bytes]:
    """Ask a server once; return where it sends us instead, or what it gives."""
    parts = urlsplit(address)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    with _connected(place, networks) as connection:
        connection.request("GET", target, headers=_HEADERS)
        reply = connection.getresponse()
        if reply.status in {301, 302, 303, 307, 308}:
            return reply.headers.get("Location", ""), b""
        data = reply.read(MAX_BYTES + 1)
    if reply.status != HTTPStatus.OK or len(data) > MAX_BYTES or reply.length:
        raise NoPicture("answer")
    return "", data


@contextmanager
def _connected(
    place: addresses.OutsideAddress, networks: Sequence[str]
) -> Iterator[http.client.HTTPConnection]:
    """Connect to an address that was checked; whatever the server does, it is over after `PATIENCE`."""
    found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    numbers = [str(one[4][0]) for one in found]
    for number in numbers:  # one closed address among them refuses the host
        addresses.check_ip(ip_address(number), addresses.networks_of(tuple(networks)))
    line = socket.create_connection((numbers[0], place.port), timeout=PATIENCE)
    with closing(line.dup()) as same, closing(_secured(line, place)) as secured:
        connection = http.client.HTTPConnection(*_named(place))
        connection.sock = secured
        over = threading.Timer(PATIENCE, _hang_up, [same])
        ends_at = time.monotonic() + PATIENCE
        over.start()
        try:
            yield connection
        finally:
            over.cancel()
    if time.monotonic() > ends_at:  # what was read may end where the line was cut
        raise TimeoutError


def _named(place: addresses.OutsideAddress) -> tuple[str, int | None]:
    """Return host and port as a server is told them; a port that goes without saying is left out."""
    host = f"[{place.host}]" if ":" in place.host else place.host
    return host, None if place.port == addresses.SCHEMES[place.scheme] else place.port


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _secured(line: socket.socket, place: addresses.OutsideAddress) -> socket.socket:
    if place.scheme == "http":
        return line
    return ssl.create_default_context().wrap_socket(line, server_hostname=place.host)
