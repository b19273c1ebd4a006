from fractions import Fraction

import pytest
from django.urls import reverse

from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results.asked import FigureSource
from scoring.results.sheets import OF_PAIRS, SHEETS
from scoring.shown import names
from scoring.stats.claims import Certainty, ScoresFigure
from tests import make
from tests.pages import squeezed
from tests.scoring import labelled
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db

#: Rows that are there because of labels.
LABELLED = {"Tone", "Faults"}
#: Tables that hold nothing else, or nothing of these rounds.
EMPTY = {
    "labels",
    "label-differences",
    "label-disputes",
    "groups",
    "group-differences",
    "group-severity",
    "whole",
}


def scored(round_):
    data = scoring_jobs.compute(name="scores", round_=round_, params={})
    return typed.read_figure(ScoresFigure, data)


def table(name, round_):
    """Return the rows of a table without those of labels; whatever it names, it names alike."""
    kind = SHEETS[name]
    data = scoring_jobs.compute(name=kind.figure, round_=round_, params={})
    known = names.names(round_, shown=True)
    sheet = kind.make(FigureSource(round_, data, labels.labels_of(round_), known))
    return [row for row in sheet.rows if not LABELLED & set(map(str, row))]


class TestLabels:
    @pytest.mark.parametrize("name", sorted(set(SHEETS) - OF_PAIRS))
    def test_change_no_other_figure(self, name):
        alone = labelled.graded(labelled.PLAIN)
        beside = labelled.graded(in_=make.project("harbour"))

        assert table(name, beside) == table(name, alone)
        assert name in EMPTY or table(name, alone)

    def test_have_shares_of_all_grades(self):
        (faults, tone) = scored(labelled.graded()).labels

        assert [one.name for one in tone.labels] == ["Warm", "Plain", "Curt"]
        shares = [[row.value for row in one.scores] for one in tone.labels]
        assert [sum(column) for column in zip(*shares, strict=True)] == [1, 1]
        assert (tone.criterion, tone.several, tone.n_grades, tone.n_raters) == (
            "tone",
            False,
            72,
            3,
        )
        assert faults.several

    def test_of_several_count_each_and_none(self):
        (faults, _tone) = scored(labelled.graded()).labels

        assert [(one.label, one.name) for one in faults.labels] == [
            (1, "Invented"),
            (2, "Left out"),
            (3, "Unclear"),
            (0, ""),
        ]
        left_out, unclear = faults.labels[1:3]
        assert [row.value for row in left_out.scores] == [row.value for row in unclear.scores]
        assert {row.value for row in left_out.scores} == {Fraction(1, 3), Fraction(1, 6)}

    def test_tell_systems_apart_for_all_labels_and_pairs_at_once(self):
        (_faults, tone) = scored(labelled.graded(n_items=20)).labels

        warm, plain, _curt = tone.labels
        (gap,) = warm.differences
        assert gap.value > Fraction(1, 2)
        assert gap.these.p_holm >= gap.these.p
        assert gap.certainty in {Certainty.CLEAR, Certainty.LIKELY}
        assert plain.differences[0].certainty is not Certainty.CLEAR

    def test_are_none_in_a_round_of_levels(self):
        assert scored(labelled.graded(labelled.PLAIN)).labels == ()

    def test_are_all_there_is_in_a_round_that_asks_for_nothing_else(self):
        found = scored(labelled.graded(("tone",)))

        assert found.usual.scores == ()
        assert len(found.labels) == 1


class TestPages:
    def computed(self, client, name, *args):
        url = reverse(name, args=["northport", 1, *args])
        client.get(url)
        compute()
        return client.get(url)

    def test_show_shares_and_who_differs(self, client, analyst):
        labelled.graded(n_items=20)

        page = self.computed(client, "results").content.decode()

        found = squeezed(page)
        assert "Warm" in found
        assert "None of these" in found
        assert "points more often than" in found

    def test_of_a_round_of_labels_alone_show_these(self, client, analyst):
        labelled.graded(("tone",))

        page = squeezed(self.computed(client, "results").content.decode())

        assert "Warm" in page
        assert "Where they differ" not in page

    def test_of_levels_alone_have_no_labels(self, client, analyst):
        labelled.graded(labelled.PLAIN)

        assert "more often" not in self.computed(client, "results").content.decode()

    @pytest.mark.parametrize(
        "name", ["results_agreement", "results_disputes", "results_annotators"]
    )
    def test_of_grades_open(self, client, analyst, name):
        labelled.graded()

        assert self.computed(client, name).status_code == 200

    def test_of_agreement_name_the_right_coefficient(self, client, analyst):
        labelled.graded()

        page = squeezed(self.computed(client, "results_agreement").content.decode())

        assert "Tone, nominal α" in page
        assert "Faults, α by MASI; by Jaccard" in page

    def test_of_agreement_on_labels_alone_open(self, client, analyst):
        labelled.graded(("tone", "faults"))

        page = squeezed(self.computed(client, "results_agreement").content.decode())

        assert "Tone, nominal α" in page

    def test_send_files_and_answers(self, client, analyst):
        labelled.graded()
        self.computed(client, "results")

        table_ = client.get(reverse("results_sheet", args=["northport", 1, "labels"]))
        plot = client.get(reverse("results_picture", args=["northport", 1, "labels"]))
        told = client.get(reverse("api_results", args=["northport", 1])).json()

        assert b"Tone,Curt" in b"".join(table_.streaming_content)
        assert plot.headers["Content-Type"].startswith("image/svg+xml")
        (faults, tone) = told["labels"]
        assert [one["name"] for one in tone["labels"]] == ["Warm", "Plain", "Curt"]
        assert faults["several"]
        assert tone["labels"][0]["differences"][0]["value"]["value"] > 0

    def test_of_questions_to_explore_take_no_label_for_a_score(self, client, analyst):
        labelled.graded(("grade", "tone"), n_items=2)

        page = client.get(
            reverse("results_explore", args=["northport", 1]), {"table": "questions-by-system"}
        )

        grades = [row[-1] for row in page.context["rows"].rows]
        assert set(grades) == {3}
