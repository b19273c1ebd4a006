import uuid

import pytest
from django.urls import reverse

from annotation.rounds.models import Round
from annotation.systems.models import SystemRelease
from scoring.publishing import suites as suite_rubrics
from scoring.publishing.models import Publication
from tests import make
from tests.scoring import connected, interviewed, suites, suites_published

pytestmark = pytest.mark.django_db


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
        assert "1 of 2 outputs, by lot" in page
        assert "Demo: made by a script." in page

    def test_says_what_there_is_and_what_was_made_of_it(self, client, curator, run):
        client.post(url(run), sent(run))

        page = client.get(url(run)).content.decode()

        assert "Rounds made of it" in page
        assert "Create draft" in page

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

        assert "Nothing to rate yet" in page
        assert "Create draft" not in page


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

        assert "Nothing to rate yet" in client.get(url(run)).content.decode()


class TestRunPublishOfSuites:
    def test_offers_parts_and_the_rubric_of_the_suite(self, client, curator):
        run = suites_published.judged()
        (rubric,) = suite_rubrics.offered(run)

        page = client.get(f"{url(run)}?sort=conversations").content.decode()
        made = client.post(
            url(run),
            {
                "key": uuid.UUID(int=3),
                "name": "Rated",
                "sort": "conversations",
                "releases": [one.pk for one in SystemRelease.objects.all()],
                "rubric": rubric,
                "n": 1,
                "n_seats": 3,
                "seed": "a seed",
            },
        )

        assert "turns of the assistant (8)" in page
        assert "whole conversations (4)" in page
        assert 'value="conversations" selected' in page
        assert "kind: UNKIND, KIND" in page
        publication = Publication.objects.get()
        assert made.status_code == 302
        assert (publication.sort, publication.n_taken) == ("conversations", 1)

    def test_says_that_nobody_answered(self, client, curator):
        alone = [{"id": "a", "messages": [{"role": "user", "content": "Anybody?"}]}]
        run = suites.done(suites.requested(None, suites.brought(suites.lines(alone))))

        page = client.get(url(run)).content.decode()

        assert "Nothing to rate yet" in page
        assert "Create draft" not in page

    def test_refuses_a_sort_and_a_rubric_that_are_not_offered(self, client, curator):
        run = suites_published.judged(n=1)

        answer = client.post(
            url(run),
            {"key": uuid.UUID(int=3), "name": "Rated", "sort": "dialogues", "rubric": "kind"},
        )

        assert answer.status_code == 422
        assert not Publication.objects.exists()
