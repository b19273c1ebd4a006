import pytest
from django.http import Http404

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.engine import queries as run_reading
from scoring.kinds.accuracy import figure as quiz_figures
from scoring.kinds.accuracy import queries as quiz_results
from scoring.kinds.accuracy.queries import Board, Options
from scoring.shown.sheet import NothingToDraw
from tests import make
from tests.scoring import quizzed, run_rows

pytestmark = pytest.mark.django_db


def scope():
    return Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))


def board(run):
    reading = run_reading.of(scope(), run.number)
    return Board(quiz_figures.compute(run, {}), Options(), reading)


class TestAllowed:
    def test_is_for_runs_of_accuracy_alone(self):
        with pytest.raises(Http404):
            quiz_results.allowed(scope(), run_rows.run().number)


class TestBoard:
    def test_names_systems_sets_and_orders(self):
        quizzed.questions(4)
        quizzed.questions(2, dataset="Dock", first=4)

        found = board(quizzed.done(orders=2))

        assert found.names == ["Kestrel · 1", "Osprey · 1"]
        assert [name for name, _v in found.by_dataset] == ["Dock", "Quay", "Mean over data sets"]
        assert [name for name, _v in found.by_order] == ["own order", "2"]
        assert [one["n"] for one in found.facts] == [6, 6]
        assert not found.is_empty

    def test_shows_one_order_and_one_set_once(self):
        quizzed.questions(2)

        found = board(quizzed.done())

        assert found.by_order == []
        assert [name for name, _v in found.by_dataset] == ["Quay"]

    def test_has_nothing_to_draw_before_the_first_reply(self):
        quizzed.questions(2)

        found = board(quizzed.requested())

        assert found.is_empty
        with pytest.raises(NothingToDraw):
            found.draw(False)
