import pytest

from annotation.people.models import Role
from evalsite import queue
from tests import make
from tests.scoring import interviewed, quizzed

pytestmark = pytest.mark.django_db


class TestResults:
    def test_come_when_they_are_computed(self, client, django_capture_on_commit_callbacks):
        client.force_login(make.member(Role.ANALYST))
        run = interviewed.held(items=quizzed.questions(2), planned=1)
        url = f"/api/v1/projects/northport/runs/{run.number}/contamination/"

        with django_capture_on_commit_callbacks(execute=True):
            first = client.get(url)
        queue.burst("insight")
        found = client.get(url).json()

        assert first.status_code == 202
        assert found["axes"] == {"first": "right first answers of these interviews"}
        assert {one["system"] for one in found["results"] if one["part"] == "system"} == {
            "Kestrel · 1",
            "Osprey · 1",
        }
        assert found["flagged"] == []

    def test_refuse_an_axis_that_is_not_offered(self, client):
        client.force_login(make.member(Role.ANALYST))
        run = interviewed.held(items=quizzed.questions(2), planned=1)
        url = f"/api/v1/projects/northport/runs/{run.number}/contamination/"

        answer = client.get(url, {"axis": "run:99"})

        assert answer.status_code == 400
        assert answer.json()["fields"] == {"axis": ["One of these: first."]}
