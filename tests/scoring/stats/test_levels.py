from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.judges import levels
from scoring.stats.resampled import exact
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

NAN = float("nan")


class TestRows:
    def test_place_values_by_key_and_leave_gaps(self):
        table = levels.rows(response=["b", "a", "c"], system=[1, 2, 3], group=["g"] * 3)

        made = table.place(["c", "b"], [3, None])

        assert np.array_equal(made, [NAN, NAN, 3], equal_nan=True)

    @pytest.mark.parametrize(
        ("keys", "said"), [(["x"], "no response 'x'"), (["a", "a"], "'a' has two values")]
    )
    def test_refuse_strange_and_repeated_keys(self, keys, said):
        table = levels.rows(response=["a"], system=["s"], group=["g"])

        with pytest.raises(ValueError, match=said):
            table.place(keys, [1] * len(keys))

    @pytest.mark.parametrize(
        ("columns", "said"),
        [
            ({"system": ["s"]}, "differ in number"),
            ({"group": ["g", None]}, "needs a response, a system and a group"),
            ({"response": ["a", "a"]}, "comes twice"),
            ({"system": ["s", 1]}, "different types"),
        ],
    )
    def test_refuse_what_cannot_be_told_apart(self, columns, said):
        whole = {"response": ["a", "b"], "system": ["s", "t"], "group": ["g", "g"]}

        with pytest.raises(ValueError, match=said):
            levels.rows(**{**whole, **columns})


class TestPairs:
    def test_leave_out_and_count_what_a_side_lacks(self):
        of = beside.pairs_of([[1, 2, NAN], [NAN, 4, 5]], [[1, NAN, 3], [NAN, 3, 4]])

        assert (of.n, of.n_judge_only, of.n_human_only) == (3, 1, 1)
        assert (of.systems, of.groups) == (("s00", "s01"), ("g00", "g01", "g02"))
        assert (of.judge.tolist(), of.human.tolist()) == ([1, 4, 5], [1, 3, 4])

    @given(st.permutations(range(12)))
    def test_do_not_depend_on_the_order_of_rows(self, order):
        table = beside.rows_of(3, 4)
        judge, human = np.arange(12) / 8, (np.arange(12) * 7) % 5
        there = levels.pairs(table, exact.values(judge), exact.values(human))
        mixed = levels.rows(
            response=[table.response[i] for i in order],
            system=[table.systems[table.system[i]] for i in order],
            group=[table.groups[table.group[i]] for i in order],
        )

        here = levels.pairs(mixed, exact.values(judge[order]), exact.values(human[order]))

        for name in ("judge", "human", "system", "group"):
            assert np.array_equal(getattr(here, name), getattr(there, name))

    def test_refuse_a_side_of_another_length(self):
        with pytest.raises(ValueError, match="one value for each response"):
            levels.pairs(beside.rows_of(2, 2), exact.values([1.0]), exact.values([1.0] * 4))


class TestSystemMeans:
    @given(st.lists(st.lists(st.integers(1, 5), min_size=4, max_size=4), min_size=2, max_size=5))
    def test_are_exact_quotients(self, human):
        of = beside.pairs_of(human, human)

        means = levels.system_means(of)[1]

        assert means.tolist() == [float(Fraction(sum(row), len(row))) for row in human]

    def test_of_values_with_many_decimals_do_not_depend_on_their_order(self):
        values = [1 / 3, 2 / 7, 1e-9, 123.456789012345, 1 / 11]
        of = beside.pairs_of([values, values[::-1]], [values, values[::-1]])
        judge, human = levels.system_means(of)

        assert not of.exact
        assert judge[0] == judge[1] == human[0] == human[1]


class TestSums:
    def test_are_of_each_system_in_each_group(self):
        made = levels.sums(beside.pairs_of([[1, 2], [NAN, 4]], [[5, 6], [7, 8]]))

        assert made.judge.tolist() == [[1, 2], [0, 4]]
        assert made.human.tolist() == [[5, 6], [0, 8]]
        assert made.count.tolist() == [[1, 1], [0, 1]]


class TestGrid:
    def test_has_a_slot_for_every_system_and_sample(self):
        table = beside.rows_of(2, 2, samples=2)
        values = exact.values([1, 2, 3, NAN, 5, 6, 7, 8])

        laid = levels.grid(levels.pairs(table, values, values))

        assert laid.slot_system.tolist() == [0, 0, 1, 1]
        assert laid.judge.tolist() == [[1, 2, 5, 6], [3, 0, 7, 8]]
        assert laid.valid.tolist() == [[1, 1, 1, 1], [1, 0, 1, 1]]

    def test_of_summeval_is_full(self, golden):
        laid = levels.grid(summeval.pairs(golden, "BERTScore-R"))

        assert laid.valid.shape == (100, 16)
        assert laid.valid.all()
