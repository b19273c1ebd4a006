import pytest

from annotation.models import Role
from annotation.operations import invitations as operations
from annotation.queries import invitations
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

        lines = invitations.list_of(home, make.at(60 * 24 * 2))

        assert {one.invitation.whom: one.state for one in lines} == {
            name: name for name in ("open", "over", "revoked", "used")
        }
        assert next(one for one in lines if one.state == "used").used_by == "Lena"
