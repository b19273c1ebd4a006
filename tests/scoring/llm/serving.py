"""A scripted server for a test: in a thread of the test, or as a process of its own."""

import asyncio
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scoring.llm.scripted.server import Faults, Script, ScriptedOptions, ScriptedServer

PATIENCE = 20


@dataclass(frozen=True)
class Served:
    """A running server: where it is, and what it counted. Times of its clock play no part."""

    url: str

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])

    def counts(self) -> dict[str, Any]:
        """Return calls, replies, in_flight, peak, faults by name, and requests by hash."""
        return self._ask("/_count", None)

    def plan(self, **faults: float) -> None:
        """Fail by another plan from now on, such as plan(**{"429": 0.2})."""
        self._ask("/_plan", json.dumps(faults).encode())

    def reset(self) -> None:
        self._ask("/_reset", b"")

    def _ask(self, path: str, body: bytes | None) -> dict[str, Any]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET" if body is None else "POST", path, body)
            return json.load(connection.getresponse())


@contextmanager
def in_thread(
    script: dict[str, Any] | None = None, faults: dict[str, float] | None = None, **options: Any
) -> Iterator[Served]:
    """Serve in a thread of this process: started at once, shares the test's one interpreter."""
    chosen = ScriptedOptions(
        script=Script.of(script or {}), faults=Faults.of(faults or {}), **options
    )
    started: list[str] = []
    ready, loop = threading.Event(), asyncio.new_event_loop()
    stopping = asyncio.Event()

    async def main() -> None:
        server = ScriptedServer(chosen)
        started.append(await server.start())
        ready.set()
        await stopping.wait()
        await server.stop()

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield Served(started[0])
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(PATIENCE)
        loop.close()


@contextmanager
def as_process(
    script: dict[str, Any] | None = None, faults: dict[str, float] | None = None, *flags: str
) -> Iterator[Served]:
    """Serve in a process of its own, for what is timed or killed."""
    command = [sys.executable, "-m", "scoring.llm.scripted.server", *flags]
    command += ["--script", json.dumps(script or {})]
    command += ["--faults", ",".join(f"{name}={share}" for name, share in (faults or {}).items())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Served(process.stdout.readline().strip())
        finally:
            process.terminate()


@contextmanager
def saying(body: bytes, status: int = 200, tls: ssl.SSLContext | None = None) -> Iterator[Served]:
    """Serve one body for whatever is asked, in a thread of this process."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, address: Any) -> None:
            """Say nothing: a client that trusts nobody breaks off."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            scheme = "http" if tls is None else "https"
            yield Served(f"{scheme}://127.0.0.1:{server.server_port}/v1")
        finally:
            server.shutdown()
            thread.join(PATIENCE)
