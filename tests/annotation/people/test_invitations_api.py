from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from annotation.people.models import Invitation, KeptAnswer, Membership, Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/invitations/"


@pytest.fixture
def owner(client):
    client.force_login(make.project().memberships.get(role=Role.OWNER).user)
    return client


def invite(client, headers=None, **body):
    given = {"whom": "Lena of the yard", "roles": ["ANNOTATOR"], **body}
    return client.post(URL, given, content_type="application/json", headers=headers or {})


class TestInvitations:
    def test_let_somebody_in_by_the_link_that_is_answered_once(self, owner):
        made = invite(owner).json()

        door = Client()
        door.force_login(make.user("lena"))
        door.post(urlsplit(made["link"]).path)

        assert Membership.objects.active().filter(user__username="lena", role="ANNOTATOR").exists()
        (line,) = owner.get(URL).json()["results"]
        assert (line["state"], line["used_by"]) == ("used", "Lena")
        assert "link" not in line

    def test_are_over_after_their_days(self, owner):
        made = invite(owner, days=2).json()

        Invitation.objects.update(expires_at=timezone.now() - timedelta(minutes=1))

        assert made["state"] == "open"
        assert owner.get(URL).json()["results"][0]["state"] == "over"

    @pytest.mark.parametrize(
        "change", [{"roles": []}, {"roles": ["KING"]}, {"days": 0}, {"days": 400}, {"whom": ""}]
    )
    def test_need_what_a_link_needs(self, owner, change):
        answer = invite(owner, **change)

        assert answer.status_code == 400
        assert list(answer.json()["fields"]) == list(change)
        assert not Invitation.objects.exists()

    def test_are_kept_under_no_key(self, owner):
        answer = invite(owner, headers={"Idempotency-Key": "once"})

        assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_refused")
        assert not Invitation.objects.exists()
        assert not KeptAnswer.objects.exists()


class TestRevoke:
    def test_takes_a_link_back(self, owner):
        made = invite(owner).json()

        answer = owner.post(f"{URL}{made['key']}/revoke/")

        assert (answer.status_code, answer.json()["state"]) == (200, "revoked")

    def test_is_refused_when_somebody_has_come_in(self, owner):
        made = invite(owner).json()
        Invitation.objects.update(used_at=timezone.now(), used_by=make.user("lena"))

        answer = owner.post(f"{URL}{made['key']}/revoke/")

        assert (answer.status_code, answer.json()["code"]) == (409, "invitation_not_open")

    def test_of_another_project_is_not_found(self, owner):
        made = invite(owner).json()
        other = Client()
        other.force_login(make.project("southport").memberships.get(role=Role.OWNER).user)

        address = f"/api/v1/projects/southport/invitations/{made['key']}/revoke/"

        assert other.post(address).status_code == 404


class TestMail:
    def test_takes_the_link_to_the_address_in_the_line(self, owner, mailoutbox):
        made = invite(owner, whom="Lena Brandt <lena@yard.example>", mail=True).json()

        (mail,) = mailoutbox
        assert mail.to == ["lena@yard.example"]
        assert made["link"] in mail.body
        assert made["is_mailed"]

    def test_is_refused_without_an_address_and_no_link_is_left(self, owner, mailoutbox):
        answer = invite(owner, mail=True)

        assert (answer.status_code, list(answer.json()["fields"])) == (422, ["whom"])
        assert not Invitation.objects.exists()
        assert mailoutbox == []
