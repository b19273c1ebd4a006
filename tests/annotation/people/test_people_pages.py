import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import models
from annotation.people import access as passwords
from annotation.people import inviting
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import Role
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    project = make.project()
    client.force_login(make.user("northport-owner"))
    return project


def token(user, name, *given):
    personal_tokens.make(
        user=user,
        name=name,
        given=given or scopes.NAMES,
        days=30,
        project=None,
        now=timezone.now(),
    )


class TestPeople:
    def test_lists_members_with_their_roles(self, client, owner):
        make.member(Role.ANALYST, username="lena")

        page = client.get(reverse("people", args=["northport"])).content.decode()

        assert "Lena" in page
        assert "analyst" in page

    def test_shows_which_tokens_of_others_open_the_project(self, client, owner):
        token(make.member(Role.ANALYST, username="lena"), "dashboard", scopes.READ)

        page = client.get(reverse("people", args=["northport"])).content.decode()

        line = page.partition("dashboard")[2].partition("</tr>")[0]
        assert "all projects" in line
        assert "never" in line
        assert scopes.READ in line
        assert scopes.BANK not in line

    def test_shows_mailed_links_to_a_new_password_and_takes_them_back(self, client, owner):
        lena = make.member(Role.ANALYST, username="lena")
        passwords.make_link(user=lena, now=timezone.now())
        url = reverse("password_link_take_back", args=["northport", lena.password_links.get().pk])
        assert url in client.get(reverse("people", args=["northport"])).content.decode()

        page = client.post(url, follow=True).content.decode()

        assert "The link does not work any more." in page
        assert url not in page


class TestPersonAdd:
    def test_gives_roles_to_somebody_who_has_an_account(self, client, owner):
        make.user("lena")

        answer = client.post(
            reverse("person_add", args=["northport"]),
            {"username": "lena", "roles": ["ANNOTATOR", "ANALYST"]},
        )

        assert answer.status_code == 302
        assert models.Membership.objects.filter(user__username="lena").count() == 2

    def test_says_what_is_wrong_with_a_name_that_nobody_has(self, client, owner):
        answer = client.post(
            reverse("person_add", args=["northport"]), {"username": "lena", "roles": ["ANALYST"]}
        )

        assert answer.status_code == 422
        assert "Nobody has this user name" in answer.content.decode()


class TestPersonNew:
    def test_makes_an_account_with_roles(self, client, owner):
        answer = client.post(
            reverse("person_new", args=["northport"]),
            {"username": "lena", "name": "Lena", "password": make.PASSWORD, "roles": ["CURATOR"]},
        )

        assert answer.status_code == 302
        assert models.User.objects.get(username="lena").check_password(make.PASSWORD)

    def test_keeps_what_was_typed_when_the_password_is_weak(self, client, owner):
        answer = client.post(
            reverse("person_new", args=["northport"]),
            {"username": "lena", "name": "Lena", "password": "lena", "roles": ["CURATOR"]},
        )

        assert answer.status_code == 422
        assert 'value="Lena"' in answer.content.decode()
        assert "too short" in answer.content.decode()


class TestPerson:
    def test_ends_everything_with_no_box_ticked(self, client, owner):
        lena = make.member(Role.ANALYST, username="lena")

        client.post(reverse("person", args=["northport", lena.public_id]), {"act": "roles"})

        assert not models.Membership.objects.active().filter(user=lena).exists()

    def test_refuses_to_lose_the_last_owner(self, client, owner):
        boss = make.user("northport-owner")

        answer = client.post(
            reverse("person", args=["northport", boss.public_id]),
            {"act": "roles", "roles": ["CURATOR"]},
        )

        assert answer.status_code == 422
        assert "A project needs an owner" in answer.content.decode()

    def test_sets_a_new_password_for_an_account_one_made(self, client, owner):
        lena = people.add_account(
            project=owner,
            username="lena",
            name="Lena",
            password=make.PASSWORD,
            roles=[Role.ANALYST],
            by=make.user("northport-owner"),
            now=make.NOW,
        )
        url = reverse("person", args=["northport", lena.public_id])

        refused = client.post(url, {"act": "password", "password": "another good one", "own": "no"})
        client.post(url, {"act": "password", "password": "another good one", "own": make.PASSWORD})

        assert refused.status_code == 422
        lena.refresh_from_db()
        assert lena.check_password("another good one")

    def test_offers_no_password_for_an_account_that_is_the_persons_own(self, client, owner):
        lena = make.member(Role.ANALYST, username="lena")

        page = client.get(reverse("person", args=["northport", lena.public_id])).content.decode()

        assert "Only the person sets a new password" in page
        assert "New password" not in page

    def test_warns_of_links_that_somebody_may_come_back_by(self, client, owner):
        lena = make.member(Role.ANALYST, username="lena")
        inviting.invite(
            project=owner,
            whom="Lena",
            roles=[Role.OWNER],
            days=7,
            by=make.user("northport-owner"),
            now=timezone.now(),
        )
        url = reverse("person", args=["northport", lena.public_id])

        page = client.post(url, {"act": "roles"}, follow=True).content.decode()

        assert "Open invitation links: 1. Withdraw" in page
        assert reverse("invitations", args=["northport"]) in page

    def test_is_not_found_for_people_of_other_projects(self, client, owner):
        stranger = make.user("stranger")

        answer = client.get(reverse("person", args=["northport", stranger.public_id]))

        assert answer.status_code == 404
