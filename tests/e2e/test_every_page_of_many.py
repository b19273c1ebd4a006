"""Every page × every role × the empty project, the demo and many rows × every width and theme."""

import pytest

from tests.e2e import addresses, sweeps, worlds
from tests.e2e.worlds import ROLES, SLUGS

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def seen():
    """What was looked at in each of the projects, by anybody."""
    return {slug: sweeps.Sweep() for slug in SLUGS}


class TestEveryPage:
    @pytest.mark.parametrize("role", ROLES)
    @pytest.mark.parametrize("slug", SLUGS)
    def test_can_be_used_by_all(self, site, enter, seen, slug, role):
        world = worlds.build(site, slug)
        with world.inside(role) as (home, user):
            pages = addresses.of(home, user)

        found = seen[slug].over(world.let_in(enter, role), pages, sweeps.ALL)
        assert not found, "\n".join(found)
