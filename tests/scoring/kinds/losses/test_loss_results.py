import pytest
from django.http import Http404

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.engine import queries as run_reading
from scoring.kinds.losses import figure as loss_figures
from scoring.kinds.losses import queries as loss_results
from scoring.kinds.losses.queries import Board
from tests import make
from tests.scoring import run_rows, weighed

pytestmark = pytest.mark.django_db


def scope():
    return Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))


class TestShareOf:
    @pytest.mark.parametrize(("given", "share"), [("30", 30), ("31", 20), (None, 20), ("-1", 20)])
    def test_takes_the_usual_for_what_it_does_not_offer(self, given, share):
        assert loss_results.share_of({"share": given}) == share


class TestAllowed:
    def test_is_for_runs_of_losses_alone(self):
        with pytest.raises(Http404):
            loss_results.allowed(scope(), run_rows.run().number)


class TestBoard:
    def test_names_systems_and_says_how_many_texts(self):
        run = weighed.done(n=2)
        found = Board(loss_figures.compute(run, {}), run_reading.of(scope(), run.number))

        assert [one["name"] for one in found.lines] == ["Kestrel · 1", "Osprey · 1"]
        assert {(one["n_train"], one["n_test"]) for one in found.lines} == {(2, 2)}
        assert not found.is_empty
        assert [set(one) for one in found.records()] == [set(loss_results.COLUMNS)] * 2

    def test_is_empty_before_the_first_text(self):
        run = weighed.requested(n=1)

        assert Board(loss_figures.compute(run, {}), run_reading.of(scope(), run.number)).is_empty
