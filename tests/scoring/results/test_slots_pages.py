import re

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from evalsite import panels
from scoring.figures.models import Figure
from tests import make
from tests.scoring import rounds, worker

pytestmark = pytest.mark.django_db


def page(client, role, name="project_home", **at):
    client.force_login(make.member(role))
    return client.get(reverse(name, kwargs={"project": "northport", **at})).content.decode()


class TestTheHomePage:
    def test_shows_analysts_the_newest_results(self, client):
        rounds.graded()

        assert reverse("results", args=["northport", 1]) in page(client, Role.ANALYST)

    def test_shows_the_latest_result_as_dots_once_it_is_computed(self, client):
        rounds.graded()
        before = page(client, Role.ANALYST)
        worker.compute()
        after = page(client, Role.ANALYST)

        assert "Latest result" not in before
        assert "Latest result" in after
        assert after.count('class="pt"') == 3  # two in the ranking, the first one in the facts
        assert "Kestrel" not in after  # names are hidden until somebody has them shown

    def test_prefers_a_round_that_compares_systems_to_a_later_one_of_one(self, client):
        rounds.graded()
        rounds.graded(systems=("Tern",), number=2)
        page(client, Role.ANALYST)
        worker.compute()

        after = page(client, Role.ANALYST)

        latest = after[after.index("Latest result") :]
        assert latest.index(reverse("results", args=["northport", 1])) < 400

    def test_says_who_scored_highest_and_how_far_annotators_agree(self, client):
        rounds.graded()
        for _view in range(2):
            page(client, Role.ANALYST)
            worker.compute()
        text = " ".join(page(client, Role.ANALYST).split())

        assert "<dt>Highest score</dt>" in text
        assert re.search(rf'<a href="{reverse("results", args=["northport", 1])}">System \d ', text)
        assert "<dt>Agreement</dt>" in text

    def test_shows_no_latest_result_of_a_round_that_is_open(self, client):
        rounds.graded(state="OPEN")
        page(client, Role.ANALYST)
        worker.compute()

        assert "Latest result" not in page(client, Role.ANALYST)

    def test_shows_nobody_else_any(self, client):
        rounds.graded()

        assert "results" not in page(client, Role.DESIGNER)

    def test_says_nothing_while_there_are_none(self, client):
        rounds.graded(state="DRAFT", n_items=0)

        assert "All results" not in page(client, Role.ANALYST)


class TestTheScoresOfDomains:
    def test_stand_on_the_picture_once_they_are_computed(self, client):
        round_ = rounds.graded()
        models.Item.objects.filter(project=round_.project).update(domain=make.domain())

        assert "newest final round" not in page(client, Role.ANALYST, "domains_picture")
        worker.compute()

        assert "newest final round" in page(client, Role.ANALYST, "domains_picture")

    def test_are_not_for_those_who_write_questions(self, client):
        round_ = rounds.graded()
        models.Item.objects.filter(project=round_.project).update(domain=make.domain())

        page(client, Role.DESIGNER, "domains_picture")

        assert not Figure.objects.exists()


class TestThePageOfARound:
    def test_leads_to_its_results(self, client):
        rounds.graded()

        assert reverse("results", args=["northport", 1]) in page(
            client, Role.CURATOR, "round", number=1
        )

    def test_leads_nowhere_before_it_is_opened(self, client):
        rounds.graded(state="DRAFT", n_items=0)

        assert reverse("results", args=["northport", 1]) not in page(
            client, Role.CURATOR, "round", number=1
        )


class TestTheMenu:
    def test_leads_to_insight_whoever_may_see_names(self):
        entries = [entry for made in panels.fill("menu") for entry in made]

        assert ("insight", "insight") in [(entry[0], entry[2]) for entry in entries]


class TestTheSweeper:
    def test_rings_for_figures_that_wait(self):
        assert "figures.ring" in panels.registered()
