"""How an endpoint is to be asked: all that a client needs to know, as plain values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast
from urllib.parse import urlsplit

SERVER, SCRIPTED, REST = "SERVER", "SCRIPTED", "REST"

#: What people copy along with a base address.
TAILS = ("/chat/completions", "/completions", "/models", "/responses")
#: The two forms in which an OpenAI-compatible server is asked.
CHAT, RESPONSES = "chat", "responses"
LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
#: Parameters that a server may refuse and a request can do without.
OPTIONAL = ("temperature", "top_p", "seed", "stop", "logprobs")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
#: What a run decides, so that an endpoint can say nothing of it by its extra body.
OF_RUNS = frozenset(
    {*OPTIONAL, *LIMIT_NAMES, "max_output_tokens", "model", "messages", "input", "n", "stream"}
    | {"top_logprobs", "response_format", "text", "reasoning_effort", "reasoning"}
)
#: Where the key belongs in a header.
KEY = "{key}"
#: Of headers whose values are secrets.
_SECRET = re.compile("key|auth|token|secret|cookie|pass", re.IGNORECASE)


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


class ReplyForm(StrEnum):
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
    #: Of a server: api, limit_name, leave_out, effort, thinking_room, query, body; what is empty is usual.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Sent with every request; they may hold secrets, so `repr` shows none.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: Certificates (PEM) that are trusted beside those that the site trusts.
    certificates: str = ""
    #: Private networks that the operator lets endpoints be in, such as "10.0.0.0/8".
    networks: tuple[str, ...] = ()

    def finding(self, name: str) -> Any:
        """Return what the test found of an ability; None where it was not tested."""
        return _value(self.found, name)

    @property
    def form(self) -> ReplyForm:
        """The strictest form that the endpoint is known to keep to; text where nothing is known."""
        if self.finding(ReplyForm.JSON_SCHEMA):
            return ReplyForm.JSON_SCHEMA
        return ReplyForm.JSON_OBJECT if self.finding(ReplyForm.JSON_OBJECT) else ReplyForm.TEXT

    @property
    def api(self) -> str:
        return self.options.get("api") or CHAT

    @property
    def limit_name(self) -> str:
        """What the limit of a reply's tokens is called: as the owner says, else as the test found."""
        found = self.options.get("limit_name") or self.finding("max_tokens_name")
        return str(found or LIMIT_NAMES[0])

    @property
    def thinking_room(self) -> int:
        return thinking_room(self.options, self.found)

    def leaves_out(self, name: str) -> bool:
        """Say whether a parameter is never sent: the owner says so, or the test saw it refused."""
        return name in self.options.get("leave_out", ()) or self.finding(name) is False

    @property
    def query(self) -> Mapping[str, str]:
        """What stands behind the address, with {key} where the key belongs."""
        return cast("Mapping[str, str]", self.options.get("query", {}))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message and no stored reply may hold: the key, and what headers and query name like one."""
        own = (*self.headers.items(), *self.query.items())
        told = [value for name, value in own if is_secret(name) and KEY not in value]
        words = [word for one in told for word in (one, one.rpartition(" ")[2])]
        return tuple(dict.fromkeys(one for one in (self.key, *words) if one))


def is_secret(name: str) -> bool:
    """Say whether what bears this name in a header or a query is nothing to be shown."""
    return bool(_SECRET.search(name))


def thinking_room(options: Mapping[str, Any], found: Mapping[str, Any]) -> int:
    """Return how many tokens a reply may have for reasoning, beside those of its answer.

    As the owner says, else as the test found.
    """
    said = options.get("thinking_room")
    told = _value(found, "thinking") if said is None else said
    return told if isinstance(told, int) and not isinstance(told, bool) else 0


def _value(found: Mapping[str, Any], name: str) -> Any:
    entry = found.get(name)
    return entry.get("value") if isinstance(entry, Mapping) else None
