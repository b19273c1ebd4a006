"""What a scripted server answers to each request, and what it counts."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.llm.base import Reply
from scoring.llm.scripts import assisting, bodies, chance, composing
from scoring.llm.scripts.faults import Fault, Faults
from scoring.llm.scripts.script import Script
from scoring.llm.scripts.wire import Incoming, Outgoing

GARBAGE = (b"<html><body>Bad gateway</body></html>", b'{"id": "scripted", "choices": [{"mess', b"")
ERROR_BODIES = (
    b'{"error": {"message": "The model is overloaded.", "type": "server_error", "code": "overloaded"}}',
    b'{"id": "scripted", "object": "chat.completion", "choices": null}',
)


@dataclass(frozen=True, slots=True)
class Options:
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
class Counts:
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

    def __init__(self, options: Options) -> None:
        self.options = options
        self.counts = Counts()

    def take(self, request: Incoming) -> Outgoing:
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
            "POST /v1/embeddings": assisting.embeddings,
            "POST /v1/scores": self._scores,
            "POST /v1/moderations": self._moderations,
        }
        if route not in answers:
            return _refused(404, f"There is no {route} here.", "not_found")
        if refused := self._locked(request):
            return refused
        if self.options.at_once is not None and self.counts.in_flight > self.options.at_once:
            return self._failed(Fault.TOO_MANY, b"")
        try:
            body = json.loads(request.body)
            return self._planned(
                hashlib.sha256(request.body).hexdigest(), nth, answers[route](body)
            )
        except bodies.BadBody as problem:
            return _refused(400, str(problem), problem.code)
        except (ValueError, TypeError, AttributeError, LookupError) as problem:
            return _refused(400, f"The body is no request: {problem}.", "invalid_request_error")

    def done(self, request: Incoming) -> None:
        if request.method == "POST" and not request.path.startswith("/_"):
            self.counts.in_flight -= 1

    def _look(self, request: Incoming, route: str) -> Outgoing:
        if refused := self._locked(request):
            return refused
        if route == "GET /v1/models":
            return _json(bodies.models(self.options.model))
        return _refused(404, f"There is no {route} here.", "not_found")

    def _locked(self, request: Incoming) -> Outgoing | None:
        """Refuse a wrong key, and repeat it as servers do: whoever logs errors must beware."""
        said = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not self.options.key or said == self.options.key:
            return None
        return _refused(401, f"Incorrect API key provided: {said}.", "invalid_api_key")

    def _arrives(self, request: Incoming) -> int:
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
        if fault is Fault.NO_USAGE:
            payload.pop("usage", None)
        good = json.dumps(payload).encode()
        if fault is None:
            self.counts.replies += 1
            return self._after(good)
        return self._failed(fault, good, sha=sha, nth=nth)

    def _failed(self, fault: Fault, good: bytes, sha: str = "", nth: int = 0) -> Outgoing:
        self.counts.faults[fault.value] += 1
        plan, parts = self.options.faults, (self.options.faults.seed, "how", sha, nth)
        if fault is Fault.TOO_MANY:
            wait = (("Retry-After", f"{plan.retry_after:g}"),) if plan.retry_after >= 0 else ()
            return _refused(429, "Too many requests. Wait a little.", "rate_limit_exceeded", wait)
        if fault is Fault.SERVER:
            return replace(_refused(500, "The server failed.", "server_error"), after=self._latency)
        if fault is Fault.GARBAGE:
            return self._after(chance.pick(GARBAGE, *parts))
        if fault is Fault.ERROR_BODY:
            return self._after(chance.pick(ERROR_BODIES, *parts))
        if fault is Fault.HANG:
            return Outgoing(after=plan.hang_seconds, cut=0)
        if fault is Fault.DROP:
            return replace(self._after(good), cut=chance.pick((0, 5, 200), *parts))
        return (
            replace(self._after(good), after=plan.slow_seconds)
            if fault is Fault.SLOW
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
        return assisting.scores(body, self.options.script)

    def _moderations(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return assisting.moderations(body, self.options.script)

    def _check_length(self, reply: Reply, room: int) -> None:
        n_tokens, most = (reply.prompt_tokens or 0) + room, self.options.context_length
        if most is not None and n_tokens > most:
            raise bodies.BadBody(
                f"This model's maximum context length is {most} tokens; the request needs {n_tokens}.",
                "context_length_exceeded",
            )

    def _count(self, request: Incoming) -> Outgoing:
        return _json(self.counts.as_json())

    def _plan(self, request: Incoming) -> Outgoing:
        try:
            self.options = replace(self.options, faults=Faults.of(json.loads(request.body)))
        except (ValueError, TypeError, AttributeError) as problem:
            return _refused(400, str(problem), "invalid_request_error")
        return _json({})

    def _reset(self, request: Incoming) -> Outgoing:
        self.counts = Counts(in_flight=self.counts.in_flight)
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


_SPOILING: Mapping[Fault | None, Callable[[dict[str, Any]], None]] = {
    Fault.TRUNCATED: _truncate,
    Fault.EMPTY: _nothing,
    Fault.FILTERED: lambda choice: _nothing(choice, "content_filter"),
    Fault.TOOL_CALL: _call_tool,
    Fault.CUT_OFF: lambda choice: _nothing(choice, "length", reasoning_content="Let me see. It"),
    Fault.REFUSED: lambda choice: _nothing(choice, refusal="I'm sorry, I can't help with that."),
    Fault.THINKING: _think,
}


def _json(payload: Mapping[str, Any]) -> Outgoing:
    return Outgoing(json.dumps(payload).encode())


def _refused(
    status: int, message: str, code: str, headers: tuple[tuple[str, str], ...] = ()
) -> Outgoing:
    return Outgoing(json.dumps(bodies.error(message, code)).encode(), status, headers)
