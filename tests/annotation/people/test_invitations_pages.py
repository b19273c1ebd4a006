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
