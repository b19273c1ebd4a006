"""Every page, for every role, in an empty project and the demo: reachable for all, at any width.

This is the part for every change: but for annotators' pages, an eighth of the routes is looked at
wide and light, another one narrow and dark, and of the rest it is asked whether they answer. In an
empty project every second route is looked at, by its owner and an annotator. Whoever else works in the
demo has the pages of an owner but for some.
tests/e2e/test_every_page_of_many.py looks at all of it.
"""

import zlib

import pytest

from annotation.people.models import Role
from tests.e2e import addresses, sweeps, worlds
from tests.e2e.worlds import DEMO, EMPTY, ROLES

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

#: Whose pages of the demo, and of an empty project, are left to the night.
OTHERS_OF_DEMO = {Role.CURATOR, Role.DESIGNER, Role.INSPECTOR, Role.ANALYST}
OTHERS_OF_EMPTY = set(ROLES) - {Role.OWNER, Role.ANNOTATOR}
#: How the routes of each eighth are looked at.
EIGHTHS = ([sweeps.WIDE_LIGHT], [sweeps.NARROW_DARK], *([[]] * 6))


def by_look(pages, role):
    """Yield which pages are looked at how. Annotators have theirs open all day: they are seen in every way."""
    if role == Role.ANNOTATOR:
        yield pages, sweeps.ALL
        return
    yield from zip(shares(pages), EIGHTHS, strict=True)


def shares(pages):
    """Return the pages of each eighth of the routes."""
    return [
        [one for one in pages if zlib.crc32(one.name.encode()) % len(EIGHTHS) == place]
        for place in range(len(EIGHTHS))
    ]


@pytest.fixture(scope="module")
def seen():
    """What was looked at by anybody: a form of the demo is the same one in an empty project."""
    return sweeps.Sweep(new_kinds=True)


def daily(but):
    """Return the roles, those that are tried at night marked so."""
    return [pytest.param(one, marks=[pytest.mark.nightly] if one in but else []) for one in ROLES]


class TestEveryPage:
    @pytest.mark.parametrize("role", daily(OTHERS_OF_DEMO))
    def test_of_the_demo_can_be_used_by_all(self, site, enter, seen, role):
        world = worlds.build(site, DEMO)
        with world.inside(role) as (home, user):
            pages = addresses.of(home, user)

        visitor = world.let_in(enter, role)
        found = [
            fault
            for some, looks in by_look(pages, role)
            for fault in seen.over(visitor, some, looks)
        ]
        assert not found, "\n".join(found)

    @pytest.mark.parametrize("role", daily(OTHERS_OF_EMPTY))
    def test_of_an_empty_project_can_be_used_by_all(self, site, enter, seen, role):
        world = worlds.build(site, EMPTY)
        with world.inside(role) as (home, user):
            pages = addresses.of(home, user)

        visitor = world.let_in(enter, role)
        found = [
            fault
            for place, some in enumerate(shares(pages))
            for fault in seen.over(visitor, some, [sweeps.NARROW_DARK] if place % 2 else [])
        ]
        assert not found, "\n".join(found)
