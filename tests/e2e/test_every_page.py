"""Every page, for every role, in an empty project and the demo: reachable for all, at any width.

This is the part for every change; tests/e2e/test_every_page_of_many.py looks at all of it.
"""

import pytest

from annotation.models import Role
from tests.e2e import addresses, sweeps, worlds
from tests.e2e.worlds import DEMO, EMPTY, ROLES

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

#: Annotators have the page open all day.
LOOKS = {Role.ANNOTATOR: sweeps.ALL}


@pytest.fixture(scope="module")
def seen():
    """What was looked at in the demo and the empty project, by anybody."""
    return {slug: sweeps.Sweep(new_kinds=True) for slug in (DEMO, EMPTY)}


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
