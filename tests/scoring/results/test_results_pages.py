import re

import pytest
from django.urls import reverse

from annotation.people.models import AuditEvent, Role
from scoring.figures.models import Figure
from scoring.results import queries as results
from tests import make
from tests.pages import squeezed
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def at(name, number=1):
    return reverse(name, args=["northport", number])


def computed(client, number=1):
    """Ask for a page, let the worker compute, ask again."""
    client.get(at("results", number))
    compute()
    return client.get(at("results", number)).content.decode()


class TestTheResults:
    def test_wait_for_the_worker_and_ask_again_by_themselves(self, client, analyst):
        rounds.graded()

        page = client.get(at("results")).content.decode()

        assert 'hx-trigger="load delay:2s"' in page
        assert "Look again" in page
        assert "plotly" not in page

    def test_reload_the_page_once_they_are_there(self, client, analyst):
        rounds.graded()
        asked = {"headers": {"HX-Request": "true"}}

        waiting = client.get(at("results"), **asked)
        compute()
        there = client.get(at("results"), **asked)

        assert b"<html" not in waiting.content
        assert there.headers["HX-Refresh"] == "true"

    def test_say_where_two_systems_share_fewer_than_half_of_their_questions(self, client, analyst):
        rounds.graded(n_items=12, marks=rounds.half_seen)

        page = computed(client)

        assert "5 of 12 questions in common" in page
        assert "5 of 12" in page
        assert "fewer than half" in page
        assert "what one annotator graded of both systems" in page

    def test_hold_for_other_annotators_or_on_request_for_these(self, client, analyst):
        rounds.graded(n_items=12, marks=rounds.partial)
        computed(client)

        wide = client.get(at("results")).context["result"]
        answer = client.get(f"{at('results')}?claim=these")
        narrow, page = answer.context["result"], answer.content.decode()

        assert (wide.claim, narrow.claim) == ("others", "these")
        for one, other in zip(wide.headline, narrow.headline, strict=True):
            assert one.overall.value == other.overall.value
            assert one.overall.low < other.overall.low < other.overall.high < one.overall.high
        assert [line.better for line in wide.headline] == [(), ()]
        assert [line.standing.ranks for line in wide.headline] == ["1–2", "1–2"]
        assert [line.standing.ranks for line in narrow.headline] == ["1", "2"]
        assert wide.gaps[0].certainty == narrow.gaps[0].certainty == "likely"
        assert "For these annotators it is" in page
        assert re.search(r'href="\?claim=these"\s+aria-current="page"', page)
        assert 'name="claim" value="these"' in page  # filters keep it

    def test_call_two_systems_equal_within_as_many_points_as_asked_for(self, client, analyst):
        rounds.graded(n_items=30, marks=lambda system, item, rater: (item + rater) % 3)
        computed(client)
        usual = client.get(at("results")).context["result"]

        wrong = client.get(f"{at('results')}?margin=much")
        client.get(f"{at('results')}?margin=7.50")
        client.get(f"{at('results')}?margin=7.5")
        compute()
        wide = client.get(f"{at('results')}?margin=7.5")

        assert (usual.margin, wide.context["result"].margin) == (5, 7.5)
        assert "The margin must be a number above 0 and at most 50" in wrong.content.decode()
        assert client.get(f"{at('results')}?margin=7.50").url == f"{at('results')}?margin=7.5"
        assert 'name="margin"' in wide.content.decode()
        assert "equal is within 8 points" not in wide.content.decode()

    def test_of_two_annotators_say_for_whom_they_hold(self, client, analyst):
        rounds.graded(n_items=12, n_raters=2, marks=lambda system, item, rater: item % 3)

        page = squeezed(computed(client))

        assert "a wider claim takes three" in page
        assert "?claim=these" not in page

    def test_do_not_speak_of_common_questions_where_all_are_common(self, client, analyst):
        rounds.graded(n_items=12)

        page = computed(client)

        assert "in common" not in page
        assert "fewer than half" not in page

    def test_show_score_interval_and_n(self, client, analyst):
        rounds.graded(n_items=9)

        page = squeezed(computed(client))

        assert re.search(r"title=\"[\d/]+\">\d+\.\d</a>\s*<small>[\d.]+ to [\d.]+</small>", page)
        assert "54 grades by 3 annotators" in page

    def test_can_be_looked_at_by_criterion_and_as_accuracy(self, client, analyst):
        rounds.graded(
            n_items=12,
            criteria=("correct", "tone"),
            marks=lambda system, item, rater: 2 - (system + item) % 2,
        )
        computed(client)

        page = client.get(f"{at('results')}?figure=accuracy&criterion=tone&by=nothing")

        board = page.context["board"]
        assert [(one.title, one.is_on) for one in board.figures] == [
            ("Score", False),
            ("Accuracy", True),
        ]
        assert [one.is_on for one in board.criterion_switches] == [False, False, True]
        assert board.criterion_switches[0].query == "figure=accuracy&by=nothing"
        assert [place.cell.n_grades for place in board.places] == [36, 36]

    def test_hide_names_until_they_are_asked_for(self, client, analyst):
        rounds.graded()
        hidden = computed(client)

        client.post(at("results_names"))
        shown = client.get(at("results")).content.decode()

        assert "Kestrel" not in hidden
        assert "System 2" in hidden
        assert "Kestrel" in shown
        assert "Show names" not in shown
        assert AuditEvent.objects.filter(verb="round.unblinded").count() == 1

    @pytest.mark.parametrize("name", ["results", "results_table", "results_report"])
    def test_come_back_with_names_to_where_they_were_asked_for(self, client, analyst, name):
        rounds.graded()
        here = f"{at(name)}?valid=given"
        client.get(here)
        compute()

        page = squeezed(client.get(here).content.decode())
        answer = client.post(at("results_names"), {"next": here})

        assert f'name="next" value="{here}"' in page
        assert answer.url == here

    @pytest.mark.parametrize("away", ["https://example.org/", "//example.org/", "nowhere", ""])
    def test_lead_to_no_other_site_with_names(self, client, analyst, away):
        rounds.graded()

        assert client.post(at("results_names"), {"next": away}).url == at("results")

    def test_offer_filters_and_names_once_there_is_something_to_filter(self, client, analyst):
        rounds.graded(n_items=0, state="OPEN")
        rounds.graded(number=2)

        empty, full = computed(client), computed(client, 2)

        for words in ("Names are hidden.", 'aria-label="Filters"'):
            assert words not in empty
            assert words in full

    def test_draw_what_names_a_part_as_text(self, client, analyst):
        rounds.graded(capabilities=("A</script>", "B"))

        page = computed(client)

        assert "A&lt;/script&gt;: System" in page
        assert "A</script>" not in page

    def test_of_an_open_round_are_called_interim(self, client, analyst):
        rounds.graded(state="OPEN")

        assert re.search(r"As of .* UTC.*\n.*open</span>", computed(client))

    def test_of_a_round_without_grades_say_so(self, client, analyst):
        rounds.graded(n_items=0, state="OPEN")

        assert "No grades yet" in computed(client)

    def test_of_a_round_that_ended_without_grades_promise_none(self, client, analyst):
        rounds.graded(n_items=0, state="REVIEW")

        page = computed(client)

        assert "No grades that count" in page
        assert "No grades yet" not in page

    def test_of_a_draft_say_that_it_has_not_been_opened(self, client, analyst):
        rounds.graded(n_items=0, state="DRAFT")

        assert "has not been opened" in client.get(at("results")).content.decode()
        assert not Figure.objects.exists()

    def test_are_closed_to_those_who_grade_in_a_round_that_is_not_final(self, client):
        round_ = rounds.graded(state="REVIEW")
        both = round_.annotators.first().rater.user
        make.member(Role.ANALYST, username=both.username)
        client.force_login(both)

        answers = [client.get(at(name)) for name in ("results", "results_table", "grades_csv")]
        client.post(at("results_names"))

        assert [answer.status_code for answer in answers] == [403, 302, 302]
        assert "Kestrel" not in answers[0].content.decode()
        assert not Figure.objects.exists()
        assert not AuditEvent.objects.filter(verb="round.unblinded").exists()

    def test_say_why_they_failed_and_can_be_tried_again(self, client, analyst):
        rounds.graded()
        client.get(at("results"))
        Figure.objects.update(state="FAILED", problem="The scale is upside down.")

        failed = client.get(at("results")).content.decode()
        client.post(at("results_again"))

        assert "The scale is upside down." in failed
        assert set(Figure.objects.values_list("state", flat=True)) == {"WANTED"}

    @pytest.mark.parametrize("table", ["differences", "ranks"])
    def test_lead_to_pairs_and_ranks_as_files(self, client, analyst, table):
        rounds.graded()

        page = computed(client)

        assert f'href="{reverse("results_sheet", args=["northport", 1, table])}"' in page

    def test_depend_on_the_weights_of_capabilities(self, client, analyst):
        round_ = rounds.graded()
        before = results.params(round_)
        round_.project.capabilities.update(weight=3)

        assert results.params(round_) != before


class TestTheTable:
    def test_has_pages_of_questions(self, client, analyst):
        rounds.graded(n_items=21, n_raters=1, systems=("Kestrel",))

        first = client.get(at("results_table"))
        second = client.get(at("results_table") + first.context["next_url"])

        assert b"Q1-19" in first.content
        assert b"Q1-20" not in first.content
        assert b"Q1-20" in second.content


class TestInsight:
    def test_lists_rounds_that_have_been_opened(self, client, analyst):
        rounds.graded(n_items=1)
        rounds.graded(n_items=1, number=2, state="DRAFT")

        page = client.get(reverse("insight", args=["northport"])).content.decode()

        assert "Round 1" in page
        assert "Round 2" not in page

    def test_says_where_results_come_from_when_there_are_none(self, client, analyst):
        make.project()

        page = client.get(reverse("insight", args=["northport"])).content.decode()

        assert "No results yet" in page
