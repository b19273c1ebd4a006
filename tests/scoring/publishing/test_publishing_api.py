import uuid

import pytest

from annotation.people.models import Role
from annotation.rounds.models import Round
from tests import make
from tests.scoring import connected, interviewed, suites_published

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _curator(client):
    client.force_login(make.member(Role.CURATOR))


@pytest.fixture(name="run")
def _run():
    make.item("Q01")
    make.item("Q02")
    connected.connection()
    return connected.done(connected.request())


def url(run) -> str:
    return f"/api/v1/projects/northport/runs/{run.number}/publish/"


def wish(**more) -> dict[str, object]:
    rubric = make.rubric_version()
    named = {"key": rubric.rubric.key, "number": rubric.number}
    return {"key": str(uuid.UUID(int=4)), "name": "Rated", "rubric": named, **more}


def post(client, run, **data):
    return client.post(url(run), data, content_type="application/json")


class TestPublish:
    def test_makes_a_round_once(self, client, run):
        answers = [post(client, run, **wish(n=1, seed="s")) for _ in range(2)]

        assert [one.status_code for one in answers] == [201, 201]
        told = answers[1].json()
        assert (told["n_units"], told["n_taken"], told["scripted"]) == (2, 1, True)
        assert Round.objects.get().number == told["round"]
        listed = client.get(url(run)).json()
        assert listed["sorts"] == ["answers"]
        assert [one["round"] for one in listed["results"]] == [told["round"]]

    def test_forgets_a_round_that_was_discarded(self, client, run):
        made = post(client, run, **wish(n=1)).json()["round"]
        gone = f"/api/v1/projects/northport/rounds/{made}/discard/"
        assert client.post(gone, {}, content_type="application/json").status_code == 204

        again = post(client, run, **wish(n=1))

        assert (again.status_code, again.json()["code"]) == (409, "round_was_discarded")
        assert client.get(url(run)).json()["results"] == []

    def test_refuses_a_sort_that_the_run_does_not_have(self, client, run):
        answer = post(client, run, **wish(sort="dialogues"))

        assert (answer.status_code, answer.json()["code"]) == (422, "nothing_to_publish")

    def test_knows_no_rubric_of_another_project(self, client, run):
        answer = post(client, run, **wish(rubric={"key": "elsewhere", "number": 1}))

        assert answer.status_code == 422
        assert "elsewhere 1" in answer.json()["fields"]["rubric"][0]


class TestPublishOfInterviews:
    def test_makes_a_round_of_exchanges_by_a_rubric_of_the_method(self, client):
        run = interviewed.held(n=2)

        given = wish(sort="exchange_1", rubric={"key": "interview-aspects"})
        answer = post(client, run, **given)

        assert answer.status_code == 201, answer.json()
        listed = client.get(url(run)).json()
        assert listed["sorts"][:2] == ["exchange_0", "exchange_1"]
        assert listed["sorts"][-2:] == ["exchanges", "dialogues"]
        assert listed["rubrics"] == ["interview-overall", "interview-aspects"]
        assert listed["results"][0]["sort"] == "exchange_1"


class TestPublishOfSuites:
    def test_makes_a_round_of_turns_by_the_rubric_of_the_suite(self, client):
        run = suites_published.judged()
        offered = client.get(url(run)).json()

        given = wish(sort="turns", n=3, rubric={"key": offered["rubrics"][0]})
        answer = post(client, run, **given)

        assert answer.status_code == 201, answer.json()
        assert offered["sorts"] == ["turns", "tool_calls", "conversations"]
        assert (answer.json()["sort"], answer.json()["n_taken"]) == ("turns", 3)

    def test_knows_no_rubric_that_the_suite_lacks(self, client):
        run = suites_published.judged(n=1)

        answer = post(client, run, **wish(sort="turns", rubric={"key": "interview-overall"}))

        assert answer.status_code == 422
