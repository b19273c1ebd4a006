"""The tests on PostgreSQL and a real Redis: `python -m tests.on_postgres [arguments of pytest]`.

EVALSITE_TEST_PG names the server (postgresql://postgres@127.0.0.1:5432/postgres unless told
otherwise); its account may make databases, and all that were made are dropped at the end. The Redis
or Valkey is started for the run. Where no PostgreSQL answers this says so and ends with 3, or with 0
under `--if-there`.
"""

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import psycopg

from tests import servers

NOT_THERE = 3
#: A test's database need not outlive a power cut.
QUICK = "options=-c%20synchronous_commit%3Doff"


def main(words: Sequence[str]) -> int:
    try:
        server = servers.administrator()
    except psycopg.OperationalError:
        sys.stdout.write("No PostgreSQL answers; EVALSITE_TEST_PG names one. Nothing was tested.\n")
        return 0 if "--if-there" in words else NOT_THERE
    name = f"evalsite_{secrets.token_hex(4)}"
    url = servers.postgres_url(name)
    arguments = [word for word in words if word != "--if-there"]
    with server, tempfile.TemporaryDirectory(prefix="ev") as folder:
        try:
            with servers.redis_server(Path(folder)) as queue:
                return subprocess.run(
                    [sys.executable, "-m", "pytest", *arguments],
                    env={
                        **os.environ,
                        "DATABASE_URL": f"{url}{'&' if '?' in url else '?'}{QUICK}",
                        "EVALSITE_TEST_REDIS": queue,
                        "EVALSITE_REQUIRE_PG": "1",
                    },
                    check=False,
                ).returncode
        finally:
            servers.drop(server, f"test_{name}")  # also what a run that was cut off has left


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
