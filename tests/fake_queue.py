"""The queue's server for tests: in memory, one for the whole test process; or a real one.

EVALSITE_TEST_REDIS names the real one, which is emptied before each test (`make test-postgres` starts
one). Each process of pytest-xdist has a database of its own there.
"""

import functools
import os
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import fakeredis

from evalsite import queue

REAL = os.environ.get("EVALSITE_TEST_REDIS", "")
_server = fakeredis.FakeServer()


@functools.cache
def client(url: str) -> Any:
    return queue.redis_client(own_database()) if REAL else fakeredis.FakeRedis(server=_server)


def own_database() -> str:
    """Return the address of this process's database on the real server."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return urlunsplit(urlsplit(REAL)._replace(path=f"/{number}"))


def empty() -> None:
    client("").flushdb()
