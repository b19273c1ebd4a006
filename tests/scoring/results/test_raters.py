from dataclasses import replace

import pytest

from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results import raters
from scoring.shown import names
from scoring.stats.people.said import AnnotatorSeverity
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestRaters:
    def test_read_the_figure(self):
        round_ = rounds.graded(n_items=9, marks=lambda system, item, rater: 0 if rater == 0 else 2)
        data = scoring_jobs.compute(name="raters", round_=round_, params={})

        figure = typed.read_figure(raters.RatersFigure, data)
        found = raters.Raters(figure, labels.labels_of(round_), names.names(round_, shown=True))

        assert found.severities[0].label == "Annotator 1"
        assert found.axis >= found.severities[0].row.high
        assert {one.label for one in found.fair} == {"Kestrel", "Harbour"}
        assert [one.label for one in found.positions] == ["A", "B"]
        assert len(found.steady) == len(found.pace_columns) == 3
        assert [len(cells) for _part, cells in found.paces] == [3]

    @pytest.mark.parametrize(
        ("ends", "said"),
        [
            (
                [(-0.2, 0.9), (-0.9, 0.2)],
                "No annotator is clearly more severe or milder than average.",
            ),
            ([(0.5, 1.5), (-0.9, 0.2)], "More severe than average: Annotator 1."),
            (
                [(0.5, 1.5), (-1.5, -0.5)],
                "More severe than average: Annotator 1. Milder: Annotator 2.",
            ),
            # Two at once need wider intervals than one: this one would reach over zero.
            (
                [(0.02, 0.9), (-0.9, 0.2)],
                "No annotator is clearly more severe or milder than average.",
            ),
        ],
    )
    def test_name_who_is_severe_only_beyond_what_all_at_once_allow(self, ends, said):
        round_ = rounds.graded(n_raters=2)
        people = sorted(one.rater_id for one in round_.annotators.all())
        rows = tuple(
            AnnotatorSeverity(key, (low + high) / 2, low, high, 5.0, 1.0, 9)
            for key, (low, high) in zip(people, ends, strict=True)
        )
        data = scoring_jobs.compute(name="raters", round_=round_, params={})
        figure = typed.read_figure(raters.RatersFigure, data)
        figure = replace(figure, severity=replace(figure.severity, raters=rows, reason=None))

        assert raters.Raters(figure, labels.labels_of(round_), {}).verdict == said


class TestPath:
    def test_keeps_zero_in_the_middle(self):
        assert raters.path([0.0, 1.0, 0.0]) == "M0.0 20.0L100.0 2.0L200.0 20.0"

    def test_of_one_point_is_nothing(self):
        assert raters.path([1.0]) == ""
