import uuid

import pytest

from annotation.people.models import Role
from scoring.endpoints.models import SystemConnection
from scoring.engine.models import Run
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db
HERE = "/api/v1/projects/northport/"
ANSWERS = f"{HERE}answers/"


@pytest.fixture(autouse=True)
def _curator(client):
    client.force_login(make.member(Role.CURATOR))


def post(client, url: str, **data):
    return client.post(url, data, content_type="application/json")


def wish(**more) -> dict[str, object]:
    return {"key": str(uuid.UUID(int=9)), "name": "Answers", "seed": 1, **more}


class TestConnection:
    def test_is_made_changed_and_ended(self, client):
        release = make.release()
        connected.endpoint()
        url = f"{HERE}releases/{release.pk}/connection/"

        made = post(client, url, endpoint="Scripted", settings={"temperature": 0.1}).json()
        changed = post(client, url, endpoint="Scripted", settings={"temperature": 0.2}).json()
        ended = post(client, url, endpoint=None).json()

        assert made["connection"]["settings"] == {"temperature": 0.1}
        assert made["connection"]["scripted"] is True
        assert changed["connection"]["settings"] == {"temperature": 0.2}
        assert ended["connection"] is None
        assert len(ended["earlier"]) == 2

    def test_refuses_parameters_that_no_server_takes(self, client):
        connected.endpoint()
        url = f"{HERE}releases/{make.release().pk}/connection/"

        answer = post(client, url, endpoint="Scripted", settings={"temperature": 7})

        assert answer.status_code == 422
        assert answer.json()["code"] == "bad_connection_settings"
        assert list(answer.json()["fields"]) == ["temperature"]
        assert not SystemConnection.objects.exists()

    def test_knows_no_endpoint_of_another_project(self, client):
        connected.endpoint("Foreign", in_=make.project("southgate"))
        url = f"{HERE}releases/{make.release().pk}/connection/"

        assert post(client, url, endpoint="Foreign").status_code == 404


class TestAnswers:
    def test_tell_what_is_missing_and_who_can_be_asked(self, client):
        made = connected.connection()
        make.release("Heron")
        make.item("Q01")

        told = client.get(ANSWERS).json()["results"]

        assert [(one["name"], one["missing"], one["ready"]) for one in told] == [
            ("Heron · 1", 1, False),
            ("Kestrel · 1", 1, True),
        ]
        assert told[1]["release"] == made.release_id

    def test_are_estimated_and_then_collected_once(self, client):
        made = connected.connection()
        make.item("Q01")
        asked = wish(releases=[made.release_id])

        estimate = post(client, ANSWERS, **asked, estimate=True).json()
        answers = [post(client, ANSWERS, **asked) for _ in range(2)]

        assert estimate["calls"] == 1
        assert [one.status_code for one in answers] == [201, 201]
        assert answers[0].json()["number"] == answers[1].json()["number"] == 1
        assert Run.objects.get().scripted

    def test_of_a_draft_are_those_it_would_draw(self, client):
        round_ = make.draft_round(n_items=2, n_releases=1)
        connected.connection(round_.systems.get().release)

        assert client.get(f"{ANSWERS}?round={round_.number}").json()["results"][0]["missing"] == 0
        answer = post(client, ANSWERS, **wish(round=round_.number))

        assert (answer.status_code, answer.json()["code"]) == (422, "nothing_missing")
        assert client.get(f"{ANSWERS}?round=9").status_code == 404
        assert client.get(f"{ANSWERS}?round=x").status_code == 400
