import pytest
from django.test import Client

from annotation import models
from annotation.people import access as passwords
from annotation.people import operations
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import Role
from annotation.running import operations as leaving
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def owner() -> models.User:
    make.project()
    return make.user("northport-owner")


def roles_of(user: models.User) -> set[str]:
    rows = models.Membership.objects.active().filter(project=make.project(), user=user)
    return set(rows.values_list("role", flat=True))


class TestSetRoles:
    def test_gives_and_ends_roles_at_once(self):
        somebody = make.member(Role.CURATOR)

        people.set_roles(
            project=make.project(),
            user=somebody,
            roles={Role.ANNOTATOR, Role.ANALYST},
            by=owner(),
            now=make.NOW,
        )

        assert roles_of(somebody) == {"ANNOTATOR", "ANALYST"}
        assert models.Rater.objects.filter(user=somebody).exists()

    def test_gives_back_a_role_that_had_ended(self):
        somebody = make.member(Role.CURATOR)
        for roles in ([], [Role.CURATOR]):
            people.set_roles(
                project=make.project(), user=somebody, roles=roles, by=owner(), now=make.NOW
            )

        assert roles_of(somebody) == {"CURATOR"}
        assert models.Membership.objects.filter(user=somebody).count() == 1

    def test_refuses_to_leave_a_project_without_owner(self):
        with pytest.raises(people.LastOwner):
            people.set_roles(
                project=make.project(),
                user=owner(),
                roles=[Role.CURATOR],
                by=owner(),
                now=make.NOW,
            )

        assert roles_of(owner()) == {"OWNER"}


class TestAddMember:
    def add(self, username: str) -> models.User:
        return people.add_member(
            project=make.project(),
            username=username,
            roles=[Role.INSPECTOR],
            by=owner(),
            now=make.NOW,
        )

    def test_finds_the_account_whatever_the_case(self):
        make.user("lena")

        assert roles_of(self.add("Lena")) == {"INSPECTOR"}

    def test_refuses_a_name_that_nobody_has(self):
        with pytest.raises(people.NoSuchAccount) as refused:
            self.add("nobody")

        assert "username" in refused.value.fields


class TestAddAccount:
    def add(self, **changes) -> models.User:
        given = {"username": "lena", "name": "Lena", "password": make.PASSWORD, **changes}
        return people.add_account(
            project=make.project(), roles=[Role.ANNOTATOR], by=owner(), now=make.NOW, **given
        )

    def test_makes_somebody_who_can_sign_in_and_belongs(self):
        made = self.add()

        assert made.check_password(make.PASSWORD)
        assert roles_of(made) == {"ANNOTATOR"}

    @pytest.mark.parametrize("password", ["short", "password1234", "lena-lena"])
    def test_refuses_a_password_that_is_easy_to_guess(self, password):
        with pytest.raises(people.WeakPassword) as refused:
            self.add(password=password, username="lena-lena")

        assert "password" in refused.value.fields
        assert not models.User.objects.filter(username="lena-lena").exists()

    def test_makes_so_many_a_day(self, monkeypatch):
        monkeypatch.setattr(people, "ACCOUNTS_A_DAY", 2)
        for n in range(2):
            self.add(username=f"lena-{n}")

        with pytest.raises(people.TooManyAccounts, match="Invite people by link"):
            self.add(username="lena-3")

    def test_refuses_a_user_name_that_is_taken(self):
        self.add()

        with pytest.raises(errors.NameTaken):
            self.add(username="LENA")


