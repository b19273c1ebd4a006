import pytest

from annotation.models import AuditEvent, Role
from annotation.operations import audit
from tests import counting, make

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

    def test_ask_the_database_as_often_for_many_as_for_few(self, owner):
        def grow(place: int) -> None:
            make.member(Role.ANALYST, username=f"many-{place}")

        assert counting.growth(owner, f"{URL}people/", grow) == 0

    @pytest.mark.parametrize("page", ["people/", "audit/", "audit/seal/"])
    def test_are_for_owners(self, client, page):
        client.force_login(make.member(Role.CURATOR))

        assert client.get(f"{URL}{page}").status_code == 404


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
