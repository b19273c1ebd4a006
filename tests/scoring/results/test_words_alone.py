"""Rounds whose rubric asks for labels or texts alone: every tab says what is true of them."""

import csv
import io
import re

import pytest
from django.urls import reverse

from annotation.people.models import Role
from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results import agreement
from scoring.stats.people.said import DisputesFigure
from scoring.stats.plain import Reason
from scoring.stats.scores.said import PlanFigure
from tests import make
from tests.pages import squeezed
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db

TABS = (
    "results",
    "results_agreement",
    "results_disputes",
    "results_annotators",
    "results_plan",
    "results_breakdown",
    "results_model",
    "results_report",
    "study",
)
#: What would be untrue of grades that are there.
UNTRUE = (
    "No grades that count",
    "No grades yet",
    "No valid grades yet",
    "Nothing graded twice",
    "Nothing was graded",
    "Nothing in dispute",
    "no other system was graded",
    "nan",
)


def slips(system, item, rater):
    """The second system errs in facts more often; the last two annotators see it otherwise at times."""
    seen = 1 if (item + system) % 3 else 2
    return {"slip": 3 if rater > 1 and item % 4 == 0 else seen}


def wishes(system, item, rater):
    return {"wish": f"Say when, {item}."}


def page(client, name, number=1):
    url = reverse(name, args=["northport", number])
    for _turn in range(2):
        client.get(url)
        compute()
    found = client.get(url)
    assert found.status_code == 200
    text = squeezed(found.content.decode())
    return re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", " ", text.split("<main", 1)[1])


@pytest.fixture
def analyst(client):
    client.force_login(make.member(Role.ANALYST))


@pytest.fixture
def of_labels():
    return rounds.grouped({"expert": 2, "novice": 2}, n_items=12, criteria=("slip",), marks=slips)


@pytest.fixture
def of_texts():
    return rounds.graded(n_items=6, criteria=("wish",), marks=wishes)


def figure(kind, name, round_, **params):
    return typed.read_figure(kind, scoring_jobs.compute(name=name, round_=round_, params=params))


class TestLabelsAlone:
    @pytest.mark.parametrize("tab", TABS)
    def test_have_no_tab_that_says_there_are_none(self, client, analyst, of_labels, tab):
        text = page(client, tab)

        assert not [one for one in UNTRUE if re.search(rf"\b{one}\b", text)]

    def test_begin_with_the_label_that_tells_systems_apart_and_what_it_rests_on(
        self, client, analyst
    ):
        rounds.graded(
            n_items=24,
            criteria=("slip",),
            marks=lambda system, item, rater: {"slip": 1 + (system if item % 8 else 1 - system)},
        )

        text = page(client, "results")

        assert re.search(r"(Fact|Beside): System . 75 points above System .\.", text)
        assert "144 grades by 3 annotators" in " ".join(text.split())

    def test_agree_as_far_as_nominal_alpha_over_all_says(self, client, analyst, of_labels):
        groups = {"groups": labels.groups(of_labels)}
        found = figure(agreement.AgreementFigure, "agreement", of_labels, **groups)
        (part,) = found.parts

        shown = agreement.RoundAgreement(found, labels.labels_of(of_labels))
        text = page(client, "results_agreement")

        assert found.of_labels
        assert shown.overall.alpha.value == pytest.approx(
            part.agreement.find("alpha_nominal").value
        )
        assert [one.title for one in shown.groups] == ["expert", "novice", "expert with novice"]
        assert shown.groups[0].alpha.value == pytest.approx(1)
        assert found.pairs
        assert found.differences.overall == ()
        assert "Nominal α within and between groups." in text
        assert "Ratio of disagreement" not in text
        assert shown.verdict in text

    def test_are_in_dispute_where_they_differ(self, client, analyst, of_labels):
        found = figure(DisputesFigure, "disputes", of_labels)

        text = page(client, "results_disputes")

        assert found.reason is Reason.NOT_MEASURED
        assert "3 questions have different labels" in text
        assert "C(k)" not in text

    def test_have_a_pace_and_no_severity(self, client, analyst, of_labels):
        text = page(client, "results_annotators")

        assert "It takes marks on a scale" in text
        assert "Who is severe?" not in text

    def test_have_no_plan_for_that_reason(self, of_labels):
        assert figure(PlanFigure, "plan", of_labels).reason is Reason.NOT_MEASURED

    def test_stand_in_the_report_and_the_study_sheet(self, client, analyst, of_labels):
        report, sheet = page(client, "results_report"), page(client, "study")

        assert "Share of grades with each label" in report
        assert "Different labels" in report
        assert "Krippendorff’s α, nominal" in sheet
        assert "one label" in sheet

    def test_are_said_to_have_no_score_in_the_file(self, client, analyst, of_labels):
        page(client, "results")
        answer = client.get(reverse("results_csv", args=["northport", 1]))
        rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))

        assert {row["reason"] for row in rows if row["figure"] == "score"} == {
            "It takes marks on a scale; these are labels or texts."
        }


class TestTextsAlone:
    @pytest.mark.parametrize("tab", TABS)
    def test_have_no_tab_that_says_there_are_none(self, client, analyst, of_texts, tab):
        text = page(client, tab)

        assert not [one for one in UNTRUE if re.search(rf"\b{one}\b", text)]

    def test_lead_to_every_grade(self, client, analyst, of_texts):
        text = page(client, "results")

        assert "Labels and texts have no score" in text
        assert "Every grade" in text


class TestNothingAtAll:
    def test_is_still_said_to_be_nothing(self, client, analyst):
        rounds.graded(n_items=3, marks=lambda system, item, rater: None)

        assert "No grades that count" in page(client, "results_annotators")
