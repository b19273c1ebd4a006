"""HTTP/1.1 as a scripted server needs it: small, kept alive, and able to fail in the middle.

* How a scripted server fails, by plan: the same requests fail in the same way on every run.
* What a scripted server answers to each request, and what it counts.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Protocol, Self

from scoring.llm.base import Reply
from scoring.llm.scripted import bodies, composing
from scoring.llm.scripted import script as chance
from scoring.llm.scripted.script import Script

MAX_HEAD = 64 * 1024
MAX_BODY = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is sent back. `cut` drops the connection after so many bytes; `after` waits so many seconds."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    after: float = 0.0
    cut: int | None = None


class Handler(Protocol):
    """Who answers: `take` decides at once, `done` hears that the answer is out or the caller gone."""

    def take(self, request: ScriptedRequest) -> Outgoing: ...
    def done(self, request: ScriptedRequest) -> None: ...


class Connection(asyncio.Protocol):
    """One connection; its requests are answered one after the other."""

    def __init__(self, handler: Handler, closed: Callable[["Connection"], None]) -> None:
        self._handler, self._closed = handler, closed
        self._buffer = bytearray()
        self._open: ScriptedRequest | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._end()
        self._closed(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._open is None:
            self._next()

    def _next(self) -> None:
        """Take the next whole request, if there is one."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD:
                self._refuse(431)
            return
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = headers.get("content-length", "0")
        if not length.isdecimal() or "transfer-encoding" in headers or first.count(" ") != 2:
            self._refuse(400)
            return
        if int(length) > MAX_BODY:
            self._refuse(413)
            return
        stop = end + 4 + int(length)
        if len(self._buffer) < stop:
            return
        method, path, _ = first.split(" ")
        request = ScriptedRequest(method, path, headers, bytes(self._buffer[end + 4 : stop]))
        del self._buffer[:stop]
        self._answer(request)

    def _answer(self, request: ScriptedRequest) -> None:
        self._open = request
        self._last = request.headers.get("connection", "").lower() == "close"
        answer = self._handler.take(request)
        if answer.after > 0:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(answer.after, self._send, answer)
        else:
            self._send(answer)

    def _send(self, answer: Outgoing) -> None:
        assert self.transport is not None
        self._timer = None
        self._end()
        raw = _written(answer)
        if answer.cut is not None:
            self.transport.write(raw[: answer.cut])
            # A reset could overtake what was written; an end of file is as rude to the caller.
            self.transport.close() if answer.cut else self.transport.abort()
            return
        self.transport.write(raw)
        if self._last:
            self.transport.close()
        elif self._buffer:
            self._next()

    def _refuse(self, status: int) -> None:
        assert self.transport is not None
        self.transport.write(_written(Outgoing(status=status)))
        self.transport.close()

    def _end(self) -> None:
        if self._open is not None:
            request, self._open = self._open, None
            self._handler.done(request)


def _written(answer: Outgoing) -> bytes:
    phrase = HTTPStatus(answer.status).phrase
    extra = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    head = (
        f"HTTP/1.1 {answer.status} {phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(answer.body)}\r\n{extra}\r\n"
    )
    return head.encode("latin-1") + answer.body


class ScriptedFault(StrEnum):
    """What goes wrong with a request that arrived."""

    TOO_MANY = "429"
    SERVER = "500"
    GARBAGE = "garbage"
    ERROR_BODY = "error_body"
    TRUNCATED = "truncated"
    HANG = "hang"
    DROP = "drop"
    SLOW = "slow"
    # Replies that are paid for, and hold nothing that can be used.
    EMPTY = "empty"
    FILTERED = "filtered"
    TOOL_CALL = "tool_call"
    CUT_OFF = "cut_off"
    REFUSED = "refused"
    #: Reasoning before the reply, as servers send it that do not keep it apart.
    THINKING = "thinking"
    #: The reply as it is, without a count of its tokens.
    NO_USAGE = "no_usage"


