"""How long opening a large round takes, and how long it keeps somebody who grades waiting.

    python -m benchmarks.open_round [--items 10000] [--systems 4] [--seats 3]

Works in a throw-away folder on SQLite. A second process commits one small change twenty times a
second, as graders' drafts do; what it waits is measured from its side.
"""

import argparse
import multiprocessing
import os
import secrets
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from typing import Any

PASSWORD = secrets.token_urlsafe()
SENTENCES = (
    "The carrier's liability ends when the goods are handed over at the named place.",
    "Under **FCA** the seller clears the goods for export; the buyer pays the main carriage.",
    "- A bill of lading is a receipt, evidence of the contract and a document of title.",
    "| Term | Risk passes |\n|---|---|\n| FOB | on board |\n| CIF | on board |",
    "Demurrage is owed for the container inside the terminal, detention for the time outside it.",
    "General average shares a sacrifice made for the common safety among all interests.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--systems", type=int, default=4)
    parser.add_argument("--seats", type=int, default=3)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="evalsite-bench-")
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.pop("DATABASE_URL", None)
    try:
        measure(options.items, options.systems, options.seats)
    finally:
        shutil.rmtree(folder)


def measure(n_items: int, n_systems: int, n_seats: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    call_command("migrate", verbosity=0)
    round_ = make(n_items, n_systems, n_seats)
    from annotation.rounds import drawing, opening

    with writing() as waits, watching() as locks:
        began, spent = time.perf_counter(), time.process_time()
        drawing.prepare(round_=round_, now=timezone.now())
        prepared, cpu = time.perf_counter() - began, time.process_time() - spent
    report("prepare", prepared, cpu, waits, locks)
    with writing() as waits, watching() as locks:
        began, spent = time.perf_counter(), time.process_time()
        opening.request_opening(round_=round_, by=round_.created_by, now=timezone.now())
        opening.open_round(round_=round_, now=timezone.now())
        opened, cpu = time.perf_counter() - began, time.process_time() - spent
    report("open", opened, cpu, waits, locks)
    say(f"round is {round_.state}, {round_.assignments.count()} seats", connection.vendor)


def make(n_items: int, n_systems: int, n_seats: int, n_people: int = 0) -> Any:
    """Set out a project with this many items and answers, and a draft of a round over them."""
    from django.utils import timezone

    from annotation import models
    from annotation.common import texts as contents
    from annotation.people import operations as people
    from annotation.rounds import drafting
    from annotation.rubrics import operations as rubrics
    from annotation.rubrics import queries as examples
    from annotation.systems import operations as systems

    now = timezone.now()
    owner = people.create_account(
        username="owner", name="Owner", password=PASSWORD, by=None, now=now
    )
    project = people.create_project(slug="bench", name="Bench", by=owner, now=now)
    graders = []
    for place in range(n_people or n_seats):
        user = models.User.objects.create(username=f"annotator-{place}")
        people.grant(project=project, user=user, role=models.Role.ANNOTATOR, by=owner, now=now)
        graders.append(user)
    rubrics.load_fixture(
        project=project, entries=examples.list_rubrics_examples()[:1], by=owner, now=now
    )
    version = models.RubricVersion.objects.get(rubric__project=project)
    releases = []
    for place in range(n_systems):
        system = systems.create_system(
            project=project, name=f"Harbour {chr(65 + place)}x", aliases=[], by=owner, now=now
        )
        releases.append(
            models.SystemRelease.objects.create(system=system, label="2026-03", created_at=now)
        )
    for start in range(0, n_items, 1000):
        items = []
        for place in range(start, min(start + 1000, n_items)):
            asked = contents.as_messages(f"Question {place}: who bears the risk, and why?")
            items.append(
                models.Item(
                    project=project,
                    external_id=f"Q{place}",
                    group=f"Q{place}",
                    content_sha=contents.content_sha(asked, text(place, 2), {}),
                    prompt_sha=contents.prompt_sha(asked),
                    messages=asked,
                    reference=text(place, 2),
                    created_at=now,
                )
            )
        items = models.Item.objects.bulk_create(items)
        answers = []
        for item in items:
            for place, release in enumerate(releases):
                said = [{"role": "assistant", "content": text(item.pk * 7 + place, 6)}]
                answers.append(
                    models.Response(
                        item=item,
                        release=release,
                        content_sha=contents.response_sha(said),
                        messages=said,
                        created_at=now,
                    )
                )
        models.Response.objects.bulk_create(answers)
    round_ = drafting.create_round(
        project=project, name="Large", seed="bench", secret=bytes(32), by=owner, now=now
    )
    drafting.choose_releases(round_=round_, releases=releases, by=owner, now=now)
    drafting.choose_rubrics(round_=round_, by_capability={}, rest=version, by=owner, now=now)
    drafting.configure(
        round_=round_,
        settings=drafting.RoundSettings(
            name="Large", n_seats=n_seats, seats_override="" if n_seats > 2 else "a benchmark"
        ),
        by=owner,
        by_owner=True,
        now=now,
    )
    drafting.invite(round_=round_, users=graders, by=owner, by_owner=True, now=now, override="")
    return round_


def text(start: int, count: int) -> str:
    said = [SENTENCES[(start + step) % len(SENTENCES)] for step in range(count)]
    return "\n\n".join([f"Answer {start}.", *said])


@contextmanager
def writing() -> Iterator[dict[str, Any]]:
    """Have another process commit small changes meanwhile; yield what it will have waited."""
    from django.conf import settings

    context = multiprocessing.get_context("spawn")
    stop, queue = context.Event(), context.Queue()
    process = context.Process(
        target=write, args=(str(settings.DATABASES["default"]["NAME"]), stop, queue)
    )
    process.start()
    queue.get()  # it has begun
    waits: dict[str, Any] = {}
    yield waits
    stop.set()
    waits.update(queue.get())
    process.join()


def write(path: str, stop: Event, queue: Any) -> None:
    """Commit one small change twenty times a second until told to stop."""
    database = sqlite3.connect(path, timeout=20, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE IF NOT EXISTS bench_write (id INTEGER PRIMARY KEY, at REAL)")
    queue.put("begun")
    waits: list[float] = []
    locked = 0
    while not stop.is_set():
        began = time.perf_counter()
        try:
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO bench_write (at) VALUES (?)", (began,))
            database.execute("COMMIT")
        except sqlite3.OperationalError:
            locked += 1
        waits.append(time.perf_counter() - began)
        time.sleep(max(0.0, 0.05 - waits[-1]))
    queue.put({"waits": waits, "locked": locked})


@contextmanager
def watching() -> Iterator[list[float]]:
    """Yield how long each transaction of this process held the database's write lock."""
    from django.db import connection as default

    connection: Any = default
    held: list[float] = []
    begin, commit = connection._start_transaction_under_autocommit, connection._commit
    since = 0.0

    def begun() -> None:
        nonlocal since
        begin()
        since = time.perf_counter()

    def committed() -> Any:
        result = commit()
        held.append(time.perf_counter() - since)
        return result

    def alone(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if connection.in_atomic_block or sql.lstrip()[:6].upper() not in {
            "INSERT",
            "UPDATE",
            "DELETE",
        }:
            return execute(sql, params, many, context)
        began = time.perf_counter()
        result = execute(sql, params, many, context)
        held.append(time.perf_counter() - began)
        return result

    connection._start_transaction_under_autocommit = begun
    connection._commit = committed
    with connection.execute_wrapper(alone):
        yield held
    del connection._start_transaction_under_autocommit, connection._commit


def report(name: str, seconds: float, cpu: float, waits: dict[str, Any], held: list[float]) -> None:
    taken = waits["waits"]
    p95 = statistics.quantiles(taken, n=20)[18] if len(taken) > 1 else taken[0]
    say(
        f"{name}: {seconds:.1f} s ({cpu:.1f} s of them computing) in {len(held)} transactions,"
        f" the longest {max(held) * 1000:.0f} ms;"
        f" a writer beside it: {len(taken)} commits, p95 {p95 * 1000:.0f} ms,"
        f" longest {max(taken) * 1000:.0f} ms, {waits['locked']} locked"
    )


def say(*words: object) -> None:
    print(*words, flush=True)


if __name__ == "__main__":
    main()
