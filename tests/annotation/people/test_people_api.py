import pytest
from django.utils import timezone

from annotation.people import audit
from annotation.people import tokens as personal_tokens
from annotation.people.models import AuditEvent, Membership, Role
from annotation.people.queries import members_of
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/"


@pytest.fixture
def owner(client):
    client.force_login(make.project().memberships.get(role=Role.OWNER).user)
    return client


class TestPeople:
    def test_are_told_with_roles_held_and_ended(self, owner):
        make.member(Role.CURATOR, username="cora")

        found = {one["username"]: one for one in owner.get(f"{URL}people/").json()["results"]}

        assert found["cora"]["roles"] == ["CURATOR"]
        assert found["cora"]["ended"] == []


def send(client, address, **body):
    return client.post(f"{URL}{address}", body, content_type="application/json")


class TestPeopleAdded:
    def test_get_their_roles_besides_those_they_have(self, owner):
        make.member(Role.ANALYST, username="cora")

        answer = send(owner, "people/", username="Cora", roles=["CURATOR", "DESIGNER"])

        assert answer.status_code == 201
        assert sorted(answer.json()["roles"]) == ["ANALYST", "CURATOR", "DESIGNER"]
        assert AuditEvent.objects.filter(verb="role.granted", data__role="DESIGNER").exists()

    def test_need_an_account(self, owner):
        answer = send(owner, "people/", username="nobody", roles=["CURATOR"])

        assert answer.status_code == 422
        assert "username" in answer.json()["fields"]

    @pytest.mark.parametrize("roles", [[], ["KING"], None])
    def test_need_a_role_that_there_is(self, owner, roles):
        make.user("cora")

        answer = send(owner, "people/", username="cora", roles=roles)

        assert answer.status_code == 400
        assert "roles" in answer.json()["fields"]
        assert not Membership.objects.filter(user__username="cora").exists()


class TestPerson:
    def test_holds_from_now_on_what_was_said(self, owner):
        cora = make.member(Role.CURATOR, username="cora")

        found = send(owner, f"people/{cora.public_id}/", roles=["ANALYST"]).json()

        assert (found["roles"], found["ended"]) == (["ANALYST"], ["CURATOR"])
        assert owner.get(f"{URL}people/{cora.public_id}/").json() == found

    def test_may_be_left_without_a_role(self, owner):
        cora = make.member(Role.CURATOR, username="cora")

        assert send(owner, f"people/{cora.public_id}/", roles=[]).json()["roles"] == []
        assert cora.public_id in {one.public_id for one in members_of(make.project())}

    def test_who_is_the_last_owner_stays_one(self, owner):
        person = make.project().memberships.get(role=Role.OWNER).user

        answer = send(owner, f"people/{person.public_id}/", roles=[])

        assert answer.status_code == 409
        assert Membership.objects.active().filter(user=person, role=Role.OWNER).exists()

    def test_of_another_project_is_not_found(self, owner):
        other = make.member(Role.CURATOR, in_=make.project("southport"), username="cora")

        assert send(owner, f"people/{other.public_id}/", roles=["OWNER"]).status_code == 404
        assert not Membership.objects.filter(user=other, project=make.project()).exists()


class TestTokens:
    def test_of_members_are_told_without_their_secrets(self, owner):
        cora = make.member(Role.CURATOR, username="cora")
        made = personal_tokens.make(
            user=cora,
            name="nightly",
            given=[scopes.READ],
            days=30,
            project=make.project(),
            now=timezone.now(),
        )

        answer = owner.get(f"{URL}people/tokens/")

        (found,) = answer.json()["results"]
        assert found["person"] == str(cora.public_id)
        assert (found["what_for"], found["scopes"]) == ("nightly", ["read"])
        assert (found["all_projects"], found["last_used_at"]) == (False, None)
        assert made.secret not in answer.content.decode()


class TestAudit:
    def test_tells_what_was_done_by_whom_filtered(self, owner):
        make.member(Role.CURATOR, username="cora")

        every = owner.get(f"{URL}audit/").json()["results"]
        granted = owner.get(f"{URL}audit/?verb=role.granted").json()["results"]

        assert granted
        assert {one["verb"] for one in granted} == {"role.granted"}
        assert len(every) >= len(granted)
        assert granted[0]["data"]["role"] == "CURATOR"

    def test_refuses_a_parameter_that_it_does_not_know(self, owner):
        assert owner.get(f"{URL}audit/?who=me").status_code == 400

    def test_reads_the_chain_and_says_where_it_breaks(self, owner):
        make.member(Role.CURATOR)
        audit.seal()
        whole = owner.get(f"{URL}audit/seal/").json()
        AuditEvent.objects.filter(seq=1, project=make.project()).update(verb="nothing")
        broken = owner.get(f"{URL}audit/seal/").json()

        assert whole["sealed"] > 0
        assert whole["broken"] is None
        assert broken["broken"] == 1