@dataclass(frozen=True, slots=True)
class Faults:
    """Shares of faults, drawn by the request's hash and by how often it came before."""

    shares: Mapping[ScriptedFault, float] = field(default_factory=dict)
    seed: int = 0
    #: How often the same request may fail; after that it gets its reply. None: as chance will have it.
    at_most: int | None = None
    #: Seconds that a 429 asks to wait; below 0 it asks for none.
    retry_after: float = 1.0
    hang_seconds: float = 3600.0
    slow_seconds: float = 2.0

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Read a plan: faults by name, and the options beside them.

        Raises:
            ValueError: a name is unknown, or the shares are more than all requests.
        """
        options = {one.name for one in fields(cls)} - {"shares"}
        shares = {name: float(value) for name, value in stored.items() if name not in options}
        if unknown := sorted(set(shares) - set(ScriptedFault)):
            known = ", ".join([*ScriptedFault, *sorted(options)])
            raise ValueError(f"There is no fault {', '.join(unknown)}. There are: {known}.")
        if min(shares.values(), default=0) < 0 or sum(shares.values()) > 1:
            raise ValueError("The shares of faults are negative, or together more than 1.")
        chosen = {name: value for name, value in stored.items() if name in options}
        return cls(shares={ScriptedFault(name): value for name, value in shares.items()}, **chosen)

    def draw(self, sha: str, nth: int) -> ScriptedFault | None:
        """Return what happens to a request that comes for the nth time, counted from 0."""
        if not self.shares or (self.at_most is not None and nth >= self.at_most):
            return None
        drawn = chance.number(self.seed, "fault", sha, nth)
        for fault, share in self.shares.items():
            if drawn < share:
                return fault
            drawn -= share
        return None


def read_list(text: str) -> dict[str, float]:
    """Read "429=0.2,hang=0.01" as a plan's values.

    Raises:
        ValueError: a part is not a name and a number.
    """
    parts = [part.split("=") for part in text.split(",") if part.strip()]
    try:
        return {name.strip(): float(value) for name, value in parts}
    except ValueError:
        raise ValueError(
            f"Faults are written as 429=0.2,hang=0.01 (name and share); this is {text!r}."
        ) from None


GARBAGE = (b"<html><body>Bad gateway</body></html>", b'{"id": "scripted", "choices": [{"mess', b"")
ERROR_BODIES = (
    b'{"error": {"message": "The model is overloaded.", "type": "server_error", "code": "overloaded"}}',
    b'{"id": "scripted", "object": "chat.completion", "choices": null}',
)


@dataclass(frozen=True, slots=True)
class ScriptedOptions:
    """What a scripted server does. A model with other abilities is a server with other options."""

    script: Script = field(default_factory=Script)
    faults: Faults = field(default_factory=Faults)
    #: The key that it wants; without one it takes any.
    key: str = ""
    model: str = bodies.MODEL
    context_length: int | None = None
    #: More requests than this at once are answered with 429.
    at_once: int | None = None
    #: The only name of the limit of tokens that it knows; empty: both.
    max_tokens_name: str = ""
    #: Whether it gives several replies to one request; else it gives one.
    several: bool = True


@dataclass(slots=True)
class ServerCounts:
    """What arrived and what became of it."""

    calls: int = 0
    replies: int = 0
    in_flight: int = 0
    peak: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    #: How often each request came, by the hash of its body.
    requests: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "replies": self.replies,
            "in_flight": self.in_flight,
            "peak": self.peak,
            "faults": dict(self.faults),
            "requests": dict(self.requests),
        }


class Answerer:
    """Answers requests and counts them. `/_count`, `/_plan` and `/_reset` are for whoever tests."""

    def __init__(self, options: ScriptedOptions) -> None:
        self.options = options
        self.counts = ServerCounts()

    def take(self, request: ScriptedRequest) -> Outgoing:
        route = f"{request.method} {request.path.partition('?')[0]}"
        controls = {
            "GET /_count": self._count,
            "POST /_plan": self._plan,
            "POST /_reset": self._reset,
        }
        if control := controls.get(route):
            return control(request)
        if request.method != "POST":
            return self._look(request, route)
        nth = self._arrives(request)
        answers = {
            "POST /v1/chat/completions": self._chat,
            "POST /v1/completions": self._echo,
            "POST /v1/embeddings": composing.embeddings,
            "POST /v1/scores": self._scores,
            "POST /v1/moderations": self._moderations,
        }
        if route not in answers:
            return _refused(404, f"There is no {route} here.", "not_found")
        if refused := self._locked(request):
            return refused
        if self.options.at_once is not None and self.counts.in_flight > self.options.at_once:
            return self._failed(ScriptedFault.TOO_MANY, b"")
        try:
            body = json.loads(request.body)
            return self._planned(
                hashlib.sha256(request.body).hexdigest(), nth, answers[route](body)
            )
        except bodies.BadBody as problem:
            return _refused(400, str(problem), problem.code)
        except (ValueError, TypeError, AttributeError, LookupError) as problem:
            return _refused(400, f"The body is no request: {problem}.", "invalid_request_error")

    def done(self, request: ScriptedRequest) -> None:
        if request.method == "POST" and not request.path.startswith("/_"):
            self.counts.in_flight -= 1

    def _look(self, request: ScriptedRequest, route: str) -> Outgoing:
        if refused := self._locked(request):
            return refused
        if route == "GET /v1/models":
            return _json(bodies.models(self.options.model))
        return _refused(404, f"There is no {route} here.", "not_found")

    def _locked(self, request: ScriptedRequest) -> Outgoing | None:
        """Refuse a wrong key, and repeat it as servers do: whoever logs errors must beware."""
        said = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not self.options.key or said == self.options.key:
            return None
        return _refused(401, f"Incorrect API key provided: {said}.", "invalid_api_key")

    def _arrives(self, request: ScriptedRequest) -> int:
        """Count a request; return how often the same came before."""
        counts, sha = self.counts, hashlib.sha256(request.body).hexdigest()
        nth = counts.requests[sha]
        counts.requests[sha] += 1
        counts.calls += 1
        counts.in_flight += 1
        counts.peak = max(counts.peak, counts.in_flight)
        return nth

    def _planned(self, sha: str, nth: int, payload: dict[str, Any]) -> Outgoing:
        """Return a reply, or what the plan of faults makes of it."""
        fault = self.options.faults.draw(sha, nth)
        if fault in _SPOILING:
            for choice in payload.get("choices", ()):
                _SPOILING[fault](choice)
        if fault is ScriptedFault.NO_USAGE:
            payload.pop("usage", None)
        good = json.dumps(payload).encode()
        if fault is None:
            self.counts.replies += 1
            return self._after(good)
        return self._failed(fault, good, sha=sha, nth=nth)

    def _failed(self, fault: ScriptedFault, good: bytes, sha: str = "", nth: int = 0) -> Outgoing:
        self.counts.faults[fault.value] += 1
        plan, parts = self.options.faults, (self.options.faults.seed, "how", sha, nth)
        if fault is ScriptedFault.TOO_MANY:
            wait = (("Retry-After", f"{plan.retry_after:g}"),) if plan.retry_after >= 0 else ()
            return _refused(429, "Too many requests. Wait a little.", "rate_limit_exceeded", wait)
        if fault is ScriptedFault.SERVER:
            return replace(_refused(500, "The server failed.", "server_error"), after=self._latency)
        if fault is ScriptedFault.GARBAGE:
            return self._after(chance.pick(GARBAGE, *parts))
        if fault is ScriptedFault.ERROR_BODY:
            return self._after(chance.pick(ERROR_BODIES, *parts))
        if fault is ScriptedFault.HANG:
            return Outgoing(after=plan.hang_seconds, cut=0)
        if fault is ScriptedFault.DROP:
            return replace(self._after(good), cut=chance.pick((0, 5, 200), *parts))
        return (
            replace(self._after(good), after=plan.slow_seconds)
            if fault is ScriptedFault.SLOW
            else self._after(good)
        )

    @property
    def _latency(self) -> float:
        return self.options.script.latency / 1000

    def _after(self, body: bytes) -> Outgoing:
        return Outgoing(body, after=self._latency)

    def _chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        options = self.options
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
        if (wrong := other.get(options.max_tokens_name)) and wrong in body:
            raise bodies.BadBody(
                f"Unsupported parameter: {wrong}. Use {options.max_tokens_name}.",
                "unsupported_parameter",
            )
        asked = bodies.asked(body, options.script)
        n_samples = int(body.get("n") or 1) if options.several else 1
        replies = [
            composing.compose(options.script, replace(asked, sample=place))
            for place in range(n_samples)
        ]
        self._check_length(replies[0], asked.max_tokens or 0)
        return bodies.completion(replies, body.get("model") or options.model)

    def _echo(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return bodies.echo(body, self.options.script)

    def _scores(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return composing.scores(body, self.options.script)

    def _moderations(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return composing.moderations(body, self.options.script)

    def _check_length(self, reply: Reply, room: int) -> None:
        n_tokens, most = (reply.prompt_tokens or 0) + room, self.options.context_length
        if most is not None and n_tokens > most:
            raise bodies.BadBody(
                f"This model's maximum context length is {most} tokens; the request needs {n_tokens}.",
                "context_length_exceeded",
            )

    def _count(self, request: ScriptedRequest) -> Outgoing:
        return _json(self.counts.as_json())

    def _plan(self, request: ScriptedRequest) -> Outgoing:
        try:
            self.options = replace(self.options, faults=Faults.of(json.loads(request.body)))
        except (ValueError, TypeError, AttributeError) as problem:
            return _refused(400, str(problem), "invalid_request_error")
        return _json({})

    def _reset(self, request: ScriptedRequest) -> Outgoing:
        self.counts = ServerCounts(in_flight=self.counts.in_flight)
        return _json({})


def _truncate(choice: dict[str, Any]) -> None:
    """End a reply in the middle, as at the limit of tokens."""
    if message := choice.get("message"):
        text = message["content"] or ""
        message["content"] = text[: len(text) // 2]
    choice["finish_reason"] = "length"


def _nothing(choice: dict[str, Any], finish: str = "stop", **message: Any) -> None:
    choice["message"] = {"role": "assistant", "content": None, **message}
    choice["finish_reason"] = finish


def _call_tool(choice: dict[str, Any]) -> None:
    called = {"name": "search", "arguments": "{}"}
    tool = {"id": "call-1", "type": "function", "function": called}
    _nothing(choice, "tool_calls", tool_calls=[tool])


def _think(choice: dict[str, Any]) -> None:
    message = choice["message"]
    message["content"] = f"<think>\nLet me see.\n</think>\n\n{message['content'] or ''}"


_SPOILING: Mapping[ScriptedFault | None, Callable[[dict[str, Any]], None]] = {
    ScriptedFault.TRUNCATED: _truncate,
    ScriptedFault.EMPTY: _nothing,
    ScriptedFault.FILTERED: lambda choice: _nothing(choice, "content_filter"),
    ScriptedFault.TOOL_CALL: _call_tool,
    ScriptedFault.CUT_OFF: lambda choice: _nothing(
        choice, "length", reasoning_content="Let me see. It"
    ),
    ScriptedFault.REFUSED: lambda choice: _nothing(
        choice, refusal="I'm sorry, I can't help with that."
    ),
    ScriptedFault.THINKING: _think,
}


def _json(payload: Mapping[str, Any]) -> Outgoing:
    return Outgoing(json.dumps(payload).encode())


def _refused(
    status: int, message: str, code: str, headers: tuple[tuple[str, str], ...] = ()
) -> Outgoing:
    return Outgoing(json.dumps(bodies.error(message, code)).encode(), status, headers)
