"""How fast runs go: `python -m benchmarks.run_engine`.

A scripted server at 200 ms a call. First 200 judgments with 8 requests in flight, by one job in a
process of its own; what is read is the clock and the processor time of that process. Then 640 calls
with 32 in flight, by two worker processes at once, beside the critical path: 640 / 32 × 200 ms. The
site is one on SQLite in a throw-away folder, or `--database postgresql://…`.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LATENCY = 0.2
MOST_WALL, MOST_CPU, MOST_RATIO = 5.4, 1.5, 1.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="a PostgreSQL server")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with served(options.database, {"latency": LATENCY * 1000}) as url:
        measure(url, options.times)


@contextmanager
def served(database: str, script: Mapping[str, Any]) -> Iterator[str]:
    """Prepare a site and a scripted server beside it; yields the server's address."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "EVALSITE_DATA": folder,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "EVALSITE_ENDPOINT_NETWORKS": "127.0.0.0/8",
        }
        if database:
            os.environ["DATABASE_URL"] = database
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, check=True)
        command = [sys.executable, "-m", "scoring.llm.scripted.server"]
        command += ["--script", json.dumps(script)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                yield server.stdout.readline().strip()
            finally:
                server.terminate()


def measure(url: str, times: int) -> None:
    import django

    django.setup()
    from scoring.engine.models import Run

    for number in range(times):
        run = requested(url, 8, n=200, key=10 + number)
        (wall, cpu) = at_once([run])
        say(
            f"200 judgments, 8 in flight: {wall:.1f} s (at most {MOST_WALL:g}), "
            f"{cpu:.1f} s of processor (at most {MOST_CPU:g}); bare calls take {200 / 8 * LATENCY:g} s"
        )
    for number in range(times):
        run = requested(url, 32, n=640, key=100 + number)
        wall, cpu = at_once([run, run])
        path = 640 / 32 * LATENCY
        assert Run.objects.get(pk=run).state == Run.State.DONE
        say(
            f"640 calls, 32 in flight, two processes: {wall:.1f} s, {cpu:.1f} s of processor, "
            f"{wall / path:.2f} × the critical path of {path:g} s (at most {MOST_RATIO:g})"
        )
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


def requested(url: str, slots: int, *, n: int, key: int) -> int:
    """Return the key of a run of n judgments of one call each."""
    from annotation.systems.models import Response
    from scoring.endpoints.models import Endpoint
    from scoring.engine import working as planning
    from tests import make
    from tests.scoring import machines, running

    home = make.project()
    for number in range(Response.objects.count(), n):
        item = make.item(f"Q{number}")
        make.response(item, make.release("Kestrel"), f"Kestrel says {number}.")
    name = f"at {slots}"
    asked = Endpoint.objects.filter(project=home, name=name).first()
    asked = asked or running.endpoint(name, url=url, model_name="scripted", max_in_flight=slots)
    judge = home.raters.filter(ref="a judge").first()
    rater = judge.pk if judge else machines.judge("a judge").rater_id
    run = running.requested(key, judges=rater, n_most=n, endpoint=asked.pk)
    planning.plan(run=run, clock=running.clock)
    return run.pk


def at_once(runs: list[int]) -> tuple[float, float]:
    """Work on runs in processes of their own, already loaded; return the clock's and their time."""
    context = multiprocessing.get_context("spawn")
    ready, told = context.Barrier(len(runs) + 1), context.Queue()
    processes = [context.Process(target=work, args=(run, ready, told)) for run in runs]
    for one in processes:
        one.start()
    ready.wait()
    began = time.perf_counter()
    spent = [told.get() for _one in processes]
    wall = time.perf_counter() - began
    for one in processes:
        one.join()
    return wall, sum(spent)


def work(run, ready, told) -> None:  # type: ignore[no-untyped-def]
    import django

    django.setup()
    from django.conf import settings

    from scoring.engine import working
    from tests.scoring import running

    running.register()
    for name in settings.QUEUE_PRELOAD_LATE["runs"]:  # as a worker has it before its first job
        import_module(name)
    ready.wait()
    began = time.process_time()
    working.work(run, running.clock)
    told.put(time.process_time() - began)


def yardstick_ms() -> float:
    began = time.process_time()
    for number in range(2_000):
        json.loads(json.dumps({"n": list(range(50)), "of": number}))
    return (time.process_time() - began) * 1000


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
