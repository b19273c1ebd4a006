"""Do lists ask the database the same number of times however long they are?"""

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


def n_queries(client: Client, url: str) -> int:
    """Return how many queries a page takes; it must be answered with 200."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(url)
    assert response.status_code == 200, f"{url} answered {response.status_code}"
    return len(queries)


def growth(client: Client, url: str, grow: Callable[[int], object]) -> int:
    """Return how many queries more a page takes with 9 rows than with 3."""
    for place in range(3):
        grow(place)
    client.get(url)
    few = n_queries(client, url)
    for place in range(3, 9):
        grow(place)
    return n_queries(client, url) - few
