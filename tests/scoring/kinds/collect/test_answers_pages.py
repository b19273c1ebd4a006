import uuid

import pytest
from django.urls import reverse

from scoring.engine.models import Run
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db
URL = "/p/northport/systems/answers/"


def sent(*releases, deed: str, **more) -> dict[str, object]:
    return {
        "key": uuid.UUID(int=5),
        "name": "Answers",
        "seed": 1,
        "samples": 1,
        "releases": [one.pk for one in releases],
        "deed": deed,
        **more,
    }


class TestAnswers:
    def test_says_what_it_would_take_before_anything_is_asked(self, client, curator):
        made = connected.connection()
        make.item("Q01")

        page = client.post(URL, sent(made.release, deed="estimate")).content.decode()

        assert "Estimate</h2>" in page
        assert not Run.objects.exists()

    def test_starts_a_run_once_however_often_it_is_sent(self, client, curator):
        made = connected.connection()
        make.item("Q01")

        for _ in range(2):
            client.post(URL, sent(made.release, deed="start"))

        run = Run.objects.get()
        assert (run.kind, run.protocol, run.scripted) == ("COLLECT", "collect/v1", True)

    def test_says_who_has_to_be_connected(self, client, curator):
        make.item("Q01")
        make.release()

        page = client.get(URL).content.decode()

        assert "No answer is missing" in page

    def test_is_reached_from_what_is_missing(self, client, curator):
        connected.connection()
        make.item("Q01")

        page = client.get("/p/northport/systems/collect/").content.decode()

        assert URL in page
        assert "connected release" in page


class TestRoundAnswers:
    def test_starts_a_run_for_what_a_draft_lacks(self, client, curator):
        round_ = make.draft_round(n_items=2, n_releases=1)
        release = round_.systems.get().release
        connected.connection(release)
        make.item("Q07")
        round_.draw = {"unanswered": True, "complete_only": False}
        round_.save(update_fields=["draw"])
        url = reverse("round_answers", args=["northport", round_.number])

        client.post(url, sent(release, deed="start"))

        run = Run.objects.get()
        assert run.round == round_
        assert len(run.config["items"][str(release.pk)]) == 1

    def test_fills_its_form_from_the_run_it_clones(self, client, curator):
        connected.connection()
        make.item("Q01")
        run = connected.request(samples=3)

        page = client.get(f"{URL}?from={run.number}").content.decode()

        assert 'name="samples" value="3"' in page
        assert "Answers 1, again" in page
