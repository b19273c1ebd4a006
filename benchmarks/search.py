"""How long the search takes over a large bank and corpus: the page, its second page, the palette.

    python -m benchmarks.search [--questions 10000] [--sources 2000] [--database postgresql://…/postgres]

Works in a throw-away folder on SQLite, or in a database of its own on PostgreSQL. Texts are drawn
from a vocabulary whose words are as unevenly common as those of a language, a third of them in
Chinese. Every page is asked for through the test client, as a curator and as a designer, with
everything around it. Processor time is the better witness on a busy machine.
"""

import argparse
import html
import os
import re
import shutil
import statistics
import tempfile
import time
from typing import Any

from benchmarks.bank_lists import _ask

MOST_MS = 100
TIMES = 7
WORDS = (
    ("a word in every text", "the"),
    ("a common word", "demurrage"),
    ("two words", "demurrage lading"),
    ("words that stand together", '"bill of lading"'),
    ("two Chinese signs", "提单"),
    ("one Chinese sign", "提"),
    ("four Chinese signs", "提单货物"),
    ("the beginning of words", "dem"),
    ("a word that is rare", "zw4711"),
    ("words that do not occur", "nowhere atall"),
    ("common, of a capability", "demurrage&capability=1"),
    ("common, of an area", "demurrage&domain=1"),
    ("common, of a state", "demurrage&state=ACCEPTED"),
    ("common, of the sources", "demurrage&kind=SOURCE"),
)
TERMS = ("the", "of", "bill of lading", "demurrage", "cargo", "quay", "consignee", "lading", "dem")
SIGNS = "提单货物海运滞期费保险合同码头装卸船舶收货人托运清关报税仓库运价舱位拼箱整箱"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--sources", type=int, default=2_000)
    parser.add_argument("--database", default="", help="of PostgreSQL; one beside it is made")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="evalsite-bench-")
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.pop("DATABASE_URL", None)
    name = f"bench_search_{os.getpid()}"
    if options.database:
        _ask(options.database, f"CREATE DATABASE {name}")
        os.environ["DATABASE_URL"] = options.database.rpartition("/")[0] + f"/{name}"
        os.environ["DATABASE_POOL"] = "0"
    try:
        measure(options.questions, options.sources)
    finally:
        shutil.rmtree(folder)
        if options.database:
            from django.db import connections

            connections.close_all()
            _ask(options.database, f"DROP DATABASE {name}")


def measure(n_questions: int, n_sources: int) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES["staticfiles"] = {"BACKEND": plain}
    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    people = fill(n_questions, n_sources)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as its own daemon does after such a load
    took = time.perf_counter() - began
    print(f"{n_questions:,} questions, {n_sources:,} sources, filled in {took:.0f} s")
    for name, person in people.items():
        client = Client(headers={"host": "localhost"})
        client.force_login(person)
        for what, words in WORDS:
            _time(client, f"{name}: {what}", f"/p/bench/search/?q={words}")
        _time(client, f"{name}: palette, a common word", "/p/bench/search.json?q=demurrage")
        _time(client, f"{name}: palette, three letters", "/p/bench/search.json?q=dem")
        first = client.get("/p/bench/search/?q=demurrage").content.decode()
        after = re.search(r'rel="next"\s+href="([^"]+)"', first)
        assert after is not None
        _time(client, f"{name}: the second page", f"/p/bench/search/{html.unescape(after[1])}")


def _time(client: Any, what: str, address: str) -> None:
    times, work = [], []
    for _one in range(TIMES + 1):
        began, busy = time.perf_counter(), time.process_time()
        answer = client.get(address)
        times.append((time.perf_counter() - began) * 1000)
        work.append((time.process_time() - busy) * 1000)
        assert answer.status_code == 200, (address, answer.status_code)
    median, slowest = statistics.median(times[1:]), max(times[1:])
    mark = "" if median <= MOST_MS else "  over the bar"
    print(
        f"  {what:42} {median:7.0f} ms, slowest {slowest:7.0f}, processor "
        f"{statistics.median(work[1:]):5.0f}, load {os.getloadavg()[0]:.1f}{mark}",
        flush=True,
    )


def fill(n_questions: int, n_sources: int) -> dict[str, Any]:
    """Fill a bank and a corpus; return the people who search it."""
    import numpy as np
    from django.utils import timezone

    from annotation import models
    from annotation.people import operations as people
    from annotation.search import operations as searching

    rng = np.random.default_rng(12)
    now = timezone.now()
    project = models.Project.objects.create(slug="bench", name="Bench", created_at=now)
    given: dict[str, Any] = {"project": project, "now": now}
    curator, designer = (models.User.objects.create_user(name) for name in ("curator", "designer"))
    for user, role in ((curator, "CURATOR"), (designer, "DESIGNER")):
        models.Person.objects.create(user=user, name=user.username.title())
        people.grant(user=user, role=models.Role(role), by=curator, **given)
    capabilities = [
        models.Capability.objects.create(project=project, name=f"Capability {n}") for n in range(12)
    ]
    domains = [models.Domain.objects.create(project=project, name=f"Area {n}") for n in range(12)]
    vocabulary = [*TERMS, *(f"w{n:x}{'abcdefgh'[n % 8]}" for n in range(20_000))]
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    shares = np.cumsum(weights / weights.sum())[:-1]
    signs = list(SIGNS)

    def text(length: int, place: int) -> str:
        if place % 3 == 0:
            return "提单货物" * (place % 30 == 0) + "".join(rng.choice(signs, size=length))
        drawn = np.searchsorted(shares, rng.random(length // 5))
        return " ".join(vocabulary[one] for one in drawn)

    questions = models.Question.objects.bulk_create(
        (
            models.Question(
                project=project, external_id=f"ZW{n}", created_by=designer, created_at=now
            )
            for n in range(n_questions)
        ),
        batch_size=2000,
    )
    versions = models.QuestionVersion.objects.bulk_create(
        (
            models.QuestionVersion(
                question=one,
                number=1,
                state="ACCEPTED" if n % 2 else "RETURNED",
                author=designer,
                turns=[{"role": "user", "content": text(200, n)}],
                answer=text(400, n + 1),
                capability=capabilities[n % 12],
                domain=domains[n % 12],
                created_at=now,
                saved_at=now,
                submitted_at=now,
                decided_at=now,
            )
            for n, one in enumerate(questions)
        ),
        batch_size=2000,
    )
    collection = models.SourceCollection.objects.create(
        project=project, name="Rules", created_by=curator, created_at=now
    )
    sources = models.Source.objects.bulk_create(
        models.Source(
            project=project,
            title=f"Source {n}",
            collection=collection if n % 2 else None,
            created_by=curator,
            created_at=now,
        )
        for n in range(n_sources)
    )
    said = models.SourceVersion.objects.bulk_create(
        models.SourceVersion(
            source=one,
            number=1,
            sha=f"{n:064}",
            text=text(5_000, n),
            created_by=curator,
            created_at=now,
        )
        for n, one in enumerate(sources)
    )
    began = time.process_time()
    for start in range(0, n_questions, 500):
        searching.keep_questions(versions=versions[start : start + 500], new=True)
    for start in range(0, n_sources, 100):
        searching.keep_sources(versions=said[start : start + 100])
    print(f"words kept in {time.process_time() - began:.1f} s of processor time")
    return {"curator": curator, "designer": designer}


if __name__ == "__main__":
    main()
