"""The queue's server for tests: in memory, one for the whole test process."""

import fakeredis

_server = fakeredis.FakeServer()


def client(url: str) -> fakeredis.FakeRedis:
    return fakeredis.FakeRedis(server=_server)


def empty() -> None:
    client("").flushall()
