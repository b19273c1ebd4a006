"""Suites that run by themselves, for programs."""

import pytest

from annotation.people.models import Role
from scoring.engine.models import Run
from scoring.kinds.suites.models import SuiteSchedule
from tests import make
from tests.scoring import suites

pytestmark = pytest.mark.django_db
AT = "/api/v1/projects/northport/suites/1/schedule/"
LIST = "/api/v1/projects/northport/schedules/"


def send(client, url=AT, **given):
    return client.post(url, given, content_type="application/json")


def set_up(client, **given):
    name = suites.brought().name
    suites.saved()
    return send(client, every="DAILY", sets=[name], **given), name


class TestSchedule:
    def test_is_null_until_it_is_set(self, as_curator):
        suites.saved()

        assert as_curator.get(AT).json() == {"schedule": None}
        assert as_curator.get(LIST).json() == {"next": None, "results": []}

    def test_is_set_told_and_changed(self, as_curator):
        answer, name = set_up(as_curator, budget="1.5")
        send(as_curator, every="WEEKLY", sets=[name])

        assert answer.status_code == 200, answer.content
        assert answer.json()["every"] == "DAILY"
        assert answer.json()["budget"] == "1.500000"
        told = as_curator.get(AT).json()["schedule"]
        assert (told["every"], told["sets"], told["budget"]) == ("WEEKLY", [name], None)
        assert [one["every"] for one in as_curator.get(LIST).json()["results"]] == ["WEEKLY"]

    def test_refuses_sets_that_there_are_not(self, as_curator):
        suites.saved()

        answer = send(as_curator, every="DAILY", sets=["Nowhere"])

        assert answer.status_code == 422
        assert answer.json()["code"] == "no_sets_chosen"
        assert "Nowhere" in answer.json()["fields"]["sets"][0]
        assert not SuiteSchedule.objects.exists()

    def test_refuses_a_rhythm_that_there_is_not(self, as_curator):
        suites.saved()

        answer = send(as_curator, every="YEARLY", sets=["x"])

        assert answer.status_code == 400
        assert "every" in answer.json()["fields"]

    def test_stops_and_goes_on(self, as_curator):
        set_up(as_curator)

        stopped, again = send(as_curator, f"{AT}pause/"), send(as_curator, f"{AT}pause/")
        on = send(as_curator, f"{AT}resume/")

        assert stopped.json()["paused_at"]
        assert (again.status_code, again.json()["code"]) == (409, "schedule_not_now")
        assert on.json()["paused_at"] is None

    def test_runs_now_over_what_is_new(self, as_curator):
        set_up(as_curator, from_beginning=True)

        answer = send(as_curator, f"{AT}run/")

        assert answer.status_code == 200, answer.content
        assert [one["run"] for one in answer.json()["runs"]] == [Run.objects.get().number]

    def test_runs_nothing_where_nothing_is_new(self, as_curator):
        set_up(as_curator)

        assert send(as_curator, f"{AT}run/").json()["runs"] == []
        assert not Run.objects.exists()

    def test_is_for_analysts_to_look_at_only(self, as_curator, client):
        set_up(as_curator)
        client.force_login(make.member(Role.ANALYST))

        assert client.get(AT).status_code == 200
        assert send(client, f"{AT}pause/").status_code == 403
        assert SuiteSchedule.objects.get().paused_at is None

    def test_of_another_project_is_not_there(self, client):
        suites.saved()
        client.force_login(make.member(Role.OWNER, in_=make.project("southport")))

        assert client.get(AT).status_code == 404
