"""Import 100,000 answers of 600 signs into a fresh SQLite database and say how fast.

Beside it, in the same run: the same rows inserted by sqlite3 alone.

Usage: python -m benchmarks.import_responses [--responses 100000] [--times 1]
"""

import argparse
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import transactions

SYSTEMS = ("Kestrel 4", "Harbour 70B", "Dock RAG", "Meridian L")
WORDS = ["carrier", "loads", "pallets", "at", "quay", "before", "vessel", "sails", "and", "claims"]


def text(number: int, length: int) -> str:
    """Return a text of so many signs that is different for each number."""
    start = number % len(WORDS)
    words = WORDS[start:] + WORDS[:start]
    sentence = f"{number}: " + " ".join(words) + ". "
    return (sentence * (length // len(sentence) + 1))[:length]


def rows(n_items: int) -> Iterator[dict[str, object]]:
    for item in range(n_items):
        yield {
            "external_id": f"B{item:06d}",
            "question": text(item, 120),
            "standard_answer": text(item + 1, 200),
            "answers": {name: text(item * 7 + place, 600) for place, name in enumerate(SYSTEMS)},
        }


def once(n_responses: int) -> dict[str, float]:
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from annotation.files.mappings import AnswerMapping, ColumnTarget
    from annotation.files.models import ImportKind
    from annotation.imports import operations as applying
    from annotation.imports import operations as checking
    from annotation.imports import recognising, uploading
    from annotation.people import operations as people
    from annotation.people.models import User
    from annotation.systems.models import Response

    now = timezone.now()
    call_command("flush", "--no-input", verbosity=0)
    owner = User.objects.create_user("owner", "x")
    project = people.create_project(slug="bench", name="Bench", by=owner, now=now)
    lines = (json.dumps(row).encode() + b"\n" for row in rows(n_responses // len(SYSTEMS)))
    began = time.perf_counter()
    upload = uploading.receive(
        project=project, kind=ImportKind.ANSWERS, name="b.jsonl", pieces=lines, by=owner, now=now
    )
    stored = time.perf_counter()
    places = tuple(
        ColumnTarget(column.name, guess.target, system=guess.system)
        for column, guess in recognising.guesses(upload)
    )
    uploading.set_mapping(upload=upload, mapping=AnswerMapping(places))
    report = checking.check(upload=upload, clock=timezone.now)
    checked = time.perf_counter()
    longest = transactions.Longest()
    with connection.execute_wrapper(longest):
        batch = applying.start(upload=upload, by=owner, now=timezone.now())
        applying.carry_on(batch_id=batch.pk, clock=timezone.now)
    applied = time.perf_counter()
    assert report["ok"], report["problems"][:3]
    assert Response.objects.seen().count() == n_responses
    return {
        "upload_s": stored - began,
        "check_s": checked - stored,
        "apply_s": applied - checked,
        "responses_per_s_check_and_apply": n_responses / (applied - stored),
        "responses_per_s_in_all": n_responses / (applied - began),
        "longest_transaction_s": longest.seconds,
        "raw_sqlite_rows_per_s": raw(n_responses),
    }


def raw(n_responses: int) -> float:
    """Return how many of the same rows a second sqlite3 inserts alone, 2,000 a transaction."""
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(Path(folder) / "raw.sqlite3", isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute(
            "CREATE TABLE r (id INTEGER PRIMARY KEY, item INT, release INT, sha TEXT, messages TEXT,"
            " UNIQUE (item, release, sha))"
        )
        began = time.perf_counter()
        for start in range(0, n_responses, 2000):
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT INTO r (item, release, sha, messages) VALUES (?, ?, ?, ?)",
                (
                    (number, number % 4, f"{number:064d}", text(number, 600))
                    for number in range(start, min(start + 2000, n_responses))
                ),
            )
            db.execute("COMMIT")
        return n_responses / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVALSITE_DATA"] = folder
        os.environ.pop("DATABASE_URL", None)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        runs = [once(options.responses) for _ in range(options.times)]
    for name in runs[0]:
        middle = statistics.median(run[name] for run in runs)
        sys.stdout.write(f"{name}: {middle:.3f}\n")


if __name__ == "__main__":
    main()
