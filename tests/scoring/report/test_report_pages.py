import csv
import io
import re

import pytest
from django.urls import reverse

from annotation.people.models import AuditEvent, Role
from annotation.rounds import drafting as unblinding
from scoring.figures.models import Figure
from scoring.report import pages as report
from tests import make
from tests.pages import squeezed
from tests.scoring import rounds, worked
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def at(name="results_report", number=1):
    return reverse(name, args=["northport", number])


def computed(client, url):
    client.get(url)
    compute()
    return client.get(url)


def lonely(system, item, rater):
    return 0 if rater == 0 else max(0, 2 - system - item % 2)


class TestTheReport:
    def test_waits_for_all_of_its_figures_and_says_how_many_are_ready(self, client, analyst):
        rounds.graded()

        page = client.get(f"{at()}?width=20").content.decode()

        assert f'hx-get="{at()}?width=20"' in page
        assert "0 of 5 are ready." in page
        assert Figure.objects.count() == 5

    def test_reloads_only_when_the_last_one_is_there(self, client, analyst):
        rounds.graded()
        asked = {"headers": {"HX-Request": "true"}}
        client.get(at())
        compute()
        Figure.objects.filter(name="plan").update(state="WANTED")
        waiting = client.get(at(), **asked)
        compute()

        assert "4 of 5 are ready." in waiting.content.decode()
        assert client.get(at(), **asked).headers["HX-Refresh"] == "true"

    def test_has_every_part_with_methods_settings_and_versions(self, client, analyst):
        rounds.graded(n_items=9, marks=lonely)

        page = computed(client, at()).content.decode()
        by_name = client.get(f"{at()}?annotators=names").content.decode()
        left_out = client.get(f"{at()}?annotators=none").content.decode()

        for part in ("summary", "scores", "agreement", "disputes", "annotators", "position"):
            assert f'id="{part}"' in page
        for said in (
            "Krippendorff’s α, ordinal (2011)",
            "Holm’s method (1979) corrects all pairs",
            "Factuality v1",
        ):
            assert said in page
        sha = Figure.objects.get(name="scores").ratings_sha
        assert sha in page
        assert "Not final." not in page
        assert "plotly" not in page
        assert "Kestrel" not in page + by_name
        assert "northport-annotator-0" not in page
        assert "northport-annotator-0" in by_name
        assert "Annotator 1" not in left_out
        assert 'id="annotators"' not in left_out

    def test_of_an_open_round_with_missing_grades_says_both(self, client, analyst):
        rounds.graded(n_items=2, state="OPEN").items.update(n_seats=5)

        page = computed(client, at()).content.decode()

        assert "Not final." in page
        assert "Interim figures: the round is open." in page
        assert "Partial." in page

    def test_of_no_grades_in_review_says_so(self, client, analyst):
        rounds.graded(n_items=0, state="REVIEW")

        page = computed(client, at()).content.decode()

        assert "No grades that count" in page
        assert "The round is in review" in page
        assert "Partial." not in page

    def test_shows_the_usual_beside_what_is_wrong(self, client, analyst):
        rounds.graded(n_items=2)

        page = computed(client, f"{at()}?width=-1").content.decode()

        assert "The width must be a number above 0" in page
        assert Figure.objects.get(name="plan").params["width"] == 10

    def test_takes_weights_and_filters_of_the_scores(self, client, analyst):
        rounds.graded(n_items=2)

        client.get(f"{at()}?difficulty=none")

        assert Figure.objects.get(name="scores").params["selection"]
        assert "selection" not in Figure.objects.get(name="agreement").params

    def test_is_closed_to_those_who_grade_in_a_round_that_is_not_final(self, client):
        round_ = rounds.graded(state="REVIEW")
        both = round_.annotators.first().rater.user
        make.member(Role.ANALYST, username=both.username)
        client.force_login(both)

        answers = [
            client.get(at(f"results_report{form}")).status_code for form in ("", "_html", "_csv")
        ]
        assert answers == [403, 302, 302]
        assert not Figure.objects.exists()


class TestMovement:
    def test_since_an_earlier_round_is_there_for_every_system_of_both(self, client, analyst):
        made = worked.two_rounds()
        for one in made:
            unblinding.show_names(round_=one, by=analyst, now=make.NOW)

        page = squeezed(computed(client, f"{at(number=2)}?before=1").content.decode())

        assert "Score changes since Round 1" in page
        assert ">18.8<" in page
        assert 'value="1" selected' in page

    def test_needs_the_names_of_both(self, client, analyst):
        worked.two_rounds()

        page = squeezed(computed(client, f"{at(number=2)}?before=1").content.decode())

        assert "Names of both rounds must be shown." in page
        assert not Figure.objects.filter(name="fluctuation").exists()

    def test_with_what_is_no_earlier_round_says_so(self, client, analyst):
        worked.two_rounds()
        computed(client, at(number=2))

        for before in ("7", "2", "x"):
            page = client.get(f"{at(number=2)}?before={before}").content.decode()
            assert "no such earlier round" in page


class TestTheFiles:
    def test_fetch_nothing_and_leave_out_what_was_asked(self, client, analyst):
        rounds.graded(n_items=9, marks=lonely)
        waiting = client.get(at("results_report_html"))
        compute()

        answer = client.get(at("results_report_html"))
        text = b"".join(answer).decode()
        table = b"".join(client.get(at("results_report_csv"))).decode()
        less = b"".join(client.get(f"{at('results_report_csv')}?annotators=none")).decode()
        rows = list(csv.DictReader(io.StringIO(table)))

        assert waiting.status_code == 302
        assert 'filename="northport-round-1-' in answer["Content-Disposition"]
        assert not re.search(r"<(script|link|img|a|form|button)\b|url\(|@import|https?://", text)
        assert text.count('<figure class="picture">') >= 5
        assert AuditEvent.objects.filter(verb="round.exported").count() == 3
        tables = {row["table"] for row in rows}
        assert {"headline", "settings", "versions", "agreement", "severity", "curve"} <= tables
        assert all(row["follows"] for row in rows if row["table"] == "agreement")
        assert "Annotator 1" in table
        assert "Annotator 1" not in less
        assert "severity," not in less

    def test_carry_their_sheets(self):
        text = str(report.style())

        assert "--accent: light-dark(" in text
        assert "@media print" in text
        assert "&gt;" not in text
        assert "font-face" not in text
