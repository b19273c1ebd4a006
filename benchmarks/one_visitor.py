"""What one visitor can do to a site: `python -m benchmarks.one_visitor`.

A site as `manage.py up` runs it (SQLite), and beside it

1. visitors without an account who send bodies and heads byte by byte, open lines and say nothing, ask
   for long answers and do not read them, and sign in with wrong passwords, all at once;
2. two accounts who hand in eight files at the limit over the API at once, four each, small when packed.

Meanwhile somebody else opens the page to sign in, hands in 100 rows, and a file that is just too large
to be read while they wait.

    --mb     what each of the eight files unpacks to (250)
    --slow   how many slow visitors of each sort (60)
"""

import argparse
import contextlib
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOGIN_S, ROWS_S = 2, 30
ATTACKERS = ("mallory", "trudy")
N_FILES = 8
HEADER = "id,question,standard_answer,system,response\n"


@dataclass
class Site:
    port: int
    tokens: dict[str, str]
    environment: dict[str, str]


@dataclass
class Found:
    """Seconds: of the page to sign in during each attack, of 100 rows, of a file for a worker."""

    slow: list[float] = field(default_factory=list)
    files: list[float] = field(default_factory=list)
    rows: float = 0.0
    large: float = 0.0
    answers: list[int] = field(default_factory=list)
    still_waiting: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=250)
    parser.add_argument("--slow", type=int, default=60)
    options = parser.parse_args()
    with site() as here:
        found = measured(here, mb=options.mb, n_slow=options.slow)
    say(f"sign-in page beside slow visitors: {_worst(found.slow)} (at most {LOGIN_S} s)")
    say(f"sign-in page beside eight files: {_worst(found.files)} (at most {LOGIN_S} s)")
    say(f"the eight files were answered with {found.answers}; {found.still_waiting} of them waited")
    say(f"100 rows of somebody else: {found.rows:.1f} s (at most {ROWS_S} s)")
    say(f"a file for a worker of somebody else, 700 kB: {found.large:.1f} s until it was checked")
    say(f"load {os.getloadavg()[0]:.1f}")


def measured(here: Site, *, mb: int, n_slow: int) -> Found:
    """Attack a site in both ways and measure what somebody else notices."""
    found = Found()
    with slow_visitors(here, n_slow):
        found.slow = [_opened(here) for _probe in range(20)]
    packed = packed_file(mb)
    with handing_in(here, packed) as answers:
        while any(one is None for one in answers):
            found.files.append(_opened(here))
            time.sleep(0.2)
        found.files += [_opened(here) for _probe in range(10)]
        found.answers = [int(one[0]) for one in answers]
        began = time.perf_counter()
        status, said = hand_in(here, "alice", "alice-1", rows(100), "few.csv")
        if status != 201 or said["state"] != "APPLIED":
            raise SystemExit(f"100 rows were answered with {status}: {said}")
        found.rows = time.perf_counter() - began
        found.large = _by_worker(here)
        found.files += [_opened(here) for _probe in range(10)]
        states = [_state(here, one[1]) for one in answers if one[0] == 202]
        found.still_waiting = sum(one in {"checking", "waiting", "importing"} for one in states)
    return found


def rows(n: int) -> bytes:
    mark = uuid.uuid4().hex[:8]
    lines = (f"{mark}-{k},What is {k}?,It is {k}.,Kestrel,Some {k} or so.\n" for k in range(n))
    return (HEADER + "".join(lines)).encode()


def packed_file(mb: int) -> bytes:
    """Return a CSV that unpacks to so many MB, as small as it gets."""
    line = "What is it?,It is.,Kestrel," + "word " * 40 + "\n"
    n = mb * 1024**2 // (len(line) + 9)
    text = HEADER + "".join(f"{k:08d},{line}" for k in range(n))
    return gzip.compress(text.encode(), 9)


@contextlib.contextmanager
def slow_visitors(here: Site, n: int) -> Iterator[None]:
    """Have visitors on lines of their own who send a byte a second, or nothing, or do not read."""
    head = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
    begun = {
        head: b"a",
        b"GET /login/ HTTP/1.1\r\nHost: localhost\r\nX-A: ": b"a",
        b"": b"",
        b"GET /static/vendor/none.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200: b"",
    }
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        lines = []
        for first, more in begun.items():
            for _line in range(n):
                line = stack.enter_context(socket.socket())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.connect(("127.0.0.1", here.port))
                line.setblocking(False)
                with contextlib.suppress(OSError):
                    line.send(first)
                lines.append((line, more))
        guessing = [threading.Thread(target=_guess, args=(here, stop)) for _one in range(8)]
        dripping = threading.Thread(target=_drip, args=(lines, stop))
        for thread in (*guessing, dripping):
            thread.start()
        time.sleep(2)
        try:
            yield
        finally:
            stop.set()
            for thread in (*guessing, dripping):
                thread.join()


def _drip(lines: list[tuple[socket.socket, bytes]], stop: threading.Event) -> None:
    while not stop.wait(1):
        for line, more in lines:
            with contextlib.suppress(OSError):
                line.send(more)


