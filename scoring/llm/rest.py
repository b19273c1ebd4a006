"""Applications that are no OpenAI-compatible server: how a request to one is written, and its answer found.

The address and the body are templates. `{message}` is what the user said last, `{messages}` all of the
conversation as a list of role and content, `{history}` what went before the last message as lines of text,
`{system}` the system prompt, `{session}` a name that is the same in all requests of one conversation.
Every other brace stays as it is.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

from scoring.llm import base

METHODS: Final = ("POST", "GET", "PUT")
#: What the templates may name; the key only in headers, which are neither stored with calls nor shown.
NAMES: Final = (
    "message", "messages", "history", "system", "session", "model", "temperature", "max_tokens",
    "seed",
)  # fmt: skip
KEY: Final = "key"
MOST_BODY: Final = 20_000
MOST_HEADERS: Final = 20
MOST_DEPTH: Final = 40
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,80}")
#: What the client writes itself, or what would change whom it speaks to.
_OWN_HEADERS: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade"}
)
_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[(-?\d{1,6})\]")


class NotUsable(ValueError):
    """A request that cannot be sent; `place` is url, method, headers, body or answer, `code` says why."""

    def __init__(self, place: str, code: str, detail: str = "") -> None:
        super().__init__(f"{place}: {code} {detail}".strip())
        self.place, self.code, self.detail = place, code, detail


class NoAnswer(ValueError):
    """The answer is not where it is looked for; says where the way ended."""


@dataclass(frozen=True, slots=True)
class RestTemplate:
    """How an application is asked."""

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    #: JSON with placeholders in its texts; empty: no body is sent.
    body: str = ""
    #: Where in the JSON of the reply the answer stands, such as "data.answers[0].text"; empty: all of it.
    answer: str = ""

    @property
    def origin(self) -> str:
        """Return scheme, server and port, which no placeholder can change."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "headers": dict(self.headers),
            "body": self.body,
            "answer": self.answer,
        }


