"""An application with a REST interface, in a thread of the test: it answers from what it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Asked"], tuple[int, Any]]
#: How it is asked, beside its address.
REQUEST = {
    "method": "POST",
    "headers": {"X-Key": "{key}"},
    "body": '{"question": "{message}", "before": "{history}", "session": "{session}"}',
    "answer": "data.answers[0].text",
}


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Application:
    url: str
    asked: list[Asked] = field(default_factory=list)


def said(text: str) -> tuple[int, Any]:
    return 200, {"data": {"answers": [{"text": text}]}}


def echo(asked: Asked) -> tuple[int, Any]:
    return said(f"You asked: {asked.body['question']}")


@contextmanager
def application(answer: Answer = echo) -> Iterator[Application]:
    """Serve an application at /ask."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(raw) if raw else None
            one = Asked(self.command, self.path, dict(self.headers.items()), body)
            made.asked.append(one)
            status, found = answer(one)
            sent = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(sent)))
            if 300 <= status < 400:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_PUT = do_POST  # noqa: N815  as the library calls them

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Application(f"http://127.0.0.1:{server.server_port}/ask")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
