import pytest

from annotation.people import queries as reads
from annotation.people.models import AuditEvent, Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/settings/"


def post(client, section, **body):
    return client.post(f"{URL}{section}/", body, content_type="application/json")


class TestSettings:
    def test_are_told_before_anybody_has_set_them(self, as_curator):
        found = as_curator.get(URL).json()

        assert found["bank"] == {"version": 0, "languages": [], "alike": 85}
        assert found["masks"]["words"] == []
        assert found["retention"] == {"version": 0, "days": {}}


class TestBank:
    def test_changes_what_is_named_and_keeps_the_rest(self, as_curator):
        first = post(as_curator, "bank", base=0, languages=["en", "de"], alike=90).json()
        then = post(as_curator, "bank", base=first["version"], alike=95).json()

        assert (first["version"], then["version"]) == (1, 2)
        assert (then["languages"], then["alike"]) == (["en", "de"], 95)
        assert reads.bank_of(make.project()).alike == 95
        assert AuditEvent.objects.filter(verb="settings.changed").count() == 2

    def test_refuses_what_somebody_else_has_changed_meanwhile(self, as_curator):
        post(as_curator, "bank", base=0, alike=90)

        answer = post(as_curator, "bank", base=0, alike=95)

        assert (answer.status_code, answer.json()["code"]) == (409, "settings_changed_meanwhile")
        assert reads.bank_of(make.project()).alike == 90

    @pytest.mark.parametrize(
        ("sent", "status"), [({"alike": 5}, 400), ({"languages": ["english please"]}, 422)]
    )
    def test_says_what_cannot_be_used(self, as_curator, sent, status):
        answer = post(as_curator, "bank", base=0, **sent)

        assert answer.status_code == status
        assert set(answer.json()["fields"]) == set(sent)
        assert reads.newest(make.project(), "BANK") is None


class TestMasks:
    def test_are_set_and_a_pattern_that_cannot_be_used_is_refused(self, as_curator):
        found = post(
            as_curator, "masks", base=0, words=["Old Harbour"], patterns=[r"our \w+"]
        ).json()
        answer = post(as_curator, "masks", base=1, patterns=["("])

        assert (found["words"], found["patterns"]) == (["Old Harbour"], [r"our \w+"])
        assert (answer.status_code, list(answer.json()["fields"])) == (422, ["patterns"])
        assert reads.masks_of(make.project()).patterns == (r"our \w+",)


class TestRetention:
    @pytest.fixture
    def owner(self, client):
        client.force_login(make.project().memberships.get(role=Role.OWNER).user)
        return client

    def test_is_set_whole(self, owner):
        first = post(owner, "retention", base=0, days={"drafts": 30, "calls": 90}).json()
        then = post(owner, "retention", base=1, days={"drafts": 60}).json()

        assert (first["version"], then["version"]) == (1, 2)
        assert then["days"] == {"drafts": 60}
        assert then["would_go"]["drafts"] == 0
        assert then["would_go"]["calls"] is None
        assert dict(reads.retention_of(make.project()).days) == {"drafts": 60}

    def test_counts_what_would_go_and_sets_nothing(self, owner):
        answer = post(owner, "retention", base=0, days={"drafts": 30}, estimate=True).json()

        assert (answer["version"], answer["days"]) == (0, {})
        assert answer["would_go"]["drafts"] == 0
        assert dict(reads.retention_of(make.project()).days) == {}

    @pytest.mark.parametrize("estimate", [True, False])
    @pytest.mark.parametrize(
        ("days", "status"), [({"drafts": 1}, 422), ({"grades": 30}, 400), ({"drafts": "x"}, 400)]
    )
    def test_says_what_cannot_be_used(self, owner, days, status, estimate):
        answer = post(owner, "retention", base=0, days=days, estimate=estimate)

        assert answer.status_code == status
        assert answer.json()["fields"]
        assert dict(reads.retention_of(make.project()).days) == {}

    def test_is_refused_on_top_of_another_version(self, owner):
        post(owner, "retention", base=0, days={"drafts": 30})

        assert post(owner, "retention", base=0, days={"drafts": 60}).status_code == 409

    def test_is_for_owners(self, as_curator):
        assert post(as_curator, "retention", base=0, days={}).status_code == 404


class TestVerdicts:
    def test_are_set_from_the_version_that_was_read(self, as_curator):
        first = as_curator.get(f"{URL}verdicts/").json()
        done = post(as_curator, "verdicts", base=0, within=8)
        late = post(as_curator, "verdicts", base=0, within=9)

        assert first == {"version": 0, "within": 5}
        assert (done.status_code, done.json()) == (200, {"version": 1, "within": 8})
        assert late.status_code == 409

    def test_refuse_a_margin_out_of_reach(self, as_curator):
        answer = post(as_curator, "verdicts", base=0, within=51)

        assert answer.status_code == 400
        assert set(answer.json()["fields"]) == {"within"}
