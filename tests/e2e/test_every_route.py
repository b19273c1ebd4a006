"""Every route leads somewhere: to a page, a file or a deed, in the demo or in a crowded project."""

import pytest

from tests.e2e import addresses, worlds
from tests.e2e.worlds import DEMO, MANY, ROLES

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(900)]

#: How a route is passed: somebody has the page, or it is none.
FINE = {"page", "file", "POSTs only"}


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
