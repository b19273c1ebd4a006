"""What the operator's environment allows to which project: keys of endpoints, and private networks.

An entry names its project behind an @; `*` stands for all of them. A key is bound to an address too:
NAME@models.example@northport.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

ALL: Final = "*"
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True)
class KeyEntry:
    """A variable, and where its key may go: `models.example`, with a scheme or a port if need be."""

    variable: str
    address: str
    project: str

    def is_for(self, project: str) -> bool:
        return self.project in {ALL, project}

    def leads_to(self, url: str) -> bool:
        """Say whether this address stands for that of a request."""
        allowed, asked = _split(self.address), _split(url)
        if allowed is None or asked is None or allowed.hostname != asked.hostname:
            return False
        if allowed.scheme and allowed.scheme != asked.scheme:
            return False
        if allowed.port is None and not allowed.scheme:
            return True
        return _port(allowed, asked.scheme) == _port(asked, asked.scheme)


def key_entries(entries: Iterable[str] | None = None) -> list[KeyEntry]:
    """Return the whole entries of EVALSITE_ENDPOINT_KEYS; what is incomplete allows nothing."""
    found = []
    for entry in settings.ENDPOINT_KEYS if entries is None else entries:
        parts = entry.split("@")
        if len(parts) == 3 and all(parts) and _host(parts[1]):
            found.append(KeyEntry(*parts))
    return found


def incomplete(entries: Iterable[str]) -> list[str]:
    """Return the entries that allow nothing, because they name no address or no project."""
    return [entry for entry in entries if not key_entries([entry])]


def networks_of(project: str, entries: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the private networks in which the endpoints of a project may be."""
    found = []
    for entry in settings.ENDPOINT_NETWORKS if entries is None else entries:
        network, _at, of = entry.partition("@")
        if of in {"", ALL, project}:
            found.append(network)
    return tuple(found)


def reserved() -> frozenset[str]:
    """Return the short names that something is allowed to: only operators start projects of these."""
    keys = {entry.project for entry in key_entries()}
    networks = {entry.partition("@")[2] for entry in settings.ENDPOINT_NETWORKS}
    return frozenset((keys | networks) - {"", ALL})


def _host(address: str) -> str:
    found = _split(address)
    return found.hostname or "" if found is not None else ""


def _split(address: str) -> SplitResult | None:
    try:
        found = urlsplit(address if "://" in address else f"//{address}")
        _checked = found.port
    except ValueError:
        return None
    return found


def _port(address: SplitResult, scheme: str) -> int | None:
    return address.port or _PORTS.get(scheme)
