import hashlib
from datetime import timedelta

import pytest

from annotation.people import inviting as invitations
from annotation.people import operations as people
from annotation.people import queries as reads
from annotation.people.models import AuditEvent, Invitation, Membership, Rater, Role, User
from evalsite import errors
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

    def test_makes_so_many_that_an_owner_can_still_look_through_them(self, monkeypatch):
        monkeypatch.setattr(invitations, "MOST", 2)
        links = [invite() for _ in range(2)]

        with pytest.raises(invitations.TooManyInvitations):
            invite()

        invitations.revoke(invitation=links[0][0], by=make.user("northport-owner"), now=make.NOW)
        assert invite()

    @pytest.mark.parametrize("days", [0, 91])
    def test_works_for_one_to_ninety_days(self, days):
        with pytest.raises(errors.BadPeriod, match="1 to 90"):
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

        with pytest.raises(invitations.InvitationNotOpen):
            invitations.accept(token=token, user=make.user("kofi"), now=make.NOW)

        assert not Membership.objects.filter(user__username="kofi").exists()

    def test_works_until_its_day(self):
        _made, token = invite(days=2)

        with pytest.raises(invitations.InvitationNotOpen):
            invitations.accept(
                token=token, user=make.user("lena"), now=make.NOW + timedelta(days=2)
            )

    def test_does_not_work_once_it_was_taken_back(self):
        made, token = invite()
        invitations.revoke(invitation=made, by=make.user("northport-owner"), now=make.NOW)

        with pytest.raises(invitations.InvitationNotOpen):
            invitations.accept(token=token, user=make.user("lena"), now=make.NOW)

    def test_knows_no_link_that_was_never_made(self):
        with pytest.raises(invitations.InvitationNotOpen):
            invitations.accept(token="a-guess", user=make.user("lena"), now=make.NOW)


class TestTheRightOfTheMaker:
    def demoted(self, *roles: Role) -> None:
        """Take the maker's part as an owner away, by the other owner."""
        people.set_roles(
            project=make.project(),
            user=make.user("northport-owner"),
            roles=roles,
            by=make.member(Role.OWNER, username="other"),
            now=make.at(1),
        )

    def comes_in(self, token: str, user: User) -> bool:
        try:
            invitations.accept(token=token, user=user, now=make.at(3))
        except invitations.InvitationNotOpen:
            return False
        return True

    @pytest.mark.parametrize("left", [(), (Role.CURATOR,)])
    def test_takes_its_links_along(self, left):
        made, token = invite(Role.OWNER)

        self.demoted(*left)

        assert not self.comes_in(token, make.user("northport-owner"))
        assert not self.comes_in(token, make.user("lena"))
        made.refresh_from_db()
        assert made.revoked_at == make.at(1)
        event = AuditEvent.objects.get(verb="invitation.revoked")
        assert event.data == {"with_its_maker": True}

    def test_brings_none_back_when_it_is_given_back(self):
        _made, token = invite()
        self.demoted()

        people.grant(
            project=make.project(),
            user=make.user("northport-owner"),
            role=Role.OWNER,
            by=make.user("other"),
            now=make.at(2),
        )

        assert not self.comes_in(token, make.user("lena"))

    def test_counts_for_links_that_were_made_before_roles_took_them_along(self):
        _made, token = invite()
        self.demoted()
        Invitation.objects.update(revoked_at=None)

        assert not self.comes_in(token, make.user("lena"))
        (line,) = reads.live_invitations(make.project(), make.at(3))
        assert line.state == "revoked"

    def test_ends_with_the_account(self):
        _made, token = invite()
        by, other = make.user("northport-owner"), make.member(Role.OWNER, username="other")

        for is_active in (False, True):
            people.set_account(
                user=by, is_active=is_active, is_operator=False, by=None, now=make.at(1)
            )

        assert not self.comes_in(token, make.user("lena"))
        assert other.memberships.active().exists()

    def test_leaves_the_links_of_other_owners_and_projects(self):
        _made, elsewhere = invitations.invite(
            project=make.project("southport", make.user("northport-owner")),
            whom="x",
            roles=[Role.ANALYST],
            days=7,
            by=make.user("northport-owner"),
            now=make.NOW,
        )
        invite()

        self.demoted()

        assert self.comes_in(elsewhere, make.user("lena"))


class TestWhoeverWasRemoved:
    def test_does_not_come_back_by_a_link_from_before(self):
        _made, token = invite(Role.OWNER)
        removed = make.member(Role.OWNER, username="removed")
        people.revoke(
            project=make.project(),
            user=removed,
            role=Role.OWNER,
            by=make.user("northport-owner"),
            now=make.at(1),
        )

        with pytest.raises(invitations.InvitationNotOpen, match="Your role has ended since"):
            invitations.accept(token=token, user=removed, now=make.at(2))

        _made, later = invitations.invite(
            project=make.project(),
            whom="them again",
            roles=[Role.ANALYST],
            days=7,
            by=make.user("northport-owner"),
            now=make.at(3),
        )
        assert invitations.accept(token=later, user=removed, now=make.at(4)) == make.project()

    def test_does_not_rise_again_by_it_either(self):
        _made, token = invite(Role.OWNER)
        removed = make.member(Role.OWNER, username="removed")
        people.set_roles(
            project=make.project(),
            user=removed,
            roles=[Role.ANALYST],
            by=make.user("northport-owner"),
            now=make.at(1),
        )

        with pytest.raises(invitations.InvitationNotOpen):
            invitations.accept(token=token, user=removed, now=make.at(2))


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
        [({"password": "1234"}, people.WeakPassword), ({"username": "LENA"}, errors.NameTaken)],
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

        with pytest.raises(invitations.InvitationNotOpen, match="End their roles"):
            invitations.revoke(invitation=made, by=make.user("northport-owner"), now=make.NOW)
