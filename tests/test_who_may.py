"""Every route × everybody × every method, requested cell by cell against tests/who_may.py."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.people.models import Role
from tests.doors.api import API
from tests.doors.row import ACTORS
from tests.undoing import undone
from tests.who_may import ROWS
from tests.who_may_world import ANONYMOUS, World

METHODS = ("GET", "POST")
#: Nothing answers these; the owner, who may most, is turned away like anybody else.
OTHER_METHODS = ("PUT", "PATCH", "DELETE")
#: In so many tests the routes are gone through, each with people of its own.
SHARES = 24
TURNED_AWAY = {302, 401, 403, 404, 405}


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


class Visitors:
    """Everybody, signed in; and a world around them that is made anew for every route."""

    def __init__(self) -> None:
        self._first = World()
        people = self._first.people
        self._clients = {actor: Client() for actor in ACTORS}
        for actor, client in self._clients.items():
            if actor != ANONYMOUS:
                client.force_login(people[actor])

    def statuses(self, name: str) -> Iterator[tuple[str, str, int]]:
        """Yield actor, method and status of every request to a route; each leaves the world unchanged."""
        with undone():
            world = World()
            vars(world).update(vars(self._first))
            url = reverse(name, kwargs=dict(ROWS[name].kwargs(world)))
            for actor, client in self._clients.items():
                at_first = dict(client.cookies)
                for method in (*METHODS, *(OTHER_METHODS if actor == Role.OWNER else ())):
                    with undone():
                        status = client.generic(method, url).status_code
                    client.cookies.clear()
                    client.cookies.update(at_first)
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
@pytest.mark.parametrize("share", range(SHARES))
class TestRoutes:
    def test_let_in_whom_the_table_names_and_nobody_else(self, share):
        visitors = Visitors()
        wrong = [
            f"{name}: {method} by {actor}: {status}"
            for name in sorted(ROWS)[share::SHARES]
            for actor, method, status in visitors.statuses(name)
            if not is_right(name, actor, method, status)
        ]

        assert not wrong, "\n".join(wrong)
