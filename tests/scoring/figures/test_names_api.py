import pytest

from annotation.people.models import Role
from annotation.rounds.models import Unblinding
from scoring.figures.models import Figure
from tests import make
from tests.scoring import connected, rounds

pytestmark = pytest.mark.django_db
HOME = "/api/v1/projects/northport/"


class TestNames:
    def test_are_hidden_until_they_are_asked_for(self, client, analyst):
        rounds.graded()

        found = client.get(f"{HOME}rounds/1/names/").json()

        assert found == {
            "names_shown": False,
            "releases": [
                {"system": "System 1", "release": None, "name": "System 1"},
                {"system": "System 2", "release": None, "name": "System 2"},
            ],
        }

    def test_are_shown_from_then_on_in_every_answer(self, client, analyst):
        round_ = rounds.graded()

        shown = client.post(f"{HOME}rounds/1/names/").json()
        again = client.post(f"{HOME}rounds/1/names/").json()

        assert shown["names_shown"] is True
        assert {one["system"] for one in shown["releases"]} == {"Kestrel", "Harbour"}
        assert again == shown
        assert client.get(f"{HOME}rounds/1/names/").json() == shown
        assert Unblinding.objects.get(round=round_).user == analyst
        assert "Kestrel" in b"".join(client.get(f"{HOME}rounds/1/grades.csv")).decode()

    def test_stay_hidden_from_who_grades_in_the_round(self, client):
        round_ = rounds.graded(state="REVIEW")
        grader = round_.annotators.first().rater.user
        make.member(Role.ANALYST, username=grader.username)
        client.force_login(grader)

        answer = client.post(f"{HOME}rounds/1/names/")

        assert answer.status_code == 403
        assert not Unblinding.objects.exists()


class TestFiguresAgain:
    def test_asks_for_those_of_a_round_that_failed(self, client, analyst):
        rounds.graded()
        client.get(f"{HOME}rounds/1/agreement/")
        Figure.objects.update(state=Figure.State.FAILED, problem="No memory left.")

        before = client.get(f"{HOME}rounds/1/agreement/")
        answer = client.post(f"{HOME}rounds/1/figures/again/")

        assert (before.status_code, before.json()["code"]) == (409, "not_computed")
        assert answer.json() == {"again": 1}
        assert client.get(f"{HOME}rounds/1/agreement/").status_code == 202
        assert client.post(f"{HOME}rounds/1/figures/again/").json() == {"again": 0}

    def test_asks_for_those_of_a_run_that_failed(self, client, analyst):
        make.item("Q01")
        connected.connection()
        run = connected.done(connected.request())
        figure = Figure.objects.create(
            name="suite",
            params={"run": run.pk},
            params_sha="a" * 64,
            ratings_sha="b" * 64,
            state=Figure.State.FAILED,
            problem="No memory left.",
            wanted_at=make.NOW,
        )

        answer = client.post(f"{HOME}runs/{run.number}/figures/again/")

        assert answer.json() == {"again": 1}
        figure.refresh_from_db()
        assert figure.state == Figure.State.WANTED
