from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.resampled import exact
from tests.scoring import summeval


def fractions(values):
    return [
        None if np.isnan(one) else Fraction(int(one), int(values.unit)) for one in values.numerators
    ]


class TestValues:
    @given(st.lists(st.decimals(-1000, 1000, places=5), min_size=1, max_size=9))
    def test_keep_decimals_exactly(self, column):
        made = exact.values([float(one) for one in column])

        assert made.exact
        assert fractions(made) == [Fraction(one) for one in column]

    def test_say_when_decimals_are_too_many(self):
        made = exact.values([1 / 3, 2 / 3])

        assert (made.exact, made.unit, made.floats.tolist()) == (False, 1.0, [1 / 3, 2 / 3])

    def test_say_when_numbers_are_too_large_to_be_added(self):
        assert exact.values([9e15, 5.0]).exact is False

    def test_leave_gaps(self):
        assert fractions(exact.values([0.5, float("nan")])) == [Fraction(1, 2), None]

    def test_of_nothing_are_nothing(self):
        assert exact.values([]).numerators.tolist() == []

    def test_refuse_what_is_infinite(self):
        with pytest.raises(ValueError, match="infinite"):
            exact.values([1.0, float("inf")])


class TestMeans:
    @given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=12))
    def test_are_exact_fractions(self, rows):
        made = exact.means([total for total, _ in rows], [n for _, n in rows])

        assert made.exact
        assert fractions(made) == [Fraction(total, n) if n else None for total, n in rows]

    def test_fall_back_to_floats_where_numbers_of_marks_have_no_common_multiple(self):
        primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
        made = exact.means([1.5] * 16, primes)

        assert made.exact is False
        assert made.floats == pytest.approx([1.5 / n for n in primes])

    def test_of_sums_with_many_decimals_are_floats(self):
        made = exact.means([1 / 3, 1], [1, 2])

        assert (made.exact, made.floats.tolist()) == (False, [1 / 3, 0.5])

    def test_fall_back_to_floats_where_numerators_grow_too_large(self):
        made = exact.means([8e15, 1], [1, 2])

        assert (made.exact, made.floats.tolist()) == (False, [8e15, 0.5])

    @pytest.mark.parametrize(("total", "count"), [([1], [-1]), ([float("nan")], [1])])
    def test_refuse_what_is_no_mean(self, total, count):
        with pytest.raises(ValueError, match="no proper sum"):
            exact.means(total, count)


class TestOfMarks:
    def test_are_the_means_of_whoever_marked(self):
        made = exact.of_marks(np.array([[1, 2.5, np.nan], [2, np.nan, np.nan]]))

        assert fractions(made) == [Fraction(3, 2), Fraction(5, 2), None]

    def test_of_summeval_hold_its_two_exact_ties(self, golden):
        known = next(
            one["value"]
            for one in summeval.expected(golden)["anchors"]
            if one["id"] == "summeval.gold_ties"
        )
        found = {c: _ties(golden, summeval.people(golden, c)) for c in summeval.CRITERIA}
        whole = exact.mean_of([summeval.people(golden, c) for c in summeval.CRITERIA])

        assert {**found, "ovr": _ties(golden, whole)} == known


class TestMeanOf:
    def test_of_columns_is_exact_over_different_units(self):
        made = exact.mean_of([exact.values([0.5, 1]), exact.means([1, 2], [3, 1])])

        assert fractions(made) == [Fraction(5, 12), Fraction(3, 2)]

    def test_of_one_is_itself(self):
        one = exact.values([1.0])

        assert exact.mean_of([one]) is one

    def test_of_columns_whose_sums_are_too_large_is_inexact(self):
        made = exact.mean_of([exact.values([8e15]), exact.values([8e15])])

        assert (made.exact, made.floats.tolist()) == (False, [8e15])

    def test_of_inexact_columns_is_inexact(self):
        made = exact.mean_of([exact.values([1 / 3]), exact.values([2.0])])

        assert (made.exact, made.floats.tolist()) == (False, [pytest.approx(7 / 6)])


class TestRescaled:
    def test_are_exact_shares_of_the_range(self):
        made = exact.rescaled(exact.values([1, 2, 4.5]), 1, 5)

        assert made.exact
        assert fractions(made) == [0, Fraction(1, 4), Fraction(7, 8)]

    def test_are_floats_where_ends_do_not_fit(self):
        made = exact.rescaled(exact.values([1.0]), 1 / 3, 2)

        assert (made.exact, made.floats.tolist()) == (False, [pytest.approx(0.4)])

    def test_are_floats_where_numerators_grow_too_large(self):
        made = exact.rescaled(exact.values([8e15]), -8e15, 0)

        assert (made.exact, made.floats.tolist()) == (False, [2])

    @pytest.mark.parametrize("ends", [(1, 1), (0, float("inf"))])
    def test_refuse_a_range_without_width(self, ends):
        with pytest.raises(ValueError, match="no width"):
            exact.rescaled(exact.values([1.0]), *ends)


def _ties(golden, values):
    totals = {}
    for at, system in enumerate(summeval.table(golden).system.tolist()):
        totals[system] = totals.get(system, 0) + values.numerators[at]
    return len(totals) - len(set(totals.values()))
