"""Which addresses an endpoint may have, so that nobody reaches the operator's own machines by one.

A name proves nothing, as it may lead anywhere and somewhere else the next time: what is checked is every
address that a name leads to, at the moment of connecting (`guarded`). Public addresses are allowed; all
others only in networks that the operator names. Ranges that stand for another address (NAT64, 6to4,
Teredo) are refused, whatever they stand for.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import SplitResult, urlsplit

Ip = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_URL = 500
SCHEMES = {"http": 80, "https": 443}
NETLOC = re.compile(r"(?:\[[^\[\]@/]*\]|[^\[\]@:/]*)(?::[0-9]*)?")
LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
#: Browsers and resolvers read such a last label as a number, and with it the whole name as an address.
NUMBER = re.compile(r"(?:[0-9]+|0[xX][0-9a-fA-F]*)")
LOCAL_NAMES = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "home.arpa",
    "ip6-localhost",
    "ip6-loopback",
)

#: IANA's special-purpose registries, and one public address that clouds give to their metadata.
CLOSED_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
#: Only global unicast is open, without what tunnels to elsewhere or is for examples.
OPEN_6 = IPv6Network("2000::/3")
CLOSED_6 = tuple(
    IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)


class AddressNotAllowed(Exception):
    """An endpoint may not be at this address; the message says why, for the person who set it."""


@dataclass(frozen=True, slots=True)
class OutsideAddress:
    """A URL that has been read: where a connection goes, before any name is resolved."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def ip(self) -> Ip | None:
        """The address, where the host is written as one."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None


def parse(url: str) -> OutsideAddress:
    """Read the URL of an endpoint.

    Raises:
        AddressNotAllowed: it is not the plain URL of a server.
    """
    parts = _split(url)
    if parts.scheme not in SCHEMES:
        raise AddressNotAllowed("The address must begin with http:// or https://.")
    if "@" in parts.netloc:
        raise AddressNotAllowed("The address must hold no name and password. Set the key as a key.")
    if parts.fragment or "#" in url:
        raise AddressNotAllowed("The address must hold no # part.")
    if parts.query or "?" in url:
        raise AddressNotAllowed(
            "The address must hold no ? part. It ends with /v1 for most servers."
        )
    if not NETLOC.fullmatch(parts.netloc):
        raise AddressNotAllowed("The server and the port in the address cannot be read.")
    return OutsideAddress(parts.scheme, _host(parts), _port(parts), parts.path)


def check(url: str, networks: Sequence[str] = ()) -> OutsideAddress:
    """Read a URL and refuse what can be told from it alone; the rest is told on connecting.

    Raises:
        AddressNotAllowed: the URL is wrong, or its host can only be a closed address.
    """
    address = parse(url)
    if address.ip is not None:
        check_ip(address.ip, networks_of(tuple(networks)))
    elif not networks and _is_local(address.host):
        raise AddressNotAllowed(_closed(f"{address.host} is a name inside the operator's network"))
    return address


def check_ip(ip: Ip, networks: Iterable[Network]) -> None:
    """Let an address pass that may be connected to.

    Raises:
        AddressNotAllowed: it is not public, and in no network that the operator allows.
    """
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped  # a connection to it is one to the address inside
    if isinstance(ip, IPv6Address) and ip.scope_id:
        raise AddressNotAllowed(f"{ip} belongs to one interface. Give an address without a zone.")
    allowed = any(ip.version == one.version and ip in one for one in networks)
    if not allowed and not _is_public(ip):
        raise AddressNotAllowed(_closed(f"{ip} is not a public address"))


@lru_cache(maxsize=16)
def networks_of(words: tuple[str, ...]) -> tuple[Network, ...]:
    """Read the networks that the operator allows.

    Raises:
        ValueError: one of them is no network.
    """
    found: list[Network] = []
    for word in words:
        try:
            found.append(ip_network(word))
        except ValueError as problem:
            raise ValueError(
                f"EVALSITE_ENDPOINT_NETWORKS: {problem}. Write networks as 10.0.0.0/8,127.0.0.0/8."
            ) from None
    return tuple(found)


def _split(url: str) -> SplitResult:
    # urlsplit removes line breaks and outer spaces, which other readers of the same text may not.
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AddressNotAllowed(
            "The address holds a sign that no address has. Write other scripts as xn--… names."
        )
    if len(url) > MAX_URL:
        raise AddressNotAllowed(f"The address is longer than {MAX_URL} signs.")
    try:
        return urlsplit(url)
    except ValueError:
        raise AddressNotAllowed("The address cannot be read.") from None


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0 or parts.netloc.endswith(":"):
        raise AddressNotAllowed("The port is not a number from 1 to 65535.")
    return port or SCHEMES[parts.scheme]


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if not parts.netloc.startswith("["):
        return read_host(host)
    try:
        return str(IPv6Address(host))
    except ValueError:
        raise AddressNotAllowed("What stands in brackets is no IPv6 address.") from None


def read_host(host: str) -> str:
    """Return a name or an IPv4 address in its one usual form.

    Raises:
        AddressNotAllowed: it is neither, or an address in a form that readers disagree about.
    """
    host = host.lower()
    labels = host.removesuffix(".").split(".")
    try:
        return str(IPv4Address(host))
    except ValueError:
        pass
    if NUMBER.fullmatch(labels[-1]):
        raise AddressNotAllowed(
            "An IP address is written as four decimal numbers, such as 192.0.2.1, without a full stop at the end."
        )
    if len(host) > 253 or not all(LABEL.fullmatch(label) for label in labels):
        raise AddressNotAllowed("The name of the server is missing or is none.")
    return host.removesuffix(".")


def _is_public(ip: Ip) -> bool:
    if isinstance(ip, IPv4Address):
        return not any(ip in one for one in CLOSED_4)
    return ip in OPEN_6 and not any(ip in one for one in CLOSED_6)


def _is_local(host: str) -> bool:
    return any(host == name or host.endswith(f".{name}") for name in LOCAL_NAMES)


def _closed(what: str) -> str:
    return (
        f"{what}. Endpoints in private networks need the operator's leave: "
        "the setting EVALSITE_ENDPOINT_NETWORKS names the networks."
    )
