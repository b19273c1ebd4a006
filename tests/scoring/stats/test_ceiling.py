import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.judges import blocks as ceiling
from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import levels
from scoring.stats.judges.levels import LEVELS
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import exact
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

NAN = float("nan")


def only(table, marks, level, name="kendall_b", **options):
    (found,) = ceiling.ceilings(table, np.array(marks, dtype=float), level, names=[name], **options)
    return found


class TestCeilings:
    def test_are_each_rater_against_the_mean_of_the_others(self):
        marks = [[1, 2, 3, 4, 5, 5], [1, 3, 2, 5, 4, 5], [2, 2, 3, 3, 5, 4]]
        found = only(beside.rows_of(6, 1), marks, "pooled", "spearman", raters=["a", "b", "c"])

        known = [
            beside.slow(
                marks[i],
                [sum(marks[j][k] for j in range(3) if j != i) for k in range(6)],
                "spearman",
            )
            for i in range(3)
        ]
        assert [one.value for one in found.raters] == [pytest.approx(v) for v in known]
        assert [one.rater for one in found.raters] == ["a", "b", "c"]
        assert (found.low, found.high) == (pytest.approx(min(known)), pytest.approx(max(known)))
        assert found.value == pytest.approx(np.mean(known))

    @pytest.mark.parametrize("level", LEVELS)
    def test_of_summevals_experts_are_each_against_the_other_two(self, golden, level):
        marks = summeval.marks(golden, "rel")
        table = summeval.table(golden)

        found = only(table, marks, level)

        known = []
        for i in range(3):
            rest = exact.of_marks(np.delete(marks, i, axis=0))
            of = levels.pairs(table, exact.values(marks[i]), rest)
            known.append(correlation.correlations(of, level, names=["kendall_b"])[0].value)
        assert [one.value for one in found.raters] == known
        assert (found.n_raters, found.n_left_out) == (3, 0)

    def test_of_summeval_are_above_every_metric_of_the_time(self, golden):
        found = only(summeval.table(golden), summeval.marks(golden, "coh"), "item")

        assert found.low > 0.35  # the best released metric reaches 0.15

    @settings(max_examples=20)
    @given(st.permutations(range(4)))
    def test_do_not_depend_on_the_order_of_raters(self, order):
        rng = np.random.default_rng(0)
        marks = rng.integers(1, 5, (4, 12)).astype(float)
        marks[rng.random(marks.shape) < 0.2] = NAN
        table = beside.rows_of(4, 3)

        here, there = (only(table, one, "pooled") for one in (marks, marks[order]))

        assert (here.low, here.high, here.n_raters) == (there.low, there.high, there.n_raters)
        assert here.value == pytest.approx(there.value)

    def test_of_raters_who_change_from_item_to_item_take_what_each_shares(self):
        marks = [[1, 2, 3, NAN, NAN], [1, 3, 5, 2, NAN], [NAN, NAN, NAN, 3, 4]]
        found = only(beside.rows_of(5, 1), marks, "pooled")

        assert [one.n_rows for one in found.raters] == [3, 4, 1]
        assert found.raters[2].reason is Reason.FEW_PAIRS
        assert (found.n_raters, found.n_left_out) == (2, 1)

    @pytest.mark.parametrize(
        ("marks", "reason"),
        [
            ([[1, 2, 3]], Reason.ONE_RATER),
            ([[1, 2, NAN], [NAN, NAN, 3]], Reason.NO_OVERLAP),
        ],
    )
    def test_are_undefined_with_a_reason(self, marks, reason):
        found = only(beside.rows_of(3, 1), marks, "pooled")

        assert (found.value, found.low, found.high, found.reason) == (None, None, None, reason)
        assert plain(found)["reason"] == reason.value

    def test_refuse_marks_of_another_shape(self):
        with pytest.raises(ValueError, match="raters × responses"):
            only(beside.rows_of(3, 1), [[1, 2]], "pooled")
