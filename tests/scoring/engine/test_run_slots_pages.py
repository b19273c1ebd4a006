import pytest
from django.urls import reverse

from annotation.people.models import Role
from scoring.engine.models import Run
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def page(client, round_, role):
    client.force_login(make.member(role))
    return client.get(reverse("round", args=["northport", round_.number])).content.decode()


class TestOfRound:
    def test_counts_the_runs_of_judges(self, client):
        round_ = make.open_round()
        run_rows.run(round=round_, name="One judge")
        run_rows.run(round=round_, state=Run.State.DONE, scripted=True)

        text = page(client, round_, Role.ANALYST)

        assert "2 runs, 1 finished" in text
        assert "One judge" in text
        assert "scripted, not a measurement" in text

    def test_leads_curators_to_a_judge(self, client):
        round_ = make.open_round()

        there = reverse("round_judge", args=["northport", round_.number])

        assert there in page(client, round_, Role.CURATOR)
        assert there not in page(client, round_, Role.ANALYST)

    def test_says_nothing_to_those_who_cannot_start_one(self, client):
        assert "Machine judges" not in page(client, make.open_round(), Role.ANALYST)
