"""How an endpoint is to be asked: all that a client needs to know, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

SERVER, SCRIPTED, REST = "SERVER", "SCRIPTED", "REST"

#: What people copy along with a base address.
TAILS = ("/chat/completions", "/completions", "/models")


class NotABase(ValueError):
    """An address that is no base address of an API; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def base_url(text: str) -> str:
    """Return the base address of an API in the one form in which it is kept.

    Raises:
        NotABase: with "scheme", "host", "user", "query", or "broken".
    """
    text = text.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise NotABase("broken") from None
    if parts.scheme not in {"http", "https"}:
        raise NotABase("scheme")
    if not parts.hostname or port == 0 or any(not one.isprintable() or one == " " for one in text):
        raise NotABase("host")
    if "@" in parts.netloc:
        raise NotABase("user")
    if parts.query or parts.fragment:
        raise NotABase("query")
    path = parts.path.rstrip("/")
    for tail in TAILS:
        path = path.removesuffix(tail)
    return f"{parts.scheme}://{parts.netloc.lower()}{path.rstrip('/')}"


class Form(StrEnum):
    """How a reply is held to a JSON schema, from the strictest down."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """A configured endpoint. Its key is not shown by `repr`."""

    kind: str = SERVER
    url: str = ""
    model: str = ""
    key: str = field(default="", repr=False)
    #: For the whole of a request, in seconds.
    timeout: float = 120.0
    #: What "Test connection" found: name → {"value": …, "how": …, "at": …}. Empty: not tested.
    found: Mapping[str, Any] = field(default_factory=dict)
    script: Mapping[str, Any] = field(default_factory=dict)
    #: Of an application (`rest`): method, headers, body, answer.
    request: Mapping[str, Any] = field(default_factory=dict)
    #: Private networks that the operator lets endpoints be in, such as "10.0.0.0/8".
    networks: tuple[str, ...] = ()

    def finding(self, name: str) -> Any:
        """Return what the test found of an ability; None where it was not tested."""
        entry = self.found.get(name)
        return entry.get("value") if isinstance(entry, Mapping) else None

    @property
    def form(self) -> Form:
        """The strictest form that the endpoint is known to keep to; text where nothing is known."""
        if self.finding(Form.JSON_SCHEMA):
            return Form.JSON_SCHEMA
        return Form.JSON_OBJECT if self.finding(Form.JSON_OBJECT) else Form.TEXT
