import pytest

from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results import raters
from scoring.shown import names
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestRaters:
    def test_read_the_figure(self):
        round_ = rounds.graded(n_items=9, marks=lambda system, item, rater: 0 if rater == 0 else 2)
        data = scoring_jobs.compute(name="raters", round_=round_, params={})

        figure = typed.read(raters.RatersFigure, data)
        found = raters.Raters(figure, labels.of(round_), names.names(round_, shown=True))

        assert found.severities[0].label == "Annotator 1"
        assert found.axis >= found.severities[0].row.high
        assert {one.label for one in found.fair} == {"Kestrel", "Harbour"}
        assert [one.label for one in found.positions] == ["A", "B"]
        assert len(found.paces) == len(found.steady) == 3


class TestPath:
    def test_keeps_zero_in_the_middle(self):
        assert raters.path([0.0, 1.0, 0.0]) == "M0.0 20.0L100.0 2.0L200.0 20.0"

    def test_of_one_point_is_nothing(self):
        assert raters.path([1.0]) == ""
