"""What reviewers made of a round shows where its results are asked for it, and nowhere else."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring import jobs as scoring_jobs
from scoring.figures import labels as listed
from scoring.figures.selection import counts as reviewed_counts
from scoring.results import graded
from tests.annotation import reviewed
from tests.scoring import reads, rounds

pytestmark = pytest.mark.django_db
PARAMS = {
    "agreement": {},
    "disputes": {},
    "raters": {},
    "signals": {"good": 0.85, "careless": 0.55},
}


def overall(round_, review=()):
    chosen = reads.cut_of(round_, {"review": list(review)})
    return [float(line.overall.value) for line in reads.result_of(chosen).headline]


def all_twos(system, item, rater):
    return 2 if system == 0 else 0


@pytest.fixture
def round_():
    """Kestrel has 2 everywhere, Harbour 0: four grades each, of two questions."""
    return rounds.graded(n_items=2, n_raters=2, marks=all_twos)


class TestCounts:
    def test_are_of_what_stands(self, round_):
        assert reviewed_counts(round_) == {"adjudicated": 0, "struck": 0}
        settled = reviewed.decide("ADJUDICATE", round_)
        struck = reviewed.decide("STRIKE_GRADE", round_)
        assert reviewed_counts(round_) == {"adjudicated": 1, "struck": 1}

        reviewed.take_back(settled)
        reviewed.take_back(struck)

        assert reviewed_counts(round_) == {"adjudicated": 0, "struck": 0}

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by what is there.")
    def test_look_at_what_was_decided_and_not_at_every_grade(self, round_):
        with CaptureQueriesContext(connection) as asked:
            reviewed_counts(round_)

        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {asked.captured_queries[0]['sql']}")
            plan = [line[-1] for line in cursor.fetchall() if "annotation_grade " in line[-1]]
        assert len(plan) == 1
        assert plan[0].endswith("(response_id=?)")


class TestWhatReviewersWrote:
    def test_is_no_annotators_grade_in_any_figure_of_annotators(self, round_):
        before = {
            name: scoring_jobs.compute(name=name, round_=round_, params=params)
            for name, params in PARAMS.items()
        }
        count = listed.lines([round_])[0].n_grades

        reviewed.decide("ADJUDICATE", round_, value=Decimal(1))

        for name, params in PARAMS.items():
            assert scoring_jobs.compute(name=name, round_=round_, params=params) == before[name]
        assert listed.lines([round_])[0].n_grades == count


class TestTheFilter:
    def test_is_offered_only_where_something_was_reviewed(self, round_):
        names = [one.name for one in reads.cut_of(round_).facets]
        reviewed.decide("ADJUDICATE", round_)

        assert "review" not in names
        assert "review" in [one.name for one in reads.cut_of(round_).facets]

    def test_computes_with_adjudicated_grades_only_where_asked(self, round_):
        assert overall(round_) == [100, 0]
        # One of four places of Kestrel's two questions: (1 + 1 + 2 + 2) / 8.
        reviewed.decide("ADJUDICATE", round_, value=Decimal(1))

        assert overall(round_) == [100, 0]
        assert overall(round_, ["adjudicated"]) == [75, 0]

    def test_computes_with_and_without_what_was_declared_invalid(self, round_):
        reviewed.decide("ADJUDICATE", round_, value=Decimal(1))
        reviewed.decide("STRIKE_QUESTION", round_, n=1)

        chosen = reads.cut_of(round_)
        assert reads.result_of(chosen).data.counts["grades"] == 4
        everything = reads.cut_of(round_, {"review": ["struck"]})
        assert reads.result_of(everything).data.counts["grades"] == 8
        assert overall(round_, ["adjudicated"]) == [50, 0]
        assert overall(round_, ["adjudicated", "struck"]) == [75, 0]

    def test_says_what_it_does_in_the_words_of_the_report(self, round_):
        reviewed.decide("ADJUDICATE", round_)

        chosen = reads.cut_of(round_, {"review": ["adjudicated"]})

        assert chosen.said() == [("Review", "adjudicated grades")]
        assert not chosen.is_usual

    def test_shows_adjudicated_grades_beside_those_given(self, round_):
        reviewed.decide("ADJUDICATE", round_)
        chosen = reads.cut_of(round_, {"review": ["adjudicated"]})
        cell = graded.cell(chosen, {})
        places = list(graded.items(cell).order_by("ordinal"))

        [first, second] = graded.lines(cell, places, with_people=False)

        names = [one.annotator for answer in first.answers for one in answer.grades]
        assert names.count("Adjudicated") == 1
        assert "Adjudicated" not in [one.annotator for one in second.answers[0].grades]
