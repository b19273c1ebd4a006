import pytest

from annotation import models
from scoring import jobs
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from tests import make
from tests.scoring import beside_people, rounds

pytestmark = pytest.mark.django_db


def wanted(name="scores"):
    return figures.get(name=name, round_=rounds.graded(), params={}, now=make.NOW)


class TestComputeFigure:
    def test_stores_what_was_computed(self):
        figure = wanted()

        jobs.compute_figure(figure.pk)

        figure.refresh_from_db()
        assert (figure.state, figure.data["counts"]["grades"]) == (Figure.State.READY, 24)

    def test_leaves_a_figure_alone_that_somebody_computes(self):
        figure = wanted()
        figures.lease(figure_id=figure.pk, now=make.at(10**8))

        jobs.compute_figure(figure.pk)

        figure.refresh_from_db()
        assert figure.state == Figure.State.WANTED

    def test_takes_more_arguments_than_it_knows(self):
        jobs.compute_figure(0, later="an argument of a newer version")

    def test_keeps_why_grades_cannot_be_scored(self, caplog):
        figure = wanted()
        asked = str(models.Capability.objects.get().pk)
        figure.params = {"weights": {asked: "-1"}}
        figure.save()

        jobs.compute_figure(figure.pk)

        figure.refresh_from_db()
        assert figure.state == Figure.State.FAILED
        assert figure.problem == f"The weight of {asked} is negative: -1."

    def test_leaves_a_figure_empty_where_the_ratings_say_nothing_yet(self, caplog):
        round_ = beside_people.world()
        nobody = beside_people.choice("good", raters=("x*",)).params()
        figure = figures.get(name="judges", round_=round_, params=nobody, now=make.NOW)

        jobs.compute_figure(figure.pk)

        figure.refresh_from_db()
        assert (figure.state, figure.will_not_come) == (Figure.State.EMPTY, True)
        assert figure.problem.startswith("These people graded nothing yet that counts.")
        assert not caplog.records

    def test_says_a_plain_sentence_when_something_unexpected_happens(self, caplog):
        figure = wanted("nobody wrote this")

        jobs.compute_figure(figure.pk)

        figure.refresh_from_db()
        assert figure.problem.startswith("Unexpected error")
        assert "UnknownFigure" in caplog.text
