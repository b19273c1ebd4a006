"""A server that answers as servers of the world do: one of many behaviours, by name.

What it bills is counted, so that a test can say whether every token that was paid for was seen.
"""

import gzip
import json
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 20
KEY = "canary-4711-do-not-show"
PROMPT, REPLY = 40, 10


@dataclass(frozen=True)
class Said:
    """What goes back; `cut` breaks the connection off after so many bytes, `after` waits first."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0
    cut: int | None = None


@dataclass
class Stub:
    url: str = ""
    paths: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


#: Of a body that was sent, the text of a good reply, and how many requests came before: what is said.
Behaviour = Callable[[dict[str, Any], str, int], Said]


def usage(prompt: int = PROMPT, reply: int = REPLY) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": reply,
        "total_tokens": prompt + reply,
    }


def chat(content: Any, finish: str = "stop", *, used: Any = None, **message: Any) -> Said:
    """Return a chat completion; `used` False leaves the usage out."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}}
    made: dict[str, Any] = {"id": "x", "choices": [{**choice, "finish_reason": finish}]}
    if used is not False:
        made["usage"] = usage() if used is None else used
    return Said(json.dumps(made).encode())


def error(status: int, message: Any, headers: dict[str, str] | None = None, **more: Any) -> Said:
    return Said(json.dumps({"error": {"message": message, **more}}).encode(), status, headers or {})


def plain(status: int, made: Any, headers: dict[str, str] | None = None) -> Said:
    return Said(json.dumps(made).encode(), status, headers or {})


def once(first: Said, times: int = 1) -> Behaviour:
    """Say something else first, and then what is good."""
    return lambda _sent, good, nth: first if nth < times else chat(good)


def always(said: Callable[[str], Said]) -> Behaviour:
    return lambda _sent, good, _nth: said(good)


def unless(fits: Callable[[dict[str, Any]], bool], refusal: Said) -> Behaviour:
    """Refuse whatever does not fit."""
    return lambda sent, good, _nth: chat(good) if fits(sent) else refusal


def room_of(sent: dict[str, Any]) -> int:
    return int(sent.get("max_completion_tokens") or sent.get("max_tokens") or 0)


def with_room(least: int, short: Callable[[str], Said]) -> Behaviour:
    """Cut what has too little room."""
    return lambda sent, good, _nth: chat(good) if room_of(sent) >= least else short(good)


def packed(good: str) -> Said:
    said = chat(good)
    return replace(said, body=gzip.compress(said.body), headers={"Content-Encoding": "gzip"})


def streamed(good: str) -> Said:
    part = json.dumps({"choices": [{"delta": {"content": good}}]})
    return Said(
        f"data: {part}\n\ndata: [DONE]\n\n".encode(),
        headers={"Content-Type": "text/event-stream"},
    )


def gemini(status: int, word: str, message: str, details: Any = ()) -> Said:
    """Return an error as Gemini's OpenAI-compatible form answers it: in a list."""
    inner = {"code": status, "message": message, "status": word, "details": list(details)}
    return plain(status, [{"error": inner}])


