"""A database of its own for a load test, and processes that work on it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import servers

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Site:
    folder: Path
    environment: dict[str, str]

    def start(
        self, deed: str, *, of: str = "tests.load.crowd", **plan: Any
    ) -> "subprocess.Popen[str]":
        """Start a deed of a module as a process of its own; `result` waits for what it tells."""
        command = [sys.executable, "-m", of, deed, json.dumps(plan)]
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, deed: str, **plan: Any) -> dict[str, Any]:
        return result(self.start(deed, **plan))

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def result(of: "subprocess.Popen[str]") -> dict[str, Any]:
    """Wait for a deed; return what it told."""
    out, err = of.communicate()
    assert of.returncode == 0, err[-4000:]
    told: dict[str, Any] = json.loads(out.splitlines()[-1])
    return told


@contextmanager
def site(engine: str, folder: Path) -> Iterator[Site]:
    """Give an empty, migrated site on SQLite or PostgreSQL (skipped where none answers)."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "EVALSITE_DATA": str(folder),
    }
    if engine == "sqlite":
        made = Site(folder, environment)
        made.manage("migrate", "--verbosity=0")
        yield made
        return
    with servers.postgres() as url:
        made = Site(folder, {**environment, "DATABASE_URL": url})
        made.manage("migrate", "--verbosity=0")
        yield made


def p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.95)] if seconds else 0.0
