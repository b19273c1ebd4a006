"""How long the list of the question bank takes at 10,000 and 100,000 pairs: median of five and slowest.

    python -m benchmarks.bank_lists [--questions 10000]

Works in a throw-away folder on SQLite. Every page is asked for through the test client, as a
curator, with everything around it.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time

YARDSTICK_MS = 200
TIMES = 5
QUERIES = (
    "",
    "state=SUBMITTED",
    "life=RETIRED",
    "difficulty=SIMPLE&capability=1",
    "text=lading",
    "text=nowhere-at-all",
    "look=outdated",
    "look=old_draft",
    "look=stale_source",
    "look=no_meaning",
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

    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES["staticfiles"] = {"BACKEND": plain}
    call_command("migrate", verbosity=0)
    curator = fill(n_questions)
    client = Client(headers={"host": "localhost"})
    client.force_login(curator)
    print(f"{n_questions:,} questions")
    for query in QUERIES:
        times = []
        for _time in range(TIMES + 1):
            began = time.perf_counter()
            answer = client.get(f"/p/bench/bank/?{query}")
            times.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 200
        warm = times[1:]
        median, slowest = statistics.median(warm), max(warm)
        mark = "" if slowest <= YARDSTICK_MS else "  over the yardstick"
        print(f"  {query or 'everything':34} {median:7.0f} ms, slowest {slowest:7.0f}{mark}")


def fill(n_questions: int):  # type: ignore[no-untyped-def]
    from datetime import timedelta

    from django.utils import timezone

    from annotation import models
    from annotation.operations import people

    now = timezone.now()
    project = models.Project.objects.create(slug="bench", name="Bench", created_at=now)
    curator = models.User.objects.create_user("curator")
    models.Person.objects.create(user=curator, name="Curator")
    people.grant(project=project, user=curator, role=models.Role.CURATOR, by=curator, now=now)
    capabilities = [
        models.Capability.objects.create(project=project, name=f"Capability {n}") for n in range(8)
    ]
    states = ("DRAFT", "SUBMITTED")
    levels = ("SIMPLE", "INTERMEDIATE", "DIFFICULT")
    questions = models.Question.objects.bulk_create(
        (
            models.Question(
                project=project, external_id=f"Q{n}", created_by=curator, created_at=now
            )
            for n in range(n_questions)
        ),
        batch_size=2000,
    )
    models.QuestionVersion.objects.bulk_create(
        (
            models.QuestionVersion(
                question=one,
                number=1,
                state=states[n % 2],
                author=curator,
                turns=[{"role": "user", "content": f"What does a bill of lading {n} say? " * 4}],
                answer=f"It says that {n} pieces were received in good order. " * 6,
                capability=capabilities[n % 8],
                difficulty=levels[n % 3],
                created_at=now - timedelta(days=n % 50),
                saved_at=now - timedelta(days=n % 50),
                submitted_at=now if n % 2 else None,
            )
            for n, one in enumerate(questions)
        ),
        batch_size=2000,
    )
    return curator


if __name__ == "__main__":
    main()