def anthropic(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> Said:
    inner = {"type": kind, "message": message}
    return plain(status, {"type": "error", "error": inner, "request_id": "req_1"}, headers)


def mistral(_good: str = "") -> Said:
    wrong = {
        "type": "extra_forbidden",
        "loc": ["body", "seed"],
        "msg": "Extra inputs are not permitted",
    }
    return plain(422, {"object": "error", "message": {"detail": [wrong]}})


def thought_apart(good: str) -> Said:
    return chat(good, reasoning_content="Perhaps 1. No, let me think again.")


def in_total_alone(good: str) -> Said:
    return chat(good, used={"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 90})


def tool(_good: str) -> Said:
    call = {"id": "c", "type": "function", "function": {"name": "grade", "arguments": "{}"}}
    return chat(None, "tool_calls", tool_calls=[call])


def responses(_sent: dict[str, Any], good: str, _nth: int) -> Said:
    """Answer as /v1/responses does."""
    parts = [{"type": "output_text", "text": good, "annotations": []}]
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Let me see."}]},
        {"type": "message", "role": "assistant", "content": parts},
    ]
    used = {"input_tokens": PROMPT, "output_tokens": REPLY, "total_tokens": PROMPT + REPLY}
    return plain(200, {"id": "r", "status": "completed", "output": output, "usage": used})


OVERLOADED = anthropic(529, "overloaded_error", "Overloaded")
BEHAVIOURS: dict[str, Behaviour] = {
    "good": always(chat),
    "429_with_seconds": once(error(429, "Slow down.", {"Retry-After": "0"})),
    "429_with_milliseconds": once(error(429, "Slow down.", {"Retry-After-Ms": "20"})),
    "429_with_a_date": lambda _sent, good, nth: (
        chat(good) if nth else error(429, "Slow down.", {"Retry-After": formatdate(usegmt=True)})
    ),
    "429_without": once(error(429, "Slow down.")),
    "500_once": once(error(500, "Oops.")),
    "502_in_html": once(Said(b"<html>Bad gateway</html>", 502)),
    "503_with_seconds": once(error(503, "Busy.", {"Retry-After": "0"})),
    "529_overloaded": once(OVERLOADED),
    "500_always": always(lambda _good: error(500, "Oops.")),
    "hangs_once": once(Said(after=1.6, cut=0)),
    "slow": always(lambda good: replace(chat(good), after=0.4)),
    "drops_once": once(Said(b"x" * 400, cut=60)),
    "drops_always": always(lambda good: replace(chat(good), cut=40)),
    "empty": always(lambda _good: chat("")),
    "null": always(lambda _good: chat(None)),
    "blank": always(lambda _good: chat(" \n ")),
    "refusal_apart": always(lambda _good: chat(None, refusal="I can't help with that.")),
    "refusal_in_words": always(lambda _good: chat("I'm sorry, but I can't help with that.")),
    "filtered": always(lambda _good: chat(None, "content_filter")),
    "filtered_by_gemini": always(lambda _good: chat("", "content_filter: SAFETY")),
    "400_of_a_filter": always(lambda _good: error(400, "Filtered.", code="content_filter")),
    "tool_call": always(tool),
    "thinks_aloud": always(lambda good: chat(f"<think>\nPerhaps 1.\n</think>\n\n{good}")),
    "thinks_apart": always(thought_apart),
    "thinks_without_end": always(lambda good: chat(f"<think>\nIt could be {good}", "length")),
    "thinks_with_room": with_room(4000, lambda good: chat(f"<think>\nMaybe {good}", "length")),
    "cut_off_once": with_room(3000, lambda good: chat(good[: len(good) // 2], "length")),
    "cut_off_always": always(lambda good: chat(good[: len(good) // 2], "length")),
    "cut_off_as_max_tokens": always(lambda good: chat(good[: len(good) // 2], "MAX_TOKENS")),
    "broken_off": always(lambda good: chat(good, "error")),
    "fenced": always(lambda good: chat(f"```json\n{good}\n```")),
    "fenced_in_words": always(lambda good: chat(f"Here you are:\n```json\n{good}\n```\nDone.")),
    "twice_the_same": always(lambda good: chat(f"{good}\n\n{good}")),
    "in_parts": always(lambda good: chat([{"type": "text", "text": good}])),
    "no_usage": always(lambda good: chat(good, used=False)),
    "wrong_usage": always(
        lambda good: chat(good, used={"prompt_tokens": "many", "completion_tokens": -3})
    ),
    "null_usage": always(lambda good: chat(good, used={"prompt_tokens": None})),
    "reasoning_in_total_alone": always(in_total_alone),
    "no_finish": always(lambda good: chat(good, None)),
    "gzip": always(packed),
    "redirect": always(lambda _good: Said(status=307, headers={"Location": "/v2"})),
    "html": always(lambda _good: Said(b"<html>Welcome</html>")),
    "nothing": always(lambda _good: Said(b"")),
    "stream": always(streamed),
    "a_list": always(lambda good: plain(200, [good])),
    "no_choices": always(lambda _good: plain(200, {"choices": [], "usage": usage()})),
    "nested_too_deep": always(lambda _good: Said(b'{"a":' * 20_000)),
    "16_megabytes": always(lambda _good: Said(b" " * (16 * 1024 * 1024 + 1))),
    "200_with_an_error": once(plain(200, {"error": {"message": "Overloaded", "code": 529}})),
    "200_with_a_limit": once(
        plain(200, {"error": {"message": "Wait", "type": "rate_limit_error"}})
    ),
    "wants_max_completion_tokens": unless(
        lambda sent: "max_tokens" not in sent,
        error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            code="unsupported_parameter",
        ),
    ),
    "refuses_temperature": unless(
        lambda sent: "temperature" not in sent,
        error(
            400,
            "Unsupported value: 'temperature' does not support 0.0 with this model. Only the "
            "default (1) value is supported.",
            code="unsupported_value",
        ),
    ),
    "refuses_a_seed": unless(lambda sent: "seed" not in sent, mistral()),
    "refuses_all_of_it": lambda sent, good, _nth: next(
        (
            error(400, f'Unknown name "{name}": Cannot find field.')
            for name in ("seed", "temperature", "top_p", "stop")
            if name in sent
        ),
        chat(good),
    ),
    "gemini_asks_to_wait": once(
        gemini(429, "RESOURCE_EXHAUSTED", "Quota.", [{"@type": "RetryInfo", "retryDelay": "0.02s"}])
    ),
    "gemini_refuses_the_key": always(
        lambda _good: gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid one.")
    ),
    "anthropic_refuses_the_key": always(
        lambda _good: anthropic(401, "authentication_error", f"invalid x-api-key {KEY}")
    ),
    "anthropic_is_unpaid": always(
        lambda _good: anthropic(400, "invalid_request_error", "Your credit balance is too low.")
    ),
    "anthropic_says_too_long": always(
        lambda _good: anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens")
    ),
    "no_such_model": always(lambda _good: error(404, "The model does not exist.")),
    "surrogates": always(lambda good: Said(chat(f"{good} %").body.replace(b"%", b"\\ud800"))),
    "null_character": always(lambda good: Said(chat(f"{good} %").body.replace(b"%", b"\\u0000"))),
    "repeats_the_key": always(lambda good: chat(f"{good}\n\nYour key is {KEY}.")),
}


@contextmanager
def behaving(
    behaviour: Behaviour,
    good: str | Callable[[dict[str, Any]], str],
    tls: ssl.SSLContext | None = None,
) -> Iterator[Stub]:
    """Serve a behaviour in a thread of this process; `good` is a good reply, or says it of a body."""
    stub, asked, lock = Stub(), Counter[str](), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            sent = json.loads(raw)
            prompt = json.dumps(sent.get("messages", sent.get("input")))
            with lock:
                nth, asked[prompt] = asked[prompt], asked[prompt] + 1
                stub.paths.append(self.path)
                stub.bodies.append(sent)
                stub.headers.append({name.lower(): one for name, one in self.headers.items()})
            self._say(behaviour(sent, good if isinstance(good, str) else good(sent), nth))

        def _say(self, said: Said) -> None:
            time.sleep(said.after)
            self.send_response(said.status)
            for name, value in said.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body if said.cut is None else said.body[: said.cut])
            self.close_connection = said.cut is not None

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, address: Any) -> None:
            """Say nothing: a client that has waited long enough breaks off."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        scheme = "http" if tls is None else "https"
        stub.url = f"{scheme}://127.0.0.1:{server.server_port}/v1"
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join(PATIENCE)
