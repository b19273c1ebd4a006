"""A small browser over one kept line, and the processor time of a server with its children."""

import contextlib
import json
import os
import subprocess
import time
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from benchmarks.peers.installed import Failed

TICKS = os.sysconf("SC_CLK_TCK")


class Web:
    """One browser: its cookies, and how long each answer took."""

    def __init__(self, port: int) -> None:
        self.line = HTTPConnection("127.0.0.1", port, timeout=180)
        self.cookies: dict[str, str] = {}
        self.took: list[float] = []

    def get(self, path: str) -> bytes:
        return self.ask("GET", path)[1]

    def form(self, path: str, fields: Mapping[str, str]) -> tuple[int, bytes]:
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Referer": self._home()}
        return self.ask("POST", path, urllib.parse.urlencode(fields), kind)

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """Send JSON and read JSON.

        Raises:
            Failed: the answer is an error.
        """
        kind = {"Content-Type": "application/json", "Accept": "application/json"}
        kind |= {"X-CSRFToken": self.cookies.get("csrftoken", ""), "Referer": self._home()}
        sent = None if body is None else json.dumps(body)
        status, said = self.ask(method, path, sent, kind)
        if status >= 400:
            raise Failed(f"failed: {method} {path} answered {status}: {said[:80].decode()}")
        return json.loads(said) if said else None

    def ask(
        self, method: str, path: str, body: str | None = None, more: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Accept-Encoding": "identity", **({"Cookie": cookies} if cookies else {})}
        began = time.perf_counter()
        try:
            self.line.request(method, path, body, {**headers, **(more or {})})
            answer = self.line.getresponse()
            said = answer.read()
        except (OSError, HTTPException) as error:
            self.line.close()
            raise Failed(f"failed: {method} {path}: {type(error).__name__}") from error
        self.took.append(time.perf_counter() - began)
        for one in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = one.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, said

    def _home(self) -> str:
        return f"http://127.0.0.1:{self.line.port}/"


@contextlib.contextmanager
def server(
    command: Sequence[str], folder: Path, port: int, *, more: Mapping[str, str], seconds: float
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server of another program until it answers, and end it afterwards.

    Raises:
        Failed: it ends, or answers nothing in that time.
    """
    from benchmarks.peers.installed import clean, last_error

    with open(folder / "server.log", "wb") as log:
        made = subprocess.Popen(
            command,
            cwd=folder,
            env={**clean(), **more},
            stdout=log,
            stderr=log,
        )
        try:
            until = time.monotonic() + seconds
            while not answers(port):
                if made.poll() is not None or time.monotonic() > until:
                    said = (folder / "server.log").read_text(errors="replace")
                    raise Failed(f"failed: its server does not start: {last_error(said)}")
                time.sleep(0.5)
            yield made
        finally:
            made.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                made.wait(20)
            made.kill()


def answers(port: int) -> bool:
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        line.request("GET", "/")
        return line.getresponse().status < 500
    except (OSError, HTTPException):
        return False
    finally:
        line.close()


def cpu_s(pid: int) -> float:
    """Return the processor seconds of a process and all below it, with children that ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(int(one) for one in fields[11:15]) / TICKS
    children = ""
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            children += (task / "children").read_text() + " "
    return own + sum(cpu_s(int(one)) for one in children.split())
