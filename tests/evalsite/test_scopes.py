"""Every route of the API has one scope to read it and one for each of its deeds."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from evalsite.web import scopes


def patterns(under=None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for one in get_resolver().url_patterns if under is None else under:
        address = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from patterns(one.url_patterns, address)
        elif address.startswith(scopes.ROOT):
            yield address, one


ROUTES = {str(one.name): (address, one) for address, one in patterns()}


def view_of(name: str) -> Any:
    """Return the class behind a route: REST framework hangs it onto the function."""
    return getattr(ROUTES[name][1].callback, "cls")  # noqa: B009


def methods(name: str) -> list[str]:
    return [one for one in view_of(name)().allowed_methods if one != "OPTIONS"]


class TestTheTable:
    @pytest.mark.parametrize("name", sorted(ROUTES))
    def test_has_a_scope_for_every_route_and_method(self, name):
        address, _route = ROUTES[name]
        found = {method: scopes.needed(address, method) for method in methods(name)}

        assert all(each and set(each) <= set(scopes.NAMES) for each in found.values()), (
            f"{address} needs a word in WORDS of evalsite/web/scopes.py."
        )
        assert {found[one] for one in found if one == "GET"} <= {(scopes.READ,)}
        assert scopes.READ not in {found[one][0] for one in found if one != "GET"}

    @pytest.mark.parametrize("address", sorted(scopes.ALSO))
    def test_has_a_second_scope_for_deeds_that_there_are(self, address):
        route = f"{scopes.ROOT}{scopes.PROJECT}{address}/"

        assert route in {one for one, _route in patterns()}
        assert len(set(scopes.needed(route, "POST"))) == 2

    def test_has_no_word_that_leads_nowhere(self):
        rest = [one.removeprefix(scopes.ROOT + scopes.PROJECT) for one, _route in patterns()]
        # Rooms in which nothing can be changed yet have their word all the same.
        known = {word for words in scopes.WORDS.values() for word in words}

        assert {word for word in known if not any(one.startswith(word) for one in rest)} <= {
            "drafting",
        }

    def test_has_each_word_once(self):
        words = [word for words in scopes.WORDS.values() for word in words]

        assert len(words) == len(set(words))


class TestNeeded:
    def test_goes_by_the_longest_word(self):
        at = f"{scopes.ROOT}{scopes.PROJECT}rounds/<int:number>/"

        assert scopes.needed(f"{at}draw/", "POST") == (scopes.ROUNDS,)
        assert scopes.needed(f"{at}judge/", "POST") == (scopes.RUNS,)

    def test_is_that_of_an_owner_where_a_project_is_started(self):
        assert scopes.needed("api/v1/projects/", "POST") == (scopes.OWN,)
        assert scopes.needed("api/v1/projects/", "GET") == (scopes.READ,)

    def test_keeps_words_apart_that_begin_alike(self):
        at = f"{scopes.ROOT}{scopes.PROJECT}"

        assert scopes.needed(f"{at}planets/", "POST") == ()
        assert scopes.needed(f"{at}plan/", "POST") == (scopes.BANK,)

    @pytest.mark.parametrize("route", ["p/<slug:project>/rounds/", "", "api/v1/me/"])
    def test_opens_no_other_deed(self, route):
        assert scopes.needed(route, "POST") == ()