def _guess(here: Site, stop: threading.Event) -> None:
    while not stop.is_set():
        with contextlib.suppress(OSError):
            line = HTTPConnection("127.0.0.1", here.port, timeout=30)
            body = f"csrfmiddlewaretoken={'a' * 32}&username={uuid.uuid4()}&password=x"
            headers = {
                "Content-Type": "application/x-www-form-urlencoded",
                "Cookie": f"csrftoken={'a' * 32}; sessionid={uuid.uuid4().hex}",
            }
            line.request("POST", "/login/", body, headers)
            line.getresponse().read()
            line.close()


@contextlib.contextmanager
def handing_in(here: Site, packed: bytes) -> Iterator[list[Any]]:
    """Hand in eight files at once, of two accounts in two projects each."""
    answers: list[Any] = [None] * N_FILES

    def send(place: int) -> None:
        who = ATTACKERS[place % 2]
        extra = gzip.compress(f"{place:08d},What?,It is.,Kestrel,x\n".encode())
        try:
            project = f"{who}-{place // 2 % 2 + 1}"
            status, said = hand_in(here, who, project, packed + extra, f"{place}.csv.gz")
        except OSError as problem:
            status, said = 0, {"problem": str(problem)}
        answers[place] = (status, {"project": f"{who}-{place // 2 % 2 + 1}", "who": who, **said})

    threads = [threading.Thread(target=send, args=(place,)) for place in range(N_FILES)]
    for thread in threads:
        thread.start()
    yield answers
    for thread in threads:
        thread.join()


def hand_in(
    here: Site, who: str, project: str, content: bytes, name: str
) -> tuple[int, dict[str, Any]]:
    """Send a file of answers over the API; return the status and the answer."""
    edge = uuid.uuid4().hex
    fields = "".join(
        f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in {"create_missing": "true"}.items()
    )
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = (fields + head).encode() + content + f"\r\n--{edge}--\r\n".encode()
    return _asked(
        here,
        who,
        "POST",
        f"/api/v1/projects/{project}/imports/answers/",
        body,
        {"Content-Type": f"multipart/form-data; boundary={edge}"},
    )


def _asked(
    here: Site, who: str, method: str, path: str, body: bytes = b"", headers: Any = None
) -> tuple[int, dict[str, Any]]:
    line = HTTPConnection("127.0.0.1", here.port, timeout=600)
    with contextlib.closing(line):
        given = {"Authorization": f"Bearer {here.tokens[who]}", **(headers or {})}
        line.request(method, path, body, given)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())


def _by_worker(here: Site) -> float:
    """Hand in a file that is just too large for a web process; return seconds until it was checked."""
    began = time.perf_counter()
    status, said = hand_in(here, "alice", "alice-2", rows(12_000), "more.csv")
    if status != 202:
        raise SystemExit(f"A file for a worker was answered with {status}: {said}")
    while _state(here, {"who": "alice", "project": "alice-2", **said}) == "checking":
        if time.perf_counter() - began > 600:
            raise SystemExit("A file for a worker was not checked within ten minutes.")
        time.sleep(0.5)
    return time.perf_counter() - began


def _state(here: Site, of: dict[str, Any]) -> str:
    path = f"/api/v1/projects/{of['project']}/imports/files/{of['number']}/"
    return str(_asked(here, of["who"], "GET", path)[1]["state"])


def _opened(here: Site) -> float:
    """Open the page to sign in; return the seconds it took."""
    began = time.perf_counter()
    line = HTTPConnection("127.0.0.1", here.port, timeout=60)
    with contextlib.closing(line):
        line.request("GET", "/login/")
        answer = line.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"The page to sign in answered {answer.status}.")
    return time.perf_counter() - began


@contextlib.contextmanager
def site() -> Iterator[Site]:
    """Run a whole site, with accounts who have two projects and a token each."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="ev") as folder:
        kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        environment = {**kept, "EVALSITE_DATA": folder}
        environment["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
        argv = [sys.executable, "manage.py", "up", "--no-demo", "--port", str(port)]
        log = Path(folder, "up.log")
        with log.open("wb") as out:
            server = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=out, stderr=out)
        here = Site(port, {}, environment)
        try:
            _wait(here, server, log)
            made = subprocess.run(
                [sys.executable, "-m", "benchmarks.one_visitor", "--", "set_up"],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode:
                raise SystemExit(made.stderr[-4000:])
            here.tokens = json.loads(made.stdout.splitlines()[-1])
            yield here
        finally:
            server.send_signal(signal.SIGTERM)
            time.sleep(3)
            server.send_signal(signal.SIGTERM)
            server.wait(90)


def _wait(here: Site, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _try in range(480):
        with contextlib.suppress(OSError, SystemExit):
            _opened(here)
            return
        if server.poll() is not None:
            break
        time.sleep(0.25)
    raise SystemExit(log.read_text()[-4000:])


def set_up() -> dict[str, str]:
    """Make the accounts with their projects; return their tokens."""
    from django.utils import timezone

    from annotation.people import tokens as personal_tokens
    from evalsite.web import scopes
    from tests import make

    tokens = {}
    for name in (*ATTACKERS, "alice"):
        user = make.user(name)
        for place in (1, 2):
            make.project(f"{name}-{place}", owner=user)
        made = personal_tokens.make(
            user=user, name="bench", given=scopes.NAMES, days=1, project=None, now=timezone.now()
        )
        tokens[name] = made.secret
    return tokens


def _worst(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"median {ordered[len(ordered) // 2]:.2f} s, longest {ordered[-1]:.2f} s"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--"]:
        import django

        django.setup()
        say(json.dumps(set_up()))
    else:
        main()
