"""What one graded item costs the web process: `python -m benchmarks.grading_cpu`.

Two sites with a round of 1,000 and one of 10,000 items × 4 responses × 3 seats, each with the web
server of `manage.py up` (one process of eight threads). One annotator grades as the page's script
does, over one kept line: three drafts, then a submit whose answer brings the next question. What is
read is the processor time of the web process, as the system counts it. Medians of five batches.

    --prefetch   as a page with questions held ready: submit without the next one, renew, ahead
    --database   a PostgreSQL server, such as postgresql://postgres@127.0.0.1:5432/postgres
"""

import argparse
import contextlib
import json
import os
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PORT = 18781
BATCHES = 5
TICKS = os.sysconf("SC_CLK_TCK")
MOST_MS, MOST_RATIO = 25, 1.15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--batch", type=int, default=60, help="items in a batch")
    parser.add_argument("--prefetch", action="store_true")
    parser.add_argument("--database", default="")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        sites = [
            stack.enter_context(site(n_items, database=options.database, port=PORT + place))
            for place, n_items in enumerate(options.sizes)
        ]
        desks = [Desk(one, one.people[0], prefetch=options.prefetch) for one in sites]
        for desk in desks:
            desk.sit()
            desk.grade(20)  # what is loaded once is loaded now
        costs: list[list[float]] = [[] for _desk in desks]
        for _batch in range(BATCHES):
            for desk, cost in zip(desks, costs, strict=True):
                before = desk.site.cpu_s()
                desk.grade(options.batch)
                cost.append((desk.site.cpu_s() - before) * 1000 / options.batch)
        for one, cost in zip(sites, costs, strict=True):
            say(
                f"{one.n_items:>6,} items: {statistics.median(cost):.1f} CPU-ms an item, median of "
                f"{BATCHES} ({min(cost):.1f} to {max(cost):.1f}; at most {MOST_MS})"
            )
    middle = [statistics.median(cost) for cost in costs]
    say(f"ratio: {middle[-1] / middle[0]:.2f} (at most {MOST_RATIO})")
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


@dataclass
class Person:
    name: str
    session: str


@dataclass
class Site:
    """A site with one open round, and its web server."""

    folder: Path
    port: int
    n_items: int
    environment: dict[str, str]
    people: list[Person]
    server: subprocess.Popen[bytes]

    def worker(self) -> int:
        """Return the process that answers; the one that was started only watches over it."""
        pid = self.server.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])

    def cpu_s(self) -> float:
        """Return the processor time the worker has used until now."""
        fields = Path(f"/proc/{self.worker()}/stat").read_text().rpartition(")")[2].split()
        exact = Path(f"/proc/{self.worker()}/task")
        # The scheduler counts in nanoseconds, the classic counters in ticks.
        with contextlib.suppress(OSError):
            return sum(int((t / "schedstat").read_text().split()[0]) for t in exact.iterdir()) / 1e9
        return (int(fields[11]) + int(fields[12])) / TICKS

    def ask(self, deed: str, *words: object) -> Any:
        """Do something beside the server that needs Django, in a process of its own."""
        argv = [sys.executable, "-m", "benchmarks.grading_cpu", "--", deed, *map(str, words)]
        done = subprocess.run(
            argv, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr[-4000:])
        return json.loads(done.stdout.splitlines()[-1])


@contextlib.contextmanager
def site(
    n_items: int,
    *,
    n_people: int = 3,
    n_criteria: int = 1,
    database: str = "",
    port: int = PORT,
) -> Iterator[Site]:
    """Make a site with an open round and these annotators, and run its web server meanwhile."""
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as name, _database(database) as url:
        folder = Path(name)
        made = Site(folder, port, n_items, environment(folder, url), [], None)  # type: ignore[arg-type]
        made.people = [Person(*one) for one in made.ask("set_up", n_items, n_people, n_criteria)]
        with open(folder / "web.log", "wb") as log:
            made.server = subprocess.Popen(
                _server(folder, port), cwd=ROOT, env=made.environment, stdout=log, stderr=log
            )
        try:
            _wait(made)
            yield made
        finally:
            made.server.terminate()
            made.server.wait(30)


