import pytest

from scoring.engine import queries as run_list
from scoring.engine.models import Run
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


class TestLines:
    def test_tell_how_far_each_run_is(self):
        run = run_rows.run()
        run_rows.step(run)
        run_rows.step(run, state="FAILED", outcome="MACHINE")
        run_rows.free(run)
        bare = run_rows.run(state=Run.State.STAGED)

        first, second = run_list.lines([run, bare])

        assert (first.n_steps, first.n_done, first.n_left, first.n_failed) == (3, 2, 1, 1)
        assert second.n_steps == 0


class TestFiltered:
    def test_keeps_a_kind_and_a_state(self):
        run_rows.run()
        wanted = run_rows.run(kind=Run.Kind.COLLECT, state=Run.State.DONE)

        rows = run_list.filtered(make.project(), run_list.RunFilters("COLLECT", "DONE"))

        assert list(rows) == [wanted]


class TestCounts:
    def test_tell_how_many_judges_ran_over_a_round(self):
        round_ = make.open_round()
        run_rows.run(round=round_)
        run_rows.run(round=round_, state=Run.State.DONE)
        run_rows.run(round=round_, kind=Run.Kind.COLLECT)

        assert run_list.n_over(round_) == (2, 1)
