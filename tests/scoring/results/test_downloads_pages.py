import csv
import io
import xml.etree.ElementTree as ET

import pytest
from django.urls import reverse

from annotation.people.models import AuditEvent
from annotation.rounds import drafting as unblinding
from scoring.results.pictures import PICTURES
from scoring.results.sheets import OF_PAIRS, SHEETS
from tests import make
from tests.scoring import rounds, worked
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
#: Of rounds that were drawn by a rule, of criteria that ask for labels, and of rounds of pairs.
ELSEWHERE = {"whole", "labels", "label-differences", "label-disputes", "strengths"} | OF_PAIRS
#: What says on how much a line rests.
N = {"grades", "responses", "questions", "annotators", "alpha"}
TABS = (
    "results",
    "results_agreement",
    "results_disputes",
    "results_annotators",
    "results_plan",
    "results_model",
)


def sheet(name):
    return reverse("results_sheet", args=["northport", 1, name])


def picture(name):
    return reverse("results_picture", args=["northport", 1, name])


def lonely(system, item, rater):
    return 0 if rater == 0 else max(0, 2 - system - item % 2)


def varied(system, item, rater):
    return (item % 3, item // 3 % 3, system % 2)[rater]


def graded(client, marks=lonely):
    """A round whose figures are all computed."""
    made = rounds.grouped({"expert": 2, "novice": 1}, n_items=9, marks=marks)
    for name in TABS:
        client.get(reverse(name, args=["northport", made.number]))
    compute()
    return made


def rows_of(client, url):
    return list(csv.DictReader(io.StringIO(b"".join(client.get(url)).decode())))


class TestTables:
    def test_stream_with_n_and_convention_and_are_recorded(self, client, analyst):
        graded(client)

        shown = [name for name in SHEETS if name not in ELSEWHERE]
        for name in shown:
            answer = client.get(sheet(name))
            text = b"".join(answer).decode()
            rows = list(csv.DictReader(io.StringIO(text)))
            assert answer.streaming, name
            assert rows, name
            assert all(row["convention"] and None not in row for row in rows), name
            assert N & set(rows[0]), name
            assert "Kestrel" not in text
            assert "northport-annotator" not in text
        events = AuditEvent.objects.filter(verb="round.exported")
        assert {event.data["form"] for event in events} == {f"{name}.csv" for name in shown}

    def test_hold_ranks_and_differences_as_the_page_shows_them(self, client, analyst):
        rounds.graded(n_items=12, marks=lambda system, item, rater: 2 - system * (item % 3 > 0))
        client.get(reverse("results", args=["northport", 1]))
        compute()

        first, second = rows_of(client, sheet("ranks"))
        (gap,) = rows_of(client, sheet("differences"))
        assert (first["rank_low"], first["rank_high"]) == ("1", "1")
        assert (first["better_than"], second["better_than"]) == (second["system"], "")
        assert (gap["of"], gap["against"]) == (first["system"], second["system"])
        assert (gap["points"], gap["certainty"], gap["questions"]) == ("33.3", "clear", "12")
        assert 0 < float(gap["p"]) <= float(gap["p_holm"]) < 0.05
        assert 0 < float(gap["p_others"]) <= float(gap["p_holm_others"]) < 0.05
        assert float(gap["low_others"]) < 33.3 < float(gap["high_others"])
        assert (gap["questions_of_either"], gap["grades_left_out"]) == ("12", "0")

    def test_wait_on_their_tabs(self, client, analyst):
        rounds.graded()

        answer = client.get(f"{sheet('disputes')}?question_rule=literal")

        assert answer.status_code == 302
        assert answer["Location"].endswith("/results/disputes/?question_rule=literal")

    def test_that_nobody_knows_are_not_there(self, client, analyst):
        rounds.graded()

        assert client.get(sheet("nonsense")).status_code == 404
        assert client.get(picture("nonsense")).status_code == 404

    def test_follow_the_rules_in_the_address_and_hold_no_formula(self, client, analyst):
        rounds.graded(n_items=6, capabilities=("=HYPERLINK(1)",), marks=lonely)
        query = "?w1=1&w2=0"
        client.get(f"{reverse('results_disputes', args=['northport', 1])}{query}")
        compute()

        rows = rows_of(client, f"{sheet('places')}{query}")

        assert {row["capability"] for row in rows} == {"'=HYPERLINK(1)"}
        assert "weights 1/1 and 0/1" in rows[0]["convention"]


class TestPlots:
    def test_are_drawings_of_their_own(self, client, analyst):
        graded(client, marks=varied)

        for name in PICTURES.keys() - ELSEWHERE:
            answer = client.get(picture(name))
            text = b"".join(answer).decode()
            assert answer["Content-Type"].startswith("image/svg+xml"), name
            assert ET.fromstring(text).tag.endswith("svg")  # noqa: S314 - our own
            assert "var(" not in text
            assert "Kestrel" not in text

    def test_of_nothing_go_to_the_tab_that_says_why(self, client, analyst):
        rounds.graded(n_items=0, state="OPEN")
        client.get(picture("pairs"))
        compute()

        answer = client.get(picture("pairs"))

        assert answer["Location"].endswith("/results/agreement/")


class TestMovement:
    @pytest.fixture
    def chosen(self, analyst):
        made = worked.two_rounds()
        for one in made:
            unblinding.show_names(round_=one, by=analyst, now=make.NOW)
        system = made[0].systems.get().release.system_id
        return f"?before=1&after=2&system={system}"

    def test_has_causes_pairs_and_a_drawing(self, client, chosen):
        here = reverse("movement", args=["northport"])
        client.get(here + chosen)
        compute()
        texts = {
            name: b"".join(client.get(reverse(name, args=["northport"]) + chosen)).decode()
            for name in ("movement_csv", "movement_tags_csv", "movement_svg")
        }

        rows = list(csv.DictReader(io.StringIO(texts["movement_csv"])))
        points = {
            row["cause"]: float(row["points"])
            for row in rows
            if (row["figure"], row["method"], row["capability"]) == ("score", "shapley", "")
        }
        causes = ("questions", "responses", "same_raters", "other_raters")
        assert sum(points[cause] for cause in causes) == pytest.approx(points["change"])
        assert points["responses"] == pytest.approx(100 / 6)
        assert "Q2,true,content,false,false,nobody,true" in texts["movement_tags_csv"]
        assert "Other responses" in texts["movement_svg"]

    def test_waits_on_its_page(self, client, chosen):
        for name in ("movement_csv", "movement_svg"):
            answer = client.get(reverse(name, args=["northport"]) + chosen)

            assert answer.status_code == 302
            assert answer["Location"].endswith(chosen)
