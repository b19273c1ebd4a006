"""How long a hint at near-duplicates takes in a large bank, and how good the hints are.

    python -m benchmarks.near_duplicates [--questions 10000]

Works in a throw-away folder on SQLite. The questions are made up and cut to patterns
(tests/planted.py), which is as hard as it gets: hundreds of different questions share most words.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from itertools import islice

MOST_MS = 150
N_PAIRS, TIMES = 300, 5


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
    from django.utils import timezone

    call_command("migrate", verbosity=0)
    from annotation import models
    from annotation.common import texts as contents
    from annotation.search import similarity
    from annotation.search import similarity as reads
    from tests import planted

    now = timezone.now()
    project = models.Project.objects.create(slug="bench", name="Bench", created_at=now)
    author = models.User.objects.create(username="author")
    made = list(islice(planted.questions("bank"), n_questions + N_PAIRS))
    bank, fresh = made[:n_questions], made[n_questions:]
    questions = models.Question.objects.bulk_create(
        models.Question(project=project, external_id=f"Q{place}", created_by=author, created_at=now)
        for place in range(n_questions)
    )
    models.QuestionVersion.objects.bulk_create(
        models.QuestionVersion(
            question=question,
            number=1,
            author=author,
            turns=contents.as_messages(one.text),
            answer=f"An answer to {question.external_id}.",
            created_at=now,
            saved_at=now,
        )
        for question, one in zip(questions, bank, strict=True)
    )
    began = time.perf_counter()
    similarity.index_rest(project=project)
    print(f"reading {n_questions:,} questions: {time.perf_counter() - began:.1f} s")
    print(f"keys stored: {models.TextKey.objects.count():,}")

    pairs = planted.pairs(bank, N_PAIRS, "pairs")
    medians, slowest, saved = [], [], []
    for _ in range(TIMES):
        took = []
        for pair in pairs:
            began = time.perf_counter()
            reads.near(project, contents.as_messages(pair.text))
            took.append((time.perf_counter() - began) * 1000)
        medians.append(statistics.median(took))
        slowest.append(statistics.quantiles(took, n=20)[18])
    for version in models.QuestionVersion.objects.select_related("question")[:100]:
        began = time.perf_counter()
        similarity.index_version(version=version)
        saved.append((time.perf_counter() - began) * 1000)
    print(
        f"a hint: median {statistics.median(medians):.0f} ms, p95 {statistics.median(slowest):.0f} ms,"
        f" medians of {TIMES} (at most {MOST_MS} ms)"
    )
    print(f"saving a question costs {statistics.median(saved):.1f} ms more")
    places = {f"Q{place}": place for place in range(n_questions)}
    hits = false = 0
    for pair in pairs:
        found = [
            places[hint.external_id]
            for hint in reads.near(project, contents.as_messages(pair.text))
        ]
        hits += pair.place in found
        false += any(bank[place].subject != pair.subject for place in found)
    wrong = sum(bool(reads.near(project, contents.as_messages(one.text))) for one in fresh)
    print(
        f"recall on {N_PAIRS} planted pairs {hits / N_PAIRS:.3f} (at least 0.9);"
        f" false hints on them {100 * false / N_PAIRS:.1f} of 100,"
        f" on {len(fresh)} other questions {100 * wrong / len(fresh):.1f} of 100 (at most 2)"
    )


if __name__ == "__main__":
    main()
