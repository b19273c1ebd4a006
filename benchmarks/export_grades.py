"""Export of a round's grades: `python benchmarks/export_grades.py [grades]`.

Makes an imported round in a temporary SQLite database, streams every form of it, and sets beside
it how fast the bare sqlite3 module writes the same rows as CSV. Each form is measured in a
process of its own, so that its peak memory is its own.
"""

import csv
import io
import itertools
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GRADES, RELEASES, CRITERIA, RATERS = 200_000, 4, 4, 3
WANTED_PER_S, WANTED_FIRST_S, WANTED_MB = 25_000, 1.0, 150
RUNS = 5
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def boot() -> None:
    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
    import django

    django.setup()


def make(grades: int) -> None:
    """Make a project with one imported round of so many grades."""
    boot()
    from django.core.management import call_command

    from annotation import models

    call_command("migrate", verbosity=0)
    user = models.User.objects.create_user("owner")
    project = models.Project.objects.create(slug="bench", name="Bench", created_at=NOW)
    rubric = models.Rubric.objects.create(project=project, key="r", name="R", created_at=NOW)
    version = models.RubricVersion.objects.create(rubric=rubric, number=1, created_at=NOW)
    criteria = [
        models.Criterion.objects.create(
            rubric_version=version, key=f"c{n}", name=f"C{n}", maximum=3
        )
        for n in range(CRITERIA)
    ]
    capabilities = [
        models.Capability.objects.create(project=project, name=f"Capability {n}") for n in range(12)
    ]
    releases = []
    for n in range(RELEASES):
        system = models.System.objects.create(project=project, name=f"System {n}", created_at=NOW)
        releases.append(
            models.SystemRelease.objects.create(system=system, label="1", created_at=NOW)
        )
    raters = [
        models.Rater.objects.create(project=project, kind="IMPORTED", ref=f"r{n}", created_at=NOW)
        for n in range(RATERS)
    ]
    batch = models.ImportBatch.objects.create(
        project=project,
        number=1,
        kind="GRADES",
        file_name="grades.csv",
        file_sha="0" * 64,
        mapping={},
        mapping_sha="0" * 64,
        state="APPLIED",
        created_by=user,
        created_at=NOW,
        touched_at=NOW,
    )
    round_ = models.Round.objects.create(
        project=project,
        number=1,
        name="Round",
        kind="IMPORTED",
        state="FINAL",
        seed="s",
        secret=b"",
        batch=batch,
        created_by=user,
        created_at=NOW,
    )
    models.RoundSystem.objects.bulk_create(
        models.RoundSystem(round=round_, release=one, ordinal=n) for n, one in enumerate(releases)
    )
    items = models.Item.objects.bulk_create(
        (
            models.Item(
                project=project,
                external_id=f"Q{n}",
                group=f"Q{n}",
                content_sha=f"{n:064}",
                prompt_sha=f"{n:064}",
                messages=[{"role": "user", "content": "What is a pallet? " * 10}],
                capability=capabilities[n % len(capabilities)],
                created_at=NOW,
            )
            for n in range(grades // (RELEASES * CRITERIA * RATERS))
        ),
        batch_size=2000,
    )
    models.RoundItem.objects.bulk_create(
        (
            models.RoundItem(round=round_, item=one, ordinal=n, n_seats=1, rubric_version=version)
            for n, one in enumerate(items)
        ),
        batch_size=2000,
    )
    line = itertools.count(1)
    for start in range(0, len(items), 1000):
        responses = models.Response.objects.bulk_create(
            models.Response(
                item=item,
                release=release,
                content_sha=f"{item.pk:064}",
                messages=[{"role": "assistant", "content": "A base."}],
                created_at=NOW,
            )
            for item in items[start : start + 1000]
            for release in releases
        )
        models.Grade.objects.bulk_create(
            (
                models.Grade(
                    round=round_,
                    response=response,
                    criterion=criterion,
                    rater=rater,
                    batch=batch,
                    line=next(line),
                    value=Decimal((response.pk + criterion.pk * rater.pk) % 4),
                    given_at=NOW,
                )
                for response in responses
                for criterion in criteria
                for rater in raters
            ),
            batch_size=2000,
        )


def stream(form: str) -> dict[str, float]:
    """Stream one form to its end; return what it took."""
    boot()
    from annotation.rounds.models import Round
    from scoring.results import exports
    from scoring.shown import names

    lines = {"csv": exports.csv_lines, "jsonl": exports.jsonl_lines, "wide": exports.wide_lines}
    round_ = Round.objects.get()
    start = time.perf_counter()
    first, size = 0.0, 0
    for text in lines[form](round_, names.names(round_, shown=True)):
        first = first or time.perf_counter() - start
        size += len(text.encode())
    took = time.perf_counter() - start
    return {"first": first, "took": took, "mb": peak_mb(), "size": size / 1e6}


def peak_mb() -> float:
    """Return the most memory this process ever held; getrusage would count its parent's too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


YARDSTICK = """
SELECT g.*, i.external_id, i."group", c.name, s.name, r.label, k.key, t.ref
FROM annotation_grade g
JOIN annotation_response a ON a.id = g.response_id JOIN annotation_item i ON i.id = a.item_id
JOIN annotation_capability c ON c.id = i.capability_id
JOIN annotation_systemrelease r ON r.id = a.release_id JOIN annotation_system s ON s.id = r.system_id
JOIN annotation_criterion k ON k.id = g.criterion_id JOIN annotation_rater t ON t.id = g.rater_id
ORDER BY g.id
"""


def yardstick(database: Path) -> dict[str, float]:
    start = time.perf_counter()
    first, size = 0.0, 0
    cursor = sqlite3.connect(database).execute(YARDSTICK)
    while rows := cursor.fetchmany(500):
        first = first or time.perf_counter() - start
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        size += len(text.getvalue().encode())
    took = time.perf_counter() - start
    return {"first": first, "took": took, "mb": peak_mb(), "size": size / 1e6}


def measure(grades: int, *command: str) -> str:
    runs = []
    for _ in range(RUNS):
        run = subprocess.run(
            [sys.executable, __file__, *command], capture_output=True, text=True, check=True
        )
        runs.append(json.loads(run.stdout))
    typical = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    return (
        f"{grades / typical['took']:>10,.0f} grades/s   first byte {typical['first']:.2f} s   "
        f"peak {typical['mb']:.0f} MB   {typical['size']:.0f} MB sent\n"
    )


def main() -> None:
    if sys.argv[1:2] == ["--stream"]:
        sys.stdout.write(json.dumps(stream(sys.argv[2])))
        return
    if sys.argv[1:2] == ["--yardstick"]:
        found = yardstick(Path(os.environ["EVALSITE_DATA"]) / "db.sqlite3")
        sys.stdout.write(json.dumps(found))
        return
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else GRADES
    grades = wanted - wanted % (RELEASES * CRITERIA * RATERS)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVALSITE_DATA"] = folder
        os.environ.pop("DATABASE_URL", None)
        make(grades)
        sys.stdout.write(f"{grades:,} grades, median of {RUNS}\n")
        for form in ("csv", "jsonl", "wide"):
            sys.stdout.write(f"{form:<10}{measure(grades, '--stream', form)}")
        sys.stdout.write(f"{'sqlite3':<10}{measure(grades, '--yardstick')}")
        sys.stdout.write(
            f"wanted    {WANTED_PER_S:>10,} grades/s   first byte ≤ {WANTED_FIRST_S} s   "
            f"peak ≤ {WANTED_MB} MB\n"
        )


if __name__ == "__main__":
    main()
