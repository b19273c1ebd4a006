import pytest

from annotation.people import inviting as operations
from annotation.people import queries as invitations
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


class TestListOf:
    def test_tells_what_became_of_each_link(self):
        home, by = make.project(), make.user("northport-owner")

        def link(whom: str, days: int = 7):
            return operations.invite(
                project=home, whom=whom, roles=[Role.ANALYST], days=days, by=by, now=make.NOW
            )

        link("open")
        link("over", days=1)
        operations.revoke(invitation=link("revoked")[0], by=by, now=make.NOW)
        operations.accept(token=link("used")[1], user=make.user("lena"), now=make.NOW)

        lines = invitations.live_invitations(home, make.at(60 * 24 * 2))

        assert {one.invitation.whom: one.state for one in lines} == {
            name: name for name in ("open", "over", "revoked", "used")
        }
        used = next(one for one in lines if one.state == "used")
        assert (used.used_by, used.made_by) == ("Lena", "Northport-Owner")

    def test_shows_every_link_that_works_however_many_came_after_it(self):
        home, by = make.project(), make.user("northport-owner")
        given = {"project": home, "roles": [Role.ANALYST], "days": 7, "by": by, "now": make.NOW}
        operations.invite(whom="the first", **given)
        for n in range(invitations.SHOWN + 1):
            made, _token = operations.invite(whom=f"{n}", **given)
            operations.revoke(invitation=made, by=by, now=make.NOW)

        lines = invitations.live_invitations(home, make.NOW)

        assert lines[0].invitation.whom == "the first"
        assert len(lines) == invitations.SHOWN + 1
