import pytest

from annotation.bank.models import Checklist
from annotation.inspection import queries as inspection_figures
from annotation.inspection.models import Retraining
from annotation.people.models import AuditEvent, Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/inspect/"
LINE = {"key": "exact", "text": "The answer is exact", "field": "answer", "reason": "wrong"}


@pytest.fixture(autouse=True)
def nothing_kept():
    inspection_figures._of_all_time.cache_clear()


def post(client, address, **body):
    return client.post(f"{URL}{address}/", body, content_type="application/json")


class TestChecklist:
    def test_is_there_before_anybody_has_written_one(self, client):
        client.force_login(make.member(Role.INSPECTOR))

        found = client.get(f"{URL}checklist/").json()

        assert found["number"] == 1
        assert {"key", "text", "field", "reason"} == set(found["lines"][0])

    def test_is_written_as_its_next_version(self, client, curator):
        client.get(f"{URL}checklist/")

        answer = post(client, "checklist", base=1, lines=[LINE])

        assert (answer.status_code, answer.json()) == (200, {"number": 2, "lines": [LINE]})
        assert client.get(f"{URL}checklist/").json()["number"] == 2
        assert AuditEvent.objects.get(verb="checklist.changed").data["after"]["number"] == 2

    def test_says_which_line_cannot_be_used(self, client, curator):
        client.get(f"{URL}checklist/")

        twice = post(client, "checklist", base=1, lines=[LINE, LINE])
        reason = post(client, "checklist", base=1, lines=[{**LINE, "reason": "mood"}])

        assert (twice.status_code, twice.json()["code"]) == (422, "checklist_invalid")
        assert list(twice.json()["fields"]) == ["lines.1.key"]
        assert (reason.status_code, list(reason.json()["fields"])) == (400, ["lines"])
        assert Checklist.objects.count() == 1

    @pytest.mark.parametrize("lines", [[LINE], None])
    def test_that_moved_on_is_not_written_over(self, client, curator, lines):
        first = client.get(f"{URL}checklist/").json()["lines"]
        post(client, "checklist", base=1, lines=[LINE])

        answer = post(client, "checklist", base=1, lines=lines or first)

        assert (answer.status_code, answer.json()["code"]) == (409, "checklist_moved")
        assert Checklist.objects.count() == 2

    def test_needs_a_base_that_there_is(self, client, curator):
        answer = post(client, "checklist", base=7, lines=[LINE])

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["base"])


class TestRetraining:
    def test_follows_the_limit_that_is_set(self, client, curator):
        for state in ["RETURNED"] * 3 + ["ACCEPTED"] * 2:
            make.question_version(state)

        def listed():
            return len(client.get(f"{URL}figures/", {"days": "all"}).json()["retraining"])

        before = listed()
        answer = post(client, "retraining", percent=60)

        assert (answer.status_code, answer.json()) == (200, {"limit_percent": 60})
        assert (before, listed()) == (1, 0)

    @pytest.mark.parametrize("percent", [0, 101, "many", None])
    def test_takes_percentages_alone(self, client, curator, percent):
        answer = post(client, "retraining", percent=percent)

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["percent"])

    def test_is_settled_with_a_note(self, client, curator):
        for _place in range(5):
            make.question_version("RETURNED")
        designer = make.member(Role.DESIGNER)

        answer = post(client, f"retraining/{designer.public_id}", note="We read the handbook.")
        again = post(client, f"retraining/{designer.public_id}", note="And once more.")

        assert answer.status_code == 201
        assert Retraining.objects.get().note == "We read the handbook."
        assert (again.status_code, again.json()["code"]) == (409, "not_now")
