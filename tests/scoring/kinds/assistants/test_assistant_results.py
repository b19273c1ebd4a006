import pytest
from django.http import Http404

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.kinds.assistants import queries as assistant_results
from tests import make
from tests.scoring import assisted, connected, judged, measured

pytestmark = pytest.mark.django_db


def scope():
    return Scope(make.project(), make.member(Role.CURATOR), frozenset({Role.CURATOR}))


def board_of(run):
    return assistant_results.board(assistant_results.allowed(scope(), run.number))


class TestBoard:
    def test_tells_how_scores_are_distributed_by_release(self):
        run = judged.done(assisted.over_import(measured.brought().number))

        found = board_of(run)

        kestrel, harbour = sorted(found.rows, key=lambda row: "Kestrel" not in row.name)
        assert (kestrel.scores.n, kestrel.n_without) == (2, 0)
        assert (harbour.scores.n, harbour.n_without) == (1, 1)
        assert [(one.text, one.n) for one in found.reasons] == [("The answer is empty.", 1)]
        assert sum(one.n for one in found.parts) == found.all.n == 3
        assert found.most >= 1
        assert found.bounds == "between 0 and 1"

    def test_hides_a_round_that_is_not_final(self):
        run = assisted.ran(make.open_round())

        with pytest.raises(assistant_results.StillHidden):
            board_of(run)

    def test_says_why_scores_outside_the_range_are_none(self):
        connected.endpoint(script={"lift": 2.0})
        run = judged.done(assisted.over_import(measured.brought().number))

        found = board_of(run)

        assert (found.all, found.parts) == (None, [])
        assert any("outside the declared range" in one.text for one in found.reasons)


class TestAllowed:
    def test_is_for_runs_of_assistants(self):
        run = measured.over_import(["words"], batch=measured.brought().number)

        with pytest.raises(Http404):
            assistant_results.allowed(scope(), run.number)


class TestRecords:
    def test_are_one_for_each_release(self):
        run = judged.done(assisted.over_import(measured.brought().number))

        rows = list(assistant_results.records(board_of(run)))

        assert [one["n"] + one["without_value"] for one in rows] == [2, 2]
