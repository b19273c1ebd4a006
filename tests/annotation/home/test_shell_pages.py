import re

import pytest
from django.urls import reverse

from annotation.people.models import Role
from tests import make
from tests.pages import squeezed
from tests.who_may_world import World

pytestmark = pytest.mark.django_db


def entries(page: str) -> list[str]:
    nav = page[page.index('<nav class="nav"') : page.index("</nav>")]
    links = re.findall(r"<li><a href=[^>]*>(?:<svg.*?</svg>)?([^<]+)</a>", nav, re.DOTALL)
    return [one.strip() for one in links]


def current(page: str) -> list[str]:
    found = re.findall(r'aria-current="(?:page|true)">(?:<svg.*?</svg>)?([^<]+)<', page, re.DOTALL)
    return [one.strip() for one in found if one.strip()]


def look(client, name: str, *args: object) -> str:
    answer = client.get(reverse(name, args=["northport", *args]))
    assert answer.status_code == 200
    return squeezed(answer.content.decode())


class TestMenu:
    @pytest.mark.parametrize(
        ("role", "seen"),
        [
            (Role.OWNER, ["Home", "Bank", "Rounds", "Insight", "Settings"]),
            (Role.CURATOR, ["Home", "Bank", "Rounds", "Insight", "Settings"]),
            (Role.ANALYST, ["Home", "Bank", "Rounds", "Insight"]),
            (Role.DESIGNER, ["Home", "Bank"]),
        ],
    )
    def test_holds_what_a_role_may_do(self, client, role, seen):
        make.project()
        client.force_login(make.member(role, username="somebody"))

        found = entries(look(client, "project_home"))

        assert [one for one in found if one in {*seen, "Grade", "Settings", "Insight"}] == seen

    def test_of_somebody_who_only_grades_is_the_list(self, client):
        make.project()
        client.force_login(make.member(Role.ANNOTATOR))

        assert entries(look(client, "grading")) == ["Grade", "To grade", "Training"]

    def test_opens_the_entry_one_is_in(self, client):
        make.project()
        client.force_login(make.member(Role.CURATOR))

        page = look(client, "rubrics")

        assert {"Questions", "Capabilities", "Rubrics", "Imports"} <= set(entries(page))
        assert current(page)[-2:] == ["Bank", "Rubrics"]

    @pytest.mark.parametrize(
        "page", ["settings_bank", "settings_disputes", "settings_reviews", "settings_verdicts"]
    )
    def test_counts_the_pages_of_rules_as_rules(self, client, page):
        make.project()
        client.force_login(make.member(Role.OWNER))

        assert current(look(client, page))[-2:] == ["Settings", "Rules"]

    def test_counts_the_choice_of_who_helps_with_drafting_as_a_setting(self, client):
        make.project()
        client.force_login(make.member(Role.OWNER))

        page = look(client, "settings_drafting")

        assert current(page)[-2:] == ["Settings", "Help with drafting"]

    @pytest.mark.parametrize("page", ["people", "pairs", "together", "fewer"])
    def test_counts_the_comparisons_of_judges_as_beside_people(self, client, page):
        make.project()
        client.force_login(make.member(Role.ANALYST))

        assert current(look(client, f"judges_{page}"))[-2:] == ["Judges", "Judges vs people"]

    def test_counts_what_is_drafted_from_a_source_as_a_source(self, client):
        world = World()
        run = world.drafting.run
        client.force_login(world.people[Role.DESIGNER])

        assert current(look(client, "drafting", run.number))[-2:] == ["Bank", "Sources"]

    def test_counts_results_as_insight(self, client):
        round_ = make.open_round()
        client.force_login(make.member(Role.ANALYST, in_=round_.project))

        page = look(client, "results", round_.number)

        assert "Insight" in current(page)

    def test_leads_nowhere_that_is_closed(self, client):
        make.project()
        for role in Role:
            client.force_login(make.member(role, username=f"one-{role}"))
            name = "grading" if role == Role.ANNOTATOR else "project_home"
            for url in set(re.findall(r'href="(/[^"#]*)"', look(client, name))):
                if not url.startswith("/static/"):
                    assert client.get(url).status_code in {200, 302}, (role, url)


class TestOutsideProjects:
    def test_keeps_the_menu_of_the_only_project(self, client):
        make.project()
        client.force_login(make.member(Role.CURATOR))

        page = client.get(reverse("account")).content.decode()

        assert "Bank" in entries(page)

    def test_shows_no_menu_of_several(self, client):
        user = make.member(Role.OWNER, username="boss")
        make.project("southgate", owner=user)
        client.force_login(user)

        assert "Bank" not in entries(client.get(reverse("account")).content.decode())
