"""Every page, for every role, in an empty project and the demo: reachable for all, at any width.

This is the part for every change; tests/e2e/test_every_page_of_many.py looks at all of it.
"""

import pytest

from annotation.models import Role
from tests.e2e import addresses, sweeps, worlds
from tests.e2e.worlds import DEMO, EMPTY, MANY, ROLES

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

#: Annotators have the page open all day.
LOOKS = {Role.ANNOTATOR: sweeps.ALL}
#: How a route is passed: somebody has the page, or it is none.
FINE = {"page", "file", "POSTs only"}


@pytest.fixture(scope="module")
def seen():
    """What was looked at in the demo and the empty project, by anybody."""
    return {DEMO: sweeps.Sweep(), EMPTY: sweeps.Sweep()}


class TestEveryPage:
    @pytest.mark.parametrize("role", ROLES)
    def test_of_the_demo_can_be_used_by_all(self, site, enter, seen, role):
        world = worlds.build(site, DEMO)
        with world.inside(role) as (home, user):
            pages = addresses.of(home, user)

        looks = LOOKS.get(role, sweeps.USUAL)
        found = seen[DEMO].over(world.let_in(enter, role), pages, looks)
        assert not found, "\n".join(found)

    @pytest.mark.parametrize("role", ROLES)
    def test_of_an_empty_project_can_be_used_by_all(self, site, enter, seen, role):
        world = worlds.build(site, EMPTY)
        with world.inside(role) as (home, user):
            pages = addresses.of(home, user)

        found = seen[EMPTY].over(world.let_in(enter, role), pages, [sweeps.NARROW_DARK])
        assert not found, "\n".join(found)


class TestEveryRoute:
    def test_is_filled_by_the_demo_or_by_many_rows(self, site, enter):
        """A new route needs a row in one of them, and a value in tests/e2e/addresses.py."""
        answers: dict[str, set[str]] = {name: set() for name in addresses.routes()}
        for slug in (DEMO, MANY):
            world = worlds.build(site, slug)
            for role in ROLES:
                with world.inside(role) as (home, user):
                    pages = addresses.of(home, user)
                visitor = world.let_in(enter, role)
                for address in pages:
                    if not answers[address.name] & FINE:
                        answers[address.name].add(visitor.ask(address.path).kind)

        unfilled = {name: found for name, found in answers.items() if not found & FINE}
        assert unfilled == {}, "Give the demo a row for these, or tests/e2e/crowd_work.py."
