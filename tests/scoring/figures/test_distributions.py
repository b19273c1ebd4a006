import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.figures import cells as distributions

VALUES = st.lists(st.floats(-5, 5), min_size=1, max_size=30)


class TestOf:
    def test_known_numbers(self):
        """Hyndman and Fan (1996), definition 7: the quartiles of 1, 2, 3, 4."""
        found = distributions.distribution_of([4, 1, 3, 2])

        assert found == distributions.ScoreDistribution(4, 2.5, 1, 1.75, 2.5, 3.25, 4)

    def test_of_one_number_is_that_number(self):
        found = distributions.distribution_of([0.5])

        assert found is not None
        assert (found.lowest, found.middle, found.highest) == (0.5, 0.5, 0.5)

    def test_of_nothing_is_none(self):
        assert distributions.distribution_of([]) is None

    @given(VALUES)
    def test_is_in_order(self, values):
        found = distributions.distribution_of(values)

        assert found is not None
        ordered = [found.lowest, found.lower, found.middle, found.upper, found.highest]
        assert ordered == sorted(ordered)


class TestParts:
    def test_count_the_ends_too(self):
        found = distributions.parts([0, 0.05, 0.1, 0.95, 1], 0, 1)

        assert [one.n for one in found] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
        assert (found[0].low, found[-1].high) == (0, pytest.approx(1))

    def test_an_open_range_ends_where_the_scores_do(self):
        found = distributions.parts([-4, 6], None, None)

        assert (found[0].low, found[-1].high) == (-4, 6)

    def test_of_equal_scores_are_one(self):
        assert distributions.parts([2, 2], None, None) == [distributions.DistributionPart(2, 2, 2)]

    def test_of_nothing_are_none(self):
        assert distributions.parts([], 0, 1) == []

    @given(VALUES)
    def test_lose_no_score(self, values):
        assert sum(one.n for one in distributions.parts(values, None, None)) == len(values)
