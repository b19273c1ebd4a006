"""How long the pages of a large bank take: lists, searches, plan, domains, figures; median and slowest.

    python -m benchmarks.bank_lists [--questions 10000] [--database postgresql://…/postgres]

Works in a throw-away folder on SQLite, or in a database of its own on PostgreSQL. Every page is
asked for through the test client, as a curator, with everything around it. Processor time is the
better witness on a busy machine.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from datetime import timedelta
from typing import Any

MOST_MS = 200
TIMES = 5
LIST = (
    "",
    "state=SUBMITTED",
    "state=RETURNED",
    "life=RETIRED",
    "difficulty=SIMPLE&capability=1",
    "domain=3",
    "text=lading",
    "text=nowhere-at-all",
    "text=qx",
    "text=提单",
    "text=货",
    "text=lading 4711",
    "text=lading&state=RETURNED",
    "look=outdated",
    "look=old_draft",
    "look=stale_source",
    "look=no_meaning",
    "order=ID&state=RETURNED",
)
PAGES = (
    *(f"bank/?{one}" for one in LIST),
    "bank/looks/",
    "plan/",
    "plan/?domain=3",
    "domains/",
    "domains/picture/",
    "capabilities/",
    "inspect/",
    "inspect/figures/",
    "inspect/figures/?days=all",
    "sources/",
    "sources/?text=nowhere",
    "items/",
    "search.json?q=lading",
    "search.json?q=nowhere-at-all",
    "search.json?q=Q4711",
    "",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--database", default="", help="of PostgreSQL; one beside it is made")
    parser.add_argument("--only", default="", help="pages whose address holds this")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="evalsite-bench-")
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.pop("DATABASE_URL", None)
    name = f"bench_bank_{os.getpid()}"
    if options.database:
        _ask(options.database, f"CREATE DATABASE {name}")
        os.environ["DATABASE_URL"] = options.database.rpartition("/")[0] + f"/{name}"
        os.environ["DATABASE_POOL"] = "0"
    try:
        measure(options.questions, options.only)
    finally:
        shutil.rmtree(folder)
        if options.database:
            from django.db import connections

            connections.close_all()
            _ask(options.database, f"DROP DATABASE {name}")


def _ask(database: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(database, autocommit=True) as line:
        line.execute(statement)


def measure(n_questions: int, only: str = "") -> None:
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
    curator = fill(n_questions)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as its own daemon does after such a load
    print(f"{n_questions:,} questions, filled in {time.perf_counter() - began:.0f} s")
    client = Client(headers={"host": "localhost"})
    client.force_login(curator)
    for page in PAGES:
        if only not in page:
            continue
        times, work = [], []
        for _time in range(TIMES + 1):
            began, busy = time.perf_counter(), time.process_time()
            answer = client.get(f"/p/bench/{page}")
            times.append((time.perf_counter() - began) * 1000)
            work.append((time.process_time() - busy) * 1000)
            assert answer.status_code == 200, (page, answer.status_code)
        median, slowest = statistics.median(times[1:]), max(times[1:])
        busy = statistics.median(work[1:])
        mark = "" if slowest <= MOST_MS else "  over the bar"
        load = os.getloadavg()[0]
        print(
            f"  {page or 'home':34} {median:7.0f} ms, slowest {slowest:7.0f}, "
            f"processor {busy:5.0f}, load {load:.1f}{mark}",
            flush=True,
        )


#: What becomes of a question, by its number modulo ten.
STATES = ("DRAFT", "DRAFT", "SUBMITTED", *(("ACCEPTED",) * 6), "RETURNED")
LEVELS = ("SIMPLE", "INTERMEDIATE", "DIFFICULT")
N_CAPABILITIES, N_DOMAINS, N_SOURCES, N_DESIGNERS = 12, 24, 200, 5


def fill(n_questions: int) -> Any:
    """Fill a bank: all states, second versions for a tenth, findings, sources, a plan, items."""
    from django.utils import timezone

    from annotation import models
    from annotation.common import texts as contents
    from annotation.people import operations as people
    from annotation.search import operations as searching

    now = timezone.now()
    project = models.Project.objects.create(slug="bench", name="Bench", created_at=now)
    users = [
        models.User.objects.create_user(name)
        for name in ("curator", "inspector", *(f"designer-{n}" for n in range(N_DESIGNERS)))
    ]
    for user in users:
        models.Person.objects.create(user=user, name=user.username.title())
    curator, inspector, *designers = users
    given: dict[str, Any] = {"project": project, "by": curator, "now": now}
    people.grant(user=curator, role=models.Role.CURATOR, **given)
    for one in designers:
        people.grant(user=one, role=models.Role.DESIGNER, **given)
    capabilities = [
        models.Capability.objects.create(project=project, name=f"Capability {n}")
        for n in range(N_CAPABILITIES)
    ]
    domains: list[models.Domain] = []
    for n in range(N_DOMAINS):
        parent = domains[n // 4] if n >= 4 else None
        domains.append(
            models.Domain.objects.create(project=project, name=f"Area {n}", parent=parent)
        )
    models.PlanCell.objects.bulk_create(
        models.PlanCell(project=project, capability=one, difficulty=level, domain=domain, wanted=90)
        for one in capabilities
        for level in LEVELS
        for domain in domains[:6]
    )
    sources = models.Source.objects.bulk_create(
        models.Source(project=project, title=f"Source {n}", created_by=curator, created_at=now)
        for n in range(N_SOURCES)
    )
    said = models.SourceVersion.objects.bulk_create(
        models.SourceVersion(
            source=one,
            number=1,
            sha=f"{n:064}",
            valid_until=(now + timedelta(days=300 * (n % 20 or -1))).date(),
            created_by=curator,
            created_at=now,
        )
        for n, one in enumerate(sources)
    )
    checklist = models.Checklist.objects.create(project=project, number=1, created_at=now)
    questions = models.Question.objects.bulk_create(
        (
            models.Question(
                project=project,
                external_id=f"Q{n}",
                state="RETIRED" if n % 97 == 0 else "LIVE",
                created_by=designers[n % N_DESIGNERS],
                created_at=now,
            )
            for n in range(n_questions)
        ),
        batch_size=2000,
    )

    def version(n: int, number: int, state: str) -> models.QuestionVersion:
        begun = now - timedelta(days=n % 400, minutes=n % 700)
        is_decided = state in {"ACCEPTED", "RETURNED"}
        return models.QuestionVersion(
            question=questions[n],
            number=number,
            state=state,
            author=designers[n % N_DESIGNERS],
            turns=[{"role": "user", "content": f"What does a bill of lading {n} say? " * 4}],
            answer=f"It says that {n} pieces were received in good order. " * 6,
            capability=capabilities[n % N_CAPABILITIES],
            domain=domains[n % N_DOMAINS],
            difficulty=LEVELS[n % 3],
            valid_until=(begun + timedelta(days=380)).date() if n % 5 == 0 else None,
            created_at=begun,
            saved_at=begun,
            submitted_at=None if state == "DRAFT" else begun,
            decided_at=begun + timedelta(hours=n % 90) if is_decided else None,
        )

    first = [
        version(n, 1, "RETURNED" if n % 10 == 4 else STATES[n % 10]) for n in range(n_questions)
    ]
    second = [version(n, 2, "ACCEPTED") for n in range(4, n_questions, 10)]
    versions = models.QuestionVersion.objects.bulk_create([*first, *second], batch_size=2000)
    models.Citation.objects.bulk_create(
        (
            models.Citation(version=one, source_version=said[n % N_SOURCES])
            for n, one in enumerate(versions)
            if one.state == "DRAFT"
        ),
        batch_size=2000,
    )
    models.Inspection.objects.bulk_create(
        (
            models.Inspection(
                version=one,
                inspector=inspector,
                author=one.author,
                checklist=checklist,
                verdict="ACCEPT" if one.state == "ACCEPTED" else "RETURN",
                at=one.decided_at,
            )
            for one in versions
            if one.decided_at
        ),
        batch_size=2000,
    )
    models.Finding.objects.bulk_create(
        (
            models.Finding(
                inspection=one,
                line=f"line-{line}",
                outcome="FAIL" if one.verdict == "RETURN" and line == 1 else "PASS",
                reason="wrong" if one.verdict == "RETURN" and line == 1 else "",
                position=line,
            )
            for one in models.Inspection.objects.all()
            for line in range(4)
        ),
        batch_size=2000,
    )
    models.Item.objects.bulk_create(
        (
            models.Item(
                project=project,
                question_version=one,
                external_id=one.question.external_id,
                group=one.question.external_id,
                content_sha=contents.content_sha(one.turns, one.answer, {}),
                prompt_sha=contents.prompt_sha(one.turns),
                messages=one.turns,
                reference=one.answer,
                capability=one.capability,
                domain=one.domain,
                difficulty=one.difficulty,
                created_at=now,
            )
            for one in versions
            if one.state == "ACCEPTED"
        ),
        batch_size=2000,
    )
    newest = {one.question_id: one for one in versions}
    shown = list(newest.values())
    for start in range(0, len(shown), 2000):
        searching.keep_words(versions=shown[start : start + 2000])
    return curator


if __name__ == "__main__":
    main()
