import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.people import access as failed_tries
from annotation.people import operations as people
from annotation.people.models import Invitation, Membership, Project, Role, User
from tests import make

pytestmark = pytest.mark.django_db

PAGE = "/p/northport/people/invitations/"


@pytest.fixture
def owner(client):
    make.project()
    user = make.user("northport-owner")
    client.force_login(user)
    return user


def link_for(client, *roles: str) -> str:
    given = {"whom": "Lena of the harbour", "roles": roles or ("ANNOTATOR",), "days": 7}
    page = client.post(PAGE, given).content.decode()
    found = re.search(r'value="http://testserver(/join/[^"]+/)"', page)
    assert found, page
    return found[1]


class TestInvitations:
    def test_shows_a_link_once(self, client, owner):
        link = link_for(client)

        page = client.get(PAGE).content.decode()

        assert link not in page
        assert "Lena of the harbour" in page
        assert "works until" in page

    def test_says_what_is_missing(self, client, owner):
        answer = client.post(PAGE, {"whom": "", "days": 0})

        assert answer.status_code == 422
        assert Invitation.objects.count() == 0

    def test_takes_a_link_back(self, client, owner):
        link = link_for(client)
        made = Invitation.objects.get()

        client.post(reverse("invitation_revoke", args=["northport", made.pk]))

        assert client.get(link).status_code == 404
        assert "taken back" in client.get(PAGE).content.decode()


class TestJoin:
    def test_lets_somebody_in_with_a_new_account(self, client, owner):
        link = link_for(client, "ANALYST")
        client.logout()

        asked = client.get(link).content.decode()
        answer = client.post(
            link, {"username": "lena", "name": "Lena", "password": make.PASSWORD}, follow=True
        )

        assert "You are invited to Northport" in asked
        assert "analyst" in asked
        assert answer.redirect_chain[-1][0] == "/p/northport/"
        assert User.objects.get(username="lena").display_name == "Lena"

    def test_lets_somebody_in_with_the_account_they_have(self, client, owner):
        link = link_for(client)
        lena = make.user("lena")
        client.force_login(lena)

        asked = client.get(link).content.decode()
        answer = client.post(link)

        assert "Join as Lena" in asked
        assert answer.status_code == 302
        assert Membership.objects.active().filter(user=lena, role=Role.ANNOTATOR).exists()

    def test_tells_who_lost_a_role_since_that_the_link_does_not_bring_it_back(self, client, owner):
        home = Project.objects.get()
        lena = make.member(Role.CURATOR, in_=home, username="lena")
        link = link_for(client, "CURATOR")
        people.revoke(project=home, user=lena, role=Role.CURATOR, by=owner, now=timezone.now())
        client.force_login(lena)

        answer = client.post(link)

        assert answer.status_code == 422
        assert "Your role has ended since this link was made." in answer.content.decode()

    def test_leads_to_the_sign_in_and_back(self, client, owner):
        link = link_for(client)
        client.logout()

        assert f"/login/?next={link}" in client.get(link).content.decode()

    def test_says_what_is_wrong_with_a_new_account(self, client, owner):
        link = link_for(client)
        client.logout()

        answer = client.post(link, {"username": "lena", "name": "Lena", "password": "1234"})

        assert answer.status_code == 422
        assert "password" in answer.content.decode().lower()

    def test_tells_nothing_of_a_link_that_does_not_work(self, client):
        answer = client.get("/join/a-guess/")

        assert answer.status_code == 404
        assert "Northport" not in answer.content.decode()
        assert "Ask its sender" in answer.content.decode()

    def test_that_is_guessed_is_counted_and_one_that_works_opens_nonetheless(self, client, owner):
        link = link_for(client)
        client.logout()

        said = [client.get(f"/join/guess-{n}/") for n in range(failed_tries.TOKENS + 1)]

        assert [one.status_code for one in said] == [404] * failed_tries.TOKENS + [429]
        assert said[-1]["Retry-After"] == "900"
        assert "Too many wrong links from your address" in said[-1].content.decode()
        assert client.get(link).status_code == 200


