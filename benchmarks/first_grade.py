"""From a fresh clone to the first grade: `python -m benchmarks.first_grade`.

Clones what was committed into an empty directory, runs `make run` there (which makes an environment
of its own), signs in as an annotator of the demo over HTTP, grades one question as a page without
scripts does, and stops it again. Prints the seconds of each phase. Yardstick: 150 s in all. pip's
cache is not used, so the network is part of the time; the load says how busy the machine was.
"""

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 150.0
PATIENCE = 1800.0
#: What must not be taken over from whoever measures.
OWN = ("DJANGO_SETTINGS_MODULE", "EVALSITE_DATA", "DATABASE_URL", "REDIS_URL", "VIRTUAL_ENV")
ANNOTATOR, PROJECT = "lena", "northport"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=18782)
    parser.add_argument("--commit", default="HEAD")
    options = parser.parse_args()
    phases = Phases()
    with tempfile.TemporaryDirectory(prefix="ev") as name:
        folder = Path(name) / "evalsite"
        _git("clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder))
        _git("-C", str(folder), "checkout", "--quiet", _commit(options.commit))
        phases.end("clone")
        with running(folder, options.port) as log:
            wait(log, lambda: (folder / ".venv/.run-stamp").exists())
            phases.end("install")
            wait(log, lambda: "is running at" in log.read_text())
            phases.end("prepare, load the demo, start")
            person = Person(f"http://localhost:{options.port}")
            person.sign_in(ANNOTATOR, password(folder))
            phases.end("sign in")
            person.grade()
            phases.end("first grade")
    phases.tell()


class Phases:
    """What took how long, one after the other."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}
        self.last = time.perf_counter()

    def end(self, name: str) -> None:
        now = time.perf_counter()
        self.took[name], self.last = now - self.last, now

    def tell(self) -> None:
        for name, seconds in self.took.items():
            sys.stdout.write(f"{name}: {seconds:.1f} s\n")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = f"in all: {sum(self.took.values()):.0f} s (at most {MOST:.0f})"
        sys.stdout.write(
            f"{said}, {used.ru_utime + used.ru_stime:.0f} s of processor time, "
            f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n"
        )


class Person:
    """Somebody with a browser that runs no scripts."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )

    def sign_in(self, name: str, password: str) -> None:
        form = self.get("/login/").form(has="username")
        at = self.post("/login/", {**form, "username": name, "password": password})
        if "/login/" in at.path:
            raise SystemExit(f"{name} could not sign in.")

    def grade(self) -> None:
        """Claim a question and give each response the first mark of each criterion's scale."""
        desk = self.get(f"/p/{PROJECT}/grade/")
        claim = next(one for one in desk.actions if one.endswith("/next/"))
        page = self.post(claim, desk.form(to=claim))
        form = page.form(has="base_rev")
        marks = {name: values[0] for name, values in page.radios.items()}
        if not marks:
            raise SystemExit("There is nothing to grade.")
        after = self.post(page.path, {**form, **marks})
        if after.path == page.path:
            raise SystemExit("The grades were not taken.")
        if 'data-submitted="1"' not in self.get(page.path).text:
            raise SystemExit("The grades were not kept.")

    def get(self, path: str) -> "Page":
        return self._open(urllib.request.Request(self.url + path))  # noqa: S310  http to ourselves

    def post(self, path: str, fields: dict[str, str]) -> "Page":
        body = urllib.parse.urlencode(fields).encode()
        return self._open(urllib.request.Request(self.url + path, body))  # noqa: S310

    def _open(self, request: urllib.request.Request) -> "Page":
        request.add_header("Referer", self.url + "/")
        with self.opener.open(request, timeout=120) as answer:
            return Page(urllib.parse.urlsplit(answer.url).path, answer.read().decode())


class Page(HTMLParser):
    """A page's forms and what they hold."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self.path, self.text = path, text
        self.actions: list[str] = []
        self.fields: list[dict[str, str]] = []
        self.radios: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.actions.append(found.get("action") or self.path)
            self.fields.append({})
        elif tag == "input" and found.get("type") == "radio":
            if found["name"].startswith("mark-"):
                self.radios.setdefault(found["name"], []).append(found["value"])
        elif tag == "input" and found.get("type") == "hidden" and self.fields:
            self.fields[-1][found.get("name", "")] = found.get("value", "")
        elif tag == "input" and self.fields:
            self.fields[-1].setdefault(found.get("name", ""), "")

    def form(self, *, has: str = "", to: str = "") -> dict[str, str]:
        """Return the hidden fields of the form that leads there or has this field."""
        for action, fields in zip(self.actions, self.fields, strict=True):
            if action == to or has in fields:
                return {name: value for name, value in fields.items() if name and value}
        raise SystemExit(f"There is no such form on {self.path}.")


def password(folder: Path) -> str:
    """Return the password of the demo's accounts, as it was printed."""
    return (folder / "var/demo_accounts.txt").read_text().strip().rpartition(" ")[2]


@contextmanager
def running(folder: Path, port: int) -> Iterator[Path]:
    """Run `make run` in the clone; give its log."""
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    log = folder.parent / "run.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["make", "run", f"PORT={port}"],  # noqa: S607
            cwd=folder,
            env={**kept, "PIP_NO_CACHE_DIR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        yield log
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(90)


def wait(log: Path, done: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > until or re.search(r"^make: \*\*\*", log.read_text(), re.MULTILINE):
            raise SystemExit(f"It did not start:\n{log.read_text()[-3000:]}")
        time.sleep(0.2)


def _commit(name: str) -> str:
    return _git("-C", str(ROOT), "rev-parse", name).strip()


def _git(*words: str) -> str:
    command = ["git", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
