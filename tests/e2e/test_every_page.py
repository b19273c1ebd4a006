"""Every page, for every role, in an empty project and the demo: reachable for all, at any width."""

import pytest

from annotation import models
from annotation.models import Role
from annotation.operations.rounds import drafting, drawing, identity, opening, states
from tests import make
from tests.e2e import addresses, sweeps

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

#: Width and theme. The pages of others than the owner differ little from the owner's.
ALL = ((False, False), (False, True), (True, False), (True, True))
SOME = ((True, True),)
DEMO = {"ines": ALL, "amara": SOME, "lena": ALL, "noor": SOME}
EMPTY = {Role.OWNER: ALL, Role.CURATOR: SOME, Role.ANNOTATOR: SOME, Role.ANALYST: SOME}


def sweep(site, visitor, project, looks):
    """Look at every page of the project that this person has; return what is wrong."""
    with site.database():
        user = models.User.objects.get(username=visitor.name)
        home = models.Project.objects.get(slug=project)
        pages = addresses.of(home, user)
    found, n_pages = [], 0
    for address in pages:
        if not visitor.look(address.path):
            continue
        n_pages += 1
        for narrow, dark in looks:
            where = f"{visitor.name} {address.path} {390 if narrow else 1440} {'dark' if dark else 'light'}"
            faults = sweeps.faults(visitor.page, narrow=narrow, dark=dark)
            found += [f"{where}: {fault}" for fault in faults]
        visitor.page.set_viewport_size({"width": 1440, "height": 900})
        found += [f"{address.path}: {one}" for one in visitor.foreign()]
    assert n_pages
    return found


@pytest.fixture(scope="module")
def demo(site):
    """The demo, with a prepared draft and a round in review besides."""
    with site.database():
        home = models.Project.objects.get(slug="northport")
        draft(home, "A draft")
        closing = draft(home, "In review")
        identity.decide(
            round_=closing,
            undecided_only=True,
            decision=models.IdentityHit.Decision.MASK,
            by=closing.created_by,
            now=make.NOW,
        )
        opening.request_opening(round_=closing, by=closing.created_by, now=make.NOW)
        opening.open_round(round_=closing, now=make.NOW)
        states.close(round_=closing, by=closing.created_by, now=make.NOW)
    return home


def draft(home, name):
    """Return a draft of three items that is prepared."""
    by, now = models.User.objects.get(username="ines"), make.NOW
    version = models.RubricVersion.objects.filter(rubric__project=home).earliest("pk")
    users = list(models.User.objects.filter(username__in=["kofi", "lena", "mei"]))
    made = drafting.create_round(
        project=home, name=name, seed=name, secret=make.SECRET, by=by, now=now
    )
    releases = list(models.SystemRelease.objects.filter(system__project=home))
    drafting.choose_releases(round_=made, releases=releases, by=by, now=now)
    drafting.choose_rubrics(round_=made, by_capability={}, rest=version, by=by, now=now)
    drafting.choose_draw(round_=made, draw=drafting.Draw(n_items=3), by=by, now=now)
    drafting.invite(round_=made, users=users, by=by, by_owner=True, now=now, override="")
    drawing.prepare(round_=made, now=now)
    return made


class TestEveryPage:
    @pytest.mark.parametrize("name", DEMO)
    def test_of_the_demo_can_be_used_by_all(self, site, demo, enter, name):
        visitor = enter(name)

        assert sweep(site, visitor, "northport", DEMO[name]) == []

    @pytest.mark.parametrize("role", EMPTY)
    def test_of_an_empty_project_can_be_used_by_all(self, site, enter, role):
        with site.database():
            home = make.project("empty", owner=make.user("empty-owner"))
            if role != Role.OWNER:
                make.member(role, in_=home)
        visitor = enter(f"empty-{role.lower()}", make.PASSWORD)

        assert sweep(site, visitor, "empty", EMPTY[role]) == []
