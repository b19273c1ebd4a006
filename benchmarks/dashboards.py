"""What an analyst waits for over a final round of a million grades.

    python -m benchmarks.dashboards [--items 10000] [--keep FOLDER]

10,000 items × 4 systems × 5 criteria × 5 seats by 20 annotators over 12 capabilities, in a
throw-away folder on SQLite. Times of the snapshot and of each figure, in a worker that reads the
snapshot first and in one that has it already, with the worker's peak memory; then the pages that
show them. Each is a median of five. With --keep the round is made once in that folder and used again.
"""

import argparse
import gc
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scoring import jobs as scoring_jobs

ROOT = Path(__file__).resolve().parents[1]
RELEASES, CRITERIA, SEATS, RATERS, CAPABILITIES, TOP = 4, 5, 5, 20, 12, 3
RUNS = 5
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SNAPSHOT_S, FIGURE_S, PAGE_S, PEAK_MB = 15.0, 1.5, 0.150, 600
PAGES = {
    "results": "scores",
    "results_agreement": "agreement",
    "results_disputes": "disputes",
    "results_annotators": "raters",
}
#: Pages of the project, and what stands in their addresses beside its name.
OTHER_S = 0.5
OTHERS: dict[str, list[int]] = {
    "project_home": [],
    "workload": [],
    "api_workload": [],
    "api_references": [1],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--keep")
    parser.add_argument("--step", choices=sorted(STEPS), help=argparse.SUPPRESS)
    parser.add_argument("--figure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        boot()
        print(json.dumps(STEPS[options.step](options)))
        return
    if options.keep:
        measure(options.keep, options.items)
        return
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder:
        measure(folder, options.items)


def measure(folder: str, items: int) -> None:
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as manage.py does
    os.environ.pop("DATABASE_URL", None)
    if not (Path(folder) / "made").exists():
        print(f"made in {run('make', items=items)['took']:.0f} s")
        (Path(folder) / "made").touch()
    print(f"{items * RELEASES * CRITERIA * SEATS:,} grades, load {os.getloadavg()[0]:.1f}")
    runs = [run("snapshot") for _ in range(RUNS)]
    say("snapshot", "took", SNAPSHOT_S, runs)
    for name in PAGES.values():
        runs = [run("figure", figure=name) for _ in range(RUNS)]
        say(f"{name}, in a new worker", "first", FIGURE_S, runs)
        say(f"{name}, in one that has the frame", "again", FIGURE_S, runs)
    for page, took in run("pages").items():
        print(f"{page:<32}{statistics.median(took) * 1000:7.0f} ms, at most {PAGE_S * 1000:.0f}")
    for page, took in run("others").items():
        print(f"{page:<32}{statistics.median(took) * 1000:7.0f} ms, at most {OTHER_S * 1000:.0f}")


def say(name: str, which: str, most: float, runs: Sequence[Mapping[str, float]]) -> None:
    took, spent = (statistics.median(one[key] for one in runs) for key in (which, f"{which}_cpu"))
    peak = max(one["mb"] for one in runs)
    print(
        f"{name:<42}{took:6.2f} s, {spent:.2f} s of it computing, at most {most}; "
        f"peak {peak:.0f} MB, at most {PEAK_MB}; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def run(step: str, *, items: int = 0, figure: str = "") -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.dashboards", "--step", step]
    command += ["--items", str(items), "--figure", figure]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def boot() -> None:
    import django

    django.setup()


def peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


# ---------------------------------------------------------------- steps, each in its own process


def take_snapshot(_options: argparse.Namespace) -> dict[str, float]:
    from annotation.rounds.models import Round
    from scoring.figures import snapshots
    from scoring.figures.models import Snapshot

    Snapshot.objects.all().delete()
    round_ = Round.objects.get()
    began, cpu = time.perf_counter(), time.process_time()
    snapshots.ensure(round_=round_, now=NOW)
    took, spent = time.perf_counter() - began, time.process_time() - cpu
    return {"took": took, "took_cpu": spent, "mb": peak_mb()}


def compute_figure(options: argparse.Namespace) -> dict[str, float]:
    from annotation.rounds.models import Round
    from scoring.figures import operations as figures
    from scoring.results import asked
    from scoring.results import queries as results

    round_ = Round.objects.get()
    params = {
        "scores": results.params(round_),
        "agreement": asked.of_agreement({}, {}).params,
        "disputes": asked.of_disputes({}).params,
        "raters": {},
    }[options.figure]
    took, spent = [], []
    data: Any = None
    for _ in range(2):
        data = None
        gc.collect()
        began, cpu = time.perf_counter(), time.process_time()
        data = scoring_jobs.compute(name=options.figure, round_=round_, params=params)
        took.append(time.perf_counter() - began)
        spent.append(time.process_time() - cpu)
    figure = figures.get(name=options.figure, round_=round_, params=params, now=NOW)
    figures.store(figure=figure, data=data, now=NOW)
    times = {"first": took[0], "again": took[1]}
    return {**times, "first_cpu": spent[0], "again_cpu": spent[1], "mb": peak_mb()}


def show_pages(_options: argparse.Namespace) -> dict[str, list[float]]:
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client
    from django.urls import reverse

    from annotation.people.models import User

    call_command("collectstatic", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(User.objects.get(username="owner"))
    found: dict[str, list[float]] = {}
    for page in PAGES:
        address = reverse(page, args=["bench", 1])
        took = []
        for _ in range(RUNS + 1):
            began = time.perf_counter()
            answer = client.get(address)
            took.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.status_code
            assert b"hx-trigger" not in answer.content, f"{page} waits for its figure"
        found[f"{page} ({len(answer.content) // 1000} kB)"] = took[1:]  # the first loads templates
    return found


def show_others(_options: argparse.Namespace) -> dict[str, list[float]]:
    """Time pages that count over the whole project; the first time of each counts as well."""
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    from annotation.people.models import User

    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(User.objects.get(username="owner"))
    found: dict[str, list[float]] = {}
    for page, args in OTHERS.items():
        took = []
        for _ in range(RUNS):
            began = time.perf_counter()
            answer = client.get(reverse(page, args=["bench", *args]))
            took.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.status_code
        found[f"{page} ({len(answer.content) // 1000} kB)"] = took
    return found


def make_round(options: argparse.Namespace) -> dict[str, float]:
    began = time.perf_counter()
    from django.core.management import call_command
    from django.db import connection, transaction

    call_command("migrate", verbosity=0)
    with transaction.atomic():
        connection.cursor().execute("PRAGMA defer_foreign_keys = ON")
        fill(options.items)
    return {"took": time.perf_counter() - began}


STEPS: Mapping[str, Callable[[argparse.Namespace], Mapping[str, Any]]] = {
    "make": make_round,
    "snapshot": take_snapshot,
    "figure": compute_figure,
    "pages": show_pages,
    "others": show_others,
}


# ---------------------------------------------------------------- the round


def fill(n_items: int) -> None:
    from annotation import models
    from annotation.people import operations as people

    owner = people.create_account(
        username="owner", name="Owner", password=secrets.token_urlsafe(), by=None, now=NOW
    )
    project = people.create_project(slug="bench", name="Bench", by=owner, now=NOW)
    rubric = models.Rubric.objects.create(project=project, key="r", name="R", created_at=NOW)
    version = models.RubricVersion.objects.create(rubric=rubric, number=1, created_at=NOW)
    criteria = [
        models.Criterion.objects.create(
            rubric_version=version, key=f"c{n}", name=f"C{n}", maximum=TOP
        ).pk
        for n in range(CRITERIA)
    ]
    capabilities = [
        models.Capability.objects.create(project=project, name=f"Capability {n}", position=n).pk
        for n in range(CAPABILITIES)
    ]
    round_ = models.Round.objects.create(
        project=project,
        number=1,
        name="Round",
        state="FINAL",
        revision=1,
        seed="s",
        secret=b"s" * 32,
        n_seats=SEATS,
        opened_at=NOW,
        review_at=NOW,
        final_at=NOW,
        created_by=owner,
        created_at=NOW,
    )
    releases = []
    for n in range(RELEASES):
        system = models.System.objects.create(project=project, name=f"System {n}", created_at=NOW)
        release = models.SystemRelease.objects.create(system=system, label="1", created_at=NOW)
        models.RoundSystem.objects.create(round=round_, release=release, ordinal=n)
        releases.append(release.pk)
    raters = []
    for n in range(RATERS):
        user = models.User.objects.create(username=f"annotator-{n}")
        rater = people.rater_of(project=project, user=user, now=NOW)
        models.RoundAnnotator.objects.create(round=round_, rater=rater)
        raters.append(rater.pk)
    drawn(n_items, project.pk, round_.pk, version.pk, capabilities, releases)
    graded(n_items, round_.pk, releases, criteria, raters)


def drawn(
    n_items: int,
    project: int,
    round_: int,
    version: int,
    capabilities: Sequence[int],
    releases: Sequence[int],
) -> None:
    from annotation import models

    insert(
        models.Item,
        "id external_id group content_sha prompt_sha capability_id",
        (
            (n + 1, f"Q{n}", f"Q{n}", f"{n:064}", f"{n:064}", capabilities[n % len(capabilities)])
            for n in range(n_items)
        ),
        project_id=project,
        messages='[{"role": "user", "content": "What is a pallet?"}]',
    )
    insert(
        models.RoundItem,
        "id item_id ordinal",
        ((n + 1, n + 1, n) for n in range(n_items)),
        round_id=round_,
        rubric_version_id=version,
        n_seats=SEATS,
    )
    insert(
        models.Response,
        "id item_id release_id content_sha",
        (
            (n * RELEASES + r + 1, n + 1, release, f"{n:060}{r:04}")
            for n in range(n_items)
            for r, release in enumerate(releases)
        ),
        messages='[{"role": "assistant", "content": "A base."}]',
    )
    insert(
        models.RoundResponse,
        "id round_item_id release_id response_id",
        (
            (n * RELEASES + r + 1, n + 1, release, n * RELEASES + r + 1)
            for n in range(n_items)
            for r, release in enumerate(releases)
        ),
    )


def graded(
    n_items: int,
    round_: int,
    releases: Sequence[int],
    criteria: Sequence[int],
    raters: Sequence[int],
) -> None:
    import numpy as np

    from annotation import models

    rng = np.random.default_rng(0)
    chosen = rng.permuted(np.tile(np.arange(RATERS), (n_items, 1)), axis=1)[:, :SEATS]
    places = rng.permuted(np.tile(np.arange(RELEASES), (n_items * SEATS, 1)), axis=1)
    severity = rng.normal(0, 0.3, RATERS)
    worth = rng.normal(1.6, 0.8, (n_items, RELEASES, 1, CRITERIA)) + np.array(
        [0.3, 0.2, 0.2, 0.0]
    ).reshape(1, RELEASES, 1, 1)
    noise = rng.normal(0, 0.6, (n_items, RELEASES, SEATS, CRITERIA))
    marks = np.clip(np.rint(worth - severity[chosen][:, None, :, None] + noise), 0, TOP).astype(int)
    insert(
        models.Assignment,
        "id round_item_id seat ordinal rater_id active_ms",
        (
            (n * SEATS + s + 1, n + 1, s + 1, n * SEATS + s, raters[chosen[n, s]], 60_000)
            for n in range(n_items)
            for s in range(SEATS)
        ),
        round_id=round_,
        state="SUBMITTED",
        submitted_at=str(NOW)[:19],
        order_version="bench",
    )
    insert(
        models.Slot,
        "id assignment_id position round_response_id",
        (
            (seat * RELEASES + p + 1, seat + 1, p, seat // SEATS * RELEASES + int(r) + 1)
            for seat, row in enumerate(places)
            for p, r in enumerate(row)
        ),
    )

    def grades() -> Iterable[tuple[object, ...]]:
        for seat, row in enumerate(places):
            n, s = divmod(seat, SEATS)
            at = str(NOW + timedelta(seconds=40 * seat))[:19]
            of_seat = marks[n, :, s].tolist()
            pace = 20_000 + (seat * 7919) % 40_000
            for p, r in enumerate(row.tolist()):
                for c, criterion in enumerate(criteria):
                    yield (
                        n * RELEASES + r + 1,
                        criterion,
                        raters[chosen[n, s]],
                        seat * RELEASES + p + 1,
                        seat + 1,
                        of_seat[r][c],
                        at,
                        pace,
                    )

    insert(
        models.Grade,
        "response_id criterion_id rater_id slot_id assignment_id value given_at active_ms",
        grades(),
        round_id=round_,
    )


def insert(model: Any, names: str, rows: Iterable[Sequence[object]], **fixed: object) -> None:
    """Insert rows of some fields past the ORM; the others have their defaults or what is fixed."""
    from django.db import connection

    given = names.split()
    for field in model._meta.concrete_fields:
        if field.attname in given or field.attname in fixed or field.primary_key:
            continue
        if field.attname == "created_at":
            fixed["created_at"] = str(NOW)[:19]
        elif not field.null:
            fixed[field.attname] = field.get_db_prep_save(field.get_default(), connection)
    columns = {field.attname: field.column for field in model._meta.concrete_fields}
    listed = ", ".join(f'"{columns[name]}"' for name in [*given, *fixed])
    holes = ", ".join(["%s"] * (len(given) + len(fixed)))
    rest = tuple(fixed.values())
    with connection.cursor() as cursor:
        cursor.executemany(
            f'INSERT INTO "{model._meta.db_table}" ({listed}) VALUES ({holes})',  # noqa: S608
            ((*row, *rest) for row in rows),
        )


if __name__ == "__main__":
    main()
