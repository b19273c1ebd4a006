import re
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drawing, opening
from scoring.figures.models import Figure
from tests import make
from tests.pages import squeezed
from tests.scoring.spread import spread
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
PAGES = ("results", "results_breakdown", "results_items")


def at(name, query=None, number=1):
    url = reverse(name, args=["northport", number])
    return f"{url}?{urlencode(query, doseq=True)}" if query else url


def computed(client, url):
    client.get(url)
    compute()
    return client.get(url).content.decode()


class TestEveryPage:
    @pytest.mark.parametrize("name", PAGES)
    def test_shows_no_name_of_a_system_or_annotator(self, client, analyst, name):
        spread()

        page = computed(client, at(name))

        assert "Kestrel" not in page
        assert "annotator-0" not in page
        assert "System 1" in page

    @pytest.mark.parametrize("name", PAGES)
    def test_is_closed_to_those_who_grade_in_a_round_that_is_not_final(self, client, name):
        world = spread(n_items=3, state="REVIEW")
        both = world.round.annotators.first().rater.user
        make.member(Role.ANALYST, username=both.username)
        client.force_login(both)

        assert client.get(at(name)).status_code == 403
        assert not Figure.objects.exists()


class TestAnswersOfAScript:
    @pytest.mark.parametrize("scripted", [True, False])
    def test_are_said_to_be_no_measurement(self, client, analyst, scripted):
        draft = make.draft_round()
        models.Response.objects.update(details={"scripted": True} if scripted else {})
        drawing.prepare(round_=draft, now=make.NOW)
        opening.request_opening(round_=draft, by=draft.created_by, now=make.NOW)
        opening.open_round(round_=draft, now=make.NOW)

        page = client.get(at("results", number=draft.number)).content.decode()

        assert ("Demo: made by a script." in page) is scripted


class TestWeights:
    def test_are_recomputed_said_and_reset(self, client, analyst):
        spread()
        usual = computed(client, at("results"))

        changed = computed(client, at("results", {"w.g-GENERAL": "3"}))

        assert "Weights changed" not in usual
        assert "Weights changed" in changed
        assert 'name="w.g-GENERAL" value="3"' in changed
        assert ">Reset</a>" in changed
        assert Figure.objects.filter(name="scores").count() == 2

    def test_that_cannot_be_used_leave_the_page_as_it_was_and_say_why(self, client, analyst):
        spread()

        page = computed(client, at("results", {"w.g-GENERAL": "-1"}))

        assert "“-1” is no weight" in page
        assert 'value="-1"' in page
        assert 'aria-invalid="true"' in page
        assert Figure.objects.filter(name="scores").count() == 1

    def test_have_one_address(self, client, analyst):
        spread()

        answer = client.get(at("results", {"w.g-GENERAL": "3.0", "w.g-DOMAIN": "1", "x": "y"}))

        assert answer.status_code == 302
        assert answer["Location"] == at("results", {"w.g-GENERAL": "3", "x": "y"})


class TestAnotherWayToScore:
    def test_is_chosen_said_and_kept_by_filters(self, client, analyst):
        spread()

        page = " ".join(computed(client, at("results", {"way": "questions"})).split())

        assert '<option value="questions" selected>mean over questions of their ratio' in page
        assert "<b>Score</b>: mean over questions of their ratio." in page
        assert page.count('name="way" value="questions"') >= 2

    def test_that_is_none_leaves_the_page_as_it_was_and_says_why(self, client, analyst):
        spread()

        page = computed(client, at("results", {"way": "median"}))

        assert "Choose one of the ways in which a score is made of marks." in page
        assert "<b>Score</b>: " not in page.split("<h2")[0]


