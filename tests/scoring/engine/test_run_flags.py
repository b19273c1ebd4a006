import pytest

from scoring.engine import calls_read as run_calls
from scoring.engine import progress
from scoring.engine.models import Run
from tests import make
from tests.scoring import judged, run_rows

pytestmark = pytest.mark.django_db


def flagged(run, *flags):
    return [run_rows.step(run, flags=one) for one in flags]


class TestOfRun:
    def test_counts_steps_and_what_was_found_in_them(self):
        run, other = run_rows.run(), run_rows.run()
        flagged(run, "", "delimiter", "delimiter verdict", "instruction")
        flagged(other, "turn")

        found = progress.progress_of(run, make.NOW).flagged

        assert found.n == 3
        assert {one.flag: one.n for one in found.found} == {
            "delimiter": 2,
            "verdict": 1,
            "instruction": 1,
        }
        assert found.found[0].label == "imitates a delimiter"

    def test_is_nothing_where_nothing_was_found(self):
        run = run_rows.run()
        flagged(run, "")

        assert not progress.of_run(run)

    @pytest.mark.parametrize(("flag", "n"), [("any", 3), ("delimiter", 2), ("turn", 0), ("", 4)])
    def test_filters_the_steps(self, flag, n):
        run = run_rows.run()
        flagged(run, "", "delimiter", "delimiter verdict", "instruction")

        assert run_calls.filtered(run, run_calls.CallFilters(flag=flag)).count() == n


class TestOfJudge:
    def test_adds_up_all_runs_of_a_judge_and_no_other(self):
        judge = judged.judge()
        mine = [run_rows.run(judge=judge) for _ in range(2)]
        for run in (*mine, run_rows.run()):
            flagged(run, "hidden", "")

        found, runs = progress.of_judge(judge.rater_id)

        assert (found.n, [(one.flag, one.n) for one in found.found]) == (2, [("hidden", 2)])
        assert [(one.run, one.n) for one in runs] == [(mine[1], 1), (mine[0], 1)]
        assert all(isinstance(one.run, Run) for one in runs)
