"""How long work on a large bank takes: the list in other orders, the board, editing 2,000 at once.

    python -m benchmarks.bank_work [--questions 10000]

Works in a throw-away folder on SQLite, with the bank of benchmarks/bank_lists.py. Pages are asked for
through the test client, median of five and slowest; of the bulk edit the trying out and the longest
transaction of carrying it out are told.
"""

import argparse
import itertools
import os
import shutil
import statistics
import tempfile
import time
from typing import Any

PAGES_MS, WRITE_MS = 200, 300
TIMES = 5
PAGES = (
    "",
    "?order=oldest",
    "?order=id",
    "?order=id&state=SUBMITTED",
    "?columns=id&columns=tags&columns=priority&columns=valid_until&columns=state",
    "board/",
    "board/?capability=1",
    "board/?only=DRAFT",
)


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
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    from benchmarks import bank_lists

    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES["staticfiles"] = {"BACKEND": plain}
    call_command("migrate", verbosity=0)
    curator = bank_lists.fill(n_questions)
    client = Client(headers={"host": "localhost"})
    client.force_login(curator)
    print(f"{n_questions:,} questions, load {os.getloadavg()[0]:.1f}")
    for page in PAGES:
        times = []
        for _time in range(TIMES + 1):
            began = time.perf_counter()
            answer = client.get(f"/p/bench/bank/{page}")
            times.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 200
        warm = times[1:]
        tell(page or "the list", statistics.median(warm), max(warm), PAGES_MS)
    edit_many()


def tell(what: str, median: float, slowest: float, bar: float) -> None:
    mark = "" if slowest <= bar else "  over the bar"
    print(f"  {what[:44]:44} {median:7.0f} ms, slowest {slowest:7.0f}{mark}")


def edit_many() -> None:
    """Add a tag to the drafts of one designer, in this process instead of a worker."""
    from django.utils import timezone

    from annotation import models
    from annotation.bank import bulk, questions
    from annotation.bank import bulk as bulk_edits
    from annotation.bank.bulk import BulkChange
    from annotation.bank.rules import BulkAction

    project = models.Project.objects.get(slug="bench")
    drafts = questions.newest(project).filter(state="DRAFT", question__state="LIVE")
    author = drafts.order_by("pk")[0].author
    some = list(drafts.filter(author=author).values_list("pk", flat=True)[: bulk_edits.MOST])
    rows = questions.newest(project).filter(pk__in=some)
    began = time.perf_counter()
    edit = bulk.plan(
        project=project,
        change=BulkChange(BulkAction.CHANGE, {"tags_added": ["audit"]}),
        rows=rows,
        by=author,
        now=timezone.now(),
    )
    print(f"  trying out {len(some):,}: {time.perf_counter() - began:.2f} s")
    models.BulkEdit.objects.filter(pk=edit.pk).update(state="RUNNING")
    times: list[float] = []

    def clock() -> Any:
        times.append(time.perf_counter())
        return timezone.now()

    began = time.perf_counter()
    bulk.carry_on(edit_id=edit.pk, clock=clock)
    print(f"  carrying it out: {time.perf_counter() - began:.1f} s")
    writes = [(late - early) * 1000 for early, late in itertools.pairwise(times)]
    tell("a write of it", statistics.median(writes), max(writes), WRITE_MS)


if __name__ == "__main__":
    main()
