"""The servers beside which tests may run: databases on a PostgreSQL, and a Redis or Valkey of their own."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import pytest
import redis
from psycopg import sql

from evalsite.supervisor import site as valkey

#: Seconds for an answer: of a PostgreSQL that is there, and of a Redis that was just started.
PATIENCE, READY_WITHIN = 3, 30.0
#: A connection that may make and drop databases.
Administrator = psycopg.Connection[tuple[object, ...]]


def postgres_url(name: str = "postgres") -> str:
    """Return the address of a database of the server that EVALSITE_TEST_PG or DATABASE_URL names."""
    for variable in ("EVALSITE_TEST_PG", "DATABASE_URL"):
        given = os.environ.get(variable, "")
        if given.startswith("postgres"):
            return urlunsplit(urlsplit(given)._replace(path=f"/{quote(name)}"))
    return f"postgresql://postgres@127.0.0.1:5432/{name}"


def administrator() -> Administrator:
    """Connect to the server.

    Raises:
        psycopg.OperationalError: no PostgreSQL answers.
    """
    return psycopg.connect(postgres_url(), autocommit=True, connect_timeout=PATIENCE)


@contextmanager
def postgres() -> Iterator[str]:
    """Give the address of a new, empty database; skip the test where no PostgreSQL answers.

    EVALSITE_REQUIRE_PG=1 makes that a failure.
    """
    name = f"evalsite_test_{secrets.token_hex(6)}"
    try:
        server = administrator()
    except psycopg.OperationalError:
        if os.environ.get("EVALSITE_REQUIRE_PG") == "1":
            raise
        pytest.skip("No PostgreSQL answers; EVALSITE_TEST_PG names one.")
    with server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield postgres_url(name)
        finally:
            drop(server, name)


def drop(server: Administrator, prefix: str) -> None:
    """Drop the databases whose names begin so."""
    found = server.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix]
    ).fetchall()
    for (name,) in found:
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(str(name))))


@contextmanager
def redis_server(folder: Path, port: int = 0) -> Iterator[str]:
    """Run a Redis or Valkey that keeps nothing, with its log in this folder; give its address.

    Args:
        folder: where it runs.
        port: a free one unless it is named.

    Raises:
        TimeoutError: it does not answer.
    """
    with socket.socket() as line:
        line.bind(("127.0.0.1", port))
        port = int(line.getsockname()[1])
    program = shutil.which("redis-server") or valkey.server()
    with (folder / "redis-server.log").open("wb") as log:
        running = subprocess.Popen(
            [
                program,
                "--bind",
                "127.0.0.1",
                "--port",
                str(port),
                "--save",
                "",
                "--databases",
                "64",
            ],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        _wait(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        running.terminate()
        running.wait(30)


def _wait(port: int) -> None:
    until = time.monotonic() + READY_WITHIN
    with redis.Redis(port=port) as client:
        while True:
            try:
                client.ping()
                return
            except redis.ConnectionError as problem:
                if time.monotonic() > until:
                    raise TimeoutError(f"Redis does not answer at port {port}.") from problem
                time.sleep(0.05)
