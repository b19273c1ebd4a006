"""Real workers on a real queue, for a test: processes, a Valkey and a sweeper, and deeds in their database.

`python -m tests.scoring.workers manage work runs` is what a worker runs: it knows the test's kind of run.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis

from evalsite import env
from evalsite.supervisor import places
from evalsite.supervisor import site as valkey
from tests import servers
from tests.load.site import ROOT, Site, site

PATIENCE = 90.0


@dataclass
class Workers:
    here: Site
    environment: dict[str, str]
    queue: str
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self, *words):
        """Start a command that goes on, such as a worker."""
        path = self.here.folder / f"{'-'.join(words[:2])}-{len(self.processes)}.log"
        with path.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.scoring.workers", "manage", *words],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def do(self, deed, **plan):
        """Do something in the database of the site; return what it tells."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.scoring.workers", deed, json.dumps(plan)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return json.loads(done.stdout.splitlines()[-1])

    def empty_queue(self):
        """Lose everything that the queue knows."""
        with closing(redis.Redis.from_url(self.queue)) as client:
            client.flushall()

    def wait_until_done(self):
        """Wait until the run has ended; return what became of it."""
        return self.do("wait", patience=PATIENCE)

    def logs(self):
        return "\n".join(path.read_text() for path in sorted(self.here.folder.glob("*.log")))


@contextmanager
def workers(folder: Path, *, engine="sqlite", n=2, lease=1, slice_=180):
    """Give a site with its queue, its workers for runs, and its sweeper.

    On PostgreSQL the queue is a Redis behind a port, as such a site has; else the data folder's Valkey.
    """
    with ExitStack() as stack:
        here = stack.enter_context(site(engine, folder))
        environment = {
            **here.environment,
            "DJANGO_SETTINGS_MODULE": "tests.scoring.worker_settings",
            "EVALSITE_RUN_LEASE": str(lease),
            "EVALSITE_RUN_SLICE": str(slice_),
            "EVALSITE_ENDPOINT_NETWORKS": "127.0.0.0/8",
            "PYTHONUNBUFFERED": "1",
        }
        if engine == "sqlite":
            queue = stack.enter_context(_own_valkey(folder))
        else:
            queue = stack.enter_context(servers.redis_server(folder))
        environment["EVALSITE_TEST_REDIS"] = queue
        made = Workers(here, environment, queue)
        stack.callback(lambda: _stop(made))
        for _place in range(n):
            made.start("work", "runs")
        made.start("sweep", "--every", "1")
        yield made


@contextmanager
def _own_valkey(folder: Path) -> Iterator[str]:
    found = places.SitePlaces(folder)
    places.lay_out(found)
    server = valkey.child(found)
    server.start()
    try:
        valkey.wait_until_ready(server, found.socket)
        yield env.socket_url(folder)
    finally:
        server.kill()


def jobs_of(worker: "subprocess.Popen[bytes]") -> list[int]:
    """Return the processes in which a worker does its job."""
    path = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    return [int(pid) for pid in path.read_text().split()]


def _stop(made: Workers) -> None:
    for process in made.processes:
        process.terminate()
    for process in made.processes:
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            for pid in jobs_of(process):
                os.kill(pid, 9)
            process.kill()
            process.wait()


def request(plan):
    from tests.scoring import running

    endpoint = running.endpoint(
        url=plan.pop("url"), model_name="scripted", max_in_flight=plan.pop("slots")
    )
    return {"run": running.requested(endpoint=endpoint.pk, **plan).pk}


def wait(plan):
    """Wait for the end of the run; say what became of it."""
    from scoring.engine.models import LLMCall, Run
    from tests.scoring import running

    until = time.monotonic() + plan["patience"]
    run = Run.objects.get()
    while run.state in {"STAGED", "RUNNING"} and time.monotonic() < until:
        time.sleep(0.3)
        run.refresh_from_db()
    return {
        "state": run.state,
        "problem": run.problem,
        "outcomes": {" ".join(key): n for key, n in running.outcomes(run).items()},
        "calls": LLMCall.objects.count(),
        "replies": LLMCall.objects.filter(trouble="").count(),
        "seconds": (run.finished_at - run.started_at).total_seconds() if run.finished_at else None,
        "workers": len(set(run.steps.values_list("worker", flat=True)) - {""}),
    }


def main(deed, *words):
    import django

    django.setup()
    from tests.scoring import running

    running.register()
    if deed == "manage":
        from django.core.management import call_command

        call_command(*words)
        return
    told = {"request": request, "wait": wait}[deed](json.loads(words[0]))
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