def environment(folder: Path, url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    made = {"EVALSITE_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    return {**kept, **made, **({"DATABASE_URL": url} if url else {})}


@contextlib.contextmanager
def _database(server: str) -> Iterator[str]:
    """Make a database of its own on that server; without one, SQLite is used."""
    if not server:
        yield ""
        return
    import psycopg

    name = f"evalsite_bench_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as line:
        line.execute(f"create database {name}")
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            line.execute(f"drop database {name} with (force)")


def _server(folder: Path, port: int) -> list[str]:
    from evalsite.supervisor import places
    from evalsite.supervisor import site as processes

    return list(
        processes.web(places.SitePlaces(folder), processes.ServerAddress("127.0.0.1", port)).argv
    )


def _wait(made: Site) -> None:
    for _try in range(240):
        with contextlib.suppress(OSError):
            line = HTTPConnection("127.0.0.1", made.port, timeout=10)
            line.request("GET", "/login/")
            line.getresponse().read()
            return
        if made.server.poll() is not None:
            break
        time.sleep(0.25)
    raise SystemExit((made.folder / "web.log").read_text()[-4000:])


class Line:
    """A kept line of one browser to the site."""

    def __init__(self, site: Site, person: Person) -> None:
        self.line = HTTPConnection("127.0.0.1", site.port, timeout=60)
        self.csrf = secrets.token_hex(16)
        self.cookies = f"sessionid={person.session}; csrftoken={self.csrf}"
        self.took: list[float] = []

    def get(self, path: str) -> str:
        return self._asked("GET", path, None, {})[1]

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        sent = json.dumps({"csrf": self.csrf, **body})
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        status, text = self._asked("POST", path, sent, headers)
        return status, json.loads(text)

    def _asked(
        self, method: str, path: str, body: str | None, more: dict[str, str]
    ) -> tuple[int, str]:
        headers = {"Cookie": self.cookies, "Accept-Encoding": "gzip", **more}
        began = time.perf_counter()
        self.line.request(method, path, body, headers)
        answer = self.line.getresponse()
        text = answer.read()
        self.took.append(time.perf_counter() - began)
        if answer.headers.get("Content-Encoding") == "gzip":
            import gzip

            text = gzip.decompress(text)
        if location := answer.headers.get("Location"):
            return answer.status, location
        return answer.status, text.decode()

    def form(self, path: str) -> str:
        """Send an empty form and return where it leads."""
        sent = f"csrfmiddlewaretoken={self.csrf}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._asked("POST", path, sent, headers)[1]


class Desk:
    """Somebody who grades as the page's script does."""

    base = "/p/bench/grade/"

    def __init__(self, site: Site, person: Person, *, prefetch: bool = False) -> None:
        self.site, self.line, self.prefetch = site, Line(site, person), prefetch
        self.html, self.token, self.drafts = "", "", 3
        self.submits: list[float] = []
        self.ready: list[dict[str, Any]] = []

    def sit(self) -> None:
        """Claim the first question and open its page."""
        address = self.line.form(f"{self.base}rounds/1/next/")
        self.html = self.line.get(address)
        self.token = self._read("data-token")
        if self.prefetch:
            self._look_ahead()

    def grade(self, n_items: int) -> int:
        """Grade so many items; return how many there were."""
        for done in range(n_items):
            if not self._grade():
                return done
        return n_items

    def _grade(self) -> bool:
        letters, [criterion, *_] = self._read("data-letters"), self._criteria()
        values = re.findall(rf'name="mark-A-{criterion}"\s+value="([^"]+)"', self.html)
        marks = {
            f"mark/{letter}/{key}": values[place % len(values)]
            for place, letter in enumerate(letters)
            for key in self._criteria()
        }
        for rev, (place, value) in enumerate(list(marks.items())[: self.drafts]):
            body = {"op_id": str(uuid.uuid4()), "base_rev": rev, "patch": {place: value}}
            self._sent(f"{self.token}/draft/", body)
        body = {"op_id": str(uuid.uuid4()), "base_rev": 0, "entries": marks, "active_ms": 5000}
        said = self._sent(
            f"{self.token}/submit/", {**body, "view": "stack", "next": not self.prefetch}
        )
        self.submits.append(self.line.took[-1])
        return self._next(said)

    def _next(self, said: dict[str, Any]) -> bool:
        if self.prefetch:
            if not self.ready:
                return False
            said = {"next": self.ready.pop(0)}
        if not said["next"]["html"]:
            return False
        self.html, self.token = said["next"]["html"], said["next"]["token"]
        if self.prefetch:
            self._sent(f"{self.token}/renew/", {})
            self._look_ahead()
        return True

    def _look_ahead(self) -> None:
        said = self._sent(f"{self.token}/ahead/", {})
        self.ready = [one for one in said["desks"] if one["token"] != self.token]

    def _sent(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        status, said = self.line.post(self.base + path, body)
        if status != 200:
            raise SystemExit(f"{path} answered {status}: {said}")
        return said

    def _read(self, name: str) -> str:
        found = re.search(rf'{name}="([^"]*)"', self.html)
        return found[1].replace("&quot;", '"') if found else ""

    def _criteria(self) -> list[str]:
        keys: list[str] = json.loads(self._read("data-criteria"))
        return keys


def set_up(n_items: str, n_people: str, n_criteria: str = "1") -> list[tuple[str, str]]:
    """Make the database, its round and the static files; return names and sessions of people."""
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from annotation.rounds import drawing, opening
    from benchmarks import open_round

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    round_ = open_round.make(int(n_items), 4, 3, n_people=int(n_people))
    _add_criteria(round_.project, int(n_criteria))
    drawing.prepare(round_=round_, now=timezone.now())
    opening.request_opening(round_=round_, by=round_.created_by, now=timezone.now())
    opening.open_round(round_=round_, now=timezone.now())
    found = []
    for place in round_.annotators.select_related("rater__user").order_by("pk"):
        client = Client()
        client.force_login(place.rater.user)
        found.append((place.rater.user.username, client.cookies["sessionid"].value))
    return found


def _add_criteria(project: Any, n_criteria: int) -> None:
    """Let the rubric ask for more than one criterion: copies of its first."""
    from annotation.rubrics.models import Criterion, Level

    first = Criterion.objects.get(rubric_version__rubric__project=project)
    levels = list(first.levels.all())
    for place in range(1, n_criteria):
        first.pk, first.key, first.name, first.position = None, f"more-{place}", "Clarity", place
        first._state.adding = True
        first.save()
        Level.objects.bulk_create(
            Level(criterion=first, value=one.value, label=one.label, description=one.description)
            for one in levels
        )


def count() -> dict[str, int]:
    """Count what was claimed, what was submitted, and what is above the seats."""
    from django.db.models import Count, F, Q

    from annotation.rounds.models import Assignment, ClaimEvent, RoundItem

    taken = Count("assignments__rater", filter=Q(assignments__state="SUBMITTED"))
    items = RoundItem.objects.annotate(n=taken)
    twice = (
        Assignment.objects.filter(rater__isnull=False)
        .values("round_item", "rater")
        .annotate(n=Count("pk"))
        .filter(n__gt=1)
    )
    return {
        "claims": ClaimEvent.objects.filter(kind="CLAIMED").count(),
        "submitted": Assignment.objects.filter(state="SUBMITTED").count(),
        "above": items.filter(n__gt=F("n_seats")).count() + twice.count(),
    }


def yardstick_ms() -> float:
    """Return how long this machine computes at a fixed piece of Python, in milliseconds."""
    table = {f"mark/{place}/grade": str(place) for place in range(40)}
    took = []
    for _run in range(BATCHES):
        began = time.process_time()
        for _time in range(2_000):
            json.loads(json.dumps(table))
        took.append(time.process_time() - began)
    return statistics.median(took) * 1000


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--"]:
        import django

        django.setup()
        deeds: dict[str, Callable[..., object]] = {"set_up": set_up, "count": count}
        say(json.dumps(deeds[sys.argv[2]](*sys.argv[3:])))
    else:
        main()