@dataclass(frozen=True, slots=True)
class RestRequest:
    """A request as it is sent. The headers hold the key: show them to nobody."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None


def template_of(url: str, given: Mapping[str, Any]) -> RestTemplate:
    """Return the template that an endpoint keeps."""
    return RestTemplate(
        url=url,
        method=str(given.get("method") or "POST"),
        headers=dict(given.get("headers") or {}),
        body=str(given.get("body") or ""),
        answer=str(given.get("answer") or ""),
    )


def check(template: RestTemplate) -> None:
    """Refuse a template that cannot be used. Whether its server may be asked is told elsewhere.

    Raises:
        NotUsable: says which part, and why.
    """
    _check_url(template.url)
    if template.method not in METHODS:
        raise NotUsable("method", "unknown", template.method)
    check_headers(template.headers, {KEY, "session"})
    _check_body(template)
    if template.answer:
        steps_of(template.answer)
    shown = {*_named(template.url), *_named(template.body)}
    if not shown & {"message", "messages"}:
        raise NotUsable("body", "says_nothing")


def write(template: RestTemplate, request: base.Request, *, model: str, key: str) -> RestRequest:
    """Return the request that puts a conversation to an application."""
    values = _values(request, model)
    headers = {name: _filled(said, {**values, KEY: key}) for name, said in template.headers.items()}
    content = None
    if template.body.strip():
        made = _in_body(json.loads(template.body), values)
        content = json.dumps(made, ensure_ascii=False).encode()
        if not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = "application/json"
    return RestRequest(template.method, _in_url(template.url, values), headers, content)


def answer(template: RestTemplate, raw: bytes) -> str:
    """Return the answer in the body of a reply.

    Raises:
        NoAnswer: the body is not JSON, or has nothing at this place.
    """
    text = raw.decode("utf-8", "replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
    if not template.answer:
        return text
    try:
        found = json.loads(text, parse_constant=lambda _name: None)
    except (ValueError, RecursionError):
        raise NoAnswer("The reply is not JSON, so the answer cannot be found in it.") from None
    way = ""
    for step in steps_of(template.answer):
        way += f"[{step}]" if isinstance(step, int) else f".{step}" if way else step
        try:
            found = _under(found, step)
        except LookupError:
            raise NoAnswer(f"The reply has nothing at “{way}”. It has {_kinds(found)}.") from None
    return _text(found)


def steps_of(path: str) -> list[str | int]:
    """Return the steps of a path such as "$.data.answers[0].text".

    Raises:
        NotUsable: it is no path.
    """
    rest = path.strip().removeprefix("$")
    steps: list[str | int] = []
    at = 0
    while at < len(rest):
        found = _STEP.match(rest, at)
        if found is None or len(steps) >= MOST_DEPTH:
            raise NotUsable("answer", "no_path", path[:80])
        steps.append(found[1] if found[1] is not None else int(found[2]))
        at = found.end()
    return steps


def _under(found: Any, step: str | int) -> Any:
    """Return what stands at one step.

    Raises:
        LookupError: nothing does.
    """
    if isinstance(step, str) and isinstance(found, dict):
        return found[step]
    if isinstance(step, int) and isinstance(found, list):
        return found[step]
    raise LookupError(step)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError:
        raise NotUsable("url", "broken") from None
    if parts.scheme not in {"http", "https"}:
        raise NotUsable("url", "scheme")
    if not parts.hostname or not url.isascii() or not url.isprintable() or " " in url:
        raise NotUsable("url", "host")
    if "{" in parts.netloc or "}" in parts.netloc:
        raise NotUsable("url", "server_is_fixed")
    if "@" in parts.netloc:
        raise NotUsable("url", "user")
    if parts.fragment or "#" in url:
        raise NotUsable("url", "fragment")
    _check_names("url", _named(url))


def check_headers(headers: Mapping[str, str], known: Collection[str]) -> None:
    """Refuse headers that cannot be sent; `known` are the placeholders that may stand in them.

    Raises:
        NotUsable: says which, and why.
    """
    if len(headers) > MOST_HEADERS:
        raise NotUsable("headers", "too_many")
    for name, said in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _OWN_HEADERS:
            raise NotUsable("headers", "name", name[:80])
        if not said.isascii() or not said.isprintable() or len(said) > 2000:
            raise NotUsable("headers", "value", name[:80])
        others = _named(said) - set(known)
        if others:
            raise NotUsable("headers", "placeholder", ", ".join(sorted(others)))


def _check_body(template: RestTemplate) -> None:
    if len(template.body) > MOST_BODY:
        raise NotUsable("body", "too_long")
    if not template.body.strip():
        return
    if template.method == "GET":
        raise NotUsable("body", "none_with_get")
    try:
        made = json.loads(template.body)
        _in_body(made, dict.fromkeys(NAMES, ""))
    except json.JSONDecodeError as problem:
        raise NotUsable("body", "no_json", f"{problem.lineno}: {problem.msg}") from None
    except (ValueError, RecursionError):
        raise NotUsable("body", "too_deep") from None
    _check_names("body", _named(template.body))


def _check_names(place: str, names: set[str]) -> None:
    if KEY in names:
        raise NotUsable(place, "key_in_headers_alone")
    if unknown := names - set(NAMES):
        raise NotUsable(place, "placeholder", ", ".join(sorted(unknown)))


def _named(text: str) -> set[str]:
    return set(_PLACE.findall(text))


def _values(request: base.Request, model: str) -> dict[str, Any]:
    spoken = [one for one in request.messages if one.role != "system"]
    last = spoken[-1].content if spoken else ""
    settings = request.settings
    first = spoken[0].content if spoken else ""
    session = f"{settings.seed}/{request.repeat}/{request.role.value}/{first}"
    return {
        "message": last,
        "messages": base.transcript(request.messages),
        "history": "\n".join(f"{one.role}: {one.content}" for one in spoken[:-1]),
        "system": "\n\n".join(one.content for one in request.messages if one.role == "system"),
        "session": hashlib.sha256(session.encode()).hexdigest()[:32],
        "model": model,
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        "seed": settings.seed,
    }


def _in_body(value: Any, values: Mapping[str, Any], depth: int = 0) -> Any:
    """Fill a body: a text that is one placeholder alone becomes its value, a list or number as such."""
    if depth > MOST_DEPTH:
        raise ValueError("too deep")
    if isinstance(value, str):
        alone = _PLACE.fullmatch(value)
        if alone and alone[1] in values:
            return values[alone[1]]
        return _filled(value, values)
    if isinstance(value, dict):
        return {name: _in_body(one, values, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_in_body(one, values, depth + 1) for one in value]
    return value


def _in_url(url: str, values: Mapping[str, Any]) -> str:
    return _PLACE.sub(lambda found: quote(_as_text(values.get(found[1])), safe=""), url)


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """Fill a text once: what was put in is not looked at for placeholders again."""
    return _PLACE.sub(
        lambda found: _as_text(values[found[1]]) if found[1] in values else found[0], text
    )


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(found: Any) -> str:
    if found is None:
        return ""
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return "\n".join(found)
    return _clean(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\x00", "\N{REPLACEMENT CHARACTER}")


def _kinds(found: Any) -> str:
    if isinstance(found, Mapping):
        names = ", ".join(str(one)[:40] for one in list(found)[:8])
        return f"the names {names}" if names else "no names"
    if isinstance(found, Sequence) and not isinstance(found, str):
        return f"a list of {len(found)}"
    return "no parts"
