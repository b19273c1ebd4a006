"""Which processes make up a site."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsite import env
from evalsite.supervisor.children import Child
from evalsite.supervisor.places import Places

THREADS = 8
#: Gathers requests and passes answers on, so that a slow visitor holds no thread.
WORKER = "evalsite.front.worker.Worker"
KEEP_ALIVE = (
    75  # seconds; longer than the 60 s of the usual proxies, which would else meet closed lines
)
RUN_WORKERS = 2
#: How a command is run: by the checkout's own file, or, where the wheel is installed, as a module.
MANAGE = [str(env.MANAGE)] if env.MANAGE.is_file() else ["-m", "evalsite"]


@dataclass(frozen=True)
class Address:
    """Where the web server listens."""

    host: str
    port: int

    @property
    def bind(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        host = "localhost" if self.host in {"127.0.0.1", "::1", "0.0.0.0", "::"} else self.host  # noqa: S104
        return f"http://{host}:{self.port}/"

    @property
    def is_open_to_others(self) -> bool:
        return self.host not in {"127.0.0.1", "::1", "localhost"}


def workers(places: Places) -> list[Child]:
    """Return the processes that work in the background: on the queues, and the sweeper.

    The worker of "default" works on "bulk" and "large" as well.
    """
    n_runs = env.number("EVALSITE_RUN_WORKERS", RUN_WORKERS)
    return [
        _manage(places, "worker", ["work", "default"]),
        _manage(places, "insight", ["work", "insight"]),
        *(_manage(places, f"runs-{place + 1}", ["work", "runs"]) for place in range(n_runs)),
        _manage(places, "sweeper", ["sweep"]),
    ]


def web(places: Places, address: Address) -> Child:
    """Return the web server: one process of eight threads."""
    options = {
        "bind": address.bind,
        "workers": "1",
        "worker-class": WORKER,
        "threads": str(THREADS),
        "keep-alive": str(KEEP_ALIVE),
        "timeout": "60",
        "graceful-timeout": "20",
        "chdir": str(env.BASE_DIR),
        "access-logfile": "-",
        "error-logfile": "-",
        "logger-class": "evalsite.access_log.AccessLog",
        "config": "python:evalsite.supervisor.tether",  # its workers end with a master that was killed
    }
    if Path("/dev/shm").is_dir():  # noqa: S108  gunicorn's heartbeat must not wait for a disk
        options["worker-tmp-dir"] = "/dev/shm"  # noqa: S108
    argv = [sys.executable, "-m", "gunicorn", "evalsite.wsgi", "--no-control-socket"]
    for name, value in options.items():
        argv += [f"--{name}", value]
    return Child("web", argv, places.log("web"))


def prepare_command(*, demo: bool, alone: bool = False, site: str = "") -> Sequence[str]:
    """Return the command that brings the database and the static files up to date.

    `alone`: the workers that are about to start are all there are. `site`: its address.
    """
    options = [*([] if demo else ["--no-demo"]), *(["--alone"] if alone else [])]
    options += [f"--site={site}"] if site else []
    return [sys.executable, *MANAGE, "prepare", *options]


def environment(*, pool: bool) -> dict[str, str]:
    """Return the variables for a process. Only the web server's threads share a pool of connections."""
    return dict(os.environ) if pool else {**os.environ, "DATABASE_POOL": "0"}


def _manage(places: Places, name: str, arguments: list[str]) -> Child:
    argv = [sys.executable, *MANAGE, *arguments]
    return Child(name, argv, places.log(name), environment(pool=False))
