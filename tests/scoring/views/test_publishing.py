import uuid

import pytest
from django.urls import reverse

from annotation.models import Role, Round
from scoring.models import Publication
from tests import make
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def curator(client):
    client.force_login(make.member(Role.CURATOR))


@pytest.fixture(name="run")
def _run():
    make.item("Q01")
    make.item("Q02")
    connected.connection()
    return connected.done(connected.request())


def sent(run, **more) -> dict[str, object]:
    return {
        "key": uuid.UUID(int=3),
        "name": "Rated",
        "releases": [one.release_id for one in run.steps.all()[:1]],
        "rubric": make.rubric_version().pk,
        "n_seats": 3,
        "seed": "a seed",
        **more,
    }


def url(run) -> str:
    return reverse("run_publish", args=["northport", run.number])


class TestRunPublish:
    def test_makes_a_draft_and_leads_to_it(self, client, curator, run):
        page = client.post(url(run), sent(run, n=1), follow=True).content.decode()

        round_ = Round.objects.get()
        assert (round_.name, round_.state) == ("Rated", "DRAFT")
        assert "1 of 2 outputs, taken by lot" in page
        assert "Scripted, not a measurement." in page

    def test_says_what_there_is_and_what_was_made_of_it(self, client, curator, run):
        client.post(url(run), sent(run))

        page = client.get(url(run)).content.decode()

        assert "Rounds that were made of it" in page
        assert "Make the draft" in page

    def test_makes_one_draft_however_often_it_is_sent(self, client, curator, run):
        for _ in range(2):
            client.post(url(run), sent(run))

        assert Publication.objects.count() == Round.objects.count() == 1

    def test_says_when_there_are_not_so_many(self, client, curator, run):
        answer = client.post(url(run), sent(run, n=3))

        assert answer.status_code == 422
        assert "choose from 1 to 2" in answer.content.decode()

    def test_leaves_few_seats_to_owners(self, client, curator, run):
        answer = client.post(url(run), sent(run, n_seats=1, override="A pilot."))

        assert answer.status_code == 422
        assert not Round.objects.exists()

    def test_has_nothing_to_offer_before_there_is_something(self, client, curator):
        make.item("Q01")
        connected.connection()

        page = client.get(url(connected.request())).content.decode()

        assert "or not yet" in page
        assert "Make the draft" not in page


class TestRunPublishOfInterviews:
    def test_offers_exchanges_dialogues_and_the_rubrics_of_the_method(self, client, curator):
        run = interviewed.held(n=2)

        page = client.get(url(run)).content.decode()
        made = client.post(
            url(run),
            {
                "key": uuid.UUID(int=3),
                "name": "Rated",
                "sort": "dialogues",
                "releases": run.dialogues.values_list("release", flat=True).distinct(),
                "rubric": "interview-overall",
                "n_seats": 3,
                "seed": "a seed",
            },
        )

        assert "exchange 1 of each dialogue (4)" in page
        assert "whole dialogues, side by side (2)" in page
        assert "five aspects and overall" in page
        publication = Publication.objects.get()
        assert made.status_code == 302
        assert (publication.sort, publication.n_units, publication.scripted) == (
            "dialogues",
            2,
            True,
        )

    def test_says_that_nothing_was_held_yet(self, client, curator):
        run = interviewed.requested(n=1)

        assert "nothing that people could rate" in client.get(url(run)).content.decode()
