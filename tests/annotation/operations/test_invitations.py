import hashlib
from datetime import timedelta

import pytest

from annotation.models import AuditEvent, Invitation, Membership, Rater, Role
from annotation.operations import invitations, people
from tests import make

pytestmark = pytest.mark.django_db


def invite(*roles: Role, days: int = 7, whom: str = "the new one") -> tuple[Invitation, str]:
    home = make.project()
    return invitations.invite(
        project=home,
        whom=whom,
        roles=roles or (Role.ANNOTATOR,),
        days=days,
        by=make.user("northport-owner"),
        now=make.NOW,
    )


class TestInvite:
    def test_keeps_a_hash_of_the_link_alone(self):
        made, token = invite()

        assert len(token) >= 30
        assert made.token_sha == hashlib.sha256(token.encode()).hexdigest()
        assert token not in str(Invitation.objects.values())
        assert token not in str(AuditEvent.objects.values())

    def test_gives_no_two_links_alike(self):
        assert len({invite()[1] for _ in range(20)}) == 20

    def test_asks_for_a_role(self):
        with pytest.raises(invitations.RolesMissing):
            invitations.invite(
                project=make.project(),
                whom="x",
                roles=[],
                days=7,
                by=make.user("northport-owner"),
                now=make.NOW,
            )

    @pytest.mark.parametrize("days", [0, 91])
    def test_works_for_one_to_ninety_days(self, days):
        with pytest.raises(invitations.BadPeriod, match="1 to 90"):
            invite(days=days)


class TestAccept:
    def test_gives_the_roles_and_is_used_up(self):
        made, token = invite(Role.ANNOTATOR, Role.DESIGNER)
        lena = make.user("lena")

        assert invitations.accept(token=token, user=lena, now=make.at(5)) == make.project()

        roles = Membership.objects.active().filter(user=lena).values_list("role", flat=True)
        assert sorted(roles) == ["ANNOTATOR", "DESIGNER"]
        assert Rater.objects.filter(user=lena).exists()
        made.refresh_from_db()
        assert (made.used_by, made.used_at) == (lena, make.at(5))

    def test_lets_nobody_in_twice(self):
        _made, token = invite()
        invitations.accept(token=token, user=make.user("lena"), now=make.NOW)

        with pytest.raises(invitations.NotOpen):
            invitations.accept(token=token, user=make.user("kofi"), now=make.NOW)

        assert not Membership.objects.filter(user__username="kofi").exists()

    def test_works_until_its_day(self):
        _made, token = invite(days=2)

        with pytest.raises(invitations.NotOpen):
            invitations.accept(
                token=token, user=make.user("lena"), now=make.NOW + timedelta(days=2)
            )

    def test_does_not_work_once_it_was_taken_back(self):
        made, token = invite()
        invitations.revoke(invitation=made, by=make.user("northport-owner"), now=make.NOW)

        with pytest.raises(invitations.NotOpen):
            invitations.accept(token=token, user=make.user("lena"), now=make.NOW)

    def test_knows_no_link_that_was_never_made(self):
        with pytest.raises(invitations.NotOpen):
            invitations.accept(token="a-guess", user=make.user("lena"), now=make.NOW)


class TestAcceptAsNew:
    def given(self, token: str, **changed: str) -> dict[str, str]:
        return {
            "token": token,
            "username": "lena",
            "name": "Lena",
            "password": make.PASSWORD,
        } | changed

    def test_makes_an_account_that_nobody_else_may_reset(self):
        _made, token = invite()

        user = invitations.accept_as_new(**self.given(token), now=make.NOW)

        assert user.check_password(make.PASSWORD)
        with pytest.raises(people.NotYourAccount):
            people.reset_password(
                user=user, new=make.PASSWORD, by=make.user("northport-owner"), now=make.NOW
            )

    @pytest.mark.parametrize(
        ("changed", "problem"),
        [({"password": "1234"}, people.WeakPassword), ({"username": "LENA"}, people.NameTaken)],
    )
    def test_leaves_the_link_open_where_something_is_wrong(self, changed, problem):
        make.user("lena")
        made, token = invite()

        with pytest.raises(problem):
            invitations.accept_as_new(
                **self.given(token, **({"username": "kofi"} | changed)), now=make.NOW
            )

        made.refresh_from_db()
        assert made.used_at is None


class TestRevoke:
    def test_refuses_a_link_that_was_used(self):
        made, token = invite()
        invitations.accept(token=token, user=make.user("lena"), now=make.NOW)

        with pytest.raises(invitations.NotOpen, match="End their roles"):
            invitations.revoke(invitation=made, by=make.user("northport-owner"), now=make.NOW)