class TestResetPassword:
    def test_is_for_whoever_made_the_account(self):
        made = TestAddAccount().add()

        people.reset_password(user=made, new="another good one", by=owner(), now=make.NOW)

        made.refresh_from_db()
        assert made.check_password("another good one")

    def test_signs_out_and_revokes_what_got_in_before(self):
        made = TestAddAccount().add()
        models.User.objects.update(must_set_password=False)  # made by an earlier version
        made.refresh_from_db()
        device = Client()
        device.force_login(made)
        secret = personal_tokens.make(
            user=made, name="a", given=["read"], days=9, project=None, now=make.NOW
        ).secret

        people.reset_password(user=made, new="another good one", by=owner(), now=make.NOW)

        assert device.get("/account/").status_code == 302
        assert personal_tokens.known(secret=secret, now=make.NOW) is None

    def test_ends_with_the_first_password_of_ones_own(self):
        made = TestAddAccount().add()

        passwords.change_own(
            user=made,
            old=make.PASSWORD,
            new="my very own one",
            address="192.0.2.7",
            now=make.NOW,
        )

        self.is_refused(made, owner())

    def test_ends_with_one_that_came_by_a_link(self):
        made = TestAddAccount().add()
        token = passwords.make_link(user=made, now=make.NOW)

        passwords.set_by_link(
            public_id=made.public_id, token=token, new="my very own one", now=make.NOW
        )

        self.is_refused(made, owner())

    def test_ends_with_one_that_an_operator_set(self):
        made = TestAddAccount().add()

        people.reset_password(user=made, new="another good one", by=None, now=make.NOW)

        self.is_refused(made, owner())

    @pytest.mark.parametrize("role", Role)
    def test_ends_with_a_second_project_for_good(self, role):
        made, south = TestAddAccount().add(), make.project("southport")
        boss = make.user("southport-owner")
        people.grant(project=south, user=made, role=role, by=boss, now=make.NOW)
        self.is_refused(made, owner())

        people.revoke(project=south, user=made, role=role, by=boss, now=make.NOW)

        self.is_refused(made, owner())

    def test_ends_with_the_right_of_the_maker(self):
        made, maker = TestAddAccount().add(), owner()
        other = make.member(Role.OWNER, username="other")

        people.set_roles(
            project=make.project(), user=maker, roles=[Role.CURATOR], by=other, now=make.NOW
        )

        self.is_refused(made, maker)
        self.is_refused(made, other)

    def test_is_for_no_operator(self):
        made = TestAddAccount().add()
        models.User.objects.filter(pk=made.pk).update(is_superuser=True)
        made.refresh_from_db()

        self.is_refused(made, owner())

    def is_refused(self, user: models.User, by: models.User) -> None:
        """Neither a new password, nor erasing."""
        user.refresh_from_db()
        before = user.password

        with pytest.raises(people.NotYourAccount, match="Only the person sets a new password"):
            people.reset_password(user=user, new="a thief's good one", by=by, now=make.NOW)
        with pytest.raises(operations.NotYourAccount):
            leaving.erase(user=user, name_typed=user.username, by=by, now=make.NOW)

        user.refresh_from_db()
        assert user.password == before
        assert models.Person.objects.filter(user=user).exists()

    def test_is_refused_to_other_owners(self):
        somebody = make.member(Role.ANNOTATOR)

        with pytest.raises(people.NotYourAccount):
            people.reset_password(user=somebody, new="another good one", by=owner(), now=make.NOW)


class TestEditProject:
    def test_writes_the_old_name_down(self):
        people.edit_project(
            project=make.project(), name="Northport", subtitle="2026", by=owner(), now=make.NOW
        )
        people.edit_project(
            project=make.project(), name="Southport", subtitle="2026", by=owner(), now=make.NOW
        )

        last = models.AuditEvent.objects.filter(verb="project.renamed").first()
        assert last is not None
        assert last.data == {"old": ["Northport", "2026"], "new": ["Southport", "2026"]}


class TestTellAnnotators:
    def test_keeps_a_note_and_since_when(self):
        home = make.project()
        made = {"project": home, "by": models.User.objects.get(), "now": make.NOW}

        people.tell_annotators(note="Back on Monday.", **made)

        home.refresh_from_db()
        assert (home.note, home.noted_at) == ("Back on Monday.", make.NOW)
        event = models.AuditEvent.objects.get(verb="project.note_to_annotators")
        assert event.note == "Back on Monday."

    def test_takes_it_away(self):
        home = make.project()
        made = {"project": home, "by": models.User.objects.get()}
        people.tell_annotators(note="Back on Monday.", now=make.NOW, **made)

        people.tell_annotators(note="", now=make.at(5), **made)

        home.refresh_from_db()
        assert (home.note, home.noted_at) == ("", None)
