import pytest

from annotation import models
from annotation.models import Role
from annotation.operations import people
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

    def test_refuses_a_user_name_that_is_taken(self):
        self.add()

        with pytest.raises(people.NameTaken):
            self.add(username="LENA")


class TestResetPassword:
    def test_is_for_whoever_made_the_account(self):
        made = TestAddAccount().add()

        people.reset_password(user=made, new="another good one", by=owner(), now=make.NOW)

        made.refresh_from_db()
        assert made.check_password("another good one")

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
