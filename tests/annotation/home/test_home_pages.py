import pytest
import time_machine
from django.urls import reverse

from annotation.people.models import Role
from evalsite import panels
from tests import make

pytestmark = pytest.mark.django_db


def home(client) -> str:
    return client.get(reverse("project_home", args=["northport"])).content.decode()


class TestHome:
    def test_leads_to_the_only_project(self, client):
        client.force_login(make.member(Role.ANALYST))

        assert client.get("/")["Location"] == reverse("project_home", args=["northport"])

    def test_leads_to_the_list_when_there_is_none(self, client):
        client.force_login(make.user("lena"))

        assert client.get("/")["Location"] == reverse("projects")


class TestProjectHome:
    def test_shows_an_owner_the_first_steps_of_an_empty_project(self, client):
        make.project()
        client.force_login(make.user("northport-owner"))

        page = home(client)

        for step in ("questions", "rubric", "people", "round"):
            assert reverse("first_step", args=["northport", step]) in page
        assert page.count("btn sm go") == 1

    def test_ticks_off_what_is_done(self, client):
        make.item()
        make.rubric_version()
        client.force_login(make.user("northport-owner"))

        assert home(client).count("(done)") == 2

    def test_sends_somebody_who_only_grades_to_the_grading(self, client):
        client.force_login(make.member(Role.ANNOTATOR))

        answer = client.get(reverse("project_home", args=["northport"]))

        assert answer["Location"] == reverse("grading", args=["northport"])

    def test_hides_rounds_from_those_who_may_not_see_them(self, client):
        client.force_login(make.member(Role.DESIGNER))

        assert "Rounds in progress" not in home(client)

    def test_counts_the_seats_of_open_rounds(self, client):
        round_ = make.open_round()
        client.force_login(make.user("northport-owner"))

        page = home(client)

        assert round_.name in page
        assert f"0 of {round_.assignments.count()}" in page

    def test_offers_a_slot_to_others(self, client):
        make.project()
        client.force_login(make.user("northport-owner"))
        panels.load({"home": {"test": lambda scope, **_: f"panel of {scope.project.slug}"}})

        page = home(client)

        panels.load({"home": {"test": lambda **_: None}})
        assert "panel of northport" in page

    def test_shows_an_owner_who_is_at_work(self, client):
        make.item()
        make.open_round()
        client.force_login(make.user("northport-owner"))

        page = home(client)

        assert "People and workload" in page
        assert "ann-1" in page.lower()

    def test_shows_an_analyst_the_news_of_rounds(self, client):
        with time_machine.travel(make.at(5), tick=False):
            make.open_round()
            client.force_login(make.member(Role.ANALYST))

            page = home(client)

        assert "This week" in page
        assert "People and workload" not in page

    def test_lists_what_needs_a_look_with_what_others_add(self, client):
        make.open_round()
        client.force_login(make.member(Role.CURATOR))
        added = [{"title": "Two questions wait", "text": "For an inspector.", "url": "/x/"}]
        panels.load({"needs_a_look": {"test": lambda **_: added}})

        try:
            assert "Two questions wait" in home(client)
        finally:
            panels.load({"needs_a_look": {"test": lambda **_: None}})
