"""Every route of the API with its contract, found through the URLconf."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from evalsite.contract.calls import Promise

ROOT = "/api/v1/"


class NoContract(LookupError):
    """A route of the API says nothing of what it takes and answers."""


@dataclass(frozen=True)
class Route:
    """A route: its address with `{…}` for what is filled in, and the kinds of what is."""

    name: str
    address: str
    parts: Mapping[str, str]
    view: Any
    #: As Django writes it, without the slash in front.
    pattern: str

    @property
    def methods(self) -> list[str]:
        return [one for one in self.view.cls().allowed_methods if one not in {"OPTIONS", "HEAD"}]

    @property
    def parsers(self) -> list[str]:
        """Return the media types that a body may have."""
        return [one.media_type for one in self.view.cls.parser_classes]

    @property
    def promise(self) -> Promise:
        """Return what the route promises.

        Raises:
            NoContract: a method of it says nothing.
        """
        found = self.view.cls.schema
        if not isinstance(found, Promise) or set(found.calls) != set(self.methods):
            raise NoContract(f"{self.name} needs a contract for each of {self.methods}.")
        return found


def routes() -> list[Route]:
    """Return every route below /api/v1/, in the order of the addresses."""
    found = _walk(get_resolver().url_patterns, "")
    return sorted(found, key=lambda one: one.address)


def _walk(patterns: Iterable[URLPattern | URLResolver], before: str) -> Iterator[Route]:
    for pattern in patterns:
        text = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, text)
            continue
        address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", text)
        parts = {name: kind or "str" for kind, name in re.findall(r"<(?:(\w+):)?(\w+)>", text)}
        if address.startswith(ROOT):
            yield Route(pattern.name or "", address, parts, pattern.callback, text)