class TestManyPeople:
    def invite(self, client, whom, **more):
        given = {"whom": whom, "roles": ["ANNOTATOR"], "days": 7, **more}
        return client.post(PAGE, given).content.decode()

    def test_get_a_link_each(self, client, owner):
        page = self.invite(client, "Anna Berg\nBen Okoro <ben@yard.example>\nBen Okoro")

        assert len(set(re.findall(r"http://testserver/join/[^/]+/", page))) == 3
        assert list(Invitation.objects.order_by("pk").values_list("whom", flat=True)) == [
            "Anna Berg",
            "Ben Okoro <ben@yard.example>",
            "Ben Okoro",
        ]

    def test_may_be_pasted_as_they_stand_in_a_mail(self, client, owner):
        self.invite(client, "a@yard.example, b@yard.example; Berg, Anna <c@yard.example>")

        assert list(Invitation.objects.order_by("pk").values_list("whom", flat=True)) == [
            "a@yard.example",
            "b@yard.example",
            "Berg, Anna <c@yard.example>",
        ]

    def test_are_mailed_where_there_is_an_address_and_the_others_are_named(
        self, client, owner, mailoutbox
    ):
        page = self.invite(client, "Anna Berg\nben@yard.example", mail="on")

        (mail,) = mailoutbox
        assert mail.to == ["ben@yard.example"]
        (link,) = re.findall(r"http://testserver/join/[^/]+/", mail.body)
        assert f"ben@yard.example: {link}" in page
        assert "send their links yourself: Anna Berg." in page

    def test_are_all_left_out_where_one_name_cannot_be(self, client, owner):
        page = self.invite(client, "Anna Berg\nBen\u202eOkoro")

        assert 'aria-invalid="true"' in page
        assert not Invitation.objects.exists()

    def test_are_not_mailed_without_a_mail_server(self, client, owner, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

        assert 'name="mail"' not in client.get(PAGE).content.decode()

    def test_are_told_where_a_mail_server_takes_nothing(self, client, owner, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9

        page = self.invite(client, "ben@yard.example", mail="on")

        assert "send their links yourself: ben@yard.example." in page
        assert Invitation.objects.count() == 1


class TestALinkOfThisMachine:
    @pytest.mark.parametrize(
        ("host", "is_warned"),
        [("localhost", True), ("127.0.0.1", True), ("testserver", False)],
    )
    def test_is_warned_of(self, client, owner, settings, host, is_warned):
        settings.ALLOWED_HOSTS = [host]
        given = {"whom": "Anna", "roles": ["ANNOTATOR"], "days": 7}

        page = client.post(PAGE, given, headers={"host": host}).content.decode()

        assert ("works on this machine only" in page) == is_warned

    def test_is_none_where_the_site_knows_its_address(self, client, owner, settings):
        settings.SITE_ADDRESS = "https://grades.example"
        settings.ALLOWED_HOSTS = ["localhost"]
        given = {"whom": "Anna", "roles": ["ANNOTATOR"], "days": 7}

        page = client.post(PAGE, given, headers={"host": "localhost"}).content.decode()

        assert "https://grades.example/join/" in page
        assert "works on this machine only" not in page


class TestANewAccount:
    @pytest.mark.parametrize(
        ("whom", "name"),
        [
            ("Anna Berg", "Anna Berg"),
            ("Anna Berg <anna@yard.example>", "Anna Berg"),
            ("anna.berg@yard.example", "Anna Berg"),
        ],
    )
    def test_has_its_name_filled_in(self, client, owner, whom, name):
        given = {"whom": whom, "roles": ["ANNOTATOR"], "days": 7}
        page = client.post(PAGE, given).content.decode()
        link = re.search(r'value="http://testserver(/join/[^"]+/)"', page)[1]
        client.logout()

        assert f'name="name" value="{name}"' in client.get(link).content.decode()

    def test_gets_its_user_name_from_the_name(self, client, owner):
        make.user("anna.berg")
        link = link_for(client)
        client.logout()

        page = client.post(
            link, {"username": "", "name": "Anna Berg", "password": make.PASSWORD}, follow=True
        )

        assert User.objects.filter(username="anna.berg2").exists()
        assert "Your user name is “anna.berg2”" in page.content.decode()