class TestFilters:
    def test_go_along_to_the_breakdown_the_files_and_back(self, client, analyst):
        spread()

        page = computed(client, at("results", {"difficulty": ["SIMPLE"]}))

        assert f'href="{at("results_breakdown")}?difficulty=SIMPLE"' in page
        assert f'href="{at("results_csv")}?difficulty=SIMPLE"' in page
        assert "A part of the grades." in page
        assert "11 questions" in page

    def test_that_let_nothing_through_offer_the_way_back(self, client, analyst):
        spread()

        url = at("results", {"difficulty": ["SIMPLE"], "domain": ["none"]})
        page = squeezed(computed(client, url))

        assert "No matching grades" in page
        assert 'href="?difficulty=SIMPLE">Without Area: Without an area' in page

    def test_wait_in_sight_of_what_was_chosen(self, client, analyst):
        spread()

        page = squeezed(client.get(at("results", {"difficulty": ["SIMPLE"]})).content.decode())

        assert "The figures are being computed" in page
        assert "Difficulty: 1" in page


class TestTheBreakdown:
    def test_has_lines_that_fold_and_figures_that_open(self, client, analyst):
        world = spread()

        page = computed(client, at("results_breakdown"))

        law = f"c-{world.law.pk}"
        assert f'data-key="{law}/SIMPLE" data-below="{law}"' in page
        assert 'aria-label="Parts of Law"' in page
        drill = f"?at_breakdown=1&amp;at_release=1&amp;at_node={law}&amp;at_difficulty=SIMPLE"
        assert drill.replace("&amp;", "&") in page.replace("&amp;", "&")

    def test_shows_accuracy_and_another_system_when_asked(self, client, analyst):
        spread()

        page = squeezed(
            computed(client, at("results_breakdown", {"figure": "accuracy", "of": "2"}))
        )

        assert re.search(r'figure=accuracy" aria-current="true"', page)
        assert "System 2, capabilities by weight" in page

    def test_says_each_reason_once(self, client, analyst):
        spread()

        page = squeezed(computed(client, at("results_breakdown")))

        reasons = re.findall(r"<li>No interval: it needs six questions", page)
        assert 1 <= len(reasons) < page.count(">n ")
        assert "no interval" not in page.replace("No interval", "")


class TestTheItems:
    def test_lead_back_to_where_one_came_from(self, client, analyst):
        spread()
        query = {"difficulty": "SIMPLE", "figure": "accuracy", "at_breakdown": "1"}

        page = client.get(at("results_items", {**query, "at_release": "1"})).content.decode()

        back = at("results_breakdown", {"difficulty": "SIMPLE", "figure": "accuracy"})
        assert f'href="{back}"'.replace("&", "&amp;") in page.replace("&amp;", "&").replace(
            "&", "&amp;"
        )

    def test_have_pages_that_keep_the_cell(self, client, analyst):
        spread()

        first = client.get(at("results_items", {"at_release": "1"}))
        second = client.get(at("results_items") + first.context["next_url"])

        assert len(first.context["lines"]) == 20
        assert len(second.context["lines"]) == 4
        assert second.context["cell"].at == {"release": "1"}

    def test_lead_to_the_item_and_to_its_dispute(self, client, analyst):
        world = spread(marks=lambda system, item, rater: 0 if rater == 0 else 2)

        page = client.get(at("results_items")).content.decode()

        item = world.round.items.order_by("ordinal").first().item_id
        assert reverse("item", args=["northport", item]) in page
        assert f"{at('results_dispute')}?question=Q1-0" in page

    def test_say_in_one_line_that_nobody_has_graded_an_item(self, client, analyst):
        world = spread(n_items=2)
        first = world.round.items.order_by("ordinal").first()
        models.Grade.objects.filter(response__item=first.item_id).update(
            is_current=False, late=True
        )

        page = client.get(at("results_items")).content.decode()

        assert page.count("No grades that count") == 1

    def test_name_annotators_to_curators_alone(self, client):
        spread(n_items=3)
        client.force_login(make.member(Role.CURATOR))

        assert "northport-annotator-0" in client.get(at("results_items")).content.decode()

    def test_of_a_cell_that_is_not_there_say_so(self, client, analyst):
        spread(n_items=3)

        page = client.get(at("results_items", {"at_node": "c-99"})).content.decode()

        assert "This round has no such cell: node" in page
