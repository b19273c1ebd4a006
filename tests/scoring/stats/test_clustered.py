import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import clustered
from scoring.stats.reasons import Reason

#: Student (1908), The probable error of a mean, section IX: additional hours of sleep gained by the use
#: of the second drug less the first; their mean is 1.58, the interval of 95 % 0.70 to 2.46.
SLEEP = (1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4)


class TestMean:
    def test_is_students_interval_with_one_part_in_each_cluster(self):
        found = clustered.mean(SLEEP, range(10))

        assert found.value == pytest.approx(1.58)
        assert (round(found.low or 0, 2), round(found.high or 0, 2)) == (0.70, 2.46)
        assert (found.n, found.n_clusters) == (10, 10)

    def test_counts_parts_that_are_alike_as_few(self):
        values = [0.0] * 20 + [1.0] * 20

        alone = clustered.mean(values, range(40))
        together = clustered.mean(values, [n // 10 for n in range(40)])

        assert together.high - together.low > 2 * (alone.high - alone.low)

    @pytest.mark.parametrize(
        ("values", "clusters", "reason"),
        [([1.0, 2.0], [5, 5], Reason.FEW_QUESTIONS), ([0.1] * 9, range(9), Reason.NO_SPREAD)],
    )
    def test_says_why_it_has_no_interval(self, values, clusters, reason):
        found = clustered.mean(values, clusters)

        assert (found.low, found.high, found.reason) == (None, None, reason)

    def test_refuses_nothing(self):
        with pytest.raises(ValueError, match="needs values"):
            clustered.mean([], [])

    @given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 5)), min_size=1, max_size=40))
    def test_lies_within_its_interval(self, rows):
        found = clustered.mean([one for one, _c in rows], [c for _one, c in rows])

        if found.low is not None and found.high is not None:
            assert found.low <= found.value <= found.high
