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
_USUAL: Final = "https"
_PORTS: Final = {"http": 80, _USUAL: 443}


@dataclass(frozen=True)
class KeyEntry:
    """A variable, and where its key may go: `models.example` is https at its usual port, no other."""

    variable: str
    address: str
    project: str

    def is_for(self, project: str) -> bool:
        return self.project in {ALL, project}

    @property
    def place(self) -> str:
        """The address with what it leaves open: https, whose usual port is 443."""
        return self.address if "://" in self.address else f"{_USUAL}://{self.address}"

    def leads_to(self, url: str) -> bool:
        """Say whether this address stands for that of a request: the scheme, the host and the port."""
        allowed, asked = _split(self.place), _split(url)
        if allowed is None or asked is None or allowed.hostname != asked.hostname:
            return False
        return allowed.scheme == asked.scheme and _port(allowed) == _port(asked)


def entry(variable: str, url: str, project: str) -> str:
    """Return the entry that lets a variable's key go to the server of this address."""
    server = _split(url)
    if server is None or not server.hostname:
        return f"{variable}@models.example@{project}"
    address = server.netloc.rpartition("@")[2]
    scheme = "" if server.scheme == _USUAL else f"{server.scheme}://"
    return f"{variable}@{scheme}{address}@{project}"


def key_entries(entries: Iterable[str] | None = None) -> list[KeyEntry]:
    """Return the whole entries of EVALSITE_ENDPOINT_KEYS; what is incomplete allows nothing."""
    found = []
    for one in settings.ENDPOINT_KEYS if entries is None else entries:
        parts = one.split("@")
        if len(parts) == 3 and all(parts) and _host(parts[1]):
            found.append(KeyEntry(*parts))
    return found


def incomplete(entries: Iterable[str]) -> list[str]:
    """Return the entries that allow nothing, because they name no address or no project."""
    return [one for one in entries if not key_entries([one])]


def networks_of(project: str, entries: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the private networks in which the endpoints of a project may be."""
    found = []
    for one in settings.ENDPOINT_NETWORKS if entries is None else entries:
        network, _at, of = one.partition("@")
        if of in {"", ALL, project}:
            found.append(network)
    return tuple(found)


def reserved() -> frozenset[str]:
    """Return the short names that something is allowed to: only operators start projects of these."""
    keys = {one.project for one in key_entries()}
    networks = {one.partition("@")[2] for one in settings.ENDPOINT_NETWORKS}
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


def _port(address: SplitResult) -> int | None:
    return address.port or _PORTS.get(address.scheme)
