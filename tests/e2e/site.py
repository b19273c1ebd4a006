"""The site as its users run it: `manage.py up` in a process of its own, with a data folder of its own.

It stands on the kind of database that these tests are run on: SQLite, or with `make e2e-postgres` a
database of its own on that PostgreSQL, beside a Redis of its own.
"""

import contextlib
import fcntl
import functools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connections
from django.db.utils import ConnectionHandler
from django.test import override_settings

from evalsite import env
from tests import servers

SLOW = 480.0  # seconds for a first start on a busy machine
#: The tests' quick one is none that the site would accept.
HASHERS = ["tests.e2e.site.OncePBKDF2"]
ON_POSTGRES = str(settings.DATABASES["default"]["ENGINE"]).endswith("postgresql")


class OncePBKDF2(PBKDF2PasswordHasher):
    """The site's own, but for everybody with the same salt: what takes long is done once a password."""

    SALT = "SaltOfEverybodyInTests"

    def encode(self, password: str, _salt: str, _iterations: int | None = None) -> str:
        return _encoded(password)


@functools.cache
def _encoded(password: str) -> str:
    return PBKDF2PasswordHasher().encode(password, OncePBKDF2.SALT)


class DidNotStart(Exception):
    """The site ended, or did not answer in time."""


@dataclass
class Site:
    """A running site: where it is, what it knows, and a way into its database."""

    data: Path
    port: int
    url: str = field(init=False)
    password: str = ""
    process: subprocess.Popen[bytes] | None = None
    #: Of `manage.py up`.
    options: tuple[str, ...] = ()
    #: DATABASE_URL and REDIS_URL, where they are not its own.
    servers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.url = f"http://localhost:{self.port}"

    @contextlib.contextmanager
    def running(self) -> Iterator["Site"]:
        """Start it, with its demo unless its options say otherwise, and stop it at the end."""
        accounts = self.data / "demo_accounts.txt"
        with self._servers() as self.servers:
            try:
                self.start()
                said = accounts.read_text() if accounts.exists() else ""
                self.password = said.strip().rpartition(" ")[2]
                yield self
            finally:
                self.stop()

    @contextlib.contextmanager
    def _servers(self) -> Iterator[dict[str, str]]:
        if not ON_POSTGRES:
            yield {}
            return
        with servers.postgres() as database, servers.redis_server(self.data) as queue:
            yield {"DATABASE_URL": database, "REDIS_URL": queue}

    def start(self) -> None:
        log = self.data / "up.log"
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, str(env.BASE_DIR / "manage.py"), "up"),
                    *(f"--port={self.port}", *self.options),
                ],
                env=_environment(self.data) | self.servers,
                cwd=env.BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self._wait(self.process, log)

    def fill(self, made: Path) -> None:
        """Take the demo as another site of this run has it before its first start, or be that one.

        EVALSITE_TEST_DEMO names the data folder of a site that was stopped, to take in its place. On
        PostgreSQL each site loads its own when it starts.

        Args:
            made: the folder where it is kept; sites that come at once wait for the first.
        """
        if ON_POSTGRES:
            return
        if kept := os.environ.get("EVALSITE_TEST_DEMO"):
            shutil.copytree(kept, self.data, dirs_exist_ok=True)
            return
        with made.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                new = made.with_suffix(".new")
                new.mkdir()
                command = [sys.executable, str(env.BASE_DIR / "manage.py"), "prepare"]
                subprocess.run(command, env=_environment(new), cwd=env.BASE_DIR, check=True)
                new.rename(made)
        shutil.copytree(made, self.data, dirs_exist_ok=True)

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def _wait(self, process: subprocess.Popen[bytes], log: Path) -> None:
        end = time.monotonic() + SLOW
        while "is running at" not in log.read_text():
            if process.poll() is not None or time.monotonic() > end:
                raise DidNotStart(log.read_text())
            time.sleep(0.2)

    @contextlib.contextmanager
    def database(self) -> Iterator[None]:
        """Let this process read and write the site's database for a while."""
        mine = connections["default"]
        there = ConnectionHandler({"default": self._database()})["default"]
        connections["default"] = there
        try:
            with override_settings(PASSWORD_HASHERS=HASHERS):
                yield
        finally:
            there.close()
            connections["default"] = mine

    def _database(self) -> dict[str, object]:
        if not ON_POSTGRES:
            return _sqlite(self.data / "db.sqlite3")
        name = urlsplit(self.servers["DATABASE_URL"]).path.lstrip("/")
        return {**settings.DATABASES["default"], "NAME": name}

    def errors(self) -> list[str]:
        """Return what the web server and the workers complained of."""
        return [
            line
            for path in sorted((self.data / "logs").glob("*.log"))
            for line in path.read_text(errors="replace").splitlines()
            if re.search(r"Traceback|\b(ERROR|CRITICAL)\b|database is locked", line)
        ]


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


def _environment(data: Path) -> dict[str, str]:
    ours = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "DATABASE_POOL", "REDIS_URL", "DEBUG")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    # What a test signs, such as the link to a new password, holds on the site.
    own = {"EVALSITE_DATA": str(data), "SECRET_KEY": settings.SECRET_KEY}
    return {**kept, **own, "PYTHONUNBUFFERED": "1"}


def _sqlite(path: Path) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA foreign_keys=ON;",
        },
    }
