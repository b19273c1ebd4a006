"""Every route × everybody × every method, requested cell by cell against tests/who_may.py."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.doors.api import API
from tests.doors.row import ACTORS
from tests.who_may import ROWS
from tests.who_may_world import ANONYMOUS, World

METHODS = ("GET", "POST")
#: Nothing answers these; whoever sends them is turned away like anybody else.
OTHER_METHODS = ("PUT", "PATCH", "DELETE")
TURNED_AWAY = {302, 401, 403, 404, 405}


class Undo(Exception):
    """Takes back what a request did."""


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield name and address of every route below."""
    for pattern in patterns:
        address = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, address)
        else:
            yield pattern.name or "", address


def all_routes() -> dict[str, str]:
    return dict(routes(get_resolver().url_patterns))


def statuses(name: str) -> Iterator[tuple[str, str, int]]:
    """Yield actor, method and status of every request to a route; each leaves the world unchanged."""
    world = World()
    world.people  # noqa: B018  everybody is there before the first request
    url = reverse(name, kwargs=dict(ROWS[name].kwargs(world)))
    for actor in ACTORS:
        client = Client()
        if actor != ANONYMOUS:
            client.force_login(world.people[actor])
        at_first = dict(client.cookies)
        for method in (*METHODS, *OTHER_METHODS):
            client.cookies.clear()
            client.cookies.update(at_first)
            try:
                with transaction.atomic():
                    status = client.generic(method, url).status_code
                    raise Undo
            except Undo:
                yield actor, method, status


def is_right(name: str, actor: str, method: str, status: int) -> bool:
    if method in OTHER_METHODS:
        return ROWS[name].public or status in TURNED_AWAY
    return status in ROWS[name].expected(actor, method, api=name in API)


class TestTheTable:
    def test_has_a_row_for_every_route(self):
        without = {name or address for name, address in all_routes().items() if name not in ROWS}

        assert not without, f"Add a row to tests/who_may.py for: {', '.join(sorted(without))}"

    def test_has_no_row_without_a_route(self):
        assert sorted(ROWS.keys() - all_routes().keys()) == []

    def test_has_no_route_without_a_name(self):
        assert "" not in all_routes()


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(ROWS))
class TestARoute:
    def test_lets_in_whom_the_table_names_and_nobody_else(self, name):
        wrong = [
            f"{method} by {actor}: {status}"
            for actor, method, status in statuses(name)
            if not is_right(name, actor, method, status)
        ]

        assert not wrong, "\n".join([f"{name}:", *wrong])
