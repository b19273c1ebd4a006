"""Bring 10,000 questions from a file into a bank that has 10,000, and take them back.

    python -m benchmarks.import_questions [--questions 10000]

Works in a throw-away folder on SQLite. The questions are made up and cut to patterns
(tests/planted.py), which is as hard as it gets for near-duplicates; 300 rows repeat a question of
the bank and 300 an earlier row in other words. Processor time is the better witness on a busy
machine.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from benchmarks import transactions

N_PAIRS = 300
YARDSTICK_S = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="evalsite-bench-")
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.pop("DATABASE_URL", None)
    try:
        measure(options.questions)
    finally:
        shutil.rmtree(folder)


def measure(n_questions: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    call_command("migrate", verbosity=0)
    from annotation import models
    from annotation.imports import operations as applying
    from annotation.imports import operations as checking
    from annotation.imports import undoing
    from annotation.people import operations as people
    from annotation.search import similarity
    from evalsite import queue
    from tests import planted

    owner = models.User.objects.create_user("owner", "x")
    project = people.create_project(slug="bench", name="Bench", by=owner, now=timezone.now())
    made = list(islice(planted.questions("bank"), 2 * n_questions))
    bank, fresh = made[:n_questions], made[n_questions : 2 * n_questions - 2 * N_PAIRS]
    _bring(project, owner, [(f"B{place}", one.text) for place, one in enumerate(bank)])
    similarity.index_rest(project=project)
    rows = [(f"F{place}", one.text) for place, one in enumerate(fresh)]
    of_bank, of_file = planted.pairs(bank, N_PAIRS, "a"), planted.pairs(fresh, N_PAIRS, "b")
    rows += [(f"P{place}", one.text) for place, one in enumerate(of_bank)]
    rows += [(f"R{place}", one.text) for place, one in enumerate(of_file)]
    upload = _upload(project, owner, rows)
    with _timed(f"checking {len(rows):,} rows against {n_questions:,} questions"):
        report = checking.check(upload=upload, clock=timezone.now)
    longest = transactions.Longest()
    with _timed("bringing them in"), connection.execute_wrapper(longest):
        batch = applying.start(upload=upload, by=owner, now=timezone.now())
        applying.carry_on(batch_id=batch.pk, clock=timezone.now)
    _tell(longest)
    assert models.Question.objects.count() == 2 * n_questions
    _judge(upload, bank, fresh, of_bank, of_file)
    longest = transactions.Longest()
    with _timed("taking them back"), connection.execute_wrapper(longest):
        batch.refresh_from_db()
        with suppress(queue.QueueDown):  # there is no worker here: it is carried on below
            undoing.undo(batch=batch, by=owner, clock=timezone.now)
        batch.refresh_from_db()
        undoing.carry_on(batch=batch, clock=timezone.now)
    _tell(longest)
    assert models.Question.everything.count() == n_questions, report["counts"]


def _tell(longest: transactions.Longest) -> None:
    print(
        f"longest transaction {longest.seconds:.2f} s, {longest.cpu:.2f} s of processor time "
        "(the house allows 0.3)"
    )


@contextmanager
def _timed(what: str) -> Iterator[None]:
    began, cpu = time.perf_counter(), time.process_time()
    yield
    load = os.getloadavg()[0]
    print(
        f"{what}: {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s of "
        f"processor time at load {load:.0f} (yardstick {YARDSTICK_S} s)"
    )


def _upload(project: Any, owner: Any, rows: list[tuple[str, str]]) -> Any:
    from django.utils import timezone

    from annotation.files.mappings import ColumnTarget, QuestionMapping
    from annotation.files.models import ImportKind
    from annotation.imports import recognising, uploading

    lines = (
        json.dumps(
            {
                "id": name,
                "question": text,
                "key_points": ["one", "two"],
                "difficulty": "simple",
                "tags": ["made up"],
                "sources": [{"title": f"Handbook {len(text) % 7}", "locator": "p. 3"}],
            }
        ).encode()
        + b"\n"
        for name, text in rows
    )
    upload = uploading.receive(
        project=project,
        kind=ImportKind.QUESTIONS,
        name="b.jsonl",
        pieces=lines,
        by=owner,
        now=timezone.now(),
    )
    places = tuple(
        ColumnTarget(column.name, guess.target) for column, guess in recognising.guesses(upload)
    )
    return uploading.set_mapping(upload=upload, mapping=QuestionMapping(places, make_sources=True))


def _bring(project: Any, owner: Any, rows: list[tuple[str, str]]) -> None:
    from django.utils import timezone

    from annotation.imports import operations as applying

    upload = _upload(project, owner, rows)
    upload.report = {"ok": True, "n_rows": len(rows), "new_capabilities": [], "new_domains": []}
    batch = applying.start(upload=upload, by=owner, now=timezone.now())
    applying.carry_on(batch_id=batch.pk, clock=timezone.now)


def _judge(upload: Any, bank: Any, fresh: Any, of_bank: Any, of_file: Any) -> None:
    """Print how many of the planted rows were pointed out, and how many others."""
    from annotation.imports import checks

    said: dict[str, str] = {}
    known = [f"B{place}" for place in range(len(bank))]
    from annotation.bank.models import Question

    # Asked of the bank as it was: what came in since is taken out of sight.
    Question.everything.exclude(external_id__in=known[:1]).filter(batch__number=2).update(
        state="STAGED"
    )
    for step in checks.steps(upload, checks.begin(upload)):
        for problem in step.problems:
            if problem.code in {"like_in_bank", "like_in_file"}:
                said[problem.found] = problem.facts["other"]
    Question.everything.filter(batch__number=2).update(state="LIVE")
    subject = {f"B{place}": one.subject for place, one in enumerate(bank)}
    subject |= {f"F{place}": one.subject for place, one in enumerate(fresh)}
    subject |= {f"P{place}": one.subject for place, one in enumerate(of_bank)}
    subject |= {f"R{place}": one.subject for place, one in enumerate(of_file)}
    for letter, what in (("P", "of the bank"), ("R", "of the file")):
        found = sum(
            subject[said.get(f"{letter}{n}", "B0")] == subject[f"{letter}{n}"]
            for n in range(N_PAIRS)
        )
        print(f"recall on {N_PAIRS} rows that repeat one {what}: {found / N_PAIRS:.3f}")
    false = sum(subject[other] != subject[name] for name, other in said.items())
    print(f"false warnings: {100 * false / len(subject):.2f} of 100 rows")


if __name__ == "__main__":
    main()
